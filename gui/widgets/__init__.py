"""Reusable widgets: they draw numbers and tokens, and know nothing of attention."""
