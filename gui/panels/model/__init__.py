"""Cards about all heads of a model."""
