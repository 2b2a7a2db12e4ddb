"""Webhooks: events of a place are sent to addresses that its managers have added."""
