"""Cards about one head."""
