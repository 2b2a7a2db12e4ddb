"""What each kind of request asks of the database: people do it once, as a rule, and what is sent to SQLite is listed.

Everybody has been here before, so that memory knows who they are; what is counted is the request alone, or delivery
alone, without what had to be done before it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final

from bot.interface.requests import Reply
from storage import Store
from tests.bot.party import SQUARE, Party, button, card, words
from tests.support.counting import BEGIN, listed_statements
from tests.support.present import present
from tests.support.stores import open_copy

Prepared = Awaitable[object]
Kind = Callable[[Party], Awaitable[Prepared]]
"""Prepares all and returns what is to be counted once it is awaited."""

Beginning = Callable[[Party], Awaitable[str]]

_KINDS: Final[dict[str, Kind]] = {}
_BEGINNINGS: Final[dict[str, Beginning]] = {}
AFTER_COMMIT: Final[set[Kind]] = set()
"""The kinds of which only what follows the commit is counted."""


@dataclass(frozen=True)
class Cost:
    """The statements of something, by verb and table in their order, and in how many transactions they are."""

    statements: tuple[str, ...]
    transactions: int

    @classmethod
    def of(cls, listed: list[str]) -> Cost:
        """Return the cost of what was listed."""
        return cls(tuple(each for each in listed if each != BEGIN), listed.count(BEGIN))

    @property
    def writes(self) -> tuple[str, ...]:
        """Those of the statements that change something."""
        return tuple(each for each in self.statements if not each.startswith("SELECT"))


def kind(name: str, *, after_commit: bool = False) -> Callable[[Kind], Kind]:
    """Have a kind of request counted under a name, or only what is done once it is stored."""

    def note(work: Kind) -> Kind:
        assert name not in _KINDS
        if after_commit:
            AFTER_COMMIT.add(work)
        _KINDS[name] = work
        return work

    return note


def script(name: str, *steps: str) -> None:
    """Have the last of some steps counted under a name, after the others were done.

    A step is `square` or `over` (a game that goes on, or is over), another beginning (`begins`), `started LINE` (a game
    that a line begins), `WHO: LINE` for what is typed, `WHO does PRESS`, or `WHO presses BUTTON` of the newest message.
    WHO may be `mover` or `other`. CODE is the game's, or what the beginning returned.
    """

    async def prepared(party: Party) -> Prepared:
        code = ""
        for step in steps[:-1]:
            if step in _BEGINNINGS:
                code = await _BEGINNINGS[step](party)
            elif step.startswith("started "):
                code = await party.started(step.removeprefix("started "))
            else:
                await _step(party, step, code)
                await party.settle()
        return _step(party, steps[-1], code)

    kind(name)(prepared)


def _step(party: Party, step: str, code: str) -> Prepared:
    who, how, what = present(re.fullmatch(r"(\w+)(: | does | presses )(.*)", step)).groups()
    who = {"mover": party.mover, "other": party.other()}[who] if who in ("mover", "other") else who
    if how == " presses ":
        return press(party, who, button(party.newest.card, what).press)
    return (typed if how == ": " else press)(party, who, what.replace("CODE", code))


async def _open_store(folder: Path, empty: Path | None) -> Store:
    path = folder / "tavoliere.db"
    if empty is not None:
        return await asyncio.to_thread(open_copy, empty, path)
    await asyncio.to_thread(folder.mkdir, parents=True)
    return await Store.open(path)


@asynccontextmanager
async def a_party(folder: Path, empty: Path | None = None) -> AsyncIterator[tuple[Party, list[str]]]:
    """Give people in a room, on a database of their own (a copy of an empty one), and what is asked of it."""
    with listed_statements() as listed:
        async with await _open_store(folder, empty) as store:
            party = Party(store, web_address="https://games.example")
            try:
                await party.meet("anna", "bruno")
                yield party, listed
            finally:
                await party.front.close()


async def cost(work: Kind, folder: Path, empty: Path | None = None) -> Cost:
    """Return what a kind of request costs, in a folder that is not there yet."""
    async with a_party(folder, empty) as (party, listed):
        prepared = await work(party)
        listed.clear()
        if work in AFTER_COMMIT:
            # Told at once when it has ended, before anything else can be done.
            party.store.add_listener(lambda news: listed.clear() if news[0] == "game" else None)
        done = await prepared
        found = Cost.of(listed)
        if isinstance(done, Reply):
            assert not done.failed, words(done)
        return found


def press(party: Party, who: str, pressed: str) -> Prepared:
    """Return a press, without the delivery that follows."""
    return party.front.press(party.request(who), pressed)


def typed(party: Party, who: str, line: str) -> Prepared:
    """Return a typed line, without the delivery that follows."""
    return party.front.typed_text(party.request(who), line)


def begins(beginning: Beginning) -> Beginning:
    """Have a function begin scripts, under its name; what it returns is CODE in their later steps."""
    _BEGINNINGS[beginning.__name__] = beginning
    return beginning


@begins
async def square(party: Party) -> str:
    return await party.started(SQUARE)


@begins
async def over(party: Party) -> str:
    code = await party.started(SQUARE)
    await party.warm_up(code)
    resigning = await party.say("anna", f"/resign {code}")
    await party.press("anna", button(card(resigning), "resign!"))
    return code


def kinds() -> Mapping[str, Kind]:
    """Return all kinds of requests by their names."""
    for module in ("costs_of_games", "costs_of_the_rest", "costs_of_the_world"):
        import_module(f"tests.bot.{module}")
    return _KINDS


async def all_costs(folder: Path, empty: Path | None = None) -> dict[str, Cost]:
    """Return what each kind of request costs, in folders that are made within one."""
    return {name: await cost(work, folder / str(number), empty) for number, (name, work) in enumerate(kinds().items())}
