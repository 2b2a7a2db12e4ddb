"""The command, presses and job of cups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bot.competitions.events import MAX_ENTRANTS, MAX_ROUNDS, MIN_ENTRANTS, Format
from bot.core.commands import GAME_PARAMETER, PRIVATE, Command, PressRule, option_parameters, yes_or_no
from bot.core.context import Public
from bot.core.features import Feature
from bot.cups import commands, form
from bot.cups.job import CompetitionRounds
from bot.entry.commandline import Parameter
from bot.interface.presses import Press
from bot.matches.games import game_places_in_channel
from engine.search import LEVELS

_PUBLIC_DEEDS: Final = frozenset({"leave", "stay", "give", "start", "pause", "resume", "end!", "out!", "show"})
"""Actions of cup buttons that everybody sees; entering is counted where it happens."""

_OWN_PARAMETERS: Final = (
    GAME_PARAMETER,
    Parameter("format", "choice", choices=tuple(Format)),
    Parameter("clock", "choice", choices=form.CUP_CLOCKS),
    Parameter("players", "number", least=MIN_ENTRANTS, most=MAX_ENTRANTS),
    Parameter("starts", "text"),
    Parameter("entry", "choice", choices=commands.ENTRY_NAMES),
    Parameter("rounds", "number", least=1, most=MAX_ROUNDS),
    Parameter("least", "number", least=MIN_ENTRANTS, most=MAX_ENTRANTS),
    yes_or_no("lapse"),
    Parameter("fill", "choice", choices=tuple(map(str, LEVELS))),
    Parameter("holidays", "number", least=0, most=commands.MAX_HOLIDAY_DAYS),
    yes_or_no("double"),
    yes_or_no("rated"),
    Parameter("seats", "number", least=2, most=5),
    Parameter("join", "code"),
)


def _parameters() -> Iterator[Parameter]:
    yield from _OWN_PARAMETERS
    taken = {each.name for each in _OWN_PARAMETERS}
    # An option with the same name as one of these can only be chosen in the form.
    yield from (each for each in option_parameters() if each.name not in taken)


def _press_kind(pressed: Press) -> Public | None:
    return Public.CHANGE if pressed.path and pressed.path[0] in _PUBLIC_DEEDS else PRIVATE


FEATURE: Final = Feature(
    commands=(Command("cup", commands.cup, tuple(_parameters()), rank=20, public=Public.BEGIN),),
    presses={
        "cup": PressRule(commands.press_cup, _press_kind),
        form.FORM_PRESS: PressRule(form.press_form, PRIVATE),
        form.DETAILS_PRESS: PressRule(form.press_details, PRIVATE),
        form.CREATE_PRESS: PressRule(form.press_create, Public.BEGIN),
    },
    job=CompetitionRounds,
    on_undeliverable=game_places_in_channel,
)
