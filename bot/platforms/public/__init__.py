"""Public pages, previews, and the reading interface."""
