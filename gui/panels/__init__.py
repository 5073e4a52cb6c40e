"""The cards of the window, in the order in which they are laid out.

Their panels are named, not imported, so that the list costs nothing to read, and a card that stays
closed costs nothing before the first paint.
"""

from typing import NamedTuple


class Card(NamedTuple):
    """A card: what menus and layouts know of it while its panel does not exist yet."""

    panel: str
    """Module and class of its panel."""
    title: str
    """As its panel has it, and by which layouts and sessions know it."""
    column: int
    """Where it opens when its layout has no place for it: 0 left, 1 middle, 2 right."""
    group: str
    """Part of the View menu that it stands in: Prompt, Head, Model, Checks or Figures."""
    about: str
    """One sentence for its menu entry."""


PANELS = (
    Card(
        "gui.panels.prompt.prompt:PromptPanel",
        "Prompt",
        0,
        "Prompt",
        "the text, its tokens and the model's guesses",
    ),
    Card(
        "gui.panels.model.heads:HeadsPanel",
        "Heads",
        0,
        "Model",
        "all heads at once, and what each is good at",
    ),
    Card(
        "gui.panels.prompt.attention:AttentionPanel",
        "Attention",
        1,
        "Head",
        "where the open head looks",
    ),
    Card(
        "gui.panels.head.token_rankings:OVPanel",
        "OV",
        2,
        "Head",
        "what the open head raises and lowers when it reads a token",
    ),
    Card(
        "gui.panels.head.token_rankings:QKPanel",
        "QK",
        2,
        "Head",
        "what the open head looks for when it stands on a token",
    ),
    Card(
        "gui.panels.head.spectrum:SpectrumPanel",
        "Spectrum",
        2,
        "Head",
        "the singular values of both circuits of the open head",
    ),
    Card(
        "gui.panels.prompt.destination_row:PosterPanel",
        "Poster",
        1,
        "Prompt",
        "where every head of the model looks from the pinned token",
    ),
    Card(
        "gui.panels.prompt.attribution:AttributionPanel",
        "Attribution",
        2,
        "Prompt",
        "which parts, heads and source tokens give a token its logit",
    ),
    Card(
        "gui.panels.prompt.logit_lens:LensPanel",
        "Lens",
        1,
        "Prompt",
        "what the model would say next after each layer",
    ),
    Card(
        "gui.panels.model.composition:CompositionPanel",
        "Composition",
        1,
        "Model",
        "which heads read what which earlier heads write",
    ),
    Card(
        "gui.panels.head.virtual_head:VirtualHeadPanel",
        "Virtual head",
        2,
        "Head",
        "what two heads in a row do together",
    ),
    Card(
        "gui.panels.head.eigenvalues:EigenvaluesPanel",
        "Eigenvalues",
        2,
        "Head",
        "whether the open head copies: the eigenvalues of its circuits",
    ),
    Card(
        "gui.panels.head.positions:PositionsPanel",
        "Positions",
        2,
        "Head",
        "what distance and position do to the open head's scores",
    ),
    Card(
        "gui.panels.head.direct_path:DirectPathPanel",
        "Direct path",
        2,
        "Model",
        "the bigram table: what the model would say with no attention",
    ),
    Card(
        "gui.panels.head.head_steps:WorkingsPanel",
        "Workings",
        1,
        "Head",
        "every matrix of the open head on the prompt, with its numbers",
    ),
    Card(
        "gui.panels.head.checks:ReceiptsPanel",
        "Receipts",
        2,
        "Checks",
        "checks that what is shown of the open head is what the model does",
    ),
    Card(
        "gui.panels.head.skip_trigrams:SkipTrigramsPanel",
        "Skip-trigrams",
        2,
        "Head",
        "source … query → out: the open head's two circuits in one list",
    ),
    Card(
        "gui.panels.model.finder:FinderPanel",
        "Finder",
        1,
        "Model",
        "find a head by any measure: a table to sort, and any two as a scatter",
    ),
    Card(
        "gui.panels.head.notes:NotesPanel",
        "Notes",
        2,
        "Head",
        "a note on the open head, and the heads to come back to",
    ),
    Card(
        "gui.panels.model.board:BoardPanel",
        "Board",
        1,
        "Figures",
        "several figures on one page, with letters and shared colours",
    ),
)
