"""A prompt's tokens and what the model expects next."""

import numpy as np

from engine.circuits.ranking import ends
from engine.job import Job
from engine.messages import Run, RunPrompt
from engine.model import Model


def run_prompt(model: Model, request: RunPrompt, job: Job) -> Run:
    """Run a text through a model."""
    model.tokens.spell(job)
    ids, prepended = model.encode(request)
    passed = model.run(request, job)
    top = ends(model, passed.next_log_probs, request.k)
    tokens = model.tokens
    return Run(
        ids=np.array(ids),
        labels=tokens.labelled(ids),
        prepended_bos=prepended,
        next_ids=top.ids,
        next_labels=top.labels,
        next_log_probs=top.values,
        loss=model.loss(passed, job).numpy(),
        special=np.isin(ids, sorted(tokens.special_ids)),
        begins_with_bos=ids[0] == tokens.bos_id,
        typed_specials=tokens.specials_in(request.text),
        spelt=tokens.spelt(request.text, ids[prepended:]),
    )
