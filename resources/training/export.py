"""Export a checkpoint as a model folder: float16 weights, config.json and tokenizer.json."""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import torch

from resources.training.model import Config, Model, export


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="attn-1l or attn-2l")
    parser.add_argument("folder", type=Path, help="such as resources/models/attn-1l")
    parser.add_argument("--work", type=Path, required=True)
    options = parser.parse_args()
    plan = json.loads((options.work / f"{options.name}.plan.json").read_text(encoding="utf-8"))
    model = Model(Config(n_layers=plan["n_layers"]))
    state = torch.load(options.work / f"{options.name}.ckpt", weights_only=True)
    model.load_state_dict(state["model"])
    export(model, options.folder)
    part = options.folder / "tokenizer.json.part"
    shutil.copy(options.work / "tokenizer.json", part)
    part.rename(options.folder / "tokenizer.json")


if __name__ == "__main__":
    main()
