"""What people do, the same on every platform."""
