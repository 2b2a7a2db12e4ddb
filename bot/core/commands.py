"""Commands as features describe them and every platform reads them, and the checks of their parameters.

A command is described by the words `command.<name>`, a parameter by `command.<name>.<parameter>`, or by
`parameter.<parameter>` if it means the same everywhere, an option of a game by `parameter.option`.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.core.context import Context, Public
from bot.core.forms import NO, YES, Form
from bot.core.permissions import Right
from bot.core.request_context import RequestContext
from bot.entry.commandline import NOTHING, Parameter, check_signs, unknown_parameter
from bot.interface.forms import VALUE_SEPARATOR
from bot.interface.presses import Press
from bot.interface.refusals import ParameterName, Refused
from bot.interface.requests import Reply
from bot.language.texts import Speaker
from bot.tables.table import Table
from engine import games
from storage.plain_text import make_plain

CommandHandler = Callable[[Context, RequestContext, Mapping[str, str]], Awaitable[Reply]]
PressHandler = Callable[[Context, RequestContext, Press], Awaitable[Reply]]
TableHandler = Callable[[Context, RequestContext, Table], Awaitable[Reply]]

PRIVATE: Final = None
"""The `public` of what only its sender sees."""
MAX_NUMBER_DIGITS: Final = 5
_MAX_ECHO_LENGTH: Final = 20


@dataclass(frozen=True, slots=True)
class Command:
    """A named command.

    `rank` orders lists of commands. `public` is what the command makes public, perhaps depending on its values; it
    limits the command's rate. `right` is the right that it needs, perhaps depending on its values. `only`: the one
    platform that has it. `low_priority`: True if boards of games go first. `forms` fill it in. `opens`: True if it
    shows the first of them where it says no more than what that is about. `listed`: True if it is among the few that a
    short list names. `personal`: True if its answer belongs into the asker's own chat, where a group could read it
    otherwise; perhaps depending on its values.
    """

    name: str
    handler: CommandHandler
    parameters: tuple[Parameter, ...] = ()
    rank: int = 1000
    public: Public | Callable[[Mapping[str, str]], Public | None] | None = Public.CHANGE
    right: Right | Callable[[Mapping[str, str]], Right | None] | None = None
    only: str | None = None
    low_priority: bool = False
    forms: tuple[Form, ...] = ()
    opens: bool = False
    listed: bool = False
    personal: bool | Callable[[Mapping[str, str]], bool] = False

    def is_personal(self, values: Mapping[str, str]) -> bool:
        """Return True if its answer is of no concern to others in a group."""
        return self.personal(values) if callable(self.personal) else self.personal

    def opens_form(self, values: Mapping[str, str]) -> bool:
        """Return True if the command shows its form with these values, which has to be the first answer to it."""
        return self.opens and self.forms[0].is_asked_for(values)

    def description(self, speaker: Speaker) -> str:
        """Return a short description of the command."""
        return speaker.line(f"command.{self.name}")

    def parameter_description(self, speaker: Speaker, parameter: Parameter, game: str = "") -> str:
        """Return a short description of a parameter; of an option, in every game that has it or in the chosen one."""
        own = f"command.{self.name}.{parameter.name}"
        if speaker.has(own):
            return speaker.line(own)
        if parameter.kind == "option":
            return _option_description(speaker, parameter.name, game)
        return speaker.line(f"parameter.{parameter.name}")

    @property
    def managed(self) -> bool:
        """True if only managers of the place may give it, whatever its values are."""
        return self.right is Right.MANAGER

    def right_for(self, values: Mapping[str, str]) -> Right | None:
        """Return the right that the command needs with these values, None if it needs none."""
        return self.right(values) if callable(self.right) else self.right

    def kind(self, values: Mapping[str, str]) -> Public | None:
        """Return what the command makes public with these values, None if only its sender sees anything."""
        return self.public(values) if callable(self.public) else self.public


@dataclass(frozen=True, slots=True)
class PressRule:
    """Handling of a kind of button's presses.

    `public`, `right`, `low_priority` and `personal` are as of a `Command`; a press that `opens` a form shows it, and
    nothing else.
    """

    handler: PressHandler
    public: Public | Callable[[Press], Public | None] | None = Public.CHANGE
    right: Right | Callable[[Press], Right | None] | None = None
    low_priority: bool = False
    opens: Callable[[Press], bool] | None = None
    personal: bool = False

    def opens_form(self, pressed: Press) -> bool:
        """Return True if a press shows a form, which has to be the first answer to it."""
        return self.opens is not None and self.opens(pressed)

    def right_for(self, pressed: Press) -> Right | None:
        """Return the right that a press needs, None if it needs none."""
        return self.right(pressed) if callable(self.right) else self.right

    def kind(self, pressed: Press) -> Public | None:
        """Return what a press makes public, None if only the person who pressed sees anything."""
        return self.public(pressed) if callable(self.public) else self.public


def on_table(handler: TableHandler) -> PressHandler:
    """Return the handler of a press that needs no more than the table of its game."""

    async def handle(context: Context, asker: RequestContext, pressed: Press) -> Reply:
        return await handler(context, asker, await context.table(pressed.game or ""))

    return handle


GAME_PARAMETER: Final = Parameter("game", "game")
MY_GAME_PARAMETER: Final = Parameter("game", "mygame")


def yes_or_no(name: str) -> Parameter:
    """Return a yes-or-no parameter."""
    return Parameter(name, "choice", choices=(YES, NO))


def number(name: str, least: int, most: int) -> Parameter:
    """Return a parameter that is a number between two bounds."""
    return Parameter(name, "number", least=least, most=most)


def option_parameters() -> tuple[Parameter, ...]:
    """Return a parameter for every option of the installed games, with all values that it has in any of them."""
    values: dict[str, list[str]] = {}
    for game in games.values():
        for name, option in game.options.items():
            known = values.setdefault(name, [])
            known += [str(value) for value in option.values if str(value) not in known]
    return tuple(Parameter(name, "option", choices=tuple(known)) for name, known in values.items())


def with_options(own: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """Return parameters with those for the options of games.

    An option that is called like one of these is left out: it can be chosen in a form.
    """
    taken = {each.name for each in own}
    return (*own, *(each for each in option_parameters() if each.name not in taken))


def public_deeds(deeds: frozenset[str]) -> Callable[[Press], Public | None]:
    """Return what tells the kind of a press whose path begins with what is to be done: all see these deeds."""

    def kind(pressed: Press) -> Public | None:
        return Public.CHANGE if pressed.path and pressed.path[0] in deeds else PRIVATE

    return kind


def check_values(command: Command, values: Mapping[str, Any]) -> dict[str, str]:
    """Return the checked values of a command's parameters, made plain unless they are prose or people.

    Refused for a missing, unknown or out-of-bounds one, and for a sign that no value has.
    """
    known = {parameter.name: parameter for parameter in command.parameters}
    checked: dict[str, str] = {}
    for name, raw in values.items():
        parameter = known.get(name)
        if parameter is None:
            raise unknown_parameter(command.name, name, known)
        if value := check_value(parameter, str(raw)):
            checked[name] = value
    for parameter in command.parameters:
        if parameter.required and parameter.name not in checked:
            raise Refused(f"refusal.missing-{parameter.name}")
    return checked


def check_value(parameter: Parameter, raw: str) -> str:
    """Return the checked value of a parameter, empty for none; Refused as by `check_values`."""
    value, meant = raw.strip(), ParameterName(parameter.name)
    if not parameter.prose and parameter.kind != "people":
        value = make_plain(value).strip()
        if parameter.kind != "move":
            check_signs(value)
    if value and parameter.kind == "number" and not _is_number(value):
        raise Refused("refusal.no-number", name=meant, value=value[:_MAX_ECHO_LENGTH])
    if value and parameter.kind == "number":
        least, most = parameter.least or 0, parameter.most
        if int(value) < least or (most is not None and int(value) > most):
            raise Refused("refusal.out-of-range", field=meant, value=int(value), least=least, most=most or 0)
    if value and parameter.kind in ("choice", "level", "several"):
        typed, value = value, value.lower()
        for each in value.split(VALUE_SEPARATOR) if parameter.kind == "several" else [value]:
            if each not in (*parameter.choices, NOTHING):
                shown = typed[:_MAX_ECHO_LENGTH]
                raise Refused("refusal.no-choice", name=meant, value=shown, choices=parameter.choices)
    return value


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= MAX_NUMBER_DIGITS


def _option_description(speaker: Speaker, name: str, game: str) -> str:
    """Return the name of an option, in each of the games that have it or in one game."""
    owners = [key for key in games if name in games[key].options and game in ("", key)]
    titles: dict[str, list[str]] = {}
    for key in owners:
        voice = speaker.of(key)
        titles.setdefault(voice.line(f"option.{name}"), []).append(voice.line("name"))
    return "; ".join(
        speaker.line("parameter.option", option=option, games=speaker.listing(names))
        for option, names in titles.items()
    )
