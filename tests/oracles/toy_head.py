"""The head of "Attention in tensor notation": its code card, and every number printed there.

Matrices are in the text's shapes (the papers'): W_Q, W_K, W_V [d_head, d_model],
W_O [d_model, d_head], W_U [d_vocab, d_model]; X holds one row per position. Slots, positions and
entries are counted from 0 here and from 1 in the text.
"""

import numpy as np

TOKENS = ("result", "=", "0", "ans", "return")
TEXT = " ".join(TOKENS)
D_HEAD = 2

X = np.array([[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0], [1, -1, 0, 0], [0, 0, 0, 1.0]])
W_Q = np.array([[0, 0, 0, 2], [0, 0, 0, 1.0]])
W_K = np.array([[1, 0, 0, 0], [0, 1, 0, 0.0]])
W_V = np.array([[0, 1, 0, 0], [1, 0, 0, 0.0]])
W_O = np.array([[0, 1], [1, 0], [0, 0], [0, 0.0]])
W_U = np.array([[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0], [1, -1, 0, 0], [0, 0, 0, 1.0]])

# Section 1: "the split into W_Q and W_K is not unique".
SECOND_W_Q = np.array([[0, 0, 0, 1], [0, 0, 0, 1.0]])
SECOND_W_K = np.array([[2, 0, 0, 0], [0, 1, 0, 0.0]])

# Section 1, steps 1 to 3, at `return` (position 5 of the text).
QUERY_AT_RETURN = (2, 1)
SCORES_AT_RETURN = (3, 0, 0, 1, 0)  # before division by sqrt(2)
PATTERN_AT_RETURN = (0.624, 0.075, 0.075, 0.152, 0.075)  # the card's first print
HEAD_OUTPUT_AT_RETURN = (0.78, 0.47, 0, 0)
LOGITS_AT_RETURN = (1.248, 0.000, 0.000, 0.303, 0.000)  # the card's second print
W_QK_ENTRIES = {(3, 0): 2, (3, 1): 1}  # all others 0
W_OV_PRINTED = np.diag([1, 1, 0, 0])  # "copies slots 1 and 2 and ignores slots 3 and 4"

# Section 4: "an all-zero row becomes uniform over the sources the mask allows".
PATTERN = (
    (1, 0, 0, 0, 0),
    (1 / 2, 1 / 2, 0, 0, 0),
    (1 / 3, 1 / 3, 1 / 3, 0, 0),
    (1 / 4, 1 / 4, 1 / 4, 1 / 4, 0),
    PATTERN_AT_RETURN,
)

# Section 5: the inner product's rows, and row 4 of H.
MOVED = ((1, 1, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), (1, -1, 0, 0), (0, 0, 0, 0))
HEAD_OUTPUT_AT_ANS = (0.5, 0, 0, 0)

# Section 6: the end-to-end tables, zero elsewhere. QK before division by sqrt(2).
M_OV_ENTRIES = {("result", "result"): 2, ("ans", "ans"): 2}
QK_ENTRIES = {("return", "result"): 3, ("return", "ans"): 1}
LOGITS_AT_ANS = (0.5, 0, 0, 0.5, 0)  # "it pushes both names equally"

# Section 7: h_1 looks one back, the first position at itself.
PREVIOUS = np.array(
    [[1, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1.0, 0]]
)
# The row itself is lost; this is the prose: 0.62 and one 0.07 (0.0748 each) land on position 1,
# the 0.15 of `ans` on `0`, every other weight one earlier.
VIRTUAL_AT_RETURN = (0.699, 0.075, 0.152, 0.075, 0)

# Section 8: W_Q tripled.
SHARP_FACTOR = 3
SHARP_LOGITS_AT_RETURN = (1.96, 0, 0, 0.03, 0)
# The sharp row itself is lost; "twice the weights" gives it: 1.96 / 2 and 0.03 / 2.
SHARP_PATTERN_AT_RETURN = (0.981, 0.002, 0.002, 0.014, 0.002)


def table(entries: dict[tuple[str, str], float]) -> np.ndarray:
    """Write entries out as the whole table [token, token], zeros elsewhere."""
    whole = np.zeros((len(TOKENS), len(TOKENS)))
    for (row, column), value in entries.items():
        whole[TOKENS.index(row), TOKENS.index(column)] = value
    return whole
