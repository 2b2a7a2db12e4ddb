"""Commands for registration with Discord, in all languages, and the presses that work where the bot is a guest."""

import inspect
import re
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from operator import methodcaller
from typing import TYPE_CHECKING, Any, Final

import discord
import structlog
from discord import app_commands, ui
from discord.app_commands import Choice, locale_str

from bot.kernel.cards import VALUE_SEPARATOR, Button, Card, FormField, FormView, Menu, Row
from bot.kernel.commandline import Parameter, read_people
from bot.kernel.features import Command, commands_on
from bot.kernel.forms import NO, YES
from bot.kernel.presses import FORM_PRESS, PUZZLE_ANSWER, PUZZLE_CONTROL, RUN_PRESS, TRY_ANSWER, TRY_CONTROL, find_press
from bot.kernel.question_cards import LESSON_CHOICE, PRIVATE_CHOICE, button_rows
from bot.kernel.texts import Span, Speaker, Texts, join, shorten
from bot.lobby.service import MAX_INVITED
from bot.platforms.discord.decode import Interaction, mention_of, mention_of_names
from bot.platforms.discord.errors import show_completions
from engine import games

if TYPE_CHECKING:
    from bot.platforms.discord.dispatcher import DiscordDispatcher

MAX_OPTIONS: Final = 25
"""Maximum number of options of one command."""
MAX_DESCRIPTION_LENGTH: Final = 100
"""Maximum length of descriptions and names of choices."""
MAX_TEXT_LENGTH: Final = 200
DEFAULT_LANGUAGE: Final = "en"
LOCALES: Final = {discord.Locale.american_english: "en", discord.Locale.italian: "it"}
"""Discord's locales for our languages.

English must be listed, too: a locale without translations gets those of a fallback, which need not be the default (page
Application Commands, Locale Fallbacks).
"""
CATALOGUE_DOMAIN: Final = "discord"

_NAME_PATTERN: Final = re.compile(r"[-_'\w]{1,32}")

log = structlog.get_logger(__name__)

USER_INSTALL_COMMANDS: Final = frozenset(
    {
        "menu",
        "help",
        "rules",
        "learn",
        "play",
        "join",
        "move",
        "try",
        "plan",
        "puzzle",
        "board",
        "games",
        "hint",
        "undo",
    }
    | {"draw", "resign", "rematch", "profile"}
)
"""Commands that need only a reply: people who installed the app for themselves can use them everywhere."""


class Tree(app_commands.CommandTree[Any]):
    """Tree of our commands; also answers outdated commands that a user's client still offers."""

    def __init__(self, client: discord.Client, dispatcher: "DiscordDispatcher") -> None:
        super().__init__(client)
        self._dispatcher = dispatcher

    async def on_error(self, interaction: Interaction, error: app_commands.AppCommandError, /) -> None:
        """Reply to a command that cannot be run."""
        log.warning("command-failed", interaction=interaction.id, reason=str(error))
        if interaction.type is discord.InteractionType.application_command:
            done = interaction.response.is_done()
            await self._dispatcher.command(interaction, "", {}, "refusal.unexpected" if done else "command.changed")


class CompletedCommand(app_commands.Command[Any, ..., None]):
    """A command whose late completions are ignored: discord.py would log a traceback for each."""

    async def _invoke_autocomplete(
        self, interaction: Interaction, name: str, namespace: app_commands.Namespace
    ) -> None:
        await show_completions(interaction, super()._invoke_autocomplete(interaction, name, namespace))


class Translations(app_commands.Translator):
    """Returns the translations that each `locale_str` carries."""

    async def translate(
        self, string: locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        """Return the text in a language, None if we do not have that language."""
        language = LOCALES.get(locale, "")
        return string.message if language == DEFAULT_LANGUAGE else string.extras.get(language)


@dataclass(frozen=True, slots=True)
class CommandOption:
    """One option on Discord: one of our parameters, or one person of a parameter for several people."""

    name: locale_str
    parameter: Parameter
    description: locale_str
    type: Any
    choices: tuple[Choice[str], ...] = ()


class Localisation:
    """Builds texts in all languages."""

    def __init__(self, texts: Texts) -> None:
        self._speakers = {language: texts.speaker(language) for language in texts.languages}

    def say(self, words: Callable[[Speaker], str]) -> locale_str:
        """Return the text in each language, English first."""
        said = {
            language: shorten(words(speaker), MAX_DESCRIPTION_LENGTH) for language, speaker in self._speakers.items()
        }
        return locale_str(
            said[DEFAULT_LANGUAGE],
            **{language: text for language, text in said.items() if language != DEFAULT_LANGUAGE},
        )

    def name(self, name: str, words: Callable[[Speaker], str]) -> locale_str:
        """Return a name with those of its translations that Discord accepts."""
        others = {key: words(speaker).lower() for key, speaker in self._speakers.items() if key != DEFAULT_LANGUAGE}
        return locale_str(name, **{key: other for key, other in others.items() if _NAME_PATTERN.fullmatch(other)})


def app_commands_for(texts: Texts, dispatcher: "DiscordDispatcher") -> list[app_commands.Command[Any, ..., None]]:
    """Return all commands; their callbacks call the dispatcher."""
    words = Localisation(texts)
    return [_command(command, words, dispatcher) for command in commands_on("discord").values()]


def options_for(command: Command, words: Localisation) -> list[CommandOption]:
    """Return the options of a command, the required ones first.

    Discord allows 25. If the games have more options than fit, those of the last games are left out; the buttons for
    choosing a game include all options.
    """
    others = (parameter.most or MAX_INVITED if parameter.kind == "people" else 1 for parameter in command.parameters)
    over = sum(others) - MAX_OPTIONS
    options = [parameter for parameter in command.parameters if parameter.kind == "option"]
    left_out = options[len(options) - over :] if over > 0 else []
    found: list[CommandOption] = []
    for parameter in sorted(command.parameters, key=lambda parameter: not parameter.required):
        if parameter in left_out:
            continue
        about = words.say(partial(command.parameter_description, parameter=parameter))
        if parameter.kind == "people":
            found += _people(parameter, about, words)
            continue
        name = words.name(parameter.name, partial(_word_for, parameter))
        if parameter.kind == "number":
            number = app_commands.Range[int, parameter.least, parameter.most]
            found.append(CommandOption(name, parameter, about, number))
        else:
            choices = () if parameter.completes else tuple(_choices(parameter, words))
            found.append(CommandOption(name, parameter, about, app_commands.Range[str, 1, MAX_TEXT_LENGTH], choices))
    return with_distinct_names(found)


def _word_for(parameter: Parameter, speaker: Speaker) -> str:
    """Return the name of a parameter in a language, empty if it has no translation."""
    if parameter.kind == "option":
        voices = [speaker.of(key) for key in games if parameter.name in games[key].options]
        said = {voice.line(f"option.{parameter.name}").replace(" ", "-") for voice in voices}
        return said.pop() if len(said) == 1 else ""
    # The first of the words accepted in typed commands.
    key = f"called.{parameter.name}"
    return speaker.line(key).split()[0] if speaker.has(key) else ""


def with_distinct_names(options: list[CommandOption]) -> list[CommandOption]:
    """Return options with unique translated names.

    Within a language all names must differ, and none may be another option's default name (page Application Commands,
    Localization). Two independent games may have chosen the same word.
    """
    taken = {option.name.message for option in options}
    seen: set[tuple[str, str]] = set()
    renamed = []
    for option in options:
        others = taken - {option.name.message}
        said = {
            language: word
            for language, word in option.name.extras.items()
            if word not in others and (language, word) not in seen
        }
        seen |= set(said.items())
        renamed.append(replace(option, name=locale_str(option.name.message, **said)))
    return renamed


def _people(parameter: Parameter, about: locale_str, words: Localisation) -> Iterator[CommandOption]:
    for number in range(1, (parameter.most or MAX_INVITED) + 1):
        after = str(number) if number > 1 else ""
        if number == 2:
            about = words.say(lambda speaker: speaker.of(CATALOGUE_DOMAIN).line(f"another.{parameter.name}"))

        def word(speaker: Speaker, after: str = after) -> str:
            return f"{said}{after}" if (said := _word_for(parameter, speaker)) else ""

        name = words.name(parameter.name.removesuffix("s") + after, word)
        yield CommandOption(name, parameter, about, discord.User)


def _choices(parameter: Parameter, words: Localisation) -> Iterator[Choice[str]]:
    for value in parameter.choices:
        yield Choice(name=words.say(methodcaller("word", parameter.name, value)), value=value)


def _command(
    command: Command, words: Localisation, dispatcher: "DiscordDispatcher"
) -> app_commands.Command[Any, ..., None]:
    options = options_for(command, words)
    # Create valid Python names: some of ours, such as `for`, are not.
    python = {f"p{number}": option for number, option in enumerate(options)}

    async def callback(interaction: Interaction, **given: Any) -> None:
        values = {python[name]: value for name, value in given.items() if value is not None}
        bots = any(_is_user(option) and value.bot for option, value in values.items())
        await dispatcher.command(interaction, command.name, _values(values), "opponent.bot" if bots else None)

    signature = [inspect.Parameter("interaction", inspect.Parameter.POSITIONAL_ONLY, annotation=discord.Interaction)]
    for name, option in python.items():
        if option.parameter.required:
            argument = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=option.type)
        else:
            argument = inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, annotation=option.type | None, default=None
            )
        signature.append(argument)
    described: Any = callback
    described.__signature__ = inspect.Signature(signature)
    app_commands.describe(**{name: option.description for name, option in python.items()})(described)
    app_commands.rename(**{name: option.name for name, option in python.items()})(described)
    chosen = {name: list(option.choices) for name, option in python.items() if option.choices}
    app_commands.choices(**chosen)(described)
    completed = {
        name: _make_completer(command.name, option, options, dispatcher)
        for name, option in python.items()
        if option.parameter.completes
    }
    app_commands.autocomplete(**completed)(described)
    alone = command.name in USER_INSTALL_COMMANDS
    made = CompletedCommand(
        name=words.name(command.name, partial(_command_word, command.name)),
        description=words.say(command.description),
        callback=described,
        allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=alone),
        allowed_installs=app_commands.AppInstallationType(guild=True, user=alone),
    )
    if command.managed:
        # Discord hides it from everybody else; a server's managers may change that, so the handler also checks.
        made.default_permissions = discord.Permissions(manage_guild=True)
    return made


def _command_word(name: str, speaker: Speaker) -> str:
    """Return the first word by which a command may be typed in a language, empty if there is none."""
    return next(iter(speaker.line(f"typed.{name}").split()), "") if speaker.has(f"typed.{name}") else ""


def _make_completer(
    name: str, option: CommandOption, options: list[CommandOption], dispatcher: "DiscordDispatcher"
) -> Callable[[Interaction, str], Coroutine[Any, Any, list[Choice[str]]]]:
    async def complete(interaction: Interaction, current: str) -> list[Choice[str]]:
        typed = interaction.namespace.__dict__
        known = {each.name.message for each in options if not _is_user(each)}
        values = {each: str(value) for each, value in typed.items() if value and each in known}
        parameter = option.parameter.name
        return await dispatcher.complete(interaction, name, parameter, {**values, option.name.message: current})

    return complete


def _is_user(option: CommandOption) -> bool:
    return option.parameter.kind == "people"


def _values(given: Mapping[CommandOption, Any]) -> dict[str, str]:
    values: dict[str, str] = {}
    for option, value in given.items():
        name = option.parameter.name
        if _is_user(option):
            values[name] = f"{values.get(name, '')} {mention_of(value)}".strip()
        else:
            values[name] = str(value)
    return values


SOLO_GAME_PRESSES: Final = ("choose", "new", "solo", "show", "resign!", "keep", "text", "words", "share")
"""Presses of a game against the computer, besides choosing a move."""
PUZZLE_PRESSES: Final = (PUZZLE_ANSWER, PUZZLE_CONTROL)
ANSWER_ONLY_PRESSES: Final = USER_INSTALL_COMMANDS | {
    "example",
    "lesson",
    "unplan",
    LESSON_CHOICE,
    TRY_ANSWER,
    TRY_CONTROL,
    PRIVATE_CHOICE,
    *PUZZLE_PRESSES,
    *SOLO_GAME_PRESSES,
}
"""The kinds of buttons that work where only replies can be shown; most are named like the commands."""
CHANNEL_PRESSES: Final = frozenset({"leaders", "close", "set", "settings", "webhook"})
"""Presses that need a channel with managers; they do not work where the bot is a guest."""


def works_in_answers(press: str) -> bool:
    """Return True if a press works in a place where only replies can be shown."""
    return _read_deed(press) in ANSWER_ONLY_PRESSES


def works_as_guest(press: str) -> bool:
    """Return True if a press works in a place where boards are shown with the tokens of presses."""
    return (deed := _read_deed(press)) != "" and deed not in CHANNEL_PRESSES


def without_unsupported(card: Card, works: Callable[[str], bool]) -> Card:
    """Return a card without the buttons that do not work."""
    rows = [buttons for row in card.rows if (buttons := _row(row, works))]
    return replace(card, rows=tuple(rows))


def _row(row: Row, works: Callable[[str], bool]) -> Row | None:
    if isinstance(row, Menu):
        return row if all(works(option.press) for option in row.options) else None
    buttons: tuple[Button, ...] = tuple(button for button in row if works(button.press))
    return buttons or None


def _read_deed(press: str) -> str:
    """Return the action of a press: the command that it runs, or the command of its form."""
    pressed = find_press(press)
    if pressed is None:
        return ""
    return pressed.path[0] if pressed.deed in (FORM_PRESS, RUN_PRESS) and pressed.path else pressed.deed


MAX_TITLE_LENGTH: Final = 45
"""Maximum length of the title of a modal, and of a label in it (page Component Reference, Label)."""
MAX_FIELD_LENGTH: Final = 100
"""Maximum length of descriptions, labels of options, and ids."""
MAX_RADIO_OPTIONS: Final = 10
"""Maximum number of options of a radio group, which has at least two, and of a checkbox group."""
_MODAL_PREFIX: Final = "form|"
_UNSET: Final = "-"
"""An option's value cannot be empty."""


class FormModal(ui.Modal):
    """A page of a form."""

    def is_finished(self) -> bool:
        """Return True: submissions are read from their interactions, so discord.py need not store every modal."""
        return True


def form_modal(form: FormView) -> FormModal:
    """Return the page of a form that is to be opened."""
    title, press = shorten(form.title, MAX_TITLE_LENGTH), form.pages[form.page].press
    modal = FormModal(title=title, custom_id=f"{_MODAL_PREFIX}{press}")
    for each in form.fields_on(form.page):
        about = shorten(each.error or each.about, MAX_FIELD_LENGTH) or None
        label = shorten(each.label, MAX_TITLE_LENGTH)
        modal.add_item(ui.Label(text=label, description=about, component=_control(each)))
    return modal


def with_pages(card: Card) -> Card:
    """Return a form's card as a message: its values in words, and a button for each page."""
    form = card.form
    if form is None:
        return card
    lines = [(Span(f"{each.label}: "), Span(each.words, bold=True)) for each in form.fields]
    return replace(card, text=join([card.text, *lines]), rows=(*button_rows(form.pages), *form.rows))


def read_modal(interaction: Interaction) -> tuple[str, Mapping[str, str]] | None:
    """Return the press of a submitted modal and the values of its fields; None if the modal is none of ours."""
    data: Any = interaction.data
    if interaction.type is not discord.InteractionType.modal_submit:
        return None
    press = str(data["custom_id"])
    if not press.startswith(_MODAL_PREFIX):
        return None
    people: Any = data.get("resolved") or {}
    given = (each["component"] for each in data["components"] if "component" in each)
    values = {str(each["custom_id"]): _value(each, people) for each in given}
    return press.removeprefix(_MODAL_PREFIX), values


def _control(asked: FormField) -> ui.Item[Any]:
    options = [(each.value or _UNSET, shorten(each.label, MAX_FIELD_LENGTH)) for each in asked.options]
    chosen = {each or _UNSET for each in asked.chosen}
    if asked.kind == "yes-no":
        return ui.Checkbox(custom_id=asked.name, default=asked.value == YES)
    if asked.kind == "people":
        known = [each.id for each in read_people(asked.value) if each.id is not None]
        users = [discord.SelectDefaultValue(id=int(each), type=discord.SelectDefaultValueType.user) for each in known]
        most = asked.most or MAX_INVITED
        return ui.UserSelect(
            custom_id=asked.name, required=False, min_values=0, max_values=most, default_values=users[:most]
        )
    if asked.kind == "several" and len(options) <= MAX_RADIO_OPTIONS:
        boxes = [
            discord.CheckboxGroupOption(label=label, value=each, default=each in chosen) for each, label in options
        ]
        return ui.CheckboxGroup(
            custom_id=asked.name, required=False, min_values=0, max_values=len(boxes), options=boxes
        )
    if asked.kind == "choice" and 2 <= len(options) <= MAX_RADIO_OPTIONS:
        radios = [discord.RadioGroupOption(label=label, value=each, default=each in chosen) for each, label in options]
        return ui.RadioGroup(custom_id=asked.name, options=radios)
    if options:
        several = asked.kind == "several"
        listed = [discord.SelectOption(label=label, value=each, default=each in chosen) for each, label in options]
        least, most = (0, len(listed)) if several else (1, 1)
        return ui.Select(custom_id=asked.name, required=not several, min_values=least, max_values=most, options=listed)
    return ui.TextInput(
        custom_id=asked.name,
        required=False,
        default=asked.value or None,
        max_length=asked.most if asked.kind == "text" else MAX_NUMBER_LENGTH,
    )


MAX_NUMBER_LENGTH: Final = 5


def _value(given: Mapping[str, Any], people: Any) -> str:
    value, values = given.get("value"), given.get("values")
    if given["type"] == discord.ComponentType.user_select.value:
        return " ".join(mention_of_names(str(each), people) for each in values or [])
    if isinstance(value, bool):
        return YES if value else NO
    if values is not None:
        value = VALUE_SEPARATOR.join(map(str, values))
    return "" if value in (None, _UNSET) else str(value)
