"""A model's description and its vocabulary."""

from engine.job import Job
from engine.messages import LoadModel, ModelFacts, Vocabulary, VocabularyTokens
from engine.model import Model

GAINS = "each norm's weights multiplied into W_Q, W_K, W_V and W_U, its biases moved into theirs"
CENTRED = (
    "W_Q, W_K, W_V and W_O projected off the all-ones direction",
    "W_U projected off it",
)
OVER_TOKENS = (
    "W_U centred over the vocabulary: logits are those of the model less the mean of all, which no "
    "softmax sees"
)
AFTER = (
    "the weights of the norm after the heads multiplied into W_O; what it divides by is known on a "
    "prompt only, and left out of the weights"
)
EMBEDDED = "the norm after the embedding applied to W_E"
CAPPED_SCORES = "scores by weights alone are those before the model caps them"
LENGTHS = (
    "prompts of more than {steady:,} tokens turn by other angles: scores by weights alone are "
    "those of shorter ones, or of the shortest that has the offset asked for"
)
HALF = (
    "weights are held and prompts run in half precision ({dtype}): answers about a prompt, and "
    "what an MLP makes of a token, are rounded by it; circuits of the weights are computed in "
    "float32"
)
CAPPED_LOGITS = "what is added to a logit is added before the model caps it"


def load_model(model: Model, request: LoadModel, job: Job) -> ModelFacts:
    """Describe an open model."""
    return ModelFacts(
        name=model.name,
        n_layers=model.n_layers,
        n_heads=model.n_heads,
        n_kv_heads=model.n_kv_heads,
        d_model=model.d_model,
        d_head=model.d_head,
        d_vocab=model.d_vocab,
        d_mlp=model.d_mlp,
        n_ctx=model.n_ctx,
        positions=model.position_kind,
        norm=model.norm,
        folded=_folded(model),
        divisor=model.one_divisor,
        prepend_bos=model.prepend_bos,
        has_bos=model.tokens.bos_id is not None,
        parameters=model.parameters,
        bytes=model.bytes,
        example=model.example,
        weights=model.fingerprint,
        device=model.placing.device,
        dtype=model.placing.dtype,
        notices=model.notices,
        bos_reason=model.bos_reason,
    )


def _folded(model: Model) -> tuple[str, ...]:
    rounded = (HALF.format(dtype=model.placing.dtype),) if model.placing.rounds else ()
    if not model.normalized:
        return rounded
    lengths = (model.turned_length(layer, 0) for layer in range(model.n_layers))
    steady = next((length for length in lengths if length is not None), None)
    gains = () if model.norm == "LayerNorm without parameters" else (GAINS,)
    traits = (
        (model.normalises_outputs, AFTER),
        (model.normalises_embeddings, EMBEDDED),
        (model.score_cap is not None, CAPPED_SCORES),
        (steady is not None, LENGTHS.format(steady=steady or 0)),
        (model.logit_cap is not None, CAPPED_LOGITS),
    )
    more = (says for has, says in traits if has)
    return (*gains, *(CENTRED if model.centring else ()), OVER_TOKENS, *more, *rounded)


def vocabulary(model: Model, request: Vocabulary, job: Job) -> VocabularyTokens:
    """Name every token as it is typed and as it is shown."""
    model.tokens.spell(job)
    return VocabularyTokens(texts=model.tokens.texts, labels=model.tokens.labels)
