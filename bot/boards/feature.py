"""The commands and presses of private boards."""

from functools import partial
from typing import Final

from bot.boards import lessons, puzzle_boards, tries
from bot.boards.board import press_board
from bot.boards.open_boards import KINDS
from bot.boards.puzzles.daily import DAILY_PARAMETER, HOUR_SETTING, LAST_HOUR, SWITCHES, is_about_daily
from bot.boards.puzzles.own_moments import MOMENTS_PRESS
from bot.kernel.commandline import Parameter
from bot.kernel.context import Public
from bot.kernel.features import GAME_PARAMETER, MY_GAME_PARAMETER, PRIVATE, Command, Feature, PressRule, on_table
from bot.kernel.permissions import Right
from bot.kernel.presses import OPEN_PUZZLE

FEATURE: Final = Feature(
    commands=(
        Command(
            "try",
            tries.try_out,
            (Parameter("moves", "move"), MY_GAME_PARAMETER, Parameter("note", "text", prose=True)),
            rank=220,
            public=PRIVATE,
        ),
        Command("plan", tries.plan, (Parameter("line", "move"), MY_GAME_PARAMETER), rank=230, public=PRIVATE),
        Command(
            "puzzle",
            puzzle_boards.puzzle,
            (
                GAME_PARAMETER,
                Parameter("which", "choice", choices=puzzle_boards.WHICH),
                Parameter(DAILY_PARAMETER, "choice", choices=SWITCHES),
                Parameter(HOUR_SETTING, "number", least=0, most=LAST_HOUR),
            ),
            rank=240,
            listed=True,
            public=lambda values: Public.CHANGE if is_about_daily(values) else PRIVATE,
            right=lambda values: Right.MANAGER if is_about_daily(values) else None,
            low_priority=True,
        ),
        Command("learn", lessons.learn, (GAME_PARAMETER,), rank=270, listed=True, public=PRIVATE),
    ),
    presses={
        **{
            name: PressRule(partial(press_board, kind), PRIVATE, low_priority=kind.low_priority)
            for kind in KINDS.values()
            for name in (kind.answers, kind.controls)
        },
        "learn": PressRule(lessons.press_learn, PRIVATE),
        "try": PressRule(tries.press_try, PRIVATE),
        "plan": PressRule(on_table(tries.open_plan), PRIVATE),
        "unplan": PressRule(tries.press_unplan, PRIVATE),
        OPEN_PUZZLE: PressRule(puzzle_boards.press_puzzle, PRIVATE, low_priority=True),
        MOMENTS_PRESS: PressRule(puzzle_boards.press_moments, PRIVATE, low_priority=True),
    },
)
