"""The job that plays the computers' turns."""

from typing import Final

from bot.computers.job import ComputerPlayers
from bot.core.features import Feature

FEATURE: Final = Feature(job=ComputerPlayers)
