"""Ratios between Headscope and what else does the same, measured in one run on one machine."""
