"""Write MODEL_CARD.md of a model from its plan, its log and its measured numbers."""

from __future__ import annotations

import argparse
import json
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

from resources.training import batches, corpus
from resources.training.evaluate import OV_WORDS, ROWS_PER_SOURCE
from resources.training.model import Config


@dataclass(frozen=True)
class Floor:
    """One measured number and what it had to reach."""

    what: str
    value: float
    wanted: str
    met: bool


def floors_of_one(found: dict) -> list[Floor]:
    """Return the floors of attn-1l."""
    losses, copying = found["losses"], found["copying"][0]
    below = losses["bigram"] - losses["held_out"]
    induction = max(found["heads"]["induction"][0])
    copiers = sum(share >= 0.1 for share in copying)
    shown = found["columns"]["words_shown"]
    rank = found["tea_rank"]
    return [
        Floor("largest induction score of any head", induction, "at most 0.2", induction <= 0.2),
        Floor("heads with a copying share of 0.1 or more", copiers, "at least 2", copiers >= 2),
        Floor("held-out loss below the bigram, nats", below, "at least 0.5", below >= 0.5),
        Floor("rank of ` tea` after the tea prompt", rank, "at most 20", rank <= 20),
        Floor("words of eight shown by one head's OV columns", shown, "at least 5", shown >= 5),
    ]


def floors_of_two(found: dict) -> list[Floor]:
    """Return the floors of attn-2l."""
    losses, heads = found["losses"], found["heads"]
    below = losses["bigram"] - losses["held_out"]
    ratio = heads["second_copy_loss"][0] / heads["first_copy_loss"][0]
    early, late = (max(layer) for layer in heads["induction"])
    previous, rank = max(heads["previous"][0]), found["tea_rank"]
    return [
        Floor("induction score of the best layer-1 head", late, "at least 0.8", late >= 0.8),
        Floor("largest induction score in layer 0", early, "below 0.2", early < 0.2),
        Floor("best previous-token head of layer 0", previous, "at least 0.7", previous >= 0.7),
        Floor("loss on the second copy / the first copy", ratio, "at most 0.25", ratio <= 0.25),
        Floor("held-out loss below the bigram, nats", below, "at least 1.0", below >= 1.0),
        Floor("rank of ` tea` after the tea prompt", rank, "1", rank == 1),
    ]


def code(piece: str) -> str:
    """Return a token as Markdown code, its newlines, bars and controls made visible."""
    shown = piece.replace("\n", "↵").replace("\t", "⇥").replace("|", "¦")
    shown = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in shown)
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


def table(header: list[str], rows: list[list[object]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def number(value: float) -> str:
    """Return a number with three decimals, a whole one with none."""
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def texts(work: Path) -> str:
    """Return the table of text sources."""
    train, held_out = batches.read_tokens(work, "train"), batches.read_tokens(work, "heldout")
    rows = []
    for source, kept, held in zip(corpus.SOURCES, train, held_out, strict=True):
        named = [source.name, source.work, f"`{source.package}`", source.licence]
        rows.append([*named, f"{source.share:.0%}", f"{len(kept):,}", f"{len(held):,}"])
    header = ["source", "work", "Debian 12 package", "terms", "share of training tokens"]
    return table([*header, "tokens, training", "tokens, held out"], rows)


def schedule(plan: dict, log: list[dict]) -> str:
    """Return how the model was trained."""
    tokens, spans, randoms = log[-1]["tokens"], plan["spans"], plan["randoms"]
    late = (plan["late_spans"], plan["late_randoms"])
    more = ""
    if late != (spans, randoms):
        more = f" From {plan['late_from']:.0%} of the tokens on: {late[0]:.0%} and {late[1]:.0%}"
        bags = plan["late_bags"]
        more += f", and {bags:.0%} random tokens drawn from bags of 3 to 8." if bags else "."
    note = f"- {plan['note']}\n" if plan["note"] else ""
    return f"""\
- {tokens:,} tokens seen, repeated rows and repeated passes over small sources included.
- Rows are BOS and a random crop of one source, of 63, 127 or 255 tokens; 20 % of the steps use 255,
  from {plan["late_from"]:.0%} of the tokens on {plan["late_long"]:.0%}.
- {spans + randoms:.0%} of the rows are repeated on purpose: in {spans:.0%} spans of the text, of
  random length from 2 tokens up, are copied further on in the row; {randoms:.0%} are blocks of
  random tokens, each two or three times, of which only the repetitions count in the loss.{more}
- Sampled softmax for the first {plan["full_from"]:.1%} of the tokens: the classes are the distinct
  targets of the batch and each other token with probability {plan["sampled_share"]}, weighted by
  the inverse of it; the full softmax for the rest.
- AdamW, betas 0.9 and 0.99, {plan["batch_tokens"]:,} tokens a step, rate {plan["learning_rate"]}
  after {plan["warmup"]:.0%} warm-up, from {plan["decay_from"]:.0%} of the tokens falling in a line
  to {plan["final_rate"]:.0%} of it; weight decay {plan["weight_decay"]} on matrices; gradients
  clipped at 1; float32; seed {plan["seed"]}.
{note}- Stored as float16; every number below is measured on the stored weights, cast to float32."""


def losses(found: dict, log: list[dict]) -> str:
    """Return the table of losses."""
    loss = found["losses"]
    rows = [
        ["training text, same rows for every source", number(loss["training"]), ""],
        ["held-out documents", number(loss["held_out"]), number(loss["bigram"])],
        *[
            [f"held out: {name}", number(part["held_out"]), number(part["bigram"])]
            for name, part in loss["by_source"].items()
        ],
    ]
    last = log[-1]["loss"]
    return (
        table(["nats a token", "model", "interpolated bigram"], rows)
        + f"\n\nUp to {ROWS_PER_SOURCE} rows of 255 tokens a source ({loss['held_out_tokens']:,}"
        " held-out tokens), no repeated rows, sources weighted by their shares. The bigram is\n"
        "counted on the training mixture; its interpolation weights, by how often the context was\n"
        "seen, are tuned on the other half of the held-out rows. Loss at the end of training,\n"
        f"repeated rows included: {last:.3f}."
    )


def heads(found: dict) -> str:
    """Return the table of every head's scores."""
    rows = []
    for layer, copying in enumerate(found["copying"]):
        for head, share in enumerate(copying):
            three = [found["heads"][k][layer][head] for k in ("induction", "previous", "first")]
            rows.append([f"{layer}.{head}", *map(number, three), number(share)])
    return table(["head", "induction", "previous token", "first token", "copying share"], rows)


def columns(found: dict) -> str:
    """Return the OV columns and QK rows of attn-1l's most readable head."""
    part = found["columns"]
    name = f"0.{part['head']}"
    ov, qk = [], []
    for word in OV_WORDS:
        column = part["ov"][word]
        ov.append([code(word), " ".join(map(code, column["top"])), column["shows"] or "no"])
    for word, row in part["qk"].items():
        qk.append([code(word), " ".join(f"{code(piece)} {s:.1f}" for piece, s in row)])
    return f"""\
## Head {name}, read from its weights

OV: the six tokens that head {name} raises most when it attends to the word.
{part["words_shown"]} of 8 show the word or its kin, {part["words_themselves"]} of them the word
itself or another form of it.

{table(["source", "raised most", "shows"], ov)}

QK: the six keys that score highest for the word as query (positions and biases left out).

{table(["query", "keys"], qk)}

"""


def card(name: str, work: Path) -> str:
    """Return the card of a model.

    Parameters
    ----------
    name : str
        Name of the model.
    work : Path
        Folder with its plan, log and measured numbers, and the tokens.
    """
    found = json.loads((work / f"{name}.measured.json").read_text(encoding="utf-8"))
    plan = json.loads((work / f"{name}.plan.json").read_text(encoding="utf-8"))
    lines = (work / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    log = [json.loads(line) for line in lines]
    config = Config(n_layers=plan["n_layers"])
    floors = floors_of_one(found) if config.n_layers == 1 else floors_of_two(found)
    rows = [[f.what, number(f.value), f.wanted, "yes" if f.met else "**no**"] for f in floors]
    guesses = ", ".join(f"{code(piece)} {p:.3f}" for piece, p in found["next"][:10])
    lengths = "; ".join(
        f"r = {r}: " + ", ".join(f"layer {i} {max(layer):.3f}" for i, layer in enumerate(by_layer))
        for r, by_layer in found["induction_by_length"].items()
    )
    plural = "s" if config.n_layers > 1 else ""
    return f"""\
# {name}

An attention-only transformer of {config.n_layers} layer{plural}, trained by Headscope on everyday
English and Python so that its heads can be read. {config.n_heads} heads a layer, d_head
{config.d_head}, d_model {config.d_model}, learned positions, context {config.n_ctx}, layer norm
without parameters, untied unembedding, biases, scores divided by sqrt({config.d_head}).
Byte-level BPE of {config.d_vocab:,} tokens with one special token, `<|BOS|>` (id 0), which every
prompt starts with; the tokenizer does not add it. The weights are under Headscope's licence (MIT).

This file is made by `resources/training/card.py` from measured numbers.

## Text

{texts(work)}

WordNet counts as one work: {sum(s.share for s in corpus.SOURCES if s.work == "WordNet"):.0%} of
the tokens. Its synsets about daily things, food and places come many times over on purpose, so that
everyday words are learned. Whole documents are held out. `I like green tea` and near copies of the
tea prompt (`drink green`, `like green`, `so I drink`) are filtered out. The tokenizer is trained on
a sample with the same shares.

## Training

{schedule(plan, log)}

## Floors

{table(["what", "measured", "floor", "met"], rows)}

After BOS and `I like green tea, so I drink green`: {guesses}.

## Losses

{losses(found, log)}

## Heads

Seeded repeated random tokens (64 rows of BOS, 64 random tokens, the same again). Loss on the first
copy {found["heads"]["first_copy_loss"][0]:.3f}, on the second
{found["heads"]["second_copy_loss"][0]:.3f}. Best induction score at other lengths: {lengths}.
Copying share: tokens 1000 to 2999 whose strongest OV output is the token itself.

{heads(found)}

{columns(found) if config.n_layers == 1 else ""}## Rebuild

After the corpus and tokenizer steps in `resources/training/README.md`:

    python -m resources.training.train {name} --work DIR --tokens {plan["tokens"]} --resume
    python -m resources.training.export {name} resources/models/{name} --work DIR
    python -m resources.training.evaluate resources/models/{name} --work DIR
    python -m resources.training.card {name} --work DIR

## Limits

A small model for looking at circuits, not for text: it knows a few million words of old novels, a
dictionary, a Bible and Python's own documentation, repeats what it saw, and shares their views and
their age. Small sources were seen many times, so that training and held-out loss differ on them. On
another machine the same seed gives close but not identical weights.
"""


def wrapped(text: str) -> str:
    """Return Markdown with its prose wrapped at 100 columns; tables, titles and code stay."""
    paragraphs = []
    for paragraph in text.split("\n\n"):
        if re.match(r"[#|]| {4}", paragraph):
            paragraphs.append(paragraph)
            continue
        items = re.split(r"\n(?=- )", paragraph)
        indents = ["  " if item.startswith("- ") else "" for item in items]
        lines = [
            textwrap.fill(" ".join(item.split()), 100, subsequent_indent=indent)
            for item, indent in zip(items, indents, strict=True)
        ]
        paragraphs.append("\n".join(lines))
    return "\n\n".join(paragraphs) + "\n"


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="attn-1l or attn-2l")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--models", type=Path, default=Path("resources/models"))
    options = parser.parse_args()
    path = options.models / options.name / "MODEL_CARD.md"
    path.write_text(wrapped(card(options.name, options.work)), encoding="utf-8")


if __name__ == "__main__":
    main()
