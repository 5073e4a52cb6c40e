"""What the window holds of a session, and what of it survives a restart.

In gui.session and the rooms above it, parameters of these names mean the same everywhere:

session, client, worker
    What is selected, the way to the engine, and the thread that draws figures.
settings, autosave
    Where choices are kept for the next start, and the copy of the session that the window keeps;
    `None` keeps nothing.
parent, window
    The window, over which dialogs open.
"""
