"""The catalogues of each language, speakers, and rich text as spans."""

from __future__ import annotations

import datetime as dt
import re
import string
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache, partial
from gettext import c2py
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final, Literal

import structlog
from babel.dates import format_date, format_timedelta
from babel.lists import format_list
from babel.messages.pofile import read_po
from babel.numbers import format_decimal

from engine.discovery import file_of
from engine.games import games

TimestampStyle = Literal["relative", "day", "time"]
"""Styles of a timestamp: relative to now, as a day, or as day and time."""


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A point in time (`at` has a time zone), for a platform to show in its reader's time zone and language."""

    at: datetime
    style: TimestampStyle


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text in one style; `person` is the id of the person that it names, mentioned only if the card says so.

    `handle` is the @name of an invited person who is not known yet; a platform may mention them by it. The text may
    show a `timestamp`, a `command` (its name, shown with a slash) or a `link` (an address): a platform with its own
    markup for these uses that, any other shows the text. `small` is for details: platforms show it small, or folded.
    `pinned` text stays in view where the rest may scroll: the question, whose turn it is, who has won.
    """

    text: str
    bold: bool = False
    code: bool = False
    person: int | None = None
    handle: bool = False
    timestamp: Timestamp | None = None
    command: str | None = None
    link: str | None = None
    small: bool = False
    pinned: bool = False


Text = tuple[Span, ...]
"""Rich text: adapters escape every span for their platform, so nothing typed by people is ever markup."""


def strip_styles(text: Text) -> str:
    """Return the text without its styles."""
    return "".join(span.text for span in text)


def shorten(text: str, most: int) -> str:
    """Return a text shortened with an ellipsis if it is too long."""
    if len(text) <= most:
        return text
    fitting = text[: most - 2]
    return fitting[: fitting.rfind(" ")].rstrip(" ,;:") + " …"


def make_small(text: Text) -> Text:
    """Return a text in small print."""
    return tuple(replace(span, small=True) for span in text)


def pin_text(text: Text) -> Text:
    """Return a text that stays in view."""
    return tuple(replace(span, pinned=True) for span in text)


def command(name: str) -> Span:
    """Return the span that shows a command."""
    return Span(f"/{name}", code=True, command=name)


GENERAL_DOMAIN: Final = "tavoliere"
DEFAULT_LANGUAGE: Final = "en"
SPEAKER_CACHE_SIZE: Final = 256
"""Maximum number of cached speakers."""
LOCALES_FOLDER: Final = Path(__file__).parent.parent / "locales"
Parameter = str | int | Span | Text | Sequence[str]
_PLAIN_TYPES: Final = (str, int)  # an isinstance check of a union takes twice as long

log = structlog.get_logger(__name__)

_MARKUP_PATTERN = re.compile(r"([*`])")
_COMMAND_PATTERN = re.compile(r"/([a-z]+)")
_FORMATTER = string.Formatter()
_TAKES_D: Final = {"it": re.compile(r"(?:^| )([ae]) $", re.IGNORECASE)}
"""Words of each language that take a d before a word that begins with the same vowel: *ad Anna*, *ed Elena*."""
_ARTICLE_PATTERN: Final = re.compile(r"(?:^|\W)((?:de|ne|da|a|su)l|il) $", re.IGNORECASE)
"""Italian articles that change before some numbers: *del 7%*, but *dello 0%*, *dell'8%* and *dell'11%*."""
_NUMBER_PATTERN: Final = re.compile(r"\d+(?!\w)")


class Catalogue:
    """The catalogue of one domain in one language."""

    def __init__(self, path: Path | Traversable) -> None:
        """Read a file; raises ValueError or PoFileError if it is no catalogue."""
        with path.open("rb") as file:
            catalogue = read_po(file)
        self._texts: Mapping[str, str | Sequence[str]] = {
            message.id if isinstance(message.id, str) else message.id[0]: message.string
            for message in catalogue
            if message.id and message.string
        }
        """The texts by key; a text with plural forms is a sequence."""
        self._plural_form: Callable[[int], int] = c2py(catalogue.plural_expr)
        self.keys = frozenset(self._texts)

    def find(self, key: str, n: int | None) -> str:
        """Return the text of an existing key; `n` chooses the plural form if the text has one."""
        text = self._texts[key]
        return text if isinstance(text, str) else text[self._plural_form(1 if n is None else n)]


@lru_cache(maxsize=256)
def _read(path: Path) -> Catalogue:
    """Return the catalogue of a file: parsing one is slow, and catalogues are immutable."""
    return Catalogue(path)


class Texts:
    """All catalogues, ours and those of games from other packages; each is read once, on first use."""

    def __init__(self, folder: Path = LOCALES_FOLDER) -> None:
        paths = sorted(folder.glob("*/*.po"))
        self._files = {(path.parent.name, path.stem): path for path in paths}
        self._foreign: dict[tuple[str, str], Catalogue] = {}
        self.speaker = lru_cache(SPEAKER_CACHE_SIZE)(partial(Speaker, self))
        """Returns the speaker of a supported language, with the words of a platform and of a game."""
        self.languages: tuple[str, ...] = tuple(sorted({language for language, _ in self._files}))
        for key in games:
            for language in self.languages if games.source(key).package is not None else ():
                for domain in (key, f"lesson-{key}"):
                    file = catalogue_file(key, language, domain)
                    if file is not None and (language, domain) not in self._files:
                        # A foreign catalogue: report an unreadable one at once.
                        self._foreign[language, domain] = Catalogue(file)

    def supported(self, language: str | None) -> str | None:
        """Return the supported language for a platform's code such as `it-IT`, or None."""
        if not language or language in self.languages:
            return language or None
        short = language.replace("_", "-").split("-")[0].lower()
        return short if short in self.languages else None

    def catalogue(self, language: str, domain: str) -> Catalogue | None:
        """Return one catalogue, or None if there is none; raises ValueError or PoFileError if its file is damaged."""
        path = self._files.get((language, domain))
        return self._foreign.get((language, domain)) if path is None else _read(path)


def catalogue_file(game: str, language: str, domain: str) -> Traversable | None:
    """Return the file of one of a game's catalogues, None if it has none; raises KeyError for an unknown game."""
    path = f"locales/{language}/{domain}.po"
    return file_of(games.source(game), "bot", path, path)


class Speaker:
    """Formats texts in one language; words of the game come first, then the platform's, then the general ones."""

    def __init__(self, texts: Texts, language: str, platform: str | None = None, game: str | None = None) -> None:
        self.language = language
        self._texts = texts
        self._game = game
        self._platform = platform
        # A game from another package may lack this language: another language is better than none.
        own = (texts.catalogue(spoken, game) for spoken in (language, DEFAULT_LANGUAGE)) if game else ()
        there = texts.catalogue(language, platform) if platform else None
        known = [found for found in (*own, there, texts.catalogue(language, GENERAL_DOMAIN)) if found]
        self._catalogues = {key: catalogue for catalogue in reversed(known) for key in catalogue.keys}

    def of(self, game: str) -> Speaker:
        """Return a speaker of the same language with the words of a game."""
        return self if game == self._game else self._texts.speaker(self.language, self._platform, game)

    def game_name(self, game: str) -> str:
        """Return the name of a game."""
        return self.of(game).line("name")

    def has(self, key: str) -> bool:
        """Return True if a catalogue has words for the key."""
        return key in self._catalogues

    def say(self, key: str, /, **parameters: Parameter) -> Text:
        """Return the words for a key; the parameter `n` chooses the plural form.

        Parameters are never parsed as markup, so typed text stays unchanged. If there are no words, the key itself is
        shown (for a game's name, the game's key), so that a missing text does not stop a game.
        """
        n = parameters.get("n")
        catalogue = self._catalogues.get(key)
        if catalogue is not None:
            template = catalogue.find(key, n if isinstance(n, int) else None)
            if not parameters:
                return _constant_text(template)
            counted = {**parameters, "n": self.number(n)} if isinstance(n, int) else parameters
            return fill(template, counted, language=self.language)
        if self._game is None or self._game in games or key != "name":  # uninstalled games have no name any more
            log.error("missing-text", key=key, language=self.language, game=self._game)
        return (Span(self._game if self._game and key == "name" else key),)

    def line(self, key: str, /, **parameters: Parameter) -> str:
        """Return the words for a key without styles (labels of buttons, alt texts)."""
        return strip_styles(self.say(key, **parameters))

    @property
    def game_span(self) -> Span:
        """The name of the speaker's game."""
        return Span(self.line("name"), bold=True)

    def left_out(self, key: str, count: int, shown: int) -> Text:
        """Return the words for the number of items of a list that are not shown; empty if all are."""
        return self.say(key, n=count - shown) if count > shown else ()

    def word(self, kind: str, value: str | int) -> str:
        """Return the word for a value such as a colour, or the value itself if there is none."""
        key = f"{kind}.{value}"
        return self.line(key) if self.has(key) else str(value)

    def typed_name(self, key: str, name: str) -> str:
        """Return the name of a command or parameter as typed in this language: the first word for a key, if any."""
        return self.line(key).split()[0] if self.has(key) else name

    def listing(self, items: Iterable[Parameter], style: Literal["standard", "or"] = "standard") -> Text:
        """Return the items joined by commas and `and` (`or` with the style `or`)."""
        parts = list(items)
        frame = _frame(len(parts), style, self.language)
        return fill(frame, {f"p{index}": part for index, part in enumerate(parts)}, language=self.language)

    def number(self, value: int) -> str:
        """Return a number as the language writes it, such as `1,412`."""
        return _number(value, self.language)

    def duration(self, seconds: float) -> str:
        """Return a duration in its largest unit, such as `3 hours`."""
        return format_timedelta(dt.timedelta(seconds=seconds), threshold=1.5, locale=self.language)

    def since(self, when: dt.datetime, now: dt.datetime) -> Span:
        """Return a time relative to now, such as `3 hours ago`."""
        said = self.line("moment.now")
        if abs(when - now) >= dt.timedelta(seconds=1):
            said = format_timedelta(when - now, threshold=1.5, add_direction=True, locale=self.language)
        return Span(said, timestamp=Timestamp(when, "relative"))

    def day(self, when: dt.datetime) -> Span:
        """Return the day of a point in time."""
        return Span(format_date(when, format="medium", locale=self.language), timestamp=Timestamp(when, "day"))

    def time(self, when: dt.datetime, zone: dt.tzinfo | None = None) -> Span:
        """Return day and time in a time zone, by default in UTC, which is then named."""
        then = when.astimezone(zone or dt.UTC)
        said = f"{format_date(then, format='medium', locale=self.language)} {then:%H:%M}"
        return Span(said if zone else f"{said} UTC", timestamp=Timestamp(when, "time"))


@lru_cache(maxsize=4096)
def _pieces(template: str) -> tuple[tuple[Span | str, bool, bool], ...]:
    """Return the parts of a template: (literal or the name of a parameter, bold, code).

    A command alone in code becomes a command span.
    """
    parts: list[tuple[Span | str, bool, bool]] = []
    bold = code = False
    for literal, name, _, _ in _FORMATTER.parse(template):
        for piece in _MARKUP_PATTERN.split(literal):
            if piece == "`":
                code = not code
            elif piece == "*" and not code:
                bold = not bold
            elif piece:
                named = _COMMAND_PATTERN.fullmatch(piece) if code else None
                literal_span = replace(command(named[1]), bold=bold) if named else Span(piece, bold, code)
                parts.append((literal_span, bold, code))
        if name is not None:
            parts.append((name, bold, code))
    return tuple(parts)


def fill(template: str, parameters: Mapping[str, Parameter], *, language: str = DEFAULT_LANGUAGE) -> Text:
    """Return the template's text with its parameters filled in; raises KeyError for a missing parameter.

    Words that change before a vowel also change before a parameter.
    """
    spans: list[tuple[Span, list[str]]] = []
    style: tuple[bool, bool] | None = None
    # Consecutive texts in one style are collected and joined once: creating spans is slow.
    for piece, bold, code in _pieces(template):
        value: Parameter = piece if isinstance(piece, Span) else parameters[piece]
        if isinstance(value, _PLAIN_TYPES) and style == (bold, code) and language not in _TAKES_D:
            spans[-1][1].append(str(value))
            continue
        if isinstance(value, Span):
            put: Text = (value,)
        elif isinstance(value, _PLAIN_TYPES):
            put = (Span(str(value), bold, code),)
        else:
            rich = tuple(item for item in value if isinstance(item, Span))
            put = rich if len(rich) == len(value) else (Span(", ".join(map(str, value)), bold, code),)
        if isinstance(piece, str) and spans and put and language in _TAKES_D:
            last, more = spans[-1]
            before = last.text + "".join(more)
            word = _TAKES_D[language].search(before)
            suited = before
            if word is not None and word[1].casefold() == unicodedata.normalize("NFD", put[0].text[:1]).casefold()[:1]:
                suited = f"{before[:-1]}d "
            elif (number := _NUMBER_PATTERN.match(put[0].text)) is not None:
                suited = _suit_article(before, number[0])
            if suited != before:
                spans[-1] = replace(last, text=suited), []
        for span in put:
            plainer = (bold and not span.bold) or (code and not span.code)
            merged = replace(span, bold=span.bold or bold, code=span.code or code) if plainer else span
            # Spans with more than a style are not merged with others.
            is_plain = not (merged.handle or merged.timestamp or merged.command or merged.link)
            own_style = (merged.bold, merged.code) if is_plain and merged.person is None else None
            if style is not None and style == own_style:
                spans[-1][1].append(merged.text)
            elif merged.text:
                spans.append((merged, []))
                style = own_style
    return tuple(Span(first.text + "".join(more), first.bold, first.code) if more else first for first, more in spans)


@lru_cache(maxsize=4096)
def _constant_text(template: str) -> Text:
    """Return the text of a template without parameters."""
    return fill(template, {})


@lru_cache(maxsize=4096)
def _number(value: int, language: str) -> str:
    """Return a number as a language writes it."""
    return format_decimal(value, locale=language)


@lru_cache(maxsize=256)
def _frame(count: int, style: Literal["standard", "or"], language: str) -> str:
    """Return the template for a list of `count` items in a language."""
    return format_list([f"{{p{index}}}" for index in range(count)], style=style, locale=language)


def _suit_article(before: str, number: str) -> str:
    """Return a text with its last word, if an Italian article, adapted to a following number."""
    found = _ARTICLE_PATTERN.search(before)
    if found is None or not (number in ("0", "1", "11") or number.startswith("8")):
        return before
    stem, preposition = before[: found.start(1)], found[1][:-1]
    ending = "lo " if number == "0" else "l'"
    if found[1].casefold() == "il":
        return stem + (ending.capitalize() if found[1][0] == "I" else ending)
    return f"{stem}{preposition}l{ending}"


def join(parts: Iterable[Text], between: str = "\n") -> Text:
    """Return texts joined by a separator; empty ones are skipped."""
    result: list[Span] = []
    for part in parts:
        if not part:
            continue
        if result and between:
            result.append(Span(between))
        result.extend(part)
    return tuple(result)
