"""What the help of each panel says: what it shows, its formula, where that is from, what to doubt.

Shapes are TransformerLens's; each formula names the papers' transposes.
"""

from typing import NamedTuple

_FRAMEWORK = "“A Mathematical Framework for Transformer Circuits” (Elhage et al., 2021)"
_NOTATION = "“Attention in tensor notation”"
_APART = "“One Attention Head, Taken Apart”"

_READ = "X [position, d_model] is the stream through the layer's norm"
_VALUES = "W_V [d_model, d_head], W_O [d_head, d_model]"
_QUERIES = "W_Q, W_K [d_model, d_head]"
_ENDS = (
    "W_E [d_vocab, d_model], W_U [d_model, d_vocab]; with a norm, W_U less its mean over the\n"
    "tokens, which no softmax sees"
)
_ROWS = "Up and Down choose a row, Enter asks about it, Ctrl+C copies the rows as a table."


class Help(NamedTuple):
    """The help of one panel.

    Attributes
    ----------
    shows
        What is seen.
    formula
        Lines of plain text: the formula, its shapes, and the papers' way to write it.
    paper
        Sections that it is from.
    caveat
        The one thing not to conclude from it.
    keys
        What the keyboard does.
    """

    shows: str
    formula: str
    paper: str
    caveat: str
    keys: str


PANEL_HELP = {
    "Prompt": Help(
        "The text as the model's tokens, and the likeliest tokens to follow the last one. "
        "Everything else in the window is about this prompt; click a token to pin it.",
        "p = softmax(norm(x) W_U + b_U)   [d_vocab]\n"
        "x [d_model] is the stream at the last token, W_U [d_model, d_vocab]\n"
        "Papers: W_U is [d_vocab, d_model], the transpose of this one",
        f"{_FRAMEWORK}, High-Level Architecture. {_NOTATION}, sections 2 and 6.",
        "The guesses follow the last token, whichever token is pinned.",
        "Enter runs the text; Up and Down in its first and last line bring earlier prompts. In the "
        "tokens, arrows, Home and End move the pin.",
    ),
    "Heads": Help(
        "Every head of the model, layer down and head across: its pattern on the prompt as a small "
        "picture, or a measure as a colour. Click one to open it in the other cards.",
        "A = softmax(Q Kᵀ / divisor)   [query, key], one for each head\n"
        "induction: mean A[i, j + 1] on random tokens that come twice,\n"
        "j the earlier place of the token at i",
        f"{_FRAMEWORK}, Attention Heads are Independent and Additive; Induction Heads. “In-context "
        "Learning and Induction Heads” (Olsson et al., 2022) has the induction score.",
        "A score says what a head does on random tokens; on real text it may do something else "
        "most of the time.",
        "Arrows open the head beside, X switches the open head off or on.",
    ),
    "Attention": Help(
        "Where the open head looks: each row is a token (the query) looking back at itself and the "
        "tokens before (the keys). Click a cell to pin query and source for the other cards.",
        "A = softmax(Q Kᵀ / divisor)   [query, key]\n"
        "Q = X W_Q + b_Q, K = X W_K + b_K\n"
        f"{_READ}\n{_QUERIES}\n"
        "value-weighted: A[q, k] ‖(x_k W_V + b_V) W_O‖\n"
        "Papers: A = softmax(xᵀ W_QK x) with W_QK = W_Qᵀ W_K, their W_Q and W_K [d_head, d_model], "
        "the transposes",
        f"{_FRAMEWORK}, Attention Heads as Information Movement. {_NOTATION}, section 4. {_APART}, "
        "The pattern in one step.",
        "Much attention need not be much effect: a row must sum to 1, and what is not needed often "
        "rests on the first token. Value-weighted and Attribution say what is moved.",
        "Arrows move the pinned cell; in the prompt below, arrows, Home and End move the pin.",
    ),
    "OV": Help(
        "What the open head would add to the logits for each token if it looked at one token only: "
        "what that raises and lowers. Turned round, which tokens it must read to raise one.",
        "x W_V W_O W_U   [d_vocab], whole table W_E W_V W_O W_U\n"
        f"{_VALUES}\n{_ENDS}\n"
        "x [d_model] stands for the token: its embedding, that after the first MLP, or the stream "
        "at a position\n"
        "Papers: W_U W_O W_V W_E, every matrix the transpose of this one",
        f"{_FRAMEWORK}, Splitting Attention Head terms into Query-Key and Output-Value Circuits. "
        f"{_NOTATION}, sections 5 and 6. {_APART}, Reading the OV circuit.",
        "It is before attention: a token that is raised here is raised on the prompt only as far "
        "as the head looks. Beyond the first layer a bare token is not what the head reads.",
        _ROWS,
    ),
    "QK": Help(
        "Which keys the open head would look for if it stood on one token, and which it would look "
        "away from. Turned round, on which tokens it must stand to look for one.",
        "x W_Q (Y W_K)ᵀ / divisor   [key]\n"
        "whole table W_E W_Q (W_E W_K)ᵀ / divisor   [query, key]\n"
        f"{_QUERIES}; x the query's vector, Y those of all keys\n"
        "Papers: W_Eᵀ W_QK W_E with W_QK = W_Qᵀ W_K, every matrix the transpose of this one",
        f"{_FRAMEWORK}, Splitting Attention Head terms into Query-Key and Output-Value Circuits. "
        f"{_NOTATION}, section 4. {_APART}, Reading the QK circuit.",
        "These are scores and no attention: softmax compares only the tokens that are in the "
        "prompt. Learned positions and the biases of Q and K are left out; rotary ones need a "
        "distance, which is named.",
        _ROWS,
    ),
    "Spectrum": Help(
        "How many directions the head uses: the singular values of its OV and QK circuits, largest "
        "first. Click one for the tokens at its two ends.",
        "W_V W_O = Σ σᵢ readᵢ writeᵢᵀ   [d_model, d_model]\n"
        "W_Q W_Kᵀ = Σ σᵢ queryᵢ keyᵢᵀ   [d_model, d_model]\n"
        "at most d_head values are not 0\n"
        "Papers: W_QK = W_Qᵀ W_K is the same matrix, W_OV = W_O W_V the transpose: its left "
        "singular vectors are what it writes",
        f"{_FRAMEWORK}, Observations about Attention Heads. {_APART}, W_OV and W_QK are low-rank.",
        "Directions with nearly the same value can be turned into each other; the tokens of one of "
        "them alone then mean little. Such groups are marked.",
        "Left, Right, Home and End walk along a curve, Up and Down change between the two.",
    ),
    "Poster": Help(
        "Where every head of the model looks from the pinned token: a row for each head, a column "
        "for each token up to that one.",
        "A[h, q, :] = softmax(Q_h[q] K_hᵀ / divisor)   [head, key], q pinned\n"
        "Papers: the same row of A, their Q_h = W_Q x a column for each token",
        f"{_NOTATION}, section 1, step 1, is one row of it. {_FRAMEWORK}, Attention Heads as "
        "Information Movement.",
        "Rows tell where heads look and not what they bring; with a long prompt many weak cells "
        "can matter more than the dark ones.",
        "Up, Down, Page up and Page down open the head of another row; Left, Right, Home and End "
        "pin another token.",
    ),
    "Attribution": Help(
        "Which parts of the model give a token its logit, after the pinned query: embedding, "
        "position, every head and MLP, biases, as bars that sum to the logit; the open head split "
        "by what it read.",
        "logit(t) = Σ part · W_U[:, t] / s + biases, s the final norm's scale\n"
        "a head's part: row q of A (X W_V + b_V) W_O   [d_model], what is gone when it is off\n"
        "biases: what b_O and b_U give together\n"
        "Papers: W_U as rows, and h(x) = (A ⊗ W_O W_V) x",
        f"{_FRAMEWORK}, Attention Heads are Independent and Additive; Path Expansion of Logits. "
        f"{_NOTATION}, section 6.",
        "The direct effect only: what a part does through later heads and MLPs is in their bars. A "
        "logit by itself says little; compare with another token, or with the mean.",
        "In the map, arrows open the head beside; in the lists, Up, Down, and Enter to choose.",
    ),
    "Lens": Help(
        "What the model would say next if it stopped after each layer: a row for each stage, a "
        "column for each token, in each cell the first guess.",
        "softmax(norm(x) W_U + b_U)   [d_vocab], x [d_model] the stream there\n"
        "Papers: the same, with W_U as rows",
        "“interpreting GPT: the logit lens” (nostalgebraist, 2020). It reads the stream of "
        f"{_FRAMEWORK}, Residual Stream as a Communication Channel.",
        "Early layers need not write in the unembedding's words: nonsense there is no proof that "
        "nothing is known yet.",
        "Arrows move the marked cell, Home and End go to the first and last token.",
    ),
    "Composition": Help(
        "How much of what each later head reads lies where each earlier head writes, from the "
        "weights alone. Click a pair to see it as one virtual head.",
        "‖A B‖ / (‖A‖ ‖B‖), Frobenius norms, 0 to 1\n"
        "A = W_V W_O of the earlier head; B of the later one:\n"
        "queries W_Q W_Kᵀ, keys W_K W_Qᵀ, values W_V W_O   [d_model, d_model]\n"
        "Papers: ‖W_QKᵀ W_OV‖ (queries), ‖W_QK W_OV‖ (keys), ‖W_OV W_OV‖ (values), over both "
        "norms, the later head's matrix first",
        f"{_FRAMEWORK}, Three Kinds of Composition. {_NOTATION}, section 7.",
        "Random directions score 1/√d_model; a score is worth something by how far it lies above. "
        "What is read on a prompt also depends on where both heads look.",
        f"In the map, arrows choose the pair beside. {_ROWS}",
    ),
    "Virtual head": Help(
        "Two heads in a row as one: where the pair looks, and what it raises and lowers when it "
        "reads a token.",
        "pattern A₂ A₁   [query, key], rows sum to 1\n"
        "circuit W_V₁ W_O₁ W_V₂ W_O₂   [d_model, d_model]\n"
        "with a norm between: A₂ diag(1/s) A₁, s its scale on this prompt\n"
        "share: c · v / v · v, v = A₂ (X W_V₂ + b_V₂) W_O₂ all that the later head gives, c the\n"
        "part of it that reads what the earlier one gives\n"
        "Papers: (A₂ A₁) ⊗ (W_OV₂ W_OV₁), the transposes",
        f"{_FRAMEWORK}, Virtual Attention Heads. {_NOTATION}, section 7. {_APART}, Products of "
        "heads behave like heads.",
        "A virtual head always exists; its share, named in the card, says whether it does much on "
        "this prompt.",
        f"In the pattern, arrows move the pinned cell. {_ROWS}",
    ),
    "Eigenvalues": Help(
        "Whether the open head copies: the eigenvalues of its circuit from tokens to tokens, in "
        "the complex plane, or copying against matching for all heads.",
        "eigenvalues of W_E W_V W_O W_U (OV) or W_E W_Q (W_E W_K)ᵀ (QK)\n"
        "both [d_vocab, d_vocab], of rank d_head at most\n"
        "positivity Σ λ / Σ |λ|, −1 to 1\n"
        "Papers: W_U W_O W_V W_E and W_Eᵀ W_QK W_E, which have the same eigenvalues",
        f"{_FRAMEWORK}, Summarizing OV/QK Matrices.",
        "A positive eigenvalue says that some mix of tokens raises itself, not that each token "
        "does. Copying share in Finder counts tokens.",
        "Arrows, Home and End choose the next eigenvalue.",
    ),
    "Positions": Help(
        "What distance does to the open head's scores in a rotary model, or what position does in "
        "one with learned positions.",
        "rotary: q R(d) kᵀ / divisor against the distance d = query − key,\n"
        "q = x W_Q, k = y W_K   [d_head], R(d) the rotation by d\n"
        "learned: P W_Q (P W_K)ᵀ / divisor   [query, key], P [position, d_model]\n"
        "the mean over all tokens of norm(W_E + W_pos)\n"
        "Papers: Pᵀ W_QK P with W_QK = W_Qᵀ W_K, every matrix the transpose of this one",
        f"{_FRAMEWORK}, Model Simplifications leaves positions out of the circuits; "
        f"{_NOTATION}, section 4. “RoFormer” (Su et al., 2021) for rotary ones.",
        "The means hide what single tokens do. In a layer after the first, the stream also holds "
        "what earlier layers wrote, which is left out.",
        "In the map, arrows move the pinned cell; along the curves, Left, Right, Home and End.",
    ),
    "Direct path": Help(
        "What a token makes likelier next with no attention at all: its embedding read straight by "
        "the unembedding, the bigram table.",
        f"W_E W_U   [d_vocab, d_vocab], one row or column\n{_ENDS}\nPapers: W_U W_E, the transpose",
        f"{_FRAMEWORK}, Zero-Layer Transformers. {_NOTATION}, section 7, names it beside the "
        "heads' own paths.",
        "In a model with layers this term need not look like bigrams: heads and MLPs can carry "
        "them too. With tied embeddings it mostly says that a token is like itself.",
        _ROWS,
    ),
    "Workings": Help(
        "Every matrix of the open head on the prompt, from one-hot tokens to logits, each with its "
        "own numbers; the pinned query and source are followed through all of them.",
        "T W_E = X;  Q = X W_Q, K = X W_K, A = softmax(Q Kᵀ / divisor)\n"
        "V = X W_V + b_V, H = A V W_O, ΔL = H W_U   [position, d_vocab]\n"
        f"{_QUERIES}; {_VALUES}\n"
        "Papers: W_E T = X, W_Q X, …: every matrix the transpose; the switch shows them so",
        f"{_FRAMEWORK}, Attention Heads as Information Movement. {_NOTATION}, sections 1 to 6. "
        f"{_APART}, The three steps.",
        "Large matrices show a part of their rows and columns. ΔL is before the final norm's "
        "scale.",
        "Arrows move the marked cell, Page up and Page down go to the next matrix.",
    ),
    "Receipts": Help(
        "Checks, made now, that what is shown of the open head is what the model does: what was "
        "compared, how far apart it is, and how far it may be. A failed one comes first.",
        "largest |a − b| over all entries, against its tolerance\n"
        "for example A (X W_V + b_V) W_O against what the model's own pass added to the stream",
        f"{_FRAMEWORK}, Attention Heads are Independent and Additive; Observations about Attention "
        f"Heads. {_APART}, every section ends in such a check.",
        "A passed check says that the numbers are right for this prompt, not that their reading "
        "is. An identity holds for any weights and is not counted. One that does not apply to the "
        "model is said to be undefined.",
        "Up and Down choose a check, Enter or Space opens its details.",
    ),
    "Skip-trigrams": Help(
        "The strongest “source … query → out” of the open head: from this query it looks for this "
        "source, and reading that raises this token.",
        "QK[query, source] and OV[source, out], ranked by their product\n"
        "QK = W_E W_Q (W_E W_K)ᵀ / divisor   [d_vocab, d_vocab]\n"
        "OV = W_E W_V W_O W_U   [d_vocab, d_vocab]\n"
        "Papers: W_Eᵀ W_QK W_E, the same table, and W_U W_OV W_E, the transpose",
        f"{_FRAMEWORK}, Interpretation as Skip-Trigrams. {_NOTATION}, section 6.",
        "What is raised depends on the source alone: a head that has “a … b → c” and “a … d → e” "
        "has “a … b → e” as well. In a layer after the first, bare tokens are not what it reads.",
        f"{_ROWS} Typing in the field keeps sources with that text.",
    ),
    "Notes": Help(
        "Heads that you have starred, of any model, each with a note of your own. They are saved "
        "with the session.",
        "no formula: what stands here is yours",
        "None: the texts leave the taking of notes to the reader.",
        "A note is kept with the name of its model and head, not with the weights: another model "
        "of the same name shows it too.",
        "Ctrl+D stars the open head or takes the star off; Up and Down choose a line, Enter opens "
        "its head.",
    ),
    "Finder": Help(
        "All heads with every measure: on repeated random tokens, on this prompt, and of the "
        "weights. Sort by any of them, or set two against each other; a sentence says what the "
        "open head seems to do and on what evidence.",
        "induction, previous, first, duplicate: mean attention of that kind\n"
        "entropy −Σ A log A in nats; distance Σ A (query − key)\n"
        "A [query, key] is the pattern\n"
        "copying share: of all tokens, those whose strongest OV output is the token itself\n"
        "overlap ‖Rᵀ W‖² / rank, R and W [d_model, rank] what OV reads and writes\n"
        "Papers: R and W are the right and left singular vectors of W_OV = W_O W_V",
        f"{_FRAMEWORK}, Summarizing OV/QK Matrices; Induction Heads. “In-context Learning and "
        "Induction Heads” (Olsson et al., 2022).",
        "A name is a threshold on a measure, no discovery: look at the head, and switch it off to "
        "see what changes.",
        f"{_ROWS} In the scatter, Left and Right choose the next head.",
    ),
    "Board": Help(
        "Figures of any heads, prompts and models, to be exported together on one page: in "
        "columns of one width, with letters, and where you like with one colour bar for all maps "
        "of the same quantity. Every card's ⤓ menu adds what it shows. They are saved with the "
        "session.",
        "no formula: each figure has that of the card which it is from\n"
        "shared colours: the least and the largest limit of all maps of a quantity",
        "None: the texts draw one figure at a time.",
        "Without shared colours the same colour stands for other values in another figure. Models "
        "that are not open are opened, one after the other, when the board is drawn.",
        "Arrows choose a figure, Ctrl and an arrow moves it, Delete takes it off (Ctrl+Z brings it "
        "back), Enter opens its view.",
    ),
}
"""Title of a panel -> its help."""
