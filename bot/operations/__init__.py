"""What operators see of the running program: figures, health, and reports of errors."""
