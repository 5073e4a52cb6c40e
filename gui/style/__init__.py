"""How things look: colours, fonts, colour scales, and numbers and heads in writing."""
