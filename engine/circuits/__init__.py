"""What is computed: one subject a file, each computation a pure function.

`computation(model, request, job) -> result` takes the open `Model`, the question as its frozen
dataclass, and the `Job` whose `step` it calls between pieces of at most 0.1 s: layers, heads, parts
of the vocabulary. It raises `Refused`, with one sentence, where a question cannot be answered: a
head, layer, position, token or offset that does not exist, a prompt that cannot be run, fields that
do not go together. Arguments of these names mean the same in every helper; `head` is the head in
question, `weights` its folded weights and `forward_pass` the prompt's run.
"""

from collections.abc import Callable
from typing import Any

from engine.circuits import (
    attention,
    checks,
    composition,
    head_scores,
    head_steps,
    model_facts,
    paths,
    positions,
    prompt,
    skip_trigrams,
    spectra,
    token_rankings,
)

COMPUTATIONS: dict[type, Callable[..., Any]] = {
    computation.__annotations__["request"]: computation
    for computation in (
        model_facts.load_model,
        model_facts.vocabulary,
        prompt.run_prompt,
        attention.attention,
        attention.thumbnails,
        token_rankings.ov_tokens,
        token_rankings.qk_tokens,
        spectra.spectrum,
        spectra.direction,
        token_rankings.table,
        token_rankings.direct_path,
        paths.head_output,
        paths.logit_attribution,
        paths.virtual_head,
        composition.composition,
        spectra.eigenvalues,
        attention.destination_row,
        paths.logit_lens,
        head_scores.head_scores,
        skip_trigrams.skip_trigrams,
        positions.qk_offsets,
        positions.position_qk,
        head_steps.head_steps,
        checks.checks,
    )
}
"""Every computation by the one kind of request that it takes, which its signature names."""
