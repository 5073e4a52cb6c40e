"""Runs of an open model: one forward pass, and what is recorded or changed in it."""
