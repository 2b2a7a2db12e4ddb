"""Parser of typed commands such as `/play annuvin @bruno board:square`, for every platform with text input."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice
from typing import Final, Literal

from bot.kernel.names import MIN_SIMILARITY, GameNames
from bot.kernel.refusals import CommandName, ParameterName, Refused
from bot.kernel.requests import Completion
from engine import Action, EngineError, State
from engine.core import Actions, AmbiguousAction, IllegalAction, InvalidAction, shorten_value
from engine.notation import normalise
from storage.addresses import align_plain, find_unreadable_sign, make_plain

MAX_LINE_LENGTH = 500
MAX_LISTED_PARAMETERS: Final = 24
"""Maximum number of parameters listed in the refusal of a word that fits none."""

Kind = Literal["game", "option", "people", "number", "text", "choice", "mygame", "move", "code", "level", "several"]
NOTHING: Final = "none"
"""The value for no choices of a parameter of the kind `several`; in a form, the value of a parameter that is cleared.
"""
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

CONJUNCTIONS: Final = frozenset({"and", "e", "ed", "&", "+"})
"""Words between two people in a list of them."""

_COMMAND_PATTERN = re.compile(r"\s*/([A-Za-z]+)(?:@\w+)?(?:\s+(.*))?", re.DOTALL)
_NAMED_VALUE_PATTERN = re.compile(r"([A-Za-z]+(?:-[A-Za-z]+)*)[:=](.*)", re.DOTALL)
_QUOTE: Final = '"'
_SEPARATORS: Final = (",", ";")
"""Signs between two people in a list of them."""
_MENTION_PATTERN = re.compile(r"<@!?([^|>]+)\|([^>]*)>")
_PEOPLE_PATTERN = re.compile(r'<@[^>]*>|@?"[^"]*"|[^\s",;]+')
_WORD_PATTERN = re.compile(r'(?:[^\s"]|"[^"]*")+|"[^"]*$')
_CODE_PATTERN = re.compile(r"#?[0-9A-Za-z]{6}")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a command; `choices` are all its values, if they are few.

    `people` is a list of people separated by spaces, commas or "and": `@name`, or `@"name with spaces"`. An adapter
    that knows the person writes `<@id|name>` with the platform's id (typed text never counts as that). `mygame` is the
    short code of one's own game. `code` is the short code of any game or competition, given by name or after the word
    that is the parameter's name. `several` are any of its choices, separated by commas, or `none`. A `level` is one of
    its choices, given like a code (`computer 3` or `@computer 3`; the word alone means the default).

    A word given without the parameter's name must match its `pattern`, if it has one. After its name, the value of a
    `spaced` parameter may be several words. `prose`: True if others read the value as it was typed; all other values
    are normalised to plain text.
    """

    name: str
    kind: Kind
    required: bool = False
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    pattern: str | None = None
    prose: bool = False
    spaced: bool = False

    @property
    def completes(self) -> bool:
        """True if `Tavoliere.complete` has completions for it."""
        return self.kind in ("game", "option", "mygame", "move", "text")


def parse_command(line: str, table: Mapping[str, Sequence[Parameter]], names: GameNames) -> tuple[str, dict[str, str]]:
    """Return a command's name and the values of its parameters; raises Refused for a line that cannot be parsed.

    Values are given as `name:value`, or in any order if they are unambiguous. Names may be typed in any language of the
    catalogues.
    """
    plain, typed, indices = align_plain(line[:MAX_LINE_LENGTH])
    match = _COMMAND_PATTERN.fullmatch(plain.rstrip())
    if match is None:
        check_signs(plain.split(maxsplit=1)[0] if plain.lstrip().startswith("/") else "")
        raise Refused("refusal.no-command")
    word = match[1].lower()
    name = word if word in table else names.commands.get(word, word)
    if name not in table:
        raise unknown_command(match[1], table, names)

    def as_typed(start: int, word: str) -> str:
        parts = (typed[indices[at] : indices[at + 1]] for at in range(start, start + len(word)) if plain[at] != _QUOTE)
        return "".join(parts).strip()

    words = [] if match[2] is None else _WORD_PATTERN.finditer(plain, match.start(2), match.end(2))
    parameters = {parameter.name: parameter for parameter in table[name]}
    return name, _Reader(name, parameters, names, as_typed).read([*words])


def is_code(text: str) -> bool:
    """Return True if a text has the form of a game's code."""
    return _CODE_PATTERN.fullmatch(text) is not None


def is_command_line(text: str) -> bool:
    """Return True if a typed text is a command, or an attempt at one."""
    return make_plain(text[:MAX_LINE_LENGTH]).lstrip().startswith("/")


def check_signs(text: str) -> None:
    """Raise Refused, naming the sign, if a plain text has a sign that no typed text may have."""
    sign = find_unreadable_sign(text)
    if sign is not None:
        raise Refused("refusal.unreadable-sign", sign=sign, text=text[:40])


def unknown_command(name: str, table: Mapping[str, object], names: GameNames) -> Refused:
    """Return the refusal of an unknown command as typed, with the command that was probably meant."""
    typed, words = f"/{name[:20]}", {word: meant for word, meant in names.commands.items() if meant in table}
    close = get_close_matches(name.lower(), [*table, *words], n=1, cutoff=MIN_SIMILARITY)
    if close:
        closest = CommandName(close[0] if close[0] in table else words[close[0]])
        return Refused("refusal.unknown-command", command=typed, closest=closest)
    return Refused("refusal.no-such-command", command=typed)


def unknown_parameter(command: str, name: str, known: Iterable[str]) -> Refused:
    """Return the refusal of an unknown parameter, with the parameters that the command has."""
    listed = tuple(known)
    key = "refusal.unknown-parameter" if listed else "refusal.no-parameters"
    return Refused(key, name=name[:20], command=CommandName(command), known=tuple(map(ParameterName, listed)))


@dataclass(slots=True)
class _Reader:
    """Assigns the words of a line to the parameters of a command.

    The words are plain; `as_typed` returns the typed form, without quotes, of the word at an index of the plain line.
    """

    command: str
    parameters: Mapping[str, Parameter]
    names: GameNames
    as_typed: Callable[[int, str], str]
    values: dict[str, str] = field(default_factory=dict)
    listing: Parameter | None = None

    def read(self, words: list[re.Match[str]]) -> dict[str, str]:
        rest: list[str] = []
        while words:
            found = words.pop(0)
            word, listing = found[0], self.listing
            self.listing = None
            named = _NAMED_VALUE_PATTERN.fullmatch(word)
            if named and (known := self.find_parameter(named[1])):
                value, start = named[2], found.start() + named.start(2)
                if not value and words:
                    value, start = words[0][0], words.pop(0).start()
                while known.spaced and words and self.is_unclaimed(words[0][0]):
                    value = f"{value} {words.pop(0)[0]}"
                if known.kind == "people":
                    self.list_people(known, value, words, by_name=True)
                else:
                    self.values[known.name] = self.as_typed(start, value) if known.prose else _strip_quotes(value)
            elif (level := self.free("level")) and word.lower().removeprefix("@") == level.name:
                given = words and words[0][0] in level.choices
                self.values[level.name] = words.pop(0)[0] if given else DEFAULT_LEVEL
            elif len(word) > 1 and word.startswith("@") and (people := listing or self.free("people", again=True)):
                self.list_people(people, word, words, by_name=listing is not None)
            elif (code := self.free("code")) and words and code.name in self.meanings(word) and is_code(words[0][0]):
                self.values[code.name] = words.pop(0)[0]
            else:
                rest.append(word)
        self.take(rest)
        return self.values

    def meanings(self, word: str) -> tuple[str, ...]:
        """Return the names of parameters that a word may mean, in any language."""
        return (word.lower(), *self.names.parameters.get(word.lower(), ()))

    def find_parameter(self, name: str) -> Parameter | None:
        """Return the parameter with a name in any language; may raise Refused if there is none and no move is meant."""
        found = next((self.parameters[each] for each in self.meanings(name) if each in self.parameters), None)
        if found is None and not self.free("move"):
            raise unknown_parameter(self.command, name, self.parameters)
        return found

    def is_unclaimed(self, word: str) -> bool:
        """Return True if a word consists of letters and is not a choice of any parameter."""
        choices = (choice for parameter in self.parameters.values() for choice in parameter.choices)
        return word.isalpha() and word.lower() not in choices

    def take(self, words: list[str]) -> None:
        if move := self.free("move"):
            # A first word with others after it may be a game's code.
            if words and words[0].startswith("#") and is_code(words[0]) and (game := self.free("mygame")):
                self.values[game.name] = words.pop(0)
            if words:
                self.values[move.name] = " ".join(words)
            return
        while words:
            if (game := self.free("game")) and (found := self.names.longest(words)):
                self.values[game.name] = found[1]
                del words[: found[0]]
                continue
            self.place(_strip_quotes(words.pop(0)))

    def place(self, word: str) -> None:
        """Assign a word to the first parameter that it fits."""
        check_signs(word)
        lowered = word.lower()
        for parameter in self.parameters.values():
            if parameter.kind != "level" and parameter.name not in self.values and lowered in parameter.choices:
                self.values[parameter.name] = lowered
                return
        found = (
            (self.free("number") if word.isdecimal() else None)
            or (self.free("mygame") if is_code(word) else None)
            or self.free("text", word=word)
            or self.free("game")
            or self.free("mygame")
        )
        if found is not None:
            self.values[found.name] = word
            return
        if self.free("people", again=True) and word.isalnum() and not self.names.longest([word]):
            raise Refused("refusal.extra-word.person", word=word[:40])
        # Name the parameters that the command takes by name.
        taken = tuple(ParameterName(name) for name in self.parameters if name not in self.values)
        key = "refusal.extra-word.named" if 0 < len(taken) <= MAX_LISTED_PARAMETERS else "refusal.extra-word"
        raise Refused(key, word=word[:40], command=CommandName(self.command), known=taken)

    def list_people(self, parameter: Parameter, value: str, words: list[re.Match[str]], *, by_name: bool) -> None:
        """Add to a parameter the people of a value, and those of the following words that continue the list.

        After the parameter's name, words without an @ continue the list, too.
        """
        added = [self.values[parameter.name]] if parameter.name in self.values else []
        while True:
            added += [f'@"{_strip_quotes(each.removeprefix("@"))}"' for each in _PEOPLE_PATTERN.findall(value)]
            goes_on = value.endswith(_SEPARATORS)
            while words and (words[0][0].lower() in CONJUNCTIONS or not words[0][0].strip(",;")) and len(words) > 1:
                goes_on = _is_person(words[1][0], by_name=by_name)
                if not goes_on:
                    break
                words.pop(0)
            if not words or not (goes_on or words[0][0].startswith(_SEPARATORS)):
                break
            if not _is_person(words[0][0].lstrip(",;"), by_name=by_name):
                break
            value = words.pop(0)[0]
        self.values[parameter.name] = " ".join(added)
        self.listing = parameter if by_name else None

    def free(self, kind: Kind, *, again: bool = False, word: str = "") -> Parameter | None:
        """Return the first parameter of a kind that has no value yet and, if a word is given, accepts it."""
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
        if known is not None:
            people.append(Mentioned(known[2], known[1]))
        elif word.lower() not in CONJUNCTIONS:
            people.append(Mentioned(make_plain(word).removeprefix("@").replace(_QUOTE, "").strip()))
    return [each for each in dict.fromkeys(people) if each.name or each.id]


def _is_person(word: str, *, by_name: bool) -> bool:
    """Return True if a word continues a list of people; without the parameter's name, only if it begins with an @."""
    return word.startswith("@") or (by_name and _NAMED_VALUE_PATTERN.fullmatch(word) is None)


def _strip_quotes(word: str) -> str:
    return word.replace(_QUOTE, "").strip()


_TOKEN_PATTERN: Final = re.compile(r"[^\W\d_]+|\d+")
_CELLS_PATTERN: Final = re.compile(r"(?:[a-z]{1,2}\d{1,2}|[\s\-x/!+,;:]|/\d{1,2})+")
_CELL_PATTERN: Final = re.compile(r"[a-z]\d{1,2}")
_MAX_CELL_LETTERS: Final = 2
"""Maximum number of letters before the number of a cell: the cell's own, and that of the piece that moves there."""


def is_talk(state: State, text: str) -> bool:
    """Return True if a text is just talk, and not a move, whether legal, ambiguous or forbidden by a rule."""
    try:
        state.parse(text)
    except (IllegalAction, AmbiguousAction):
        return not _is_written_out(state, text)
    except InvalidAction as error:
        # A cell that is not on the board is a typo within a move; alone it may be anything, from w8 to 4pm.
        slip = error.code in ("no-such-cell", "unreadable-sign") and len(re.findall(r"\d+", text)) > 1
        return not slip or not _is_written_out(state, text)
    except EngineError:
        return False
    return False


def is_talk_beside_board(state: State, text: str) -> bool:
    """Return True if a text that is typed while a private board is open is just talk.

    A single cell refers to the board, even if it is not on it, provided that the board has its column.
    """
    typed, cells = normalise(text), state.topology.cells(state.topology.all)
    if _CELL_PATTERN.fullmatch(typed) and typed[0] in {cell[0] for cell in cells}:
        return False
    return is_talk(state, text)


def names_cells(text: str) -> bool:
    """Return True if a text consists of cells with the marks of a notation, as `d5xc4`."""
    typed = normalise(text)
    return any(each.isdecimal() for each in typed) and _CELLS_PATTERN.fullmatch(typed) is not None


def _is_written_out(state: State, text: str) -> bool:
    """Return True if a whole text is notation; the engine judges only its start, which in a sentence may be a cell."""
    typed = normalise(text)
    if "?" in typed or not any(each.isdecimal() for each in typed):
        return False
    for piece in _TOKEN_PATTERN.finditer(typed):
        word, follows = piece[0], typed[piece.end() : piece.end() + 1]
        if word.isdecimal() or word == "x":
            continue
        if follows.isdecimal():
            if len(word) > _MAX_CELL_LETTERS:
                return False
        elif not any(normalise(action.text).startswith(word) for action in state.well_formed(typed[piece.start() :])):
            return False
    return True


MAX_COMPLETIONS: Final = 25
MAX_COMPLETION_LENGTH: Final = 100
GOES_ON: Final = "…"
"""Ends the label of a completion that is not a whole turn."""

_BEGINNING_PATTERN: Final = re.compile(r"[^\W\d]+|\d+|[\W_]+")
"""Tokens of an action's text: letters, digits, signs."""


def parse_typed(state: State, text: str) -> Actions:
    """Return the actions of a typed text; raises as `State.parse` does, with the code `goes-on` for a beginning."""
    try:
        return state.parse(text)
    except (IllegalAction, InvalidAction) as error:
        going_on = complete_moves(state, text) if text.strip() else []
        if not going_on:
            raise
        options = [completion.value for completion in going_on]
        raise InvalidAction("goes-on", text=shorten_value(text.strip()), options=options) from error


def complete_moves(state: State, typed: str) -> list[Completion]:
    """Return at most 25 completions of a typed text.

    They are whole turns if these are few, otherwise actions or common prefixes of actions, marked as incomplete.
    """
    done, _, last = typed.strip().rpartition(" ")
    before = state
    if done:
        try:
            for action in before.parse(done):
                before = before.play(action)
        except EngineError:
            done, last, before = "", typed.strip(), state
    if not _is_same_turn(state, before):
        return []
    wanted, lead = normalise(last), f"{done} " if done else ""
    alone: list[Completion] = []
    actions = [action for action in before.legal_actions() if normalise(action.text).startswith(wanted)]
    if len(actions) == 1 and normalise(actions[0].text) == wanted and _is_same_turn(state, before.play(actions[0])):
        # A whole action can be played alone, or continued with another.
        alone = [Completion(f"{lead}{actions[0].text}{GOES_ON}", f"{lead}{actions[0].text}")]
        before, lead, wanted = before.play(actions[0]), f"{lead}{actions[0].text} ", ""
        actions = list(before.legal_actions())
    most = MAX_COMPLETIONS - len(alone)
    whole = list(islice(_whole_turns(before, actions), most + 1))
    if len(whole) <= most and all(len(lead + text) <= MAX_COMPLETION_LENGTH for text in whole):
        return [*alone, *(Completion(lead + text, lead + text) for text in whole)]
    texts = {action.text: _is_same_turn(state, before.play(action)) for action in actions}
    shown = list(texts)
    if len(actions) > most:
        shown = complete_prefixes(texts, len(wanted))
    fitting = [text for text in shown if len(lead + text) < MAX_COMPLETION_LENGTH]
    found = [Completion(lead + text + GOES_ON * texts.get(text, True), lead + text) for text in fitting]
    return [*alone, *found[:most]]


def _whole_turns(state: State, actions: Iterable[Action]) -> Iterator[str]:
    """Yield the texts of the turns that begin with the given legal actions."""
    for action in actions:
        after = state.play(action)
        if _is_same_turn(state, after):
            yield from (f"{action.text} {rest}" for rest in _whole_turns(after, after.legal_actions()))
        else:
            yield action.text


def _is_same_turn(before: State, after: State) -> bool:
    return after.to_move == before.to_move and after.turn == before.turn


def complete_prefixes(texts: Iterable[str], longer_than: int) -> list[str]:
    """Return at most 25 prefixes of texts, longer than what is typed and long enough to differ.

    Each choice followed by a new call comes closer to a whole text.
    """
    cuts = [
        (text, [match.end() for match in _BEGINNING_PATTERN.finditer(text) if match.end() > longer_than])
        for text in texts
    ]
    best: list[str] = []
    for depth in range(max((len(ends) for _, ends in cuts), default=0)):
        found = list(dict.fromkeys(text[: ends[min(depth, len(ends) - 1)]] for text, ends in cuts if ends))
        if best and len(found) > MAX_COMPLETIONS:
            break
        best = found
    return sorted(best[:MAX_COMPLETIONS], key=_natural_sort_key)


def _natural_sort_key(text: str) -> list[tuple[bool, int, str]]:
    """Return a key that sorts d2 before d10."""
    pieces = _BEGINNING_PATTERN.findall(text)
    return [(piece.isdecimal(), int(piece) if piece.isdecimal() else len(piece), piece) for piece in pieces]
