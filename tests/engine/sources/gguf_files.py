"""Small random GGUF files, for tests."""

import gguf
import numpy as np

D_VOCAB, D_MODEL, D_MLP, LAYERS, HEADS, KV_HEADS, D_HEAD = 96, 48, 80, 2, 4, 2, 12


def write(path, seed=0):
    """Write a Llama of random numbers with a byte-level vocabulary."""
    chance = np.random.default_rng(seed)
    file = gguf.GGUFWriter(path, "llama")
    file.add_block_count(LAYERS)
    file.add_context_length(64)
    file.add_embedding_length(D_MODEL)
    file.add_feed_forward_length(D_MLP)
    file.add_head_count(HEADS)
    file.add_head_count_kv(KV_HEADS)
    file.add_rope_dimension_count(D_HEAD)
    file.add_rope_freq_base(10000.0)
    file.add_layer_norm_rms_eps(1e-5)
    file.add_vocab_size(D_VOCAB)
    words = ["<|bos|>", *(chr(33 + number) for number in range(D_VOCAB - 3)), "ab"]
    words.append("<|endoftext|>")  # transformers would add it
    file.add_tokenizer_model("gpt2")
    file.add_token_list(words)
    file.add_token_types([3] + [1] * (D_VOCAB - 2) + [3])
    file.add_token_merges(["a b"])
    file.add_bos_token_id(0)
    file.add_eos_token_id(0)
    shapes = {"token_embd": (D_VOCAB, D_MODEL), "output": (D_VOCAB, D_MODEL)}
    for layer in range(LAYERS):
        shapes |= {
            f"blk.{layer}.attn_q": (HEADS * D_HEAD, D_MODEL),
            f"blk.{layer}.attn_k": (KV_HEADS * D_HEAD, D_MODEL),
            f"blk.{layer}.attn_v": (KV_HEADS * D_HEAD, D_MODEL),
            f"blk.{layer}.attn_output": (D_MODEL, HEADS * D_HEAD),
            f"blk.{layer}.ffn_gate": (D_MLP, D_MODEL),
            f"blk.{layer}.ffn_up": (D_MLP, D_MODEL),
            f"blk.{layer}.ffn_down": (D_MODEL, D_MLP),
        }
    for name, shape in shapes.items():
        file.add_tensor(f"{name}.weight", chance.normal(0, 0.3, shape).astype(np.float32))
    norms = ["output_norm"]
    norms += [f"blk.{layer}.{name}_norm" for layer in range(LAYERS) for name in ("attn", "ffn")]
    for name in norms:
        file.add_tensor(f"{name}.weight", chance.normal(1, 0.1, D_MODEL).astype(np.float32))
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()
    return path
