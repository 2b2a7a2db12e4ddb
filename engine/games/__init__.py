"""All games by key: those of this package and those of other installed packages."""

from typing import Final

from engine.discovery import Games

games: Final = Games()
