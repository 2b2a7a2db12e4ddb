"""The games that there are, by their keys: those of the modules here, and those that other packages bring."""

from typing import Final

from engine.discovery import Games

games: Final = Games()
