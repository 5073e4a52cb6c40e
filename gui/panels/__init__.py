"""The panels of the window, in the order in which they are laid out.

Each is named, not imported, so that the list costs nothing to read.
"""

PANELS = (
    "gui.panels.prompt:PromptPanel",
    "gui.panels.heads:HeadsPanel",
    "gui.panels.attention:AttentionPanel",
    "gui.panels.ov:OVPanel",
    "gui.panels.qk:QKPanel",
    "gui.panels.spectrum:SpectrumPanel",
    "gui.panels.poster:PosterPanel",
    "gui.panels.attribution:AttributionPanel",
    "gui.panels.lens:LensPanel",
    "gui.panels.composition:CompositionPanel",
    "gui.panels.virtual_head:VirtualHeadPanel",
    "gui.panels.eigenvalues:EigenvaluesPanel",
    "gui.panels.positions:PositionsPanel",
    "gui.panels.direct_path:DirectPathPanel",
    "gui.panels.workings:WorkingsPanel",
    "gui.panels.receipts:ReceiptsPanel",
    "gui.panels.skip_trigrams:SkipTrigramsPanel",
    "gui.panels.finder:FinderPanel",
    "gui.panels.notes:NotesPanel",
    "gui.board.panel:BoardPanel",
)
