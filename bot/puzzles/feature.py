"""The job and the posts of the daily puzzle."""

from typing import Final

from bot.core.features import Feature
from bot.puzzles.job import DailyPuzzles
from bot.puzzles.posts import DailyPost
from storage.message_schema import DAILY

FEATURE: Final = Feature(job=DailyPuzzles, posts={DAILY: DailyPost})
