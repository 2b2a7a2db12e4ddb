"""Teams: a channel has a seat in a game and votes on its turns."""
