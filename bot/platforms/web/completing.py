"""Completion of text typed in the page: commands, their parameters and values, and people."""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Final

from bot.kernel.commandline import Parameter, parse_command
from bot.kernel.features import Command
from bot.kernel.forms import Values
from bot.kernel.names import fold_text
from bot.kernel.refusals import Refused
from bot.kernel.requests import Request
from bot.kernel.texts import Speaker
from bot.platforms.app import COMMANDS, PARAMETERS, Tavoliere
from bot.platforms.web.room import ChatRoom
from engine import games
from storage import Json
from storage.addresses import make_plain

MAX_ITEMS: Final = 40
"""Maximum number of suggestions; all commands fit."""

_COMMAND_PATTERN: Final = re.compile(r"/([A-Za-z]*)")
_ARGUMENTS_PATTERN: Final = re.compile(r"/([A-Za-z]+)\s+(.*)", re.DOTALL)
_LAST_WORD_PATTERN: Final = re.compile(r'(?:[^\s"]|"[^"]*")*(?:"[^"]*)?$')
_NAMED_VALUE_PATTERN: Final = re.compile(r"([A-Za-z]+)[:=](.*)", re.DOTALL)
_MOVE_PATTERN: Final = re.compile(r"[x×]?[a-z]?[a-z]\d{1,2}(?:[-–x×, ]+[a-z]\d{1,2})*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Item:
    """A suggestion: its label, its description, the text it inserts, and whether that is sent at once.

    `talk`: True if the text is said although it could be played. `whole`: the text that it would extend, if that is
    already complete.
    """

    label: str
    about: str
    text: str
    send: bool = False
    talk: bool = False
    whole: str = ""


class Completer:
    """Source of suggestions."""

    def __init__(self, front: Tavoliere, room: ChatRoom) -> None:
        self._front = front
        self._texts = front.context.texts
        self._room = room
        self._names = front.context.game_names

    async def items(self, request: Request, typed: str, rest: str) -> list[Json]:
        """Return completions of the text before the cursor; `rest` is the text after the cursor."""
        typed = make_plain(typed)
        language = self._texts.supported(request.user.language) or "en"
        speaker = self._texts.speaker(language)
        if (match := _COMMAND_PATTERN.fullmatch(typed)) is not None:
            found = self._suggest_commands(match[1].lower(), speaker, manager=request.user.manager is True)
            begun = len(typed) > 1
        elif (match := _ARGUMENTS_PATTERN.fullmatch(typed)) is not None and (
            command := self._find_command(match[1])
        ) is not None:
            found = await self._suggest_arguments(request, command, match[1].lower(), match[2], speaker)
            begun = not typed[-1].isspace()
        else:
            found = [] if rest else await self._suggest_move(request, typed.strip(), language)
            begun = True
        return [
            {
                **asdict(item),
                "text": item.text + rest,
                "cursor": len(item.text),
                "likely": begun and typed.strip() not in (item.text.strip(), item.whole),
            }
            for item in found[:MAX_ITEMS]
        ]

    @staticmethod
    def command_names(speaker: Speaker) -> dict[str, str]:
        """Return the name of each command in the speaker's language."""
        return {name: _command_words(name, speaker)[0] for name in COMMANDS}

    def _find_command(self, typed: str) -> Command | None:
        """Return the command with a name in any language."""
        name = typed.lower()
        return COMMANDS.get(name) or COMMANDS.get(self._names.commands.get(name, ""))

    def _suggest_commands(self, typed: str, speaker: Speaker, *, manager: bool) -> list[Item]:
        found = []
        for command in COMMANDS.values():
            fitting = [word for word in _command_words(command.name, speaker) if word.startswith(typed)]
            if fitting and (manager or not command.managed):
                text = f"/{fitting[0]}{' ' if command.parameters else ''}"
                found.append(Item(f"/{fitting[0]}", command.description(speaker), text))
        return found

    async def _suggest_move(self, request: Request, typed: str, language: str) -> list[Item]:
        """Suggest playing a move-like text, or saying it, if a game waits for the person."""
        if not _MOVE_PATTERN.fullmatch(typed):
            return []
        values = {"move": typed}
        if not await self._front.complete(request, "move", "move", values):
            return []
        page = self._texts.speaker(language).of("web")
        about = page.line("complete.move.about")
        return [
            Item(page.line("complete.move", move=typed), about, f"/move {typed}", send=True),
            Item(page.line("complete.talk"), "", typed, send=True, talk=True),
        ]

    async def _suggest_arguments(
        self, request: Request, command: Command, name: str, line: str, speaker: Speaker
    ) -> list[Item]:
        match = _LAST_WORD_PATTERN.search(line)
        word = match[0] if match else ""
        done = line[: len(line) - len(word)]
        lead = f"/{name} {done}"
        values = self._parse_values(f"/{command.name} {done}")
        parameters = {parameter.name: parameter for parameter in _open_parameters(command, values)}
        named = _NAMED_VALUE_PATTERN.fullmatch(word)
        if named is not None and named[1].lower() in parameters:
            parameter = parameters[named[1].lower()]
            lead += f"{parameter.name}:"
            return await self._suggest_values(request, command, parameter, named[2].strip('"'), values, lead, speaker)
        move = next((parameter for parameter in parameters.values() if parameter.kind == "move"), None)
        if move is not None:
            return await self._suggest_values(request, command, move, line, values, f"/{name} ", speaker)
        found: list[Item] = []
        for parameter in parameters.values():
            if parameter.kind not in ("game", "mygame", "text", "people") or parameter.name in values:
                continue
            found += await self._suggest_values(request, command, parameter, word, values, lead, speaker)
        for parameter in parameters.values():
            if parameter.kind in ("option", "number", "choice", "level") and parameter.name.startswith(word.lower()):
                about = command.parameter_description(speaker, parameter, values.get("game", ""))
                # The level is optional: the program can choose it.
                whole = f"{lead}{parameter.name}" if parameter.kind == "level" else ""
                found.append(Item(f"{parameter.name}:", about, f"{lead}{parameter.name}:", whole=whole))
        return found

    async def _suggest_values(
        self,
        request: Request,
        command: Command,
        parameter: Parameter,
        typed: str,
        values: Values,
        lead: str,
        speaker: Speaker,
    ) -> list[Item]:
        """Return the values of a parameter that match the typed part."""
        end = "" if parameter.kind == "move" else " "
        if parameter.kind == "people":
            about = command.parameter_description(speaker, parameter)
            wanted = fold_text(typed.removeprefix("@").strip('"'))
            others = [name for name in await self._room.names() if name != request.user.name]
            people = [name for name in others if wanted in fold_text(name)]
            return [Item(f"@{name}", about, f"{lead}@{_quote_if_needed(name)} ") for name in people]
        if parameter.completes:
            asked = {**values, parameter.name: typed}
            found = []
            for each in await self._front.complete(request, command.name, parameter.name, asked):
                value = each.value if parameter.kind == "move" else _quote_if_needed(each.value)
                found.append(Item(each.label, "" if each.label == each.value else each.value, f"{lead}{value}{end}"))
            return found
        choices = parameter.choices
        if parameter.kind == "number" and parameter.least is not None and parameter.most is not None:
            choices = tuple(str(number) for number in range(parameter.least, parameter.most + 1))
        return [Item(choice, "", f"{lead}{choice}{end}") for choice in choices if choice.startswith(typed.lower())]

    def _parse_values(self, line: str) -> dict[str, str]:
        try:
            return parse_command(line, PARAMETERS, self._names)[1]
        except Refused:
            return {}


def _command_words(name: str, speaker: Speaker) -> list[str]:
    """Return the names of a command in the speaker's language, the canonical one last."""
    key = f"typed.{name}"
    return [*(speaker.line(key).split() if speaker.has(key) else ()), name]


def _open_parameters(command: Command, values: Values) -> Iterable[Parameter]:
    """Yield the parameters that have no value yet and apply to the named game."""
    game = games.get(values.get("game", ""))
    for parameter in command.parameters:
        if parameter.name in values and parameter.kind != "people":
            continue
        if game is not None and parameter.kind == "option" and parameter.name not in game.options:
            continue
        if game is not None and parameter.name in ("seats", "computers") and len(game.seats) == 1:
            continue
        yield parameter


def _quote_if_needed(value: str) -> str:
    return f'"{value}"' if any(character.isspace() or character in ",;" for character in value) else value
