"""The printed sections of "One Attention Head, Taken Apart", for any head: `headscope report`."""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from engine.cli.command import QuestionParser, add_placing, placing
from engine.cli.console import elsewhere
from engine.cli.report_sections import SECTIONS, Subject, copying, outcome
from engine.engine import Engine
from engine.messages import (
    Attention,
    Head,
    LoadModel,
    LogitAttribution,
    Placing,
    Receipts,
    Refused,
    Request,
    RunPrompt,
    Vocabulary,
)
from engine.messages.records import request_to_json, result_to_json


class Asked(NamedTuple):
    """What a report is about: a prompt, and a head or the best one."""

    run: RunPrompt
    head: Head | None
    verbose: bool
    placing: Placing = Placing()
    json: bool = False


def parse(words: Sequence[str]) -> Asked:
    """Read the options of `headscope report`.

    Raises
    ------
    Refused
        If one is unknown, missing or of the wrong kind.
    """
    parser = QuestionParser(prog="headscope report", allow_abbrev=False)
    parser.add_argument("--model", help="name of the model, one of `headscope models`")
    parser.add_argument("--text", help="the prompt")
    parser.add_argument(
        "--head",
        default="BEST",
        help="layer.head, or BEST: the head that raises the model's first guess after the prompt "
        "most (default BEST)",
    )
    add_placing(parser)
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object: the sections, and every question asked with its answer",
    )
    parser.add_argument("--verbose", action="store_true", help="show what libraries print")
    given, unknown = parser.read_known(words)
    if unknown:
        raise Refused(
            f"report has no option {unknown[0]!r}: it takes --model, --text, --head, --device, "
            "--dtype, --json and --verbose"
        )
    for name in ("model", "text"):
        if getattr(given, name) is None:
            raise Refused(f"report needs --{name}: `headscope report --help` says what it takes")
    head = None if given.head.upper() == "BEST" else Head.parse(given.head)
    return Asked(
        RunPrompt(given.model, given.text), head, given.verbose, placing(given), given.json
    )


def report(asked: Asked) -> str:
    """Return the seven sections for a head on a prompt, as text or as JSON.

    Headings and order are those of the text's script, the numbers are this model's. Each is the
    answer to a question or part of a receipt; weights are folded. What means nothing for the
    model, such as one W_QK of a rotary one, is said to be undefined, with the reason.

    Parameters
    ----------
    asked : Asked
        From `parse`.

    Raises
    ------
    Refused
        If model, head or prompt cannot be had.
    """
    engine = Engine(placing=asked.placing)
    unrecorded: Callable[[Request], Any] = engine.answer
    answers: dict[Request, Any] = {}

    def ask(request: Request) -> Any:
        answers[request] = found = unrecorded(request)
        return found

    chosen, head = "", asked.head
    if head is None:
        head, chosen = best(engine, asked.run)
    engine.check_head(asked.run, head)
    facts = ask(LoadModel(asked.run.model))
    layer = [Head(head.layer, number) for number in range(facts.n_heads)]
    subject = Subject(
        ask=ask,
        run=asked.run,
        head=head,
        facts=facts,
        met=ask(asked.run),
        pattern=ask(Attention(asked.run, head.layer)),
        receipts=ask(Receipts(asked.run, head)),
        vocabulary=frozenset(unrecorded(Vocabulary(asked.run.model)).texts),
        copying=copying(unrecorded, facts, layer),
    )
    sections = [(title(subject), section(subject)) for title, section in SECTIONS]
    if asked.json:
        return _record(subject, chosen, sections, answers)
    lines = [chosen] if chosen else []
    precision = subject.facts.precision
    if moved := elsewhere(asked.run.model, precision, asked.placing):
        lines.append(moved)
    elif precision != str(Placing()):
        lines.append(f"precision: {precision}")
    for title, said in sections:
        lines += ["", f"== {title}", *(f"  {line}" for line in said)]
    lines += ["", outcome(subject.receipts)]
    return "\n".join(lines).lstrip("\n") + "\n"


def _record(
    subject: Subject,
    chosen: str,
    sections: list[tuple[str, list[str]]],
    answers: dict[Request, Any],
) -> str:
    counted = subject.copying
    record = {
        "head": str(subject.head),
        "chosen": chosen,
        "sections": [{"title": title, "lines": lines} for title, lines in sections],
        "copying": counted._asdict() | {"shares": {str(one): it for one, it in counted.shares}},
        "answers": [
            {"request": request_to_json(request), "result": result_to_json(result)}
            for request, result in answers.items()
        ],
    }
    return json.dumps(record, allow_nan=False) + "\n"


def best(engine: Engine, run: RunPrompt) -> tuple[Head, str]:
    """Return the head whose output raises the model's first guess most, and a line that says so.

    It is what the text's head does on its prompt: "the token this head pushes up most is ' tea'".
    """
    ask: Callable[[Request], Any] = engine.answer
    parts = ask(LogitAttribution(run))
    shares = {head: value for head, value in zip(parts.heads, parts.values, strict=True) if head}
    head = max(shares, key=lambda one: shares[one])
    return head, (
        f"best head: {head}, which raises the model's first guess {parts.target_label!r} most "
        f"({shares[head]:+.2f} logits by direct attribution)"
    )
