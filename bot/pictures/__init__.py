"""Pictures for cards, drawn off the event loop."""
