"""What the world may see: pages of games and all that belongs to them, previews, and the reading interface."""
