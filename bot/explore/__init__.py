"""Private boards to try lines out on, and plans made of them."""
