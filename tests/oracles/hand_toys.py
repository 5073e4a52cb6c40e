"""The hand-sized examples of "One Attention Head, Taken Apart", in the paper's shapes.

Displayed equations and figures are missing from the text as given. What the prose prints stands
in the tests; what was lost and had to be chosen is marked "chosen" here.
"""

import numpy as np

# "A head moves information": 3 tokens, stream of 3, d_head 1.
W_V = np.array([[1.0, 1, 0]])  # "adds up dimensions 1 and 2"
W_O = np.array([[0.0], [0], [1]])  # "writes into dimension 3"
# Token 3 is (0, 0, 1) and token 1 "had a 2 in its first dimension". Token 2 is chosen: its value
# must be 1, since doubled values are printed as (4, 2, 0).
STREAM = np.array([[2.0, 0, 0], [0, 1, 0], [0, 0, 1]])
# Chosen: the last row must make 2 a + 1 b = 1.8, "almost entirely from token 1".
PATTERN = np.array([[1.0, 0, 0], [0.5, 0.5, 0], [0.85, 0.1, 0.05]])

# "Heads are independent and additive": r^1 and r^2 are printed; the 3 x 4 matrix is chosen.
RESULTS = np.array([[1.0, 2], [3, -1]])
BIG_W_O = np.array([[1.0, 0, 2, 1], [0, 1, -1, 0], [1, 1, 0, 3]])

# "The tensor product, made plain": "token 2 takes half of each token", "W swaps the two numbers".
MIX = np.array([[1.0, 0], [0.5, 0.5]])
SWAP = np.array([[0.0, 1], [1, 0]])
TABLE = np.array([[1.0, 2], [3, 4]])
KRONECKER = ((0, 1, 0, 0), (1, 0, 0, 0), (0, 0.5, 0, 0.5), (0.5, 0, 0.5, 0))
KRONECKER_TIMES_FLAT = (2, 1, 3, 2)

# "The pattern in one step": d_head 1.
QUERY_READS = np.array([[1.0, 0]])
KEY_READS = np.array([[0.0, 1]])
DESTINATION, SOURCE = np.array([2.0, 0]), np.array([0.0, 3])
