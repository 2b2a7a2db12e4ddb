"""The job that plays the computers' turns."""

from typing import Final

from bot.kernel.features import Feature
from bot.table.computers.job import ComputerPlayers

FEATURE: Final = Feature(job=ComputerPlayers)
