"""The games of the room as the people in it read them: their own first, and whatever else waits for them."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from bot.language.texts import Speaker
from bot.web.present import Json, names_in, table_to_json, title_of_kept
from bot.web.room import ChatRoom
from engine import games

MAX_OTHER_GAMES: Final = 40
"""How many games of others a tab receives, those that changed last."""
MAX_FINISHED_GAMES: Final = 8
"""How many of one's own games that are over, the newest: until they are looked at."""


class GameListing:
    """The games as they stand, in one language; what concerns nobody in particular is put together once."""

    def __init__(self, room: ChatRoom, speaker: Speaker) -> None:
        self._speaker = speaker
        self._tables = room.tables()
        self._order = {message: at for at, (message, _) in enumerate(self._tables)}
        self._headlines = dict(self._tables)
        self._mine: dict[int, set[int]] = defaultdict(set)
        for message, headline in self._tables:
            for each in headline["sitting"]:
                if each["person"] is not None:
                    self._mine[each["person"]].add(message)
        self._calls: dict[int, dict[int, Json]] = defaultdict(dict)
        for message, card in room.all_mentions():
            for person in card["calls"]:
                self._calls[person][message] = card
        self._open = [message for message, headline in self._tables if headline["status"] != "over"]
        self._others: dict[int, Json] = {}

    def concerns(self, person: int) -> bool:
        """Say whether anything here is read by somebody otherwise than by all."""
        return person in self._mine or person in self._calls

    def for_viewer(self, viewer: int | None) -> list[Json]:
        """Return the games of the room, those of the viewer first, and whatever else waits for them."""
        if viewer is None:
            return self._rest(set())
        calls = dict(sorted(self._calls[viewer].items())) if viewer in self._calls else {}
        asked = {card.get("about") for card in calls.values()}
        own = self._mine[viewer] if viewer in self._mine else set[int]()
        about = {int(each) for each in asked if each is not None and each.isdecimal()}
        near = own | ((calls.keys() | about) & self._headlines.keys())
        found, over = [], []
        rest = set(near)
        for message in sorted(near, key=self._order.__getitem__):
            headline = self._headlines[message]
            table = table_to_json(headline, viewer, self._speaker)
            # Called: by the board itself, or by an offer beside it.
            called = calls.pop(message, None) is not None or str(message) in asked
            entry = {"message": message, **table, "offer": str(message) in asked, "waits": called or table["turn"]}
            if headline["status"] == "over":
                over.append(entry)
            else:
                found.append(entry)
        beside = [
            {"message": message, "waits": True, **self._title(card)}
            for message, card in calls.items()
            if card.get("about") is None
        ]
        ended = [entry for entry in over if entry["mine"]][-MAX_FINISHED_GAMES:]
        return [*found, *beside, *ended, *self._rest(rest)]

    def _rest(self, without: set[int]) -> list[Json]:
        """Return the games of others that go on, those that changed last."""
        found: list[Json] = []
        for message in reversed(self._open):
            if len(found) == MAX_OTHER_GAMES:
                break
            if message not in without:
                found.append(self._other(message))
        return found[::-1]

    def _other(self, message: int) -> Json:
        if message not in self._others:
            table = table_to_json(self._headlines[message], None, self._speaker)
            self._others[message] = {"message": message, **table, "offer": False, "waits": False}
        return self._others[message]

    def _title(self, card: Json) -> Json:
        """Return the name of the game that a card shows and the others in it, or how its text begins."""
        game = card["picture"]["name"].partition(".")[0] if card["picture"] else ""
        if game not in games:
            return {"title": title_of_kept(card), "others": []}
        return {"title": self._speaker.of(game).line("name"), "others": names_in(card, card["calls"])}
