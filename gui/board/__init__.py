"""The figure board in the window; `record` is its value, which needs no display."""
