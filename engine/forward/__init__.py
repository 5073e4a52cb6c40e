"""Runs of an open model: one forward pass, and what is recorded or changed in it.

Throughout, `bridge` is the TransformerBridge that is run, `ids` are the token ids of a prompt, at
least one, and `job` takes a step before each part of each layer. The output of `heads_off` is
zeroed before W_O, b_V included. Of patterns, `budget` bytes are held; the others are made again
when they are asked for.
"""
