"""Cleans names of characters that break or reverse a line, and distinguishes names that look alike.

The skeleton of Unicode TR 39 (https://www.unicode.org/reports/tr39/#Confusable_Detection), case-folded, with an i for
an l: a capital I looks like one in many typefaces. No name is ever shown in that form.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

import structlog

from bot.kernel.texts import GENERAL_DOMAIN, Span, Texts
from engine import games
from engine.record import ELLIPSIS, MAX_NAME_LENGTH, cut_name, make_names_distinct
from storage import Person

_MAX_COMBINING_MARKS: Final = 2
_JOINERS: Final = "\u200c\u200d"
_EDGES: Final = " " + _JOINERS
"""Characters that a name neither begins nor ends with."""
_BLANK_CHARACTERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and signs that look blank: Hangul fillers and the empty Braille pattern."""
_INVISIBLE_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_JOINABLE_CATEGORIES: Final = frozenset({"Lo", "Mn", "Mc", "So", "Sk"})
"""Categories that joiners affect, beyond Latin, Greek and Cyrillic: caseless letters, their marks, pictures."""
_FIRST_JOINABLE: Final = "\u0590"
_COMPUTER_SKELETON: Final = re.compile(r"cornp(?:uter|\.)(?: \w)?(?: \(.*)?")
"""Skeletons of computers' names, in full or shortened: `Computer 3 (level 4)`, `Comp. 3`; an m is an r and an n."""
_MAX_TOLD_APART: Final = 512
"""Number of cached groups of names that were distinguished."""
_CACHE_SIZE: Final = 8192
"""Number of cached clean and normalised names: each newcomer's name is compared with all others."""
_IGNORABLE_RANGES: Final = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF)),
    *((0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
"""Unicode's Default_Ignorable_Code_Point: invisible where not supported."""


def is_ignorable(character: str) -> bool:
    """Return True if a character is invisible, or only changes how another looks."""
    return any(first <= ord(character) <= last for first, last in _IGNORABLE_RANGES)


# Every request contains names, nearly always the same as the previous one.
@lru_cache(_CACHE_SIZE)
def clean_name(raw: str, fallback: str = "?") -> str:
    """Return a name without invisible, control and direction characters, of at most 32 characters on one line.

    Combining marks are cut to two per letter. A name without visible characters becomes the fallback; a shortened one
    ends with an ellipsis.
    """
    characters: list[str] = []
    marks = 0
    for character in unicodedata.normalize("NFC", raw[: MAX_NAME_LENGTH * 8]):
        category = unicodedata.category(character)
        if category in ("Zs", "Zl", "Zp") or character in "\t\n\r\v\f" or character in _BLANK_CHARACTERS:
            character = " "
            if not characters or characters[-1] == " ":
                continue
        elif character in _JOINERS:
            before = characters[-1] if characters else ""
            if before < _FIRST_JOINABLE or unicodedata.category(before) not in _JOINABLE_CATEGORIES:
                continue
        elif category in _INVISIBLE_CATEGORIES or is_ignorable(character):
            continue
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks <= _MAX_COMBINING_MARKS:
            characters.append(character)
    name = "".join(characters).strip(_EDGES)
    if len(name) > MAX_NAME_LENGTH:
        name = name[: MAX_NAME_LENGTH - len(ELLIPSIS)].rstrip(_EDGES) + ELLIPSIS
    visible = any(unicodedata.category(character)[0] in "LNPS" for character in name)
    return name if visible else fallback


@lru_cache(_CACHE_SIZE)
def name_player(raw: str, fallback: str = "?") -> str:
    """Return the name under which a person or a team plays: clean, and in quotes where it looks like a computer's."""
    name = clean_name(raw, fallback)
    return f"\u201c{cut_name(name, MAX_NAME_LENGTH - 2)}\u201d" if looks_like_computer(name) else name


def looks_like_computer(name: str) -> bool:
    """Return True if a name looks like a computer player's."""
    return _COMPUTER_SKELETON.fullmatch(compute_skeleton(name)) is not None


@lru_cache(_MAX_TOLD_APART)
def tell_apart(names: Sequence[str]) -> tuple[str, ...]:
    """Return people's names, of which none looks like another or a computer's: a second Anna becomes `Anna (2)`."""
    return make_names_distinct(
        [name_player(name) if looks_like_computer(name) else name for name in names], compute_skeleton
    )


def tell_all_apart(names: Mapping[int, str]) -> dict[int, str]:
    """Return names by number, changed so that no two look alike; of similar names that of the lowest number stays."""
    numbers = sorted(names)
    return dict(zip(numbers, tell_apart(tuple(names[number] for number in numbers)), strict=True))


_DATA_FILE: Final = "lookalikes.txt"


@lru_cache(_CACHE_SIZE)
def compute_skeleton(name: str) -> str:
    """Return a form that is equal for exactly those names that look alike."""
    seen = unicodedata.normalize("NFKD", name)
    if not seen.isascii():
        seen = "".join(character for character in seen if not is_ignorable(character))
    folded = _replace_lookalikes(seen)
    # The replacement of a lookalike may contain lookalikes: % is a ring, a slash and a small zero.
    while (again := _replace_lookalikes(folded.casefold())) != folded:
        folded = again
    return " ".join(folded.replace("i", "l").split())


def _replace_lookalikes(text: str) -> str:
    return unicodedata.normalize("NFKD", text.translate(_load_replacements()))


@cache
def _load_replacements() -> Mapping[int, str]:
    """Return the replacement of each character, by its code; tools/make_lookalikes.py generates the file."""
    found: dict[int, str] = {}
    for line in files(__package__ or "").joinpath(_DATA_FILE).read_text(encoding="ascii").splitlines():
        if not line.startswith("#"):
            one, others = line.split(":")
            state = "".join(chr(int(point, 16)) for point in one.split())
            found |= dict.fromkeys([int(point, 16) for point in others.split()], state)
    return found


def name_seats(seats: int, own: int, name: str, others: str) -> tuple[str, ...]:
    """Return names by seat: one person's, and a word for the others, numbered if there are several."""
    numbered = iter(range(1, seats))
    return tuple(
        name if seat == own else f"{others} {next(numbered)}" if seats > 2 else others for seat in range(seats)
    )


def mention_by_id(user: str, name: str) -> str:
    """Return the value of a `people` parameter for a person whose id on a platform is known."""
    shown = "".join(character for character in name if character not in "<>|").strip()
    return f"<@{user}|{shown or user}>"


MIN_SIMILARITY: Final = 0.7
"""Minimum similarity of a mistyped name to a guessed one."""


def fold_text(text: str) -> str:
    """Return the letters and digits of a text without case, accents, spaces or signs."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if character.isalnum())


class GameNames:
    """The games by key and by their names in every language.

    `commands` maps the words for commands in all languages, `parameters` those for parameters. A word may mean several
    parameters; a command takes the first that it has.
    """

    def __init__(self, texts: Texts) -> None:
        self._names: dict[str, str] = {}
        for key in games:
            self._names[fold_text(key)] = key
            for language in texts.languages:
                voice = texts.speaker(language).of(key)
                if voice.has("name"):
                    self._names[fold_text(voice.line("name"))] = key
        self.commands: dict[str, str] = {}
        self.parameters: dict[str, tuple[str, ...]] = {}
        for language in texts.languages:
            speaker, general = texts.speaker(language), texts.catalogue(language, GENERAL_DOMAIN)
            for key in sorted(general.keys if general else ()):
                kind, _, meant = key.partition(".")
                if kind == "typed":
                    self.commands |= dict.fromkeys(speaker.line(f"typed.{meant}").split(), meant)
                elif kind == "called":
                    for word in speaker.line(f"called.{meant}").split():
                        self.parameters[word] = (*self.parameters.get(word, ()), meant)

    def find(self, text: str) -> tuple[str, ...]:
        """Return the keys of the games that a text may mean: the one with that name, or all whose names contain it."""
        wanted = fold_text(text)
        if not wanted:
            return ()
        if wanted in self._names:
            return (self._names[wanted],)
        fitting = {key for name, key in self._names.items() if wanted in name}
        return tuple(key for key in games if key in fitting)

    def closest(self, text: str) -> str | None:
        """Return the key of the game that a mistyped name probably means, None if no name is similar."""
        close = get_close_matches(fold_text(text), list(self._names), n=1, cutoff=MIN_SIMILARITY)
        return self._names[close[0]] if close else None

    def longest(self, words: Iterable[str]) -> tuple[int, str] | None:
        """Return how many of the first words form a game's name, and the game; None if they form none."""
        found: tuple[int, str] | None = None
        so_far = ""
        for count, word in enumerate(words, start=1):
            so_far += fold_text(word)
            if so_far in self._names:
                found = count, self._names[so_far]
        return found


def load_game_names(texts: Texts) -> GameNames:
    """Return the names in these catalogues, read once for all users of the names."""
    return _load_game_names(texts, tuple(games))


@lru_cache(maxsize=4)
def _load_game_names(texts: Texts, _keys: tuple[str, ...]) -> GameNames:
    return GameNames(texts)


_MAX_LOGGED_NAMES: Final = 1000
"""Maximum number of logged names that the process remembers."""
_MAX_NAME_LENGTH: Final = 80

log = structlog.get_logger(__name__)


@lru_cache(maxsize=_MAX_LOGGED_NAMES)
def log_unknown_name(kind: str, name: str) -> None:
    """Log, once for each name, that the default replaces an unknown stored name."""
    log.warning("stored-name-unknown", kind=kind, name=name[:_MAX_NAME_LENGTH])


def mention(person: Person) -> Span:
    """Return a person's name as text that leads to them."""
    return Span(person.name, bold=True, person=person.id)
