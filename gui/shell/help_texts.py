"""What the Help menu says."""

ABOUT = (
    "A microscope for attention heads: where a head looks (its pattern and its "
    "QK circuit), what it brings (its OV circuit), how many directions it uses (its spectrum), "
    "which heads work together, and what each gives to the next token, read from the model's own "
    "weights. Everything is computed on this machine; nothing is sent anywhere."
)
LICENCE = (
    "Headscope is free software under the MIT licence, © 2026 the Headscope authors. It comes "
    "without any warranty."
)
MODEL_LICENCES = (
    "The models that come with it are under the same licence. attn-1l and attn-2l were trained on "
    "Python's documentation and library (PSF License 2), WordNet (WordNet 3.0 licence), and on "
    "Jane Austen's novels, the King James Bible and the Jargon File (public domain); their model "
    "cards say how much of each. The toys hold no text: every weight is written by hand."
)
CITATION = """\
@software{{headscope,
  title   = {{Headscope: a desktop microscope for attention heads}},
  author  = {{{{The Headscope authors}}}},
  version = {{{version}}},
  year    = {{2026}},
  license = {{MIT}}
}}"""
"""BibTeX, with a place for the version; CITATION.cff says the same."""
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
    "Ctrl+M opens other models: it says first what each would take. A model folder, a GGUF file, "
    "a session, a figure or a text can also be dragged onto the window.\n\n"
    "View has more cards, in groups. Layouts, in the top bar, open some together: “Find a head” "
    "to compare all heads, “Compose” for two heads in a row. “?” in a card says what it shows, its "
    "formula and where that is from; “Export figure” makes one of any card. Help leads through "
    "three examples.\n\n"
    "File saves all of it as a session, and the last one comes back at the next start. Alt+Left "
    "goes back to what was selected before, Ctrl+D marks a head, and Notes lists the marked ones."
    "\n\n"
    "Cards: drag one by its title; double-click the title to float it, right-click it to close "
    "it. Ctrl+Alt+0 puts them back.\n\n"
    "Keyboard: Ctrl+K finds everything by name, and a head by 1.3 or L1H3. Ctrl+1 to "
    "Ctrl+9 go to a card, and close one that has the keyboard; Ctrl+W closes any, F6 goes to the "
    "next. Tab moves on, arrow keys move inside a picture, Ctrl++ and Ctrl+- change the size of "
    "text."
)
