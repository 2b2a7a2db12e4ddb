"""What phones, keyboards and input methods make of a text that somebody types."""

from collections.abc import Callable, Mapping
from itertools import cycle
from typing import Final

FULL_WIDTH: Final = {chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)} | {" ": "\u3000"}
ARABIC_DIGITS: Final = {str(number): chr(0x0660 + number) for number in range(10)}
PERSIAN_DIGITS: Final = {str(number): chr(0x06F0 + number) for number in range(10)}


def _in_turn(text: str, sign: str, instead: str) -> str:
    """Return a text in which others take turns in place of a sign, as opening and closing quotes do."""
    following = cycle(instead)
    return "".join(next(following) if each == sign else each for each in text)


def _each(text: str, instead: Mapping[str, str]) -> str:
    return "".join(instead.get(each, each) for each in text)


def _between(text: str, sign: str) -> str:
    return sign.join(text)


TYPING_FORMS: Final[Mapping[str, Callable[[str], str]]] = {
    "quotes": lambda text: _in_turn(_in_turn(text, '"', "\u201c\u201d"), "'", "\u2019"),
    "german quotes": lambda text: _in_turn(text, '"', "\u201e\u201c"),
    "italian quotes": lambda text: _in_turn(text, '"', "\u00ab\u00bb"),
    "primes": lambda text: text.replace('"', "\u2033").replace("'", "\u2032"),
    "hyphen": lambda text: text.replace("-", "\u2010"),
    "non-breaking hyphen": lambda text: text.replace("-", "\u2011"),
    "en dash": lambda text: text.replace("-", "\u2013"),
    "em dash": lambda text: text.replace("-", "\u2014"),
    "minus": lambda text: text.replace("-", "\u2212"),
    "full width": lambda text: _each(text, FULL_WIDTH),
    "full-width colon": lambda text: text.replace(":", "\uff1a").replace(",", "\uff0c"),
    "ratio": lambda text: text.replace(":", "\u2236"),
    "arabic digits": lambda text: _each(text, ARABIC_DIGITS),
    "persian digits": lambda text: _each(text, PERSIAN_DIGITS),
    "no-break space": lambda text: text.replace(" ", "\u00a0"),
    "narrow space": lambda text: text.replace(" ", "\u202f"),
    "zero-width space": lambda text: _between(text, "\u200b"),
    "soft hyphen": lambda text: _between(text, "\u00ad"),
    "direction": lambda text: f"\u200e{text}\u200f",
    "isolate": lambda text: f"\u2066{text}\u2069",
    "byte order": lambda text: f"\ufeff{text}",
    "times": lambda text: text.replace("x", "\u00d7"),
    "slash": lambda text: text.replace("/", "\u2044"),
    "fraction": lambda text: text.replace("1/2", "\u00bd"),
    "keycaps": lambda text: "".join(f"{each}\ufe0f\u20e3" if each.isdigit() else each for each in text),
}
"""Each form makes of a plain text what is typed, or arrives, in its place."""
