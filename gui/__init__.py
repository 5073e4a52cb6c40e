"""The window: what people look at. Of the engine it knows only the messages and the job."""
