"""Features: packages in `bot`, at any depth, with a module `feature`. They are discovered here, and listed nowhere.

The module also defines commands, for features to describe and platforms to read, and checks their parameters.

A command is described by the words `command.<name>`, a parameter by `command.<name>.<parameter>`, or by
`parameter.<parameter>` if its meaning is the same in all commands, an option of a game by `parameter.option`.
"""

import importlib
import pkgutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, TypeVar

import bot
from bot.kernel.cards import VALUE_SEPARATOR, Card
from bot.kernel.commandline import NOTHING, Parameter, check_signs, unknown_parameter
from bot.kernel.context import Context, Public
from bot.kernel.forms import NO, YES, Form, Values
from bot.kernel.permissions import Right, may_manage
from bot.kernel.post_kinds import DueWorker, PostKind
from bot.kernel.presses import Press, read_number
from bot.kernel.refusals import ParameterName, Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.table import Table
from bot.kernel.texts import Speaker
from engine import games
from storage import Notice, Post
from storage.addresses import make_plain

CommandHandler = Callable[[Context, RequestContext, Values], Awaitable[Reply]]
PressHandler = Callable[[Context, RequestContext, Press], Awaitable[Reply]]
TableHandler = Callable[[Context, RequestContext, Table], Awaitable[Reply]]

T = TypeVar("T")

PRIVATE: Final = None
"""The `public` of commands and presses whose effect only the sender sees."""
MAX_NUMBER_DIGITS: Final = 5
_MAX_ECHO_LENGTH: Final = 20


@dataclass(frozen=True, slots=True)
class Command:
    """A named command.

    `rank` orders lists of commands. `public` is the kind of public action, perhaps depending on the values; it limits
    the command's rate. `right` is the right that it needs, perhaps depending on the values. `only` is the single
    platform that has the command. `low_priority`: True if boards of games go first. `forms` are the forms that fill it
    in. `opens`: True if the command shows its first form when it gives no more than the form's subject. `listed`: True
    if it is in the short list of commands. `personal`: True if its answer moves to the requester's own chat where a
    group could read it otherwise; perhaps depending on the values.
    """

    name: str
    handler: CommandHandler
    parameters: tuple[Parameter, ...] = ()
    rank: int = 1000
    public: Public | Callable[[Values], Public | None] | None = Public.CHANGE
    right: Right | Callable[[Values], Right | None] | None = None
    only: str | None = None
    low_priority: bool = False
    forms: tuple[Form, ...] = ()
    opens: bool = False
    listed: bool = False
    personal: bool | Callable[[Values], bool] = False

    def opens_form(self, values: Values) -> bool:
        """Return True if the command shows its form with these values; a form has to be the first response."""
        return self.opens and self.forms[0].is_asked_for(values)

    def description(self, speaker: Speaker) -> str:
        """Return a short description of the command."""
        return speaker.line(f"command.{self.name}")

    def parameter_description(self, speaker: Speaker, parameter: Parameter, game: str = "") -> str:
        """Return a short description of a parameter; for an option, in every game that has it or in the chosen one."""
        own = f"command.{self.name}.{parameter.name}"
        if speaker.has(own):
            return speaker.line(own)
        if parameter.kind == "option":
            return _option_description(speaker, parameter.name, game)
        return speaker.line(f"parameter.{parameter.name}")

    @property
    def managed(self) -> bool:
        """True if only managers of the place may run it, with any values."""
        return self.right is Right.MANAGER


@dataclass(frozen=True, slots=True)
class PressRule:
    """Handling of a kind of button's presses.

    `public`, `right`, `low_priority` and `personal` are as in `Command`.
    """

    handler: PressHandler
    public: Public | Callable[[Press], Public | None] | None = Public.CHANGE
    right: Right | Callable[[Press], Right | None] | None = None
    low_priority: bool = False
    personal: bool = False


def on_table(handler: TableHandler) -> PressHandler:
    """Return the handler of a press that only needs the table of its game."""

    async def handle(context: Context, requester: RequestContext, pressed: Press) -> Reply:
        return await handler(context, requester, await context.table(pressed.game))

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
    """Return a parameter for every option of the installed games, with its values in all of them."""
    values: dict[str, list[str]] = {}
    for game in games.values():
        for name, option in game.options.items():
            known = values.setdefault(name, [])
            known += [str(value) for value in option.values if str(value) not in known]
    return tuple(Parameter(name, "option", choices=tuple(known)) for name, known in values.items())


def with_options(own: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """Return some parameters followed by those for the options of games.

    An option with the name of one of these parameters is left out: it can be chosen in a form.
    """
    taken = {each.name for each in own}
    return (*own, *(each for each in option_parameters() if each.name not in taken))


def public_deeds(deeds: frozenset[str]) -> Callable[[Press], Public | None]:
    """Return the `public` function of presses whose path begins with an action; only the given actions are public."""

    def kind(pressed: Press) -> Public | None:
        return Public.CHANGE if pressed.path and pressed.path[0] in deeds else PRIVATE

    return kind


def check_values(command: Command, values: Mapping[str, Any]) -> dict[str, str]:
    """Return the checked values of a command's parameters, normalised unless they are prose or people.

    Raises Refused for a missing, unknown or out-of-bounds value, and for a sign that no value may have.
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
    """Return the checked value of a parameter, empty for none; raises Refused as `check_values` does."""
    value, meant = raw.strip(), ParameterName(parameter.name)
    if not parameter.prose and parameter.kind != "people":
        value = make_plain(value).strip()
        if parameter.kind != "move":
            check_signs(value)
    if value and parameter.kind == "number":
        number, least, most = read_number(value, MAX_NUMBER_DIGITS), parameter.least or 0, parameter.most
        if number is None:
            raise Refused("refusal.no-number", name=meant, value=value[:_MAX_ECHO_LENGTH])
        if number < least or (most is not None and number > most):
            raise Refused("refusal.out-of-range", field=meant, value=number, least=least, most=most or 0)
    if value and parameter.kind in ("choice", "level", "several"):
        typed, value = value, value.lower()
        for each in value.split(VALUE_SEPARATOR) if parameter.kind == "several" else [value]:
            if each not in (*parameter.choices, NOTHING):
                shown = typed[:_MAX_ECHO_LENGTH]
                raise Refused("refusal.no-choice", name=meant, value=shown, choices=parameter.choices)
    return value


def _option_description(speaker: Speaker, name: str, game: str) -> str:
    """Return the name of an option, in each of the games that have it or in a single game."""
    titles: dict[str, list[str]] = {}
    for key in games:
        if name in games[key].options and game in ("", key):
            voice = speaker.of(key)
            titles.setdefault(voice.line(f"option.{name}"), []).append(voice.game_name())
    return "; ".join(
        speaker.line("parameter.option", option=option, games=speaker.listing(names))
        for option, names in titles.items()
    )


_MODULE_NAME = "feature"
"""The module of a package that defines its feature, as `FEATURE`."""


@dataclass(frozen=True, slots=True)
class NoticeContent:
    """The content of a notice that belongs to no game: where it is shown, and how it is written.

    `write` returns None if there is nothing left to report.
    """

    shown: Sequence[Post]
    write: Callable[[Speaker], Card | None]


@dataclass(frozen=True, slots=True)
class Feature:
    """What a feature contributes to the program.

    `presses` are keyed by the first word of a button's payload. `job` creates its background job. `posts` are its kinds
    of posts in places. `notices` return, by kind, the contents of notices that belong to no game, None if there is
    nothing left to report.
    """

    commands: tuple[Command, ...] = ()
    presses: Mapping[str, PressRule] = field(default_factory=dict)
    job: Callable[[Context], DueWorker] | None = None
    posts: Mapping[str, Callable[[Context], PostKind]] = field(default_factory=dict)
    notices: Mapping[str, Callable[[Context, Notice], Awaitable[NoticeContent | None]]] = field(default_factory=dict)


@cache
def load_features() -> Mapping[str, Feature]:
    """Return all features by package name; raises ValueError if two packages have the same name."""
    found: dict[str, Feature] = {}
    for module in pkgutil.walk_packages(bot.__path__, f"{bot.__name__}."):
        *_, package, name = module.name.split(".")
        if name == _MODULE_NAME:
            if package in found:
                raise ValueError(f"two features are called {package}: rename the package of {module.name}")
            found[package] = importlib.import_module(module.name).FEATURE
    return found


@cache
def load_commands() -> Mapping[str, Command]:
    """Return all commands by name, in the order in which they are listed."""
    found = [command for feature in load_features().values() for command in feature.commands]
    found.sort(key=lambda command: (command.rank, command.name))
    return {command.name: command for command in found}


@cache
def load_forms() -> Mapping[str, Form]:
    """Return the forms of all commands by name."""
    found = [form for command in load_commands().values() for form in command.forms]
    return {form.name: form for form in found}


@cache
def load_presses() -> Mapping[str, PressRule]:
    """Return the press rules of all features, by the first word of a button's payload."""
    return {name: rule for feature in load_features().values() for name, rule in feature.presses.items()}


def load_post_kinds(context: Context) -> dict[str, PostKind]:
    """Return the kinds of posts of all features by name."""
    return {name: kind(context) for feature in load_features().values() for name, kind in feature.posts.items()}


def commands_on(platform: str) -> dict[str, Command]:
    """Return the commands of a platform."""
    return {name: command for name, command in load_commands().items() if command.only in (None, platform)}


async def commands_open_to(context: Context, requester: RequestContext) -> dict[str, Command]:
    """Return the commands that the requester may run in this place."""
    known, manages = commands_on(requester.request.user.platform), await may_manage(context, requester)
    return {name: command for name, command in known.items() if manages or not command.managed}


async def read_notice_content(context: Context, notice: Notice) -> NoticeContent | None:
    """Return the content of a notice that belongs to no game, None if there is nothing left to report."""
    for feature in load_features().values():
        if notice.kind in feature.notices:
            return await feature.notices[notice.kind](context, notice)
    return None
