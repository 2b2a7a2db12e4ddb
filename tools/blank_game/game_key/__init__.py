"""Game Key for Tavoliere."""
