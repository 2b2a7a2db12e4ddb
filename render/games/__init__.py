"""The pictures of the games by key: one module or package each, found by its name."""

from collections.abc import Mapping
from typing import Final

from engine.discovery import Part, Parts
from engine.games import games
from render.scene import GamePicture

PICTURE: Final = Part("render.games", "picture", "PICTURE")

pictures: Final[Mapping[str, GamePicture]] = Parts(games, PICTURE)
