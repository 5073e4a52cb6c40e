"""What is read from configs and modules: rotations by layer, slopes and windows."""

from types import SimpleNamespace

import pytest
import torch
from transformer_lens.model_bridge.sources import build_bridge_from_module
from transformers.models.bloom.modeling_bloom import build_alibi_tensor

from engine.loading import architecture
from tests.oracles import hugging_face


def test_gemma_3_turns_local_and_global_layers_by_two_bases():
    model = hugging_face.make("gemma3")
    bridge = build_bridge_from_module(model, type(model).__name__, hf_config=model.config)
    places = torch.arange(4)
    for rotation, base in zip(architecture.rotations(bridge, model), (1e4, 1e6, 1e4), strict=True):
        cos, sin = rotation.angles(places, 4)
        angle = places[:, None] * base ** (-torch.arange(0, 10, 2) / 10)
        assert torch.allclose(cos, torch.cat([angle, angle], -1).cos(), atol=1e-6)
        assert torch.allclose(sin, torch.cat([angle, angle], -1).sin(), atol=1e-6)


@pytest.mark.parametrize("n_heads", [1, 2, 3, 4, 6, 8, 12, 14, 16, 112])
def test_slopes_are_those_that_transformers_adds(n_heads):
    added = build_alibi_tensor(torch.ones(1, 3), n_heads, torch.float32)  # [head, 1, position]
    assert torch.allclose(architecture.slopes(n_heads), added[:, 0, 2] - added[:, 0, 1], rtol=1e-6)


@pytest.mark.parametrize(
    ("config", "meant"),
    [
        ({}, (None, None)),
        ({"sliding_window": 7}, (7, 7)),
        ({"sliding_window": None}, (None, None)),
        ({"sliding_window": 7, "use_sliding_window": False}, (None, None)),
        ({"sliding_window": 7, "layer_types": ["full_attention", "sliding_attention"]}, (None, 7)),
        ({"window_size": 9, "attention_layers": ["global", "local"]}, (None, 9)),
    ],
)
def test_windows_are_known_layer_by_layer(config, meant):
    assert architecture.windows(SimpleNamespace(**config), 2) == meant
