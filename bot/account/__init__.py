"""What people set and keep: settings, linking, privacy, holidays, blocks."""
