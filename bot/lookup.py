"""Finding a game by what people call it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from bot.texts import Texts
from engine import games


def folded(text: str) -> str:
    """Return the letters and digits of a text without case, accents, spaces or signs."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if character.isalnum())


class GameNames:
    """The games by key and by their names in every language."""

    def __init__(self, texts: Texts) -> None:
        self._names: dict[str, str] = {}
        for key in games:
            self._names[folded(key)] = key
            for language in texts.languages:
                voice = texts.speaker(language).of(key)
                if voice.has("name"):
                    self._names[folded(voice.line("name"))] = key

    def find(self, text: str) -> tuple[str, ...]:
        """Return the keys of the games that the text may mean: one if it is a name, all that it is part of if not."""
        wanted = folded(text)
        if not wanted:
            return ()
        if wanted in self._names:
            return (self._names[wanted],)
        fitting = {key for name, key in self._names.items() if wanted in name}
        return tuple(key for key in games if key in fitting)

    def longest(self, words: Iterable[str]) -> tuple[int, str] | None:
        """Return how many of the first words make up a game's name, and the game; None if none do."""
        found: tuple[int, str] | None = None
        so_far = ""
        for count, word in enumerate(words, start=1):
            so_far += folded(word)
            if so_far in self._names:
                found = count, self._names[so_far]
        return found
