"""From the files of a model to the network that runs it, checked against transformers."""
