"""Commands as Discord registers and reports them, forms as modals, and the presses that work where the bot is a guest.

All of these are built and read as Discord's JSON, which takes less than the classes of discord.py would.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from operator import methodcaller
from typing import Any, Final

import discord
from discord import ui

from bot.kernel.cards import VALUE_SEPARATOR, Card, FormField, FormView, filter_buttons
from bot.kernel.commandline import Parameter, read_people
from bot.kernel.features import Command, commands_on
from bot.kernel.forms import NO, YES
from bot.kernel.presses import FORM_PRESS, PUZZLE_ANSWER, PUZZLE_CONTROL, RUN_PRESS, TRY_ANSWER, TRY_CONTROL, find_press
from bot.kernel.question_cards import LESSON_CHOICE, PRIVATE_CHOICE, button_rows
from bot.kernel.texts import Span, Speaker, Texts, join, shorten
from bot.lobby.service import MAX_INVITED
from bot.platforms.discord.decode import PLATFORM, Interaction, is_guest, is_member, mention_of
from engine import games
from storage import Json

MAX_OPTIONS: Final = 25
"""Maximum number of options of one command."""
MAX_DESCRIPTION_LENGTH: Final = 100
"""Maximum length of descriptions and names of choices."""
MAX_TEXT_LENGTH: Final = 200
DEFAULT_LOCALE: Final = "en-US"
LOCALES: Final = {DEFAULT_LOCALE: "en", "it": "it"}
"""Discord's locales, and our language for each.

English must be listed, too: a locale without translations gets those of a fallback, which need not be the default (page
Application Commands, Locale Fallbacks).
"""
CHAT_INPUT, USER_MENU, MESSAGE_MENU = 1, 2, 3
"""Types of commands: typed, for a person, for a message (page Application Commands, Application Command Types)."""
STRING, INTEGER, USER = 3, 4, 6
"""Types of options (same page, Application Command Option Type)."""
IN_SERVER, IN_PRIVATE, ELSEWHERE = 0, 1, 2
"""Contexts of commands: a server, our private chat, other private chats (same page, Interaction Context Types)."""
EVERYWHERE: Final = [IN_SERVER, IN_PRIVATE, ELSEWHERE]
SERVER_INSTALL, USER_INSTALL = 0, 1
ANY_INSTALL: Final = [SERVER_INSTALL, USER_INSTALL]

_NAME_PATTERN: Final = re.compile(r"[-_'\w]{1,32}")

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
        "draw",
        "resign",
        "rematch",
        "profile",
    }
)
"""Commands that need only a reply: people who installed the app for themselves can use them everywhere."""


Payload = Json
"""A command, an option or a component in Discord's JSON form."""


def localise(texts: Texts, field: str, words: Callable[[Speaker], str]) -> Payload:
    """Return a field with its text in English, and the field of its translations."""
    said = {
        locale: shorten(words(texts.speaker(language)), MAX_DESCRIPTION_LENGTH) for locale, language in LOCALES.items()
    }
    return {field: said[DEFAULT_LOCALE], f"{field}_localizations": said}


def localise_name(texts: Texts, name: str, words: Callable[[Speaker], str]) -> Payload:
    """Return the fields of a name, with those of its translations that Discord accepts."""
    said = {locale: words(texts.speaker(language)).lower() for locale, language in LOCALES.items()}
    fitting = {locale: word for locale, word in said.items() if _NAME_PATTERN.fullmatch(word)}
    return {"name": name, "name_localizations": {**fitting, DEFAULT_LOCALE: name}}


def command_payloads(texts: Texts) -> list[Payload]:
    """Return all commands, and the context menus for a person (challenge them) and for a message (show its board)."""
    menus = ((USER_MENU, "menu.challenge", [IN_SERVER, ELSEWHERE]), (MESSAGE_MENU, "menu.show", EVERYWHERE))
    return [
        *(_command_payload(command, texts) for command in commands_on(PLATFORM).values()),
        *(
            {
                "type": kind,
                **localise(texts, "name", partial(_word, key)),
                "contexts": contexts,
                "integration_types": ANY_INSTALL,
            }
            for kind, key, contexts in menus
        ),
    ]


def _word(key: str, speaker: Speaker) -> str:
    return speaker.of(PLATFORM).line(key)


def _command_payload(command: Command, texts: Texts) -> Payload:
    alone = command.name in USER_INSTALL_COMMANDS
    # Discord hides it from everybody else; a server's managers may change that, so the handler also checks.
    hidden = discord.Permissions(manage_guild=True).value if command.managed else None
    return {
        "type": CHAT_INPUT,
        **localise_name(texts, command.name, partial(_first_word, f"typed.{command.name}")),
        **localise(texts, "description", command.description),
        "options": list_options(command, texts),
        "default_member_permissions": hidden,
        "contexts": EVERYWHERE if alone else [IN_SERVER, IN_PRIVATE],
        "integration_types": ANY_INSTALL if alone else [SERVER_INSTALL],
    }


def _first_word(key: str, speaker: Speaker) -> str:
    """Return the first of the words accepted in typed commands, empty if there is no translation."""
    return next(iter(speaker.line(key).split()), "") if speaker.has(key) else ""


def list_options(command: Command, texts: Texts) -> list[Payload]:
    """Return the options of a command, the required ones first.

    Discord allows 25. If the games have more options than fit, those of the last games are left out; the buttons for
    choosing a game include all options.
    """
    found = sorted(_parameters_by_option(command).items(), key=lambda item: not item[1].required)
    of_games = [name for name, parameter in found if parameter.kind == "option"]
    left_out = of_games[len(of_games) - max(0, len(found) - MAX_OPTIONS) :]
    options = [_option_payload(command, name, parameter, texts) for name, parameter in found if name not in left_out]
    return with_distinct_names(options)


def _parameters_by_option(command: Command) -> dict[str, Parameter]:
    """Return the parameters of a command by option: a parameter for several people has one option for each."""
    found: dict[str, Parameter] = {}
    for parameter in command.parameters:
        if parameter.kind == "people":
            first = parameter.name.removesuffix("s")
            others = range(2, (parameter.most or MAX_INVITED) + 1)
            found |= dict.fromkeys([first, *(f"{first}{number}" for number in others)], parameter)
        else:
            found[parameter.name] = parameter
    return found


def _option_payload(command: Command, name: str, parameter: Parameter, texts: Texts) -> Payload:
    number = name.removeprefix(parameter.name.removesuffix("s")) if parameter.kind == "people" else ""

    def word(speaker: Speaker) -> str:
        said = _word_for(parameter, speaker)
        return said and said + number

    about = partial(command.parameter_description, parameter=parameter)
    if number:
        about = partial(_word, f"another.{parameter.name}")
    option = {
        **localise_name(texts, name, word),
        **localise(texts, "description", about),
        "required": parameter.required,
    }
    if parameter.kind == "people":
        return {"type": USER, **option}
    if parameter.kind == "number":
        return {"type": INTEGER, **option, "min_value": parameter.least, "max_value": parameter.most}
    option |= {"type": STRING, "min_length": 1, "max_length": MAX_TEXT_LENGTH}
    if parameter.completes:
        return {**option, "autocomplete": True}
    choices = [
        {**localise(texts, "name", methodcaller("word", parameter.name, value)), "value": value}
        for value in parameter.choices
    ]
    return {**option, "choices": choices} if choices else option


def _word_for(parameter: Parameter, speaker: Speaker) -> str:
    """Return the name of a parameter in a language, empty if it has no translation."""
    if parameter.kind == "option":
        voices = [speaker.of(key) for key in games if parameter.name in games[key].options]
        said = {voice.line(f"option.{parameter.name}").replace(" ", "-") for voice in voices}
        return said.pop() if len(said) == 1 else ""
    return _first_word(f"called.{parameter.name}", speaker)


def with_distinct_names(options: list[Payload]) -> list[Payload]:
    """Return options with unique translated names.

    Within a language all names must differ, and none may be another option's default name (page Application Commands,
    Localization). Two independent games may have chosen the same word.
    """
    taken, seen = {option["name"] for option in options}, set[tuple[str, str]]()
    renamed = []
    for option in options:
        others = taken - {option["name"]}
        said = {
            locale: word
            for locale, word in option["name_localizations"].items()
            if word not in others and (locale, word) not in seen
        }
        seen |= set(said.items())
        renamed.append({**option, "name_localizations": said})
    return renamed


def read_command(interaction: Interaction) -> tuple[str, dict[str, str], str | None]:
    """Return the command that an interaction runs, the values of its parameters, and the key of what prevents it.

    The context menu for a person runs the command that challenges them.
    """
    data: Any = interaction.data
    resolved = data.get("resolved") or {}
    if data["type"] == USER_MENU:
        name, options = "play", [{"name": "opponent", "value": data["target_id"]}]
    else:
        name, options = str(data["name"]), data.get("options") or []
    command = commands_on(PLATFORM).get(name)
    known = _parameters_by_option(command) if command is not None else {}
    if command is None or any(option["name"] not in known for option in options):
        # The user's client still has an older version of the command.
        return name, {}, "command.changed"
    values: dict[str, str] = {}
    problem = None
    for option in options:
        parameter, value = known[option["name"]], str(option["value"])
        if parameter.kind == "people":
            if resolved.get("users", {}).get(value, {}).get("bot"):
                problem = "opponent.bot"
            value = f"{values.get(parameter.name, '')} {mention_of(value, resolved)}".strip()
        values[parameter.name] = value
    return name, values, problem


def read_completion(interaction: Interaction) -> tuple[str, str, dict[str, str]]:
    """Return the command that a user types, the option that they type now, and the values of all options so far."""
    data: Any = interaction.data
    options = data["options"]
    focused = next(option["name"] for option in options if option.get("focused"))
    return data["name"], focused, {option["name"]: str(option["value"]) for option in options}


SOLO_GAME_PRESSES: Final = ("choose", "new", "solo", "show", "resign!", "keep", "text", "words", "share")
"""Presses of a game against the computer, besides choosing a move."""
ANSWER_ONLY_PRESSES: Final = USER_INSTALL_COMMANDS | {
    "example",
    "lesson",
    "unplan",
    LESSON_CHOICE,
    TRY_ANSWER,
    TRY_CONTROL,
    PRIVATE_CHOICE,
    PUZZLE_ANSWER,
    PUZZLE_CONTROL,
    *SOLO_GAME_PRESSES,
}
"""The kinds of buttons that work where only replies can be shown; most are named like the commands."""
CHANNEL_PRESSES: Final = frozenset({"leaders", "close", "set", "settings", "webhook"})
"""Presses that need a channel with managers; they do not work where the bot is a guest."""


def works_as_guest(press: str) -> bool:
    """Return True if a press works in a place where boards are shown with the tokens of presses."""
    return (deed := _read_deed(press)) != "" and deed not in CHANNEL_PRESSES


def works_here(interaction: Interaction, press: str) -> bool:
    """Return True if a press works in the place of an interaction; the program answers an unknown one as stale."""
    if is_member(interaction):
        return True
    return works_as_guest(press) if is_guest(interaction) else _read_deed(press) in ANSWER_ONLY_PRESSES


def without_unsupported(card: Card, works: Callable[[str], bool]) -> Card:
    """Return a card without the buttons that do not work."""
    return replace(card, rows=filter_buttons(card.rows, lambda button: works(button.press)))


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
STRING_SELECT, TEXT_INPUT, USER_SELECT, LABEL, RADIO_GROUP, CHECKBOX_GROUP, CHECKBOX = 3, 4, 5, 18, 21, 22, 23
"""Types of the components of a modal (page Component Reference)."""
_MODAL_PREFIX: Final = "form|"
_UNSET: Final = "-"
"""An option's value cannot be empty."""


class FormModal(ui.Modal):
    """A page of a form, ready to be sent."""

    def __init__(self, payload: Payload) -> None:
        # Do not call discord.py's initializer, which builds a modal from its items.
        self.payload = payload

    def to_dict(self) -> Payload:
        """Return the modal."""
        return self.payload

    def is_finished(self) -> bool:
        """Return True: submissions are read from their interactions, so discord.py need not store every modal."""
        return True


def form_modal(form: FormView) -> FormModal:
    """Return the page of a form that is to be opened."""
    labels = []
    for each in (field for field in form.fields if field.page == form.page):
        about = shorten(each.error or each.about, MAX_FIELD_LENGTH)
        label = {"type": LABEL, "label": shorten(each.label, MAX_TITLE_LENGTH), "component": _control(each)}
        labels.append(label | ({"description": about} if about else {}))
    press = f"{_MODAL_PREFIX}{form.pages[form.page].press}"
    return FormModal({"title": shorten(form.title, MAX_TITLE_LENGTH), "custom_id": press, "components": labels})


def with_pages(card: Card) -> Card:
    """Return a form's card as a message: its values in words, and a button for each page."""
    form = card.form
    if form is None:
        return card
    lines = [(Span(f"{each.label}: "), Span(each.words, bold=True)) for each in form.fields]
    return replace(card, text=join([card.text, *lines]), rows=(*button_rows(form.pages), *form.rows))


def read_modal(interaction: Interaction) -> tuple[str, Mapping[str, str]]:
    """Return the press of a submitted modal and the values of its fields."""
    data: Any = interaction.data
    people: Any = data.get("resolved") or {}
    given = (each["component"] for each in data["components"] if "component" in each)
    values = {str(each["custom_id"]): _value(each, people) for each in given}
    return str(data["custom_id"]).removeprefix(_MODAL_PREFIX), values


def _control(asked: FormField) -> Payload:
    """Return the component with which a field is filled in."""
    control: Payload = {"custom_id": asked.name, "required": False}
    if asked.kind == "yes-no":
        return {"type": CHECKBOX, "custom_id": asked.name, "default": asked.value == YES}
    if asked.kind == "people":
        most = asked.most or MAX_INVITED
        known = [{"id": each.id, "type": "user"} for each in read_people(asked.value) if each.id is not None][:most]
        chosen = {"default_values": known} if known else {}
        return {"type": USER_SELECT, **control, "min_values": 0, "max_values": most, **chosen}
    options = [
        {
            "value": each.value or _UNSET,
            "label": shorten(each.label, MAX_FIELD_LENGTH),
            "default": each.value in asked.chosen,
        }
        for each in asked.options
    ]
    if asked.kind == "several":
        kind = CHECKBOX_GROUP if len(options) <= MAX_RADIO_OPTIONS else STRING_SELECT
        return {"type": kind, **control, "min_values": 0, "max_values": len(options), "options": options}
    if options:
        kind = RADIO_GROUP if 2 <= len(options) <= MAX_RADIO_OPTIONS else STRING_SELECT
        return {"type": kind, "custom_id": asked.name, "options": options}
    longest = asked.most if asked.kind == "text" else MAX_NUMBER_LENGTH
    filled = {"value": asked.value} if asked.value else {}
    return {"type": TEXT_INPUT, "style": 1, **control, "max_length": longest, **filled}


MAX_NUMBER_LENGTH: Final = 5


def _value(given: Json, people: Any) -> str:
    value, values = given.get("value"), given.get("values")
    if given["type"] == USER_SELECT:
        return " ".join(mention_of(str(each), people) for each in values or [])
    if isinstance(value, bool):
        return YES if value else NO
    if values is not None:
        value = VALUE_SEPARATOR.join(map(str, values))
    return "" if value in (None, _UNSET) else str(value)
