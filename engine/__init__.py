"""Headscope's numbers: models, prompts and the circuits of attention heads.

`Engine` is looked up on first use, so that importing `engine.messages` never imports torch.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.engine import Engine

__all__ = ["Engine"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name == "Engine":
        from engine.engine import Engine

        return Engine
    raise AttributeError(f"module 'engine' has no attribute {name!r}")
