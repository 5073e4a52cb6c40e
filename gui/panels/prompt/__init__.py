"""Cards about a prompt."""
