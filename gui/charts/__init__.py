"""What answers say, as numbers and words that window and figures share; no Qt."""
