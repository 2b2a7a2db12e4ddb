"""What every handler works with, and what is asked of it."""
