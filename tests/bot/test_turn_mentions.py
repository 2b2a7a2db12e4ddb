"""Everybody who is to be called is called, once, whatever is stored between two reads of a delivery."""

from collections import Counter
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from storage import Store
from tests.bot.party import SQUARE, Party
from tests.support.interrupting import Interruptions
from tests.support.postgres import Postgres
from tests.support.stores import open_copy

DEEDS = ("move", "draw", "undo", "resign")


async def do(party: Party, deed: str, code: str, first: str, second: str) -> None:
    """Have the one who has just moved, or the one who is to move now, do something, and nothing be shown yet."""
    revision = (await party.load_row(code)).revision
    who, text = {
        "move": (second, f"/move {await party.legal(code)} game:{code}"),
        "draw": (second, f"/draw game:{code}"),
        "undo": (first, f"/undo game:{code}"),
        "resign": (second, f"resign!:{code}:{revision}"),
    }[deed]
    handle = party.front.typed_text if text.startswith("/") else party.front.press
    await handle(party.request(who), text)


@pytest.fixture
async def store(request: pytest.FixtureRequest, tmp_path: Path, empty_database: Path) -> AsyncIterator[Store]:
    """A store on each kind of database."""
    if request.param == "sqlite":
        async with open_copy(empty_database, tmp_path / "data" / "tavoliere.db") as opened:
            yield opened
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    async with await Store.open(postgres.address(await postgres.take_empty_database())) as opened:
        yield opened


@pytest.mark.parametrize(
    ("store", "deed"), [*(("sqlite", deed) for deed in DEEDS), ("postgresql", "move")], indirect=["store"]
)
async def test_who_is_to_be_called_is_called_once(party: Party, deed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    interruptions = Interruptions(party.store, monkeypatch)
    interruptions.watch(party.adapter, ("send", "edit", "retire"))
    interruptions.watch(party.front.context.artist, ("picture",))
    await party.meet("anna", "bruno")
    point, missed, was_reached = 0, list[str](), True
    while was_reached:
        code = await party.started(SQUARE)
        first, second, shown = party.mover, party.other(), len(party.shown)
        await party.front.typed_text(party.request(first), f"/move a1-a2 game:{code}")
        interruptions.arm(point, partial(do, party, deed, code, first, second))
        await party.settle()
        await party.settle()
        was_reached = interruptions.disarm()
        missed += [f"point {point}: {each}" for each in await list_missed(party, code, shown)]
        await party.wait(hours=1)
        point += 1
    assert point > 10
    assert missed == []


async def list_missed(party: Party, code: str, shown: int) -> list[str]:
    """Return what is wrong with whom the messages after so many have called about a game, as sentences."""
    calls = Counter(person for message in party.shown[shown:] for person in message.calls)
    notices = await party.store.notices.list_for_game(code)
    promised = Counter(each.person for each in notices)
    wrong = [f"{each.kind} of {each.person} is not told" for each in notices if each.delivered_at is None]
    wrong += [
        f"{person} is called {calls[person]} of {count} times"
        for person, count in promised.items()
        if calls[person] < count
    ]
    # The turn before may have been told, or be past before it was.
    wrong += [f"{person} is called {count} times" for person, count in calls.items() if count > promised[person] + 1]
    return wrong
