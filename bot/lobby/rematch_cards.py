"""What stands below a finished game that is to be played again."""

from __future__ import annotations

from dataclasses import replace

from bot.interface.cards import Button, Card
from bot.interface.presses import press
from bot.language.rich_text import Text, pinned
from bot.language.texts import Speaker, join
from bot.tables.table import Table


def again_words(again: Table, speaker: Speaker) -> Text:
    """Return how the game stands in which another one is played again: for whom it waits, or that it goes on."""
    voice, row = speaker.of(again.row.game), again.row
    if row.status != "lobby":
        return voice.say("rematch.begun")
    starter = again.person_span(row.starter)
    waited = [again.entry_span(entry) for entry in row.seats if entry.state == "invited"]
    if not waited:
        return voice.say("rematch.offered", who=starter)
    return voice.say("rematch.waits", who=starter, whom=voice.listing(waited))


def with_next_game(card: Card, over: Table, again: Table, speaker: Speaker, person: int) -> Card:
    """Return the card of a finished game with what has become of playing it again, in place of *Play again*."""
    voice, offered = speaker.of(over.row.game), press("rematch", over.row.id, over.row.revision)
    mine = again.entry_of(person)
    inside = mine is not None and mine.state == "joined"
    label = "button.rematch.open" if inside or again.row.status != "lobby" else "button.accept"
    wanted = [Button(voice.line(label), offered, "primary")]
    if mine is not None and mine.state == "invited":
        wanted.append(Button(voice.line("button.decline"), press("leave", again.row.id, again.row.revision)))
    rows = []
    for row in card.rows:
        buttons = row if isinstance(row, tuple) else ()
        rest = tuple(button for button in buttons if button.press != offered)
        rows.append(row if len(rest) == len(buttons) else (*wanted, *rest))
    return replace(card, text=join([card.text, pinned(again_words(again, speaker))]), rows=tuple(rows))
