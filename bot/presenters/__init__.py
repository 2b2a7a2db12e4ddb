"""Cards, built once for every platform."""
