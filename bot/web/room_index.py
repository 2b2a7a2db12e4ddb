"""Index of the room's messages: whom they call, which games they show, what is attached to them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from bot.interface.cards import Card
from bot.interface.presses import game_of_press
from bot.web.present import Json
from storage import RoomMessage

MAX_FINISHED_GAMES: Final = 200
"""Maximum number of finished games kept, the newest."""


@dataclass(frozen=True, slots=True)
class AttachedMessage:
    """A private message under a public one: its person, whether it shows a picture, and whether it is passing.

    `passing`: it is obsolete once the game has moved on.
    """

    person: int
    picture: bool
    passing: bool


class RoomIndex:
    """In-memory index, rebuilt from the messages themselves."""

    def __init__(self) -> None:
        self.hung: dict[int, dict[int, AttachedMessage]] = {}
        self.sheets: dict[int, int] = {}
        """The message on each person's sheet."""
        self.going: dict[int, int] = {}
        self.calls: dict[int, Json] = {}
        self.tables: dict[int, Json] = {}

    def add_message(self, message: RoomMessage) -> None:
        """Index a message."""
        card = message.card
        if card is None or message.author is not None:
            return
        if message.recipient is None:
            self.calls.pop(message.id, None)
            if card["calls"]:
                self.calls[message.id] = card
            self._index_table(message.id, card.get("table"))
        elif "parent" in card:
            hung = AttachedMessage(message.recipient, card["picture"] is not None, _is_passing(card))
            self.hung.setdefault(card["parent"], {})[message.id] = hung
        elif card.get("sheet"):
            self.sheets[message.recipient] = max(message.id, self.sheets.get(message.recipient, 0))

    def _index_table(self, message: int, table: Json | None) -> None:
        self.tables.pop(message, None)
        if table is None:
            return
        self.tables[message] = table
        over = [each for each, headline in self.tables.items() if headline["status"] == "over"]
        for each in over[: max(0, len(over) - MAX_FINISHED_GAMES)]:
            del self.tables[each]

    def remove_message(self, message: int) -> None:
        """Remove a deleted message from the index."""
        self.calls.pop(message, None)
        self.tables.pop(message, None)
        for children in self.hung.values():
            children.pop(message, None)

    def outdated_messages(self, message: int, before: Mapping[str, object], after: Json) -> list[int]:
        """Return the messages under a game's message that are obsolete because the game has moved on."""
        if before.get("position") == after["position"] and before.get("status") == after["status"]:
            return []
        return [child for child, hung in self.hung.get(message, {}).items() if hung.passing]

    def replaced_messages(self, parent: int, person: int, *, picture: bool, but: int | None) -> list[int]:
        """Return what a new private message under another replaces: old notes, and the old picture if it has one."""
        children = self.hung.get(parent, {}).items()
        return [
            child
            for child, hung in children
            if child != but and hung.person == person and (picture or not hung.picture)
        ]


def card_presses(card: Json) -> Iterator[str]:
    """Yield the presses of a stored card."""
    yield from card["presses"].values()
    for row in card["rows"]:
        for button in row["options"] if isinstance(row, dict) else row:
            yield button["press"]


def _is_passing(card: Json) -> bool:
    """True if a private answer belongs to a moment of a game: a refusal, a hint, or a question about it."""
    pressed = list(card_presses(card))
    return not pressed or any(game_of_press(press) for press in pressed)


def is_live(message: RoomMessage) -> bool:
    return not message.deleted and not (message.card or {}).get("retired", False)


def is_board(card: Card) -> bool:
    """True if a card has cells to look at or to press, for which there is the table."""
    return bool(card.presses or card.cells or (card.picture is not None and card.picture.spots))


def asks_something(card: Card) -> bool:
    """True if a card shows a board with a question about it."""
    return card.picture is not None and bool(card.rows)
