"""The job and the posts of the daily puzzle."""

from typing import Final

from bot.boards.puzzles.daily import DailyPuzzles
from bot.boards.puzzles.daily_cards import DailyPost
from bot.kernel.features import Feature
from storage.message_schema import DAILY

FEATURE: Final = Feature(job=DailyPuzzles, posts={DAILY: DailyPost})
