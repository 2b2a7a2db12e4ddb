"""Parser of typed commands such as `/play annuvin @bruno board:square`, for every platform that takes text."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, Literal

from bot.interface.refusals import CommandName, ParameterName, Refused
from bot.language.game_names import MIN_SIMILARITY, GameNames

MAX_LINE_LENGTH = 500
MAX_LISTED_PARAMETERS: Final = 20
"""Maximum number of parameters listed when a word fits none of them."""

Kind = Literal["game", "option", "people", "number", "text", "choice", "mygame", "move", "code", "level"]
DEFAULT_LEVEL: Final = "2"
"""Default strength of a computer: a newcomer can beat it."""

PLAY_PARAMETERS: Final = (
    "game",
    "opponents",
    "seats",
    "computer",
    "computers",
    "clock",
    "rated",
    "hints",
    "try",
    "join",
)
"""The parameters of `/play`; no option of a game may have one of these names."""

_COMMAND_PATTERN = re.compile(r"/([A-Za-z]+)(?:@\w+)?(?:\s+(.*))?", re.DOTALL)
_NAMED_VALUE_PATTERN = re.compile(r"([A-Za-z]+(?:-[A-Za-z]+)*)[:=](.*)", re.DOTALL)
_MENTION_PATTERN = re.compile(r"<@!?([^|>]+)\|([^>]*)>")
_PEOPLE_PATTERN = re.compile(r'<@[^>]*>|@?"[^"]*"|[^\s"]+')
_WORD_PATTERN = re.compile(r'(?:[^\s"]|"[^"]*")+|"[^"]*$')
_CODE_PATTERN = re.compile(r"#?[0-9A-Za-z]{6}")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a command; `choices` are all its values, if they are few.

    `people` is a list of people separated by spaces: `@name`, or `@"name with spaces"`; an adapter that knows who is
    meant writes `<@id
    name>` with the platform's id (typed text never counts as that). `mygame` is the short code of a game; a `code` is
    one too, of anybody's game or of a competition, given by name or after the word that is the parameter's name. A
    `level` is one of its choices, given like that, too (`computer 3` or `@computer 3`; the word alone means the
    default).

    A word given without the parameter's name must match its `pattern`, if it has one. After its name, the value of a
    `spaced` one may be several words. A `completes` parameter has completions to ask the Front for.
    """

    name: str
    kind: Kind
    required: bool = False
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    pattern: str | None = None
    spaced: bool = False

    @property
    def completes(self) -> bool:
        """True if `Front.complete` has completions for it."""
        return self.kind in ("game", "option", "mygame", "move", "text")


def parse_command(line: str, table: Mapping[str, Sequence[Parameter]], names: GameNames) -> tuple[str, dict[str, str]]:
    """Return a command's name and the values of its parameters; Refused for what cannot be parsed.

    Values are given as `name:value`, or in any order if their meaning is unambiguous. The name may be typed in any
    language with words for it.
    """
    match = _COMMAND_PATTERN.fullmatch(line.strip()[:MAX_LINE_LENGTH])
    if match is None:
        raise Refused("refusal.no-command")
    typed = match[1].lower()
    name = typed if typed in table else names.commands.get(typed, typed)
    if name not in table:
        raise unknown_command(match[1], table, names)
    return name, _Reader(name, table[name], names).read(match[2] or "")


def unknown_command(name: str, table: Iterable[str], names: GameNames | None = None) -> Refused:
    """Return the refusal of an unknown command as it was typed, with the one that was probably meant."""
    typed, known = f"/{name[:20]}", {each: each for each in table}
    words = {} if names is None else {word: meant for word, meant in names.commands.items() if meant in known}
    close = get_close_matches(name.lower(), [*known, *words], n=1, cutoff=MIN_SIMILARITY)
    if close:
        closest = CommandName(known.get(close[0]) or words[close[0]])
        return Refused("refusal.unknown-command", command=typed, closest=closest)
    return Refused("refusal.no-such-command", command=typed)


def unknown_parameter(command: str, name: str, known: Iterable[str]) -> Refused:
    """Return the refusal of an unknown parameter, with those that the command has."""
    listed = tuple(known)
    key = "refusal.unknown-parameter" if listed else "refusal.no-parameters"
    return Refused(key, name=name[:20], command=CommandName(command), known=tuple(map(ParameterName, listed)))


class _Reader:
    """Assigns the words of a line to the parameters of a command."""

    def __init__(self, command: str, parameters: Sequence[Parameter], names: GameNames) -> None:
        self.command = command
        self.parameters = {parameter.name: parameter for parameter in parameters}
        self.names = names
        self.values: dict[str, str] = {}

    def read(self, line: str) -> dict[str, str]:
        words = _WORD_PATTERN.findall(line)
        rest: list[str] = []
        while words:
            word = words.pop(0)
            named = _NAMED_VALUE_PATTERN.fullmatch(word)
            if named and (known := self.find_parameter(named[1])):
                value = named[2] or (words.pop(0) if words else "")
                while known.spaced and words and self.is_unclaimed(words[0]):
                    value = f"{value} {words.pop(0)}"
                self.give(known, _strip_name(value))
            elif (level := self.free("level")) and word.lower().removeprefix("@") == level.name:
                self.values[level.name] = words.pop(0) if words and words[0] in level.choices else DEFAULT_LEVEL
            elif len(word) > 1 and word.startswith("@") and (people := self.free("people", again=True)):
                self.give(people, word)
            elif (
                (code := self.free("code"))
                and self.is_parameter_name(code, word)
                and words
                and _CODE_PATTERN.fullmatch(words[0])
            ):
                self.values[code.name] = words.pop(0)
            else:
                rest.append(word)
        self.take(rest)
        return self.values

    def find_parameter(self, name: str) -> Parameter | None:
        """Return the parameter of a name, in any language; Refused if there is none and no move can be meant."""
        meant = (name.lower(), *self.names.parameters.get(name.lower(), ()))
        found = next((self.parameters[each] for each in meant if each in self.parameters), None)
        if found is None and not self.free("move"):
            raise unknown_parameter(self.command, name, self.parameters)
        return found

    def is_parameter_name(self, parameter: Parameter, word: str) -> bool:
        """Return True if a word is the name of a parameter, in any language."""
        name = word.lower()
        return parameter.name == name or parameter.name in self.names.parameters.get(name, ())

    def is_unclaimed(self, word: str) -> bool:
        """Return True if a word consists of letters and is no choice of any parameter."""
        choices = (choice for parameter in self.parameters.values() for choice in parameter.choices)
        return word.isalpha() and word.lower() not in choices

    def take(self, words: list[str]) -> None:
        if move := self.free("move"):
            if words and not self.looks_like_game(words[0]) and (text := " ".join(words)):
                self.values[move.name] = text
            elif words:
                self.take_game(words)
            return
        while words:
            if (game := self.free("game")) and (found := self.names.longest(words)):
                self.values[game.name] = found[1]
                del words[: found[0]]
                continue
            self.place(_strip_name(words.pop(0)))

    def take_game(self, words: list[str]) -> None:
        game = self.free("mygame")
        if game:
            self.values[game.name] = words.pop(0)
        if words and (move := self.free("move")):
            self.values[move.name] = " ".join(words)

    def looks_like_game(self, word: str) -> bool:
        """Return True if a first word with more after it is a game's code rather than a move."""
        return bool(self.free("mygame") and word.startswith("#") and _CODE_PATTERN.fullmatch(word))

    def place(self, word: str) -> None:
        """Assign a word to the first parameter that it fits."""
        lowered = word.lower()
        for parameter in self.parameters.values():
            if parameter.kind != "level" and parameter.name not in self.values and lowered in parameter.choices:
                self.values[parameter.name] = lowered
                return
        if word.isdecimal() and (number := self.free("number")):
            self.values[number.name] = word
            return
        if _CODE_PATTERN.fullmatch(word) and (mine := self.free("mygame")):
            self.values[mine.name] = word
            return
        if text := self.free("text", word=word) or self.free("game") or self.free("mygame"):
            self.values[text.name] = word
            return
        person = self.free("people", again=True) and word.isalnum() and not self.names.longest([word])
        if person:
            raise Refused("refusal.extra-word.person", word=word[:40])
        raise self.extra_word(word)

    def extra_word(self, word: str) -> Refused:
        """Return the refusal of a word that fits nothing, with the parameters that the command takes by name."""
        taken = tuple(ParameterName(name) for name in self.parameters if name not in self.values)
        key = "refusal.extra-word.named" if 0 < len(taken) <= MAX_LISTED_PARAMETERS else "refusal.extra-word"
        return Refused(key, word=word[:40], command=CommandName(self.command), known=taken)

    def give(self, parameter: Parameter, value: str) -> None:
        if parameter.kind == "people":
            person = f'@"{_strip_name(value).removeprefix("@")}"'
            self.values[parameter.name] = f"{self.values.get(parameter.name, '')} {person}".strip()
        else:
            self.values[parameter.name] = value

    def free(self, kind: Kind, *, again: bool = False, word: str = "") -> Parameter | None:
        """Return the first parameter of a kind without a value that, if a word is given, the word fits."""
        for parameter in self.parameters.values():
            if parameter.kind != kind or (parameter.name in self.values and not again):
                continue
            if not word or parameter.pattern is None or re.fullmatch(parameter.pattern, word):
                return parameter
        return None


@dataclass(frozen=True, slots=True)
class Mentioned:
    """A person in the value of a `people` parameter: a name, with the platform's id if the adapter knows it."""

    name: str
    id: str | None = None


def read_people(text: str) -> list[Mentioned]:
    """Return the people in the value of a `people` parameter."""
    people: list[Mentioned] = []
    for word in _PEOPLE_PATTERN.findall(text):
        known = _MENTION_PATTERN.fullmatch(word)
        person = Mentioned(known[2], known[1]) if known else Mentioned(_strip_name(word.removeprefix("@")))
        if (person.name or person.id) and person not in people:
            people.append(person)
    return people


def _strip_name(word: str) -> str:
    return word.replace('"', "").strip()
