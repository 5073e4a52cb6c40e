"""From a panel to a file or the clipboard: figures, data, pictures, tables, commands, Python."""
