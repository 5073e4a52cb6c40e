"""Every token of a model."""

from engine.job import Job
from engine.messages import Vocabulary, VocabularyTokens
from engine.model import Model


def vocabulary(model: Model, request: Vocabulary, job: Job) -> VocabularyTokens:
    """Name every token as it is typed and as it is shown."""
    model.tokens.spell(job)
    return VocabularyTokens(texts=model.tokens.texts, labels=model.tokens.labels)
