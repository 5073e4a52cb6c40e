"""The window's furniture: docks, menus, bars, dialogs."""
