"""How the bundled models attn-1l and attn-2l were made: text, tokenizer, training, card."""
