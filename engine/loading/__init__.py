"""From the files of a model to the network that runs it, checked against transformers.

Throughout, `title` or `name` is what sentences call the model, `found` is its files as
`engine.sources` has looked them over, `config` is transformers' of it, `model` is transformers' own
and `bridge` TransformerLens's wrapping of it; `placing` says where it runs and in which precision.
What cannot be opened, or be vouched for, is refused with the file or part and the reason.
"""
