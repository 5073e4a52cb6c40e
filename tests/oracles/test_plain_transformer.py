"""The step-by-step pass against arithmetic done another way."""

import torch
import torch.nn.functional as F

from tests.oracles import checkpoint, plain_transformer

IDS = [3, 0, 17, 36, 3, 5, 5, 21]


def test_pass_equals_torchs_own_attention_and_layer_norm(tmp_path):
    model = checkpoint.read(checkpoint.write_random(tmp_path / "random"))
    stream = model["embed.W_E"][IDS] + model["pos_embed.W_pos"][: len(IDS)]
    for layer in range(model.n_layers):
        at = f"blocks.{layer}.attn."
        read = F.layer_norm(stream, (model.d_model,), eps=model.eps)
        q, k, v = (
            torch.einsum("pm,hmd->hpd", read, model[f"{at}W_{x}"]) + model[f"{at}b_{x}"][:, None]
            for x in "QKV"
        )
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)  # [head, position, d_head]
        # The second text: stack every head's result, then one big W_O.
        stacked = mixed.permute(1, 0, 2).flatten(1)
        stream = stream + stacked @ model[f"{at}W_O"].flatten(0, 1) + model[f"{at}b_O"]
    read = F.layer_norm(stream, (model.d_model,), eps=model.eps)
    logits = read @ model["unembed.W_U"] + model["unembed.b_U"]
    torch.testing.assert_close(plain_transformer.run(model, IDS).logits, logits)


def test_rows_of_a_pattern_sum_to_one_and_the_future_is_zero(tmp_path):
    model = checkpoint.read(checkpoint.write_random(tmp_path / "random"))
    for pattern in plain_transformer.run(model, IDS).patterns:
        torch.testing.assert_close(pattern.sum(-1), torch.ones_like(pattern[..., 0]))
        assert (pattern.triu(1) == 0).all()


def test_loss_is_that_of_the_next_token_alone():
    logits = torch.log(torch.tensor([[0.5, 0.25, 0.25], [0.125, 0.125, 0.75], [1, 1, 1.0]]))
    expected = -torch.log(torch.tensor([0.25, 0.75]))
    torch.testing.assert_close(plain_transformer.losses(logits, [0, 1, 2]), expected)
