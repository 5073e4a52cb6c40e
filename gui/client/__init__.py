"""The way to the engine: its thread, answers that are kept, and work beside it."""
