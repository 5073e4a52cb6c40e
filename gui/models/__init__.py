"""Where models are picked, estimated and downloaded."""
