"""Weights and tokens of an open model, in one shape convention."""
