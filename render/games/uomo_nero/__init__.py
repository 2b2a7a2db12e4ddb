"""The picture of Gioco dell'Uomo Nero: a courtyard with start and finish, round attackers, the Man in hat and cloak."""

from render.games.uomo_nero.picture import PICTURE

__all__ = ["PICTURE"]
