"""The command, presses and job of puzzles."""

from collections.abc import Mapping
from typing import Final

from bot.core.commands import GAME_PARAMETER, PRIVATE, Command, PressRule
from bot.core.context import Public
from bot.core.features import Feature
from bot.core.permissions import Right
from bot.entry.commandline import Parameter
from bot.interface.presses import OPEN_PUZZLE, PUZZLE_ANSWER, PUZZLE_CONTROL
from bot.puzzles import commands
from bot.puzzles.daily import DAILY_PARAMETER, HOUR_SETTING, LAST_HOUR, SWITCHES, is_about_daily
from bot.puzzles.job import DailyPuzzles
from bot.puzzles.own_cards import MOMENTS_PRESS
from bot.puzzles.posts import DailyPost
from storage.message_schema import DAILY


def _puzzle_kind(values: Mapping[str, str]) -> Public | None:
    return Public.CHANGE if is_about_daily(values) else PRIVATE


def _puzzle_right(values: Mapping[str, str]) -> Right | None:
    return Right.MANAGER if is_about_daily(values) else None


FEATURE: Final = Feature(
    commands=(
        Command(
            "puzzle",
            commands.puzzle,
            (
                GAME_PARAMETER,
                Parameter("which", "choice", choices=commands.WHICH),
                Parameter(DAILY_PARAMETER, "choice", choices=SWITCHES),
                Parameter(HOUR_SETTING, "number", least=0, most=LAST_HOUR),
            ),
            rank=240,
            listed=True,
            public=_puzzle_kind,
            right=_puzzle_right,
            low_priority=True,
        ),
    ),
    presses={
        MOMENTS_PRESS: PressRule(commands.press_moments, PRIVATE, low_priority=True),
        OPEN_PUZZLE: PressRule(commands.press_puzzle, PRIVATE, low_priority=True),
        PUZZLE_ANSWER: PressRule(commands.press_answer, PRIVATE, low_priority=True),
        PUZZLE_CONTROL: PressRule(commands.press_control, PRIVATE, low_priority=True),
    },
    job=DailyPuzzles,
    posts={DAILY: DailyPost},
)
