"""The command, presses, board and job of channels that play as one."""

from collections.abc import Mapping
from typing import Final

from bot.core.commands import GAME_PARAMETER, PRIVATE, Command, PressRule, on_table, option_parameters
from bot.core.context import Public
from bot.core.features import Feature
from bot.core.permissions import Right
from bot.core.preferences import OFF, ON
from bot.entry.commandline import Parameter
from bot.interface.presses import TEAM_MENU, TEAM_PROPOSE, TEAM_SUGGEST
from bot.teams import cards, commands, form
from bot.teams.boards import board_extra
from bot.teams.rounds import TeamRounds
from bot.teams.sides import EVERYONE, LISTED
from bot.teams.starting import MAX_QUORUM, OPPONENTS, ROUND_TIMES
from engine.search import LEVELS

NEVER_UNNAMED: Final = r"(?!)"
"""No word is a role unless its name says so."""


def _team_right(values: Mapping[str, str]) -> Right | None:
    """Return the right of a manager: to list the channel, and to admit people to games that somebody else started."""
    if values.get("admit"):
        return Right.DEPENDS
    if values.get("listed"):
        return Right.MANAGER
    return None if values else Right.DEPENDS


FEATURE: Final = Feature(
    commands=(
        Command(
            "team",
            commands.team,
            (
                GAME_PARAMETER,
                Parameter("computer", "level", choices=tuple(map(str, LEVELS))),
                Parameter("against", "choice", choices=OPPONENTS),
                Parameter("opponents", "people"),
                Parameter("join", "code"),
                Parameter("name", "text", pattern=NEVER_UNNAMED, prose=True),
                Parameter("members", "people"),
                Parameter("voters", "choice", choices=(EVERYONE, LISTED)),
                Parameter("role", "text", pattern=NEVER_UNNAMED),
                Parameter("admit", "people"),
                Parameter("listed", "choice", choices=(ON, OFF)),
                Parameter("time", "choice", choices=tuple(ROUND_TIMES)),
                Parameter("quorum", "number", least=1, most=MAX_QUORUM),
                Parameter("idle", "choice", choices=form.IDLE_RULES),
                *option_parameters(),
            ),
            rank=25,
            public=Public.BEGIN,
            right=_team_right,
        ),
    ),
    presses={
        form.FORM: PressRule(commands.press_form, PRIVATE),
        form.CREATE: PressRule(commands.press_create, Public.BEGIN),
        TEAM_SUGGEST: PressRule(on_table(commands.press_suggest), PRIVATE),
        TEAM_PROPOSE: PressRule(commands.press_propose, Public.MOVE),
        cards.MOTION: PressRule(commands.press_motion, Public.MOVE),
        cards.VOTE: PressRule(commands.press_vote, Public.MOVE),
        cards.PROPOSALS: PressRule(on_table(commands.press_votes), PRIVATE),
        cards.LISTING: PressRule(commands.press_listing, PRIVATE, right=Right.MANAGER),
        cards.INVITATION: PressRule(commands.press_invitation, Public.CHANGE),
        cards.CALLS: PressRule(commands.press_calls, PRIVATE),
        TEAM_MENU: PressRule(commands.press_menu, PRIVATE),
    },
    job=TeamRounds,
    board_extra=board_extra,
)
