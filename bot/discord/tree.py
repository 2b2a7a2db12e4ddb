"""Our table of commands as application commands of Discord."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from operator import methodcaller
from typing import Any, Final, Protocol

import discord
import structlog
from discord import app_commands
from discord.app_commands import Choice, locale_str

from bot.commands import COMMANDS, Command
from bot.discord.decode import Interaction, mention_of
from bot.entry.commandline import Parameter
from bot.language.texts import Speaker, Texts
from bot.services.people import MOST_INVITED

MOST_OPTIONS: Final = 25
"""Of one command."""
LONGEST: Final = 100
"""Of descriptions and names of choices."""
LONGEST_TEXT: Final = 200
ENGLISH: Final = "en"
LOCALES: Final = {discord.Locale.italian: "it"}
DOMAIN: Final = "discord"

log = structlog.get_logger(__name__)

EVERYWHERE: Final = frozenset({"help", "rules", "learn", "play", "move", "board", "games", "undo", "resign", "rematch"})
"""What needs nothing but an answer: offered to whoever has installed the bot for themselves, wherever they are."""


class CommandDispatcher(Protocol):
    """Who carries commands out."""

    async def command(
        self, interaction: Interaction, name: str, values: Mapping[str, str], problem: str | None = None
    ) -> None:
        """Carry out a command; a `problem`, the key of a sentence, is answered instead."""
        ...

    async def complete(
        self, interaction: Interaction, name: str, parameter: str, values: Mapping[str, str]
    ) -> list[Choice[str]]:
        """Return what could follow while somebody types."""
        ...


class Tree(app_commands.CommandTree[Any]):
    """Our commands; one that somebody's Discord still offers though it has changed is answered, too."""

    def __init__(self, client: discord.Client, dispatcher: CommandDispatcher) -> None:
        super().__init__(client)
        self._dispatcher = dispatcher

    async def on_error(self, interaction: Interaction, error: app_commands.AppCommandError, /) -> None:
        """Answer what cannot be carried out."""
        log.warning("command-failed", interaction=interaction.id, reason=str(error))
        if interaction.type is discord.InteractionType.application_command:
            done = interaction.response.is_done()
            await self._dispatcher.command(interaction, "", {}, "refusal.unexpected" if done else "command.changed")


class Translations(app_commands.Translator):
    """Gives Discord the words that each `locale_str` carries with it."""

    async def translate(
        self, string: locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        """Return the words in a language, None where English is good enough."""
        return string.extras.get(LOCALES.get(locale, ""))


@dataclass(frozen=True, slots=True)
class CommandOption:
    """One option on Discord: a parameter of ours, or one of the people in a parameter of several."""

    name: str
    parameter: Parameter
    description: locale_str
    type: Any
    choices: tuple[Choice[str], ...] = ()


class Localisation:
    """Says the same in all languages."""

    def __init__(self, texts: Texts) -> None:
        self._speakers = {language: texts.speaker(language) for language in texts.languages}

    def say(self, words: Callable[[Speaker], str]) -> locale_str:
        """Return what each speaker says, English first."""
        said = {language: shortened(words(speaker)) for language, speaker in self._speakers.items()}
        return locale_str(said[ENGLISH], **{language: text for language, text in said.items() if language != ENGLISH})


def shortened(text: str) -> str:
    """Return a text of at most 100 characters."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def app_commands_for(texts: Texts, dispatcher: CommandDispatcher) -> list[app_commands.Command[Any, ..., None]]:
    """Return all commands of the table, whose callbacks go to the dispatcher."""
    words = Localisation(texts)
    return [_command(command, words, dispatcher) for command in COMMANDS.values()]


def options_for(command: Command, words: Localisation) -> Iterator[CommandOption]:
    """Yield the options of a command, the required ones first.

    Discord takes twenty-five. Where the games have more options than there is room for, those of the last games are
    left out: the buttons by which a game is chosen have them all.
    """
    others = (parameter.most or MOST_INVITED if parameter.kind == "people" else 1 for parameter in command.parameters)
    over = sum(others) - MOST_OPTIONS
    ours = [parameter for parameter in command.parameters if parameter.kind == "option"]
    left_out = ours[len(ours) - over :] if over > 0 else []
    for parameter in sorted(command.parameters, key=lambda parameter: not parameter.required):
        if parameter in left_out:
            continue
        about = words.say(partial(command.parameter_description, parameter=parameter))
        if parameter.kind == "people":
            yield from _people(parameter, about, words)
        elif parameter.kind == "number":
            number = app_commands.Range[int, parameter.least, parameter.most]
            yield CommandOption(parameter.name, parameter, about, number)
        else:
            choices = () if parameter.completes else tuple(_choices(parameter, words))
            yield CommandOption(parameter.name, parameter, about, app_commands.Range[str, 1, LONGEST_TEXT], choices)


def _people(parameter: Parameter, about: locale_str, words: Localisation) -> Iterator[CommandOption]:
    another = words.say(lambda speaker: speaker.of(DOMAIN).line("opponent.another"))
    for number in range(1, (parameter.most or MOST_INVITED) + 1):
        name = parameter.name.removesuffix("s") + (str(number) if number > 1 else "")
        yield CommandOption(name, parameter, about if number == 1 else another, discord.User)


def _choices(parameter: Parameter, words: Localisation) -> Iterator[Choice[str]]:
    for value in parameter.choices:
        yield Choice(name=words.say(methodcaller("word", parameter.name, value)), value=value)


def _command(
    command: Command, words: Localisation, dispatcher: CommandDispatcher
) -> app_commands.Command[Any, ..., None]:
    options = list(options_for(command, words))
    # Python's names: some of ours, such as `for`, could not be any.
    python = {f"p{number}": option for number, option in enumerate(options)}

    async def callback(interaction: Interaction, **given: Any) -> None:
        values = {python[name]: value for name, value in given.items() if value is not None}
        bots = any(_is_user(option) and value.bot for option, value in values.items())
        await dispatcher.command(interaction, command.name, _values(values), "opponent.bot" if bots else None)

    signature = [inspect.Parameter("interaction", inspect.Parameter.POSITIONAL_ONLY, annotation=discord.Interaction)]
    for name, option in python.items():
        if option.parameter.required:
            kept = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=option.type)
        else:
            kept = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=option.type | None, default=None)
        signature.append(kept)
    described: Any = callback
    described.__signature__ = inspect.Signature(signature)
    app_commands.describe(**{name: option.description for name, option in python.items()})(described)
    app_commands.rename(**{name: option.name for name, option in python.items()})(described)
    chosen = {name: list(option.choices) for name, option in python.items() if option.choices}
    app_commands.choices(**chosen)(described)
    completed = {
        name: _completer(command.name, option, options, dispatcher)
        for name, option in python.items()
        if option.parameter.completes
    }
    app_commands.autocomplete(**completed)(described)
    alone = command.name in EVERYWHERE
    return app_commands.Command(
        name=command.name,
        description=words.say(command.description),
        callback=described,
        allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=alone),
        allowed_installs=app_commands.AppInstallationType(guild=True, user=alone),
    )


def _completer(
    name: str, option: CommandOption, options: list[CommandOption], dispatcher: CommandDispatcher
) -> Callable[[Interaction, str], Coroutine[Any, Any, list[Choice[str]]]]:
    async def complete(interaction: Interaction, current: str) -> list[Choice[str]]:
        typed = interaction.namespace.__dict__
        values = {each.name: str(typed[each.name]) for each in options if typed.get(each.name) and not _is_user(each)}
        return await dispatcher.complete(interaction, name, option.parameter.name, {**values, option.name: current})

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
