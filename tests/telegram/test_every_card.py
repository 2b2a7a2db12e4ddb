"""Whatever is answered and shown, in any game: both platforms take it, as their fakes check it."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Final

import pytest

from bot.kernel.cards import Card
from bot.kernel.preferences import LANGUAGES
from bot.kernel.presses import BrokenPress, read_press
from bot.kernel.requests import Reply
from bot.platforms.app import COMMANDS
from engine import games
from storage import Store
from tests.bot.party import Party, buttons, words
from tests.discord.test_limits import shown as on_discord
from tests.support.present import present
from tests.support.tiny import DRAW
from tests.telegram.test_cards import shown as on_telegram

MAX_PRESSES: Final = (70, 45, 30)
"""How many buttons are pressed in the first game, the second, and each further one: most are the same in all games."""
MAX_PRESSES_WHEN_OVER: Final = 20
"""By then all has been pressed that only a game that is over has."""
SAME: Final = ("c", "p", "l", "leaders", "history", "replay", "example")
"""What is pressed twice each: its entries do the same."""
LAST: Final = ("forget", "forget!", "resign", "resign!")
"""What ends something."""
WENT_WRONG: Final = ("went wrong", "andato storto")


class Looker:
    """Presses whatever there is to press, and looks at every card on both platforms."""

    def __init__(self, party: Party, language: str) -> None:
        self.party = party
        self.language = language
        self.deeds: set[str] = set()
        self.done: dict[str, int] = {}
        self.waiting: list[tuple[str, str]] = []
        self.known: Card | None = None
        self.looked_at = 0

    def look(self, who: str, reply: Reply | None) -> None:
        """Look at an answer and at what has been shown since."""
        assert not any(wrong in words(reply) for wrong in WENT_WRONG) if reply is not None else True
        for card in self.cards(reply):
            self.looked_at += 1
            for each in (card, replace(card, picture=None)):
                on_discord(each)
                on_telegram(each, self.language)
            self.waiting += [(who, button.press) for button in buttons(card) if not button.disabled]

    def cards(self, reply: Reply | None) -> Iterator[Card]:
        if reply is not None and reply.card is not None:
            yield reply.card
        newest = self.party.newest.card
        if newest is not self.known:
            self.known = newest
            yield newest

    def choose(self) -> tuple[str, str] | None:
        """Return what has not been pressed yet, what ends something last."""
        left = [each for each in self.waiting if self.done.get(self.kind(each[1]), 0) < 1]
        found = [each for each in left if self.deed(each[1]) not in LAST] or left
        # What has never been pressed in any form comes first.
        return min(found, key=lambda each: self.deed(each[1]) in self.deeds, default=None)

    @staticmethod
    @cache
    def deed(press: str) -> str:
        try:
            return read_press(press).deed
        except BrokenPress:
            return ""

    @staticmethod
    @cache
    def kind(press: str) -> str:
        read = read_press(press)
        return read.deed if read.deed in SAME else f"{read.deed}={read.rest}"

    async def walk(self, presses: int) -> None:
        """Press so often, or until nothing is left."""
        for _ in range(presses):
            chosen = self.choose()
            if chosen is None:
                return
            who, press = chosen
            self.done[self.kind(press)] = self.done.get(self.kind(press), 0) + 1
            self.deeds.add(self.deed(press))
            self.waiting.remove(chosen)
            self.look(who, await self.party.press(who, press))


@pytest.mark.parametrize("game", games)
async def test_everything_that_is_said_fits_on_both_platforms(store: Store, game: str) -> None:
    number = list(games).index(game)
    language = "it" if number % 2 else "en"
    party = Party(store, draw=DRAW)
    party.languages = dict.fromkeys(("anna", "bruno"), language)
    looker = Looker(party, language)
    for line in (f"/play {game} computer:1", f"/play {game} @bruno"):
        looker.look("anna", await party.say("anna", line))
    code = await party.started(f"/play {game} @bruno")
    for name in COMMANDS:
        # What is not about a game is the same in all of them: once in each language is enough.
        if number < len(LANGUAGES):
            looker.look("anna", await party.command("anna", name))
        if "game" in {parameter.name for parameter in COMMANDS[name].parameters if parameter.kind == "mygame"}:
            looker.look("anna", await party.command("anna", name, game=code))
    await looker.walk(MAX_PRESSES[min(number, len(MAX_PRESSES) - 1)])
    for who in ("anna", "bruno"):
        row = present(await store.games.get(code))
        if row.status == "playing":
            looker.look(who, await party.press(who, f"resign!:{code}:{row.revision}"))
    for line in (f"/analyse {code}", f"/replay {code}", f"/export {code}", f"/learn {game}", "/history", "/profile"):
        looker.look("bruno", await party.say("bruno", line))
    await looker.walk(MAX_PRESSES_WHEN_OVER)
    assert looker.deeds >= {"hint", "rules", "example", "learn", "more", "form"}
    assert looker.looked_at > 50
    await party.front.close()
