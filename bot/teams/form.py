"""The forms for a game that a channel plays as one, and for people who may vote in it later."""

from typing import Final

from bot.core.commands import GAME_PARAMETER
from bot.core.context import Context
from bot.core.forms import Field, Form, FormNotes, FormState, Values
from bot.core.request_context import RequestContext
from bot.entry.commandline import DEFAULT_LEVEL, Parameter
from bot.interface.cards import Button
from bot.interface.presses import press
from bot.language.texts import Span
from bot.teams.sides import VOTERS
from bot.teams.starting import COMPUTER, DEFAULT_TIME, MAX_QUORUM, OPPONENTS, PERSON, ROUND_TIMES
from engine import games
from engine.search import LEVELS

IDLE_RULES: Final = ("computer", "loss")
NEVER_UNNAMED: Final = r"(?!)"
"""No word is a name or a role unless its parameter is named."""
_QUORUMS: Final = ("", "3", "5", "10", "25", "50")
_ROLES: Final = "roles"
"""What the roles of the asker are called among the values, one in a line."""
_MAX_ROLES: Final = 24
_EVERYONE: Final = "@everyone"


async def _local(_context: Context, asker: RequestContext) -> Values:
    """Return the roles from which the asker may choose who votes."""
    roles = sorted(asker.request.user.roles - {_EVERYONE})[:_MAX_ROLES]
    return {_ROLES: "\n".join(roles)} if roles else {}


async def _tell(_context: Context, asker: RequestContext, state: FormState) -> FormNotes:
    rules = Button(asker.mine.line("button.rules"), press("rules", None, 0, state.subject))
    return FormNotes([asker.mine.of(state.subject).say("team.about")], [rules])


FORM: Final = Form(
    command="team",
    version=1,
    subject=Field("g", GAME_PARAMETER),
    fields=(
        Field("a", Parameter("against", "choice", choices=OPPONENTS), COMPUTER),
        Field("t", Parameter("time", "choice", choices=tuple(ROUND_TIMES)), DEFAULT_TIME),
        Field(
            "l",
            Parameter("computer", "level", choices=tuple(map(str, LEVELS))),
            DEFAULT_LEVEL,
            asked=lambda values: values["against"] == COMPUTER,
            needs="against",
        ),
        Field("o", Parameter("opponents", "people"), asked=lambda values: values["against"] == PERSON, needs="against"),
        Field("q", Parameter("quorum", "number", least=1, most=MAX_QUORUM), "", lambda _: _QUORUMS),
        Field("i", Parameter("idle", "choice", choices=IDLE_RULES), IDLE_RULES[0]),
        Field("v", Parameter("voters", "choice", choices=VOTERS), VOTERS[0]),
        Field(
            "r",
            Parameter("role", "text", pattern=NEVER_UNNAMED),
            offers=lambda values: ("", *values[_ROLES].split("\n")),
            asked=lambda values: _ROLES in values,
        ),
        Field("n", Parameter("name", "text", pattern=NEVER_UNNAMED, prose=True)),
        Field("m", Parameter("members", "people")),
    ),
    title=lambda voice, _: voice.say("team.new", game=Span(voice.line("name"), bold=True)),
    tell=_tell,
    submit=lambda _: "button.team.begin",
    done=lambda _: "team.begun",
    games=lambda: list(games),
    which="team.which",
    options=4,
    local=_local,
)


async def _tell_admission(_context: Context, asker: RequestContext, _state: FormState) -> FormNotes:
    return FormNotes([asker.mine.say("team.admission.about")])


ADMISSION: Final = Form(
    command="team",
    key="team-admit",
    version=1,
    fields=(Field("p", Parameter("admit", "people")),),
    title=lambda voice, _: voice.say("team.admission"),
    tell=_tell_admission,
    submit=lambda _: "button.team.admit",
)
