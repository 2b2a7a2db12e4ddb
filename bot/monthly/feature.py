"""What channels are told of a month by itself."""

from typing import Final

from bot.core.features import Feature
from bot.monthly.job import MonthlyWorker

FEATURE: Final = Feature(job=MonthlyWorker)
