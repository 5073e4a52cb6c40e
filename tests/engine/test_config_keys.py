"""Settings of models as they are published, with all that old and new tools left in them."""

import json
from pathlib import Path

import pytest
import transformers

from engine.loading.config_keys import unread

LINES = (Path(__file__).parent / "published_configs.jsonl").read_text().splitlines()
PUBLISHED = {record["name"]: record["config"] for record in map(json.loads, LINES)}


def read(stated):
    kind = transformers.CONFIG_MAPPING[stated["model_type"]]
    return unread(kind.from_dict(json.loads(json.dumps(stated))), stated)


@pytest.mark.parametrize("name", PUBLISHED)
def test_no_setting_of_a_published_model_is_taken_for_unread_mathematics(name):
    assert read(PUBLISHED[name]) == []


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("gemma2", "sliding_window_size", 512),
        ("stablelm", "rope_pct", 0.5),
        ("stablelm", "norm_eps", 1e-3),
        ("starcoder2", "norm_type", "rms_norm"),
        ("phi4mini", "full_attn_mod", 2),
    ],
)
def test_a_setting_that_says_something_else_than_what_is_read_is_named(name, key, value):
    assert read(PUBLISHED[name] | {key: value}) == [key]
