"""The command, presses, board and job of channels that play as one."""

from typing import Final

from bot.kernel.commandline import Parameter
from bot.kernel.context import Public
from bot.kernel.features import PRIVATE, Command, Feature, PressRule, on_table, option_parameters
from bot.kernel.form_presses import older_presses
from bot.kernel.forms import Values
from bot.kernel.permissions import Right
from bot.kernel.preferences import OFF, ON
from bot.kernel.presses import TEAM_MENU, TEAM_PROPOSE, TEAM_SUGGEST
from bot.lobby.teams import cards, commands
from bot.lobby.teams.commands import ADMISSION, FORM
from bot.lobby.teams.rounds import TeamRounds


def _team_right(values: Values) -> Right | None:
    """Return the right that a team command needs: listing the channel, or admitting people, may need a manager."""
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
                *FORM.parameters,
                *ADMISSION.parameters,
                Parameter("join", "code"),
                Parameter("listed", "choice", choices=(ON, OFF)),
                *option_parameters(),
            ),
            rank=25,
            public=Public.BEGIN,
            right=_team_right,
            forms=(FORM, ADMISSION),
        ),
    ),
    presses={
        **older_presses(FORM, "teamnew", "teamgo"),
        TEAM_SUGGEST: PressRule(on_table(commands.press_suggest), PRIVATE),
        TEAM_PROPOSE: PressRule(commands.press_propose, Public.MOVE),
        cards.MOTION: PressRule(commands.press_motion, Public.MOVE),
        cards.VOTE: PressRule(commands.press_vote, Public.MOVE),
        cards.PROPOSALS: PressRule(on_table(commands.press_votes), PRIVATE),
        cards.LISTING: PressRule(commands.press_listing, PRIVATE, right=Right.MANAGER),
        cards.INVITATION: PressRule(commands.press_invitation, Public.CHANGE),
        cards.CALLS: PressRule(commands.press_calls, PRIVATE),
        TEAM_MENU: PressRule(on_table(commands.press_menu), PRIVATE),
    },
    job=TeamRounds,
)
