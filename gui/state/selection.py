"""Everything that can be selected in the window, as one frozen value; no Qt."""

from dataclasses import dataclass
from typing import Literal

from engine.messages import CompositionKind, Head, Kind, Pair, Side, Source, Specials, WayName

DEFAULT_MODEL = "attn-2l"
DEFAULT_TEXT = "I like green tea, so I drink green"
FIRST_HEAD = Head(0, 0)

Measure = str
"""`pattern`, or one of the engine's MEASURES."""
Looking = Literal["attends to", "attended by"]
Compare = Literal["left", "right", "difference"]


@dataclass(frozen=True)
class OVQuestion:
    """What the OV panel asks: a token of the vocabulary, or none to follow the pinned source."""

    token: int | None = None
    direction: WayName = "output"
    source: Source = "position"


@dataclass(frozen=True)
class QKQuestion:
    """What the QK panel asks: a token of the vocabulary, or none to follow what is pinned."""

    token: int | None = None
    side: Side = "query"
    source: Source = "position"


@dataclass(frozen=True)
class Selection:
    """Everything that can be selected, as one value: what a saved session holds.

    `query` and `source` are positions in the prompt; none means the last token, and the token
    that the query attends to most. `head_chosen` tells a head that somebody picked from one
    that merely stands until the scores are there. `pair` is an earlier and a later head that
    somebody picked to be read as one; none leaves it to the strongest by `composition`.
    `heads_off` are heads whose output is zeroed in everything that is run; `difference` shows
    what that changed where it can be shown, and is false while no head is off. `specials` says
    what special tokens in the text are read as. `other_text` is a second prompt, on the right of
    this one, and `compare` which of the two is shown where both can be; none: there is one.
    """

    model: str = DEFAULT_MODEL
    text: str = DEFAULT_TEXT
    prepend_bos: bool | None = None
    head: Head = FIRST_HEAD
    head_chosen: bool = False
    query: int | None = None
    source: int | None = None
    kind: Kind = "pattern"
    measure: Measure = "pattern"
    looking: Looking = "attends to"
    hide_bos: bool = False
    ov: OVQuestion = OVQuestion()
    qk: QKQuestion = QKQuestion()
    pair: Pair | None = None
    heads_off: tuple[Head, ...] = ()
    difference: bool = False
    composition: CompositionKind = "k"
    specials: Specials = "tokens"
    other_text: str | None = None
    compare: Compare = "left"
