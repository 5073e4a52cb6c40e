"""What a run takes, said before it is taken."""

import ctypes
import os
from collections.abc import Callable

import psutil
import torch

from engine.messages import Refused, Thumbnails, in_bytes
from engine.network.network import Network

BYTES = 4
WORKING = 5
"""Copies of a layer's scores that its attention makes at most, before only the pattern is left."""


def available() -> int:
    """Return how many bytes of memory this computer can still give."""
    return int(psutil.virtual_memory().available)


def give_back() -> None:
    """Hand what is free but still held back to the system, where the C library can (glibc)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:
        trim(0)


def check_run_fits(name: str, length: int, needs: Callable[[int], int]) -> None:
    """Refuse a prompt whose run would not fit; `needs` gives the bytes that so many tokens take."""
    free = available()
    if needs(length) <= free:
        return
    fits, too_many = 0, length
    while too_many - fits > 1:
        tried = (fits + too_many) // 2
        fits, too_many = (tried, too_many) if needs(tried) <= free else (fits, tried)
    would = f"a prompt of {fits:,} tokens would fit" if fits else "close other programs"
    raise Refused(
        f"running {length:,} tokens through {name} takes {in_bytes(needs(length))} of memory, and "
        f"{in_bytes(free)} are free: {would}"
    )


def run_bytes(network: Network, length: int, budget: int) -> int:
    """Return how many bytes running a prompt takes at most, and its thumbnails with it."""
    stream = length * network.d_model
    streams = (network.n_layers + 2) * stream * (2 if network.d_mlp else 1)
    pattern = network.n_heads * length**2
    held = min(network.n_layers * pattern, budget // BYTES)
    inside = max(WORKING * pattern + 4 * stream, 3 * length * network.d_mlp) + 4 * stream
    pooled = network.n_layers * network.n_heads * min(length, Thumbnails.size) ** 2
    # What each block met stays where it runs, too, unless it is the same tensor.
    met = 0 if network.dtype == torch.float32 else network.n_layers * stream
    return BYTES * (streams + met + held + inside + pooled + 2 * network.d_vocab)
