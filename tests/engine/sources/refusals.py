"""A refusal in a sentence, a changed file, and a pickle that runs code, for tests."""

import json
import os
from pathlib import Path

import pytest

from engine import Engine
from engine.messages import LoadModel, Refused


def refused(asked, engine=None):
    """Return the sentence that a question, or opening a name, is refused with: a short line."""
    question = LoadModel(str(asked)) if isinstance(asked, str | Path) else asked
    with pytest.raises(Refused) as raised:
        (engine or Engine()).answer(question)
    text = str(raised.value)
    assert "\n" not in text
    assert len(text) < 400
    return text


def change(file, **values):
    file.write_text(json.dumps(json.loads(file.read_text()) | values))


class Malicious:
    """Makes a folder where it is unpickled."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return (os.mkdir, (str(self.marker),))
