"""Teams: a whole channel has a seat at a table and votes on its turns."""
