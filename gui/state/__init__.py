"""What is selected, asked and set: frozen values, no Qt."""
