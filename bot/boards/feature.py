"""The commands and presses of private boards."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from bot.boards import lessons, plans, puzzle_commands, tries
from bot.boards.board import PrivateBoard, press_answer, press_control
from bot.boards.moment_cards import MOMENTS_PRESS
from bot.boards.open_boards import KINDS
from bot.core.commands import GAME_PARAMETER, MY_GAME_PARAMETER, PRIVATE, Command, PressRule, on_table
from bot.core.context import Public
from bot.core.features import Feature
from bot.core.permissions import Right
from bot.entry.commandline import Parameter
from bot.interface.presses import OPEN_PUZZLE
from bot.puzzles.daily import DAILY_PARAMETER, HOUR_SETTING, LAST_HOUR, SWITCHES, is_about_daily


def _puzzle_kind(values: Mapping[str, str]) -> Public | None:
    return Public.CHANGE if is_about_daily(values) else PRIVATE


def _puzzle_right(values: Mapping[str, str]) -> Right | None:
    return Right.MANAGER if is_about_daily(values) else None


def _board_presses(kind: type[PrivateBoard]) -> dict[str, PressRule]:
    """Return the presses on a kind of board."""
    handlers = {kind.answers: press_answer, kind.controls: press_control}
    return {
        name: PressRule(partial(handler, kind), PRIVATE, low_priority=kind.low_priority)
        for name, handler in handlers.items()
    }


FEATURE: Final = Feature(
    commands=(
        Command(
            "try",
            tries.try_out,
            (Parameter("moves", "move"), MY_GAME_PARAMETER, Parameter("note", "text", prose=True)),
            rank=220,
            public=PRIVATE,
        ),
        Command("plan", plans.plan, (Parameter("line", "move"), MY_GAME_PARAMETER), rank=230, public=PRIVATE),
        Command(
            "puzzle",
            puzzle_commands.puzzle,
            (
                GAME_PARAMETER,
                Parameter("which", "choice", choices=puzzle_commands.WHICH),
                Parameter(DAILY_PARAMETER, "choice", choices=SWITCHES),
                Parameter(HOUR_SETTING, "number", least=0, most=LAST_HOUR),
            ),
            rank=240,
            listed=True,
            public=_puzzle_kind,
            right=_puzzle_right,
            low_priority=True,
        ),
        Command("learn", lessons.learn, (GAME_PARAMETER,), rank=270, listed=True, public=PRIVATE),
    ),
    presses={
        **{name: rule for kind in KINDS.values() for name, rule in _board_presses(kind).items()},
        "learn": PressRule(lessons.press_learn, PRIVATE),
        "try": PressRule(tries.press_try, PRIVATE),
        "plan": PressRule(on_table(plans.open_plan), PRIVATE),
        "unplan": PressRule(plans.press_unplan, PRIVATE),
        OPEN_PUZZLE: PressRule(puzzle_commands.press_puzzle, PRIVATE, low_priority=True),
        MOMENTS_PRESS: PressRule(puzzle_commands.press_moments, PRIVATE, low_priority=True),
    },
)
