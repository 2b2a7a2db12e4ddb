"""The picture of Gioco dell'Uomo Nero: a courtyard with start and finish, round attackers, the Man in hat and cloak."""

from render.games.uomo_nero.picture import UOMO_NERO

__all__ = ["UOMO_NERO"]
