"""What the window holds: selection, history, document, settings, the model in use."""
