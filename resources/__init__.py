"""What comes with the program: models, and the scripts that trained them."""
