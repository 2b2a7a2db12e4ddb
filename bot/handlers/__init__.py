"""From a request to a service and back to a card: no rules, no SQL."""
