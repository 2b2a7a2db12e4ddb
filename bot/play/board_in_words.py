"""Boards in words: below a picture where somebody has asked for it, or alone with everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from bot.interface.cards import Attachment, Card
from bot.language.rich_text import Span, plain
from bot.language.texts import Speaker, join
from bot.tables.recent_turns import recent_turns
from bot.tables.table import Table
from bot.words.describe import fit_or_shorten, full_words, position_words

MAX_CAPTION_LENGTH: Final = 1000
"""How long the text of a card may be for every platform to show it below a picture (Telegram: 1024)."""
MAX_TEXT_LENGTH: Final = 1900
"""How long the text of a card may be for every platform to show it at all (Discord: 2000)."""


def wants_text(*settings: Mapping[str, Any]) -> bool:
    """Say whether boards are to be told in words: the first settings that say something decide."""
    for chosen in settings:
        for name in ("text", "own_text"):
            if chosen.get(name) is not None:
                return bool(chosen[name])
    return False


def with_position_in_words(card: Card, table: Table, speaker: Speaker) -> Card:
    """Return a card that tells, below what it says of the turn, what is on the board."""
    voice, state = speaker.of(table.row.game), table.playing.state
    table = table.in_language(voice)
    room = MAX_CAPTION_LENGTH - len(plain(card.text)) - 1
    whole, brief = (position_words(voice, state, table.names, brief=brief) for brief in (False, True))
    words = fit_or_shorten(voice, whole, brief, room)
    return replace(card, text=join([card.text, (Span(words),)])) if words else card


def words_card(table: Table, speaker: Speaker, reader: int | None = None) -> Card:
    """Return a card without a picture that tells all that the picture shows, since the last turn of a reader's seat."""
    voice, line = speaker.of(table.row.game), table.playing
    table = table.in_language(voice)
    earlier = recent_turns(table, reader)[:-1]
    sentences = full_words(voice, line.state, line.shown_turn, table.names, earlier=earlier)
    whole = "\n".join(sentences)
    if len(whole) <= MAX_TEXT_LENGTH:
        return Card((Span(whole),))
    file = Attachment(f"{table.row.game}-{table.row.id}.txt", f"{whole}\n".encode())
    brief = full_words(voice, line.state, line.shown_turn, table.names, brief=True, earlier=earlier)
    fitting: list[str] = []
    for sentence in [*brief, *(line for line in sentences if line not in brief)]:
        if len("\n".join([*fitting, sentence])) > MAX_TEXT_LENGTH:
            break
        fitting.append(sentence)
    return Card((Span("\n".join(fitting)),), file=file)
