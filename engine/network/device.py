"""Where a model runs and in which precision, and the way of its tensors there and back.

Prompts run where the weights are, in their dtype. Everything else is computed in single or double
precision on the CPU: there are no singular values in half precision, nor on every device.
"""

from collections.abc import Iterable

import torch
from torch import Tensor

from engine.messages import Dtype, Placing, Refused, in_bytes

DTYPES: dict[Dtype, torch.dtype] = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}

FIRST_RIGHT_ON_MPS = (2, 9)
"""torch 2.8 multiplies matrices that do not lie together wrongly on mps, without a word
(pytorch/pytorch#161640, TransformerLensOrg/TransformerLens#1062); those before it have had others
(#1178 there)."""

OUT_OF_MEMORY = (MemoryError, torch.OutOfMemoryError)
"""Errors that say nothing of what was being read or run."""

TOO_LARGE = "float16 cannot hold: choose the dtype bfloat16 or float32"


def to_cpu_float32(tensor: Tensor) -> Tensor:
    """Return a tensor in single precision on the CPU; itself where it is that already."""
    return tensor.to("cpu", torch.float32)


def to_like(tensor: Tensor, other: Tensor) -> Tensor:
    """Return a tensor where another one is, in its dtype."""
    return tensor.to(other.device, other.dtype)


def check(placing: Placing) -> None:
    """Refuse a device that is not there, or that is known to compute wrongly."""
    there = devices()
    if placing.device not in there:
        raise Refused(
            f"there is no device {placing.device} on this computer, or this build of torch "
            f"({torch.__version__}) cannot use it: choose {' or '.join(there)} by --device "
            "or in Preferences"
        )
    if placing.device == "mps" and _version() < FIRST_RIGHT_ON_MPS:
        raise Refused(
            f"torch {torch.__version__} is known to compute wrong numbers on mps without saying "
            "so: install torch 2.9 or later, or choose the device cpu"
        )


def devices() -> list[str]:
    """Return the devices that torch can use on this computer."""
    there = {
        "cpu": True,
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
    }
    return [name for name, usable in there.items() if usable]


def check_room(name: str, needs: int, placing: Placing) -> None:
    """Refuse a model whose weights would not fit on a device that has memory of its own."""
    if placing.device != "cuda":  # mps shares the computer's memory, which was asked before
        return
    free, _ = torch.cuda.mem_get_info()
    if needs > free:
        raise Refused(
            f"{name} takes {in_bytes(needs)} on cuda, where {in_bytes(free)} are free: choose the "
            "device cpu, or a dtype of half precision"
        )


def check_weights(name: str, weights: Iterable[tuple[str, Tensor]], placing: Placing) -> None:
    """Refuse weights that are not numbers, and those that float16 cannot hold."""
    for at, tensor in weights:
        if not (tensor.numel() and tensor.is_floating_point()):
            continue
        least, most = tensor.aminmax()  # neither is finite if a number is none
        if not bool(least.isfinite() & most.isfinite()):
            if placing.dtype == "float16":
                raise Refused(f"{name} has weights beyond 65,504 ({at}), which {TOO_LARGE}")
            raise Refused(
                f"{name} is not opened: {at} holds numbers that are not finite (inf or nan): its "
                "file is damaged, or its training went wrong"
            )


def without_numbers(tensor: Tensor) -> str:
    """Return why a stored tensor cannot be read as a table of numbers; empty where it can."""
    if tensor.is_meta:
        return "which has a shape and no numbers (it is on the device meta)"
    if tensor.layout != torch.strided or tensor.is_quantized:
        return "which is no plain table of numbers (it is sparse or quantised)"
    return ""


def check_finite(name: str, numbers: Tensor, placing: Placing) -> None:
    """Refuse a run in which numbers became too large."""
    if bool(numbers.isfinite().all()):
        return
    if placing.dtype == "float16":
        raise Refused(f"running {name} gives numbers beyond 65,504, which {TOO_LARGE}")
    raise Refused(f"running {name} gives numbers that are not finite: its weights are too large")


def _version() -> tuple[int, ...]:
    return tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
