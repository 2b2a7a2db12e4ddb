"""The command, presses and job of cups."""

from typing import Final

from bot.competitions.events import MAX_ENTRANTS, MAX_ROUNDS, MIN_ENTRANTS, Format
from bot.core.commands import GAME_PARAMETER, PRIVATE, Command, PressRule, public_deeds, with_options, yes_or_no
from bot.core.context import Public
from bot.core.features import Feature
from bot.cups import commands, form
from bot.cups.job import CompetitionRounds
from bot.entry.commandline import Parameter
from bot.matches.commands import MAX_HOLIDAY_DAYS, right_to_run
from bot.matches.form import COMPETITION_CLOCKS, ENTRY_NAMES
from bot.matches.games import game_places_in_channel
from engine.search import LEVELS

_PUBLIC_DEEDS: Final = frozenset({"leave", "stay", "give", "start", "pause", "resume", "end!", "out!", "show"})
"""Actions of cup buttons that everybody sees; entering is counted where it happens."""

_OWN_PARAMETERS: Final = (
    GAME_PARAMETER,
    Parameter("format", "choice", choices=tuple(Format)),
    Parameter("clock", "choice", choices=COMPETITION_CLOCKS),
    Parameter("players", "number", least=MIN_ENTRANTS, most=MAX_ENTRANTS),
    Parameter("starts", "text"),
    Parameter("entry", "choice", choices=ENTRY_NAMES),
    Parameter("rounds", "number", least=1, most=MAX_ROUNDS),
    Parameter("least", "number", least=MIN_ENTRANTS, most=MAX_ENTRANTS),
    yes_or_no("lapse"),
    Parameter("fill", "choice", choices=tuple(map(str, LEVELS))),
    Parameter("holidays", "number", least=0, most=MAX_HOLIDAY_DAYS),
    yes_or_no("double"),
    yes_or_no("rated"),
    Parameter("seats", "number", least=2, most=5),
    Parameter("join", "code"),
)


FEATURE: Final = Feature(
    commands=(Command("cup", commands.cup, with_options(_OWN_PARAMETERS), rank=20, public=Public.BEGIN),),
    presses={
        "cup": PressRule(commands.press_cup, public_deeds(_PUBLIC_DEEDS), right=right_to_run),
        form.FORM_PRESS: PressRule(form.press_form, PRIVATE),
        form.DETAILS_PRESS: PressRule(form.press_details, PRIVATE),
        form.CREATE_PRESS: PressRule(form.press_create, Public.BEGIN),
    },
    job=CompetitionRounds,
    on_undeliverable=game_places_in_channel,
)
