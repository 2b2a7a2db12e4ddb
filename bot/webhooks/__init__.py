"""Webhooks: what happens in a place is sent to addresses that its managers have named."""
