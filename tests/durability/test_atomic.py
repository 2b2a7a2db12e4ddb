"""What belongs together is stored together: an event that is told again after a kill finds all of it, or nothing."""

import pytest

from bot.kernel.requests import Place
from storage import Store
from tests.bot.party import Party


async def test_taking_a_seat_and_showing_it_is_atomic(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    party = Party(store)
    await party.say("anna", "/play annuvin")
    elsewhere, line = Place("web", "elsewhere"), f"/play join:{party.code}"
    with monkeypatch.context() as broken:
        broken.setattr(store.posts, "add", _killed)
        await party.front.typed_text(party.request("bruno", elsewhere, event="again"), line)
    assert (await party.load_row()).status == "lobby"
    # A new life, told once more.
    await party.restarted().typed_text(party.request("bruno", elsewhere, event="again"), line)
    await party.settle()
    row = await party.load_row()
    assert row.status == "playing"
    found = {post.place.channel for post in await store.posts.list_for_game(row.id)}
    assert found == {"room", "elsewhere"}


async def _killed(*_: object) -> None:
    raise RuntimeError("killed here")
