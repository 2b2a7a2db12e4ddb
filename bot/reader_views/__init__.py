"""Games as a reader of the page sees them."""
