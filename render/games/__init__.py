"""The registry of the games' pictures: one line each."""

from collections.abc import Mapping
from types import MappingProxyType

from render.games.annuvin import ANNUVIN
from render.games.fagocitare import FAGOCITARE
from render.games.real_queen import REAL_QUEEN
from render.games.uomo_nero import UOMO_NERO
from render.games.vedova_nera import VEDOVA_NERA
from render.scene import GamePicture

_PICTURES: tuple[GamePicture, ...] = (ANNUVIN, REAL_QUEEN, FAGOCITARE, VEDOVA_NERA, UOMO_NERO)

pictures: Mapping[str, GamePicture] = MappingProxyType({picture.key: picture for picture in _PICTURES})
