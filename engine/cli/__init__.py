"""The command line: `ask`, `report` and how their words become questions."""
