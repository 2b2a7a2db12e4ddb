"""Two programs on one database: whichever step a delivery has come to in one, the other does no harm, or takes over."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Final

import pytest

from bot.kernel.cards import Card, row_buttons
from tests.bot.party import Party, Shown, labelled
from tests.bot.test_together import CUT, TIMEOUT_SECONDS, Together
from tests.platforms.deliveries import KINDS, STEPS, cut_off, place_of, stopped_at
from tests.support.postgres import Postgres
from tests.support.present import present
from tests.support.stores import connected_event, list_posts_in

ENDS: Final = ("it dies", "it loses its locks", "it goes on")
"""What becomes of the first program."""


@dataclass(frozen=True)
class Seen:
    """A message as scenes on platforms know it."""

    card: Card
    shown: Shown | None = None

    @property
    def text(self) -> str:
        return str(self.card.text)

    @property
    def labels(self) -> list[str]:
        return [each.label for row in self.card.rows for each in row_buttons(row)]


class InRoom:
    """The room of two programs, as scenes on platforms are used; everything is done with the first of them."""

    def __init__(self, together: Together) -> None:
        self.party: Party = together.programs[0]
        self.place = self.party.room
        self.people: dict[str, str] = {}
        self.bot = SimpleNamespace(
            store=self.party.store,
            clock=self.party.clock,
            tavoliere=self.party.front,
            settle=self.party.settle,
            connection=SimpleNamespace(adapter=together.platform),
        )
        self._answer: Card | None = None

    def member(self, name: str) -> str:
        return self.people.setdefault(name, name.lower())

    async def give(self, person: str, command: str, **values: str | int) -> None:
        given = [f"@{value}" if key == "opponent" else f"{key}:{value}" for key, value in values.items()]
        self._answer = (await self.party.say(person, " ".join([f"/{command}", *given]))).card

    async def press(self, person: str, message: Seen, label: str) -> None:
        self._answer = (await self.party.press(person, labelled(message.card, label))).card

    def private(self, _: str) -> list[Seen]:
        return [Seen(present(self._answer))]

    @property
    def shown(self) -> list[Seen]:
        return [Seen(each.card, each) for each in self.party.shown if each.place.channel == self.place.channel]

    @property
    def board(self) -> Seen:
        return self.shown[-1]

    @property
    def mover(self) -> str:
        return self.party.mover

    async def wait(self, **parts: float) -> None:
        await self.party.wait(**parts)


def list_cases() -> Iterator[Any]:
    """Yield all cases; the short run has every kind, and every step with everything that may become of the program."""
    # A team's board is a board like any other; its computer would have to think.
    kinds = [kind for kind in KINDS if kind != "team"]
    for number, step in enumerate(STEPS):
        for turn, end in enumerate(ENDS):
            for at, kind in enumerate(kinds):
                if (step, end) == ("unclaimed", "it loses its locks"):
                    continue  # it has none yet
                short = at == (len(ENDS) * number + turn) % len(kinds)
                yield pytest.param(kind, step, end, marks=() if short else (pytest.mark.full,))


@pytest.mark.parametrize(("name", "step", "end"), [*list_cases()])
async def test_what_one_program_leaves_the_other_shows_once(
    together: Together, postgres: Postgres, monkeypatch: pytest.MonkeyPatch, name: str, step: str, end: str
) -> None:
    kind = KINDS[name]
    (here, there), room, back = together.programs, InRoom(together), connected_event(together.stores[0])
    await kind.arrange(room)
    await room.wait(seconds=20)
    who, before = kind.calls(room), len(room.party.shown)
    called = None if who is None else await here.id_of(who)
    async with stopped_at(step, kind, room, monkeypatch) as (_, driving):
        if end == "it dies":
            await cut_off(driving)
            await here.front.delivery.close(0)
            await together.stores[0].close()
        elif end == "it loses its locks" and not driving.done():
            await postgres.execute(CUT)
            await asyncio.wait_for(back.wait(), TIMEOUT_SECONDS)
        await bring(there)
    alive = [there] if end == "it dies" else [here, there]
    for _ in range(4):
        here.clock.turn(minutes=11)
        for program in alive:
            await bring(program)
    store = together.stores[1]
    assert await store.posts.next_due_at() is None
    if called is not None:
        calls = [each for each in here.shown[before:] if called in each.calls]
        assert len(calls) == 1, "everybody is called, and nobody twice"
    if kind.stays:
        room.bot.store = store
        newest, *_ = await list_posts_in(store, (await place_of(room)).id, kind.name)
        assert newest.gone or newest.is_current
        shown = here.adapter.messages[present(newest.message)]
        assert [each for each in here.shown if each.text == shown.text and not each.retired] == [shown]


async def bring(program: Party) -> None:
    """Have a program show what is due."""
    await program.front.delivery.run_until_idle()
    await program.front.messenger.run_until_idle()
    await program.front.delivery.run_until_idle()
