"""Every measure of every head."""

from engine.circuits.pattern_measures import begins, measured, random_measures
from engine.circuits.weight_measures import weight_measures
from engine.job import Job
from engine.messages import FloatArray, HeadScores, MeasuredHeads, Refused
from engine.model import Model


def head_scores(model: Model, request: HeadScores, job: Job) -> MeasuredHeads:
    """Measure every head on random tokens that repeat, on a prompt, and by its weights.

    What each measure says is in `MEASURES`; how it is made, in `pattern_measures` and
    `weight_measures`. Asking for all without a prompt leaves out those on a prompt.
    """
    _check_run(request)
    scores: dict[str, FloatArray] = {}
    length = first = on_prompt_first = None
    if request.measures in ("random", "all"):
        length, scores = random_measures(model, request, job)
        first = begins(model)
    if request.run is not None:
        passed = model.run(request.run, job)
        on_prompt = {f"prompt_{name}": it.numpy() for name, it in measured(passed, job).items()}
        scores, on_prompt_first = scores | on_prompt, model.tokens.labels[passed.ids[0]]
    if request.measures in ("weights", "all"):
        scores = scores | weight_measures(model, job)
    return MeasuredHeads(model.heads, scores, length, first, on_prompt_first)


def _check_run(request: HeadScores) -> None:
    if request.run is None:
        if request.measures == "prompt":
            raise Refused("measures on a prompt need one: give its text")
        return
    if request.measures in ("random", "weights"):
        raise Refused(
            f"a prompt changes no measure of {request.measures}: leave it out, or ask for prompt "
            "or all"
        )
    if request.run.heads_off != request.heads_off:
        raise Refused(
            "the prompt and the random tokens have different heads off: name the same for both"
        )
