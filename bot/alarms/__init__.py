"""Expired clocks, reminders, and periodic clean-up."""
