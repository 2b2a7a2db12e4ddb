"""Finding a game, command or parameter by the name that a person types."""

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from typing import Final

from bot.language.texts import GENERAL_DOMAIN, Texts
from engine import games

MIN_SIMILARITY: Final = 0.7
"""Minimum similarity of a mistyped name: a wrong guess helps nobody."""

_TYPED_PREFIX: Final = "typed."
_CALLED_PREFIX: Final = "called."


def fold_text(text: str) -> str:
    """Return the letters and digits of a text without case, accents, spaces or signs."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if character.isalnum())


class GameNames:
    """The games by key and by their names in every language.

    `commands` maps the words for commands in all languages, `parameters` those for parameters: a word may mean several,
    of which a command takes the first that it has.
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
                command = key.removeprefix(_TYPED_PREFIX)
                if command != key:
                    self.commands |= dict.fromkeys(speaker.line(f"typed.{command}").split(), command)
                parameter = key.removeprefix(_CALLED_PREFIX)
                if parameter != key:
                    for word in speaker.line(f"called.{parameter}").split():
                        self.parameters[word] = (*self.parameters.get(word, ()), parameter)

    def find(self, text: str) -> tuple[str, ...]:
        """Return the keys of the games that a text may mean: one if it is a name, all whose names contain it if not."""
        wanted = fold_text(text)
        if not wanted:
            return ()
        if wanted in self._names:
            return (self._names[wanted],)
        fitting = {key for name, key in self._names.items() if wanted in name}
        return tuple(key for key in games if key in fitting)

    def closest(self, text: str) -> str | None:
        """Return the key of the game that a mistyped name probably means, None if it is similar to none."""
        close = get_close_matches(fold_text(text), list(self._names), n=1, cutoff=MIN_SIMILARITY)
        return self._names[close[0]] if close else None

    def longest(self, words: Iterable[str]) -> tuple[int, str] | None:
        """Return how many of the first words form a game's name, and the game; None if none do."""
        found: tuple[int, str] | None = None
        so_far = ""
        for count, word in enumerate(words, start=1):
            so_far += fold_text(word)
            if so_far in self._names:
                found = count, self._names[so_far]
        return found


def load_game_names(texts: Texts) -> GameNames:
    """Return the names in these catalogues, read once for all parts of the program that find games by them."""
    return _load_game_names(texts, tuple(games))


@lru_cache(maxsize=4)
def _load_game_names(texts: Texts, _keys: tuple[str, ...]) -> GameNames:
    return GameNames(texts)
