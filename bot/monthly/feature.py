"""What channels are told of a month by itself."""

from typing import Final

from bot.core.features import Feature
from bot.monthly.job import MonthlyWorker
from bot.monthly.posts import MonthPost
from storage.message_schema import MONTH

FEATURE: Final = Feature(job=MonthlyWorker, posts={MONTH: MonthPost})
