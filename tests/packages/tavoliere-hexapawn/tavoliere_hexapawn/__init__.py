"""Martin Gardner's Hexapawn for Tavoliere: pawns that walk straight ahead and capture aslant."""
