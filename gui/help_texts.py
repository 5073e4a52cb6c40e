"""What the Help menu says."""

ABOUT = (
    "Headscope 0.1\n\nA microscope for attention heads: where a head looks (its pattern and its "
    "QK circuit), what it brings (its OV circuit), how many directions it uses (its spectrum), "
    "which heads work together, and what each gives to the next token, read from the model's own "
    "weights.\n\n"
    "Everything is computed on this machine; nothing is sent anywhere."
)
HOW_TO = (
    "Type a prompt. Heads shows every head's pattern on it; click one to open it. X switches it "
    "off, and every card then shows the model without it.\n\n"
    "An induction head looks at what followed the same token last time, and so can repeat it. "
    "A previous-token head looks one token back. "
    "A first-token head rests on the first token. "
    "Each head's score is its mean attention of that kind on repeated random tokens.\n\n"
    "Attention: each row is a token looking back. Click a cell or a token to pin it.\n\n"
    "OV: what the head raises and lowers when it reads the pinned source. "
    "QK: what it looks for when it stands on the pinned token. Click a token in a list to ask "
    "about it, or type another.\n\n"
    "Spectrum: how many directions the head uses. Click a value for the tokens at its two ends.\n\n"
    "Ctrl+M opens other models: it says first what each would take. A model folder, a GGUF file or "
    "a text can also be dragged onto the window.\n\n"
    "View has more cards, in groups, and layouts that open some together: “Find a head” to "
    "compare all heads, “Compose” for two heads in a row. Help leads through three examples.\n\n"
    "Cards: drag one by its title; double-click the title to float it, right-click it to close "
    "it. Ctrl+0 puts them back."
)
