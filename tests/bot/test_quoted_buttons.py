"""Texts that name a button use the words on that button, in every language."""

import re

import pytest
from babel.messages.pofile import read_po

from bot.kernel.texts import LOCALES_FOLDER

EMPHASIS = re.compile(r"(?<=\s)\*([^*{}\n]+)\*")
NO_BUTTONS = re.compile(r"rules\.short|missing\.\w+|help|sure\.\w+|\w+\.teach")
"""Texts in which capitals are emphasised for another reason: headings, a platform's permissions, pieces."""


def texts_of(language: str) -> dict[str, list[str]]:
    """Return every text of a language by its key."""
    found: dict[str, list[str]] = {}
    for path in sorted((LOCALES_FOLDER / language).glob("*.po")):
        with path.open("rb") as file:
            for message in read_po(file):
                key = message.id if isinstance(message.id, str) else message.id[0]
                strings = [message.string] if isinstance(message.string, str) else list(message.string or ())
                found.setdefault(key, []).extend(strings)
    return found


@pytest.mark.parametrize("language", ["en", "it"])
def test_texts_that_name_a_button_use_its_words(language: str) -> None:
    texts = texts_of(language)
    labels = {text for strings in texts.values() for text in strings}
    quoted = {
        (key, label)
        for key, strings in texts.items()
        if not NO_BUTTONS.fullmatch(key)
        for text in strings
        for label in EMPHASIS.findall(text)
        if label[0].isupper()
    }
    assert len(quoted) > 10
    assert {(key, label) for key, label in quoted if label not in labels} == set()
