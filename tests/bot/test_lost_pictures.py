"""Pictures that old boards have lost are drawn again as they were: also after turns taken back, and of games over."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.kernel.cards import Picture
from bot.kernel.requests import Place, Undeliverable
from engine import State, games
from storage import Store
from tests.bot.party import SQUARE, Party, Recorder, button, card


class Shown:
    """No picture, but what it was drawn from."""

    size = (1, 1)
    spots: dict[str, tuple[int, int, int]] = {}  # noqa: RUF012

    def __init__(self, said: str) -> None:
        self.png = said.encode()


async def telling(state: State, *, last_turn: Any, **how: Any) -> Shown:
    seen = [state.to_json(), last_turn and last_turn.to_json(), repr(sorted(how.items()))]
    return Shown(json.dumps(seen, sort_keys=True))


@dataclass
class Losing(Recorder):
    """An adapter whose platform loses the picture of every board that retires."""

    redrawn: dict[str, Picture] = field(default_factory=dict)

    async def retire(self, place: Place, message: str, *, remove: bool) -> None:
        await super().retire(place, message, remove=remove)
        if self.messages[message].card.picture is not None:
            raise Undeliverable("picture-lost")

    async def redraw(self, place: Place, message: str, picture: Picture) -> None:
        self._call("redraw")
        self.redrawn[message] = picture


@pytest.fixture
async def party(store: Store) -> AsyncIterator[Party]:
    """People in a room where pictures get lost."""
    gathered = Party(store, draw=telling)
    gathered.adapter = Losing()
    gathered.restarted()
    yield gathered
    await gathered.front.close()


def check(party: Party) -> list[Picture]:
    """Check that every old board has its own picture again; return them."""
    assert isinstance(party.adapter, Losing)
    *old, _newest = [(message, shown.card.picture) for message, shown in party.adapter.messages.items()]
    lost = {message: picture for message, picture in old if picture is not None}
    found = {message: (picture.png, picture.alt) for message, picture in party.adapter.redrawn.items()}
    assert found == {message: (picture.png, picture.alt) for message, picture in lost.items()}
    return list(lost.values())


async def test_boards_before_and_after_a_turn_that_was_taken_back(duel: Party) -> None:
    first = duel.mover
    await duel.say(first, "a1-b2")
    second = duel.mover
    await duel.say(second, "d4-c3")
    await duel.say(first, "/undo")
    await duel.press(second, button(duel.newest.card, "agree"))
    await duel.say(first, "b1-b2")
    duel.restarted()
    await duel.say(second, "d4-c3")
    assert len(check(duel)) == 5


async def test_the_board_of_a_game_that_is_over_and_asked_for_again(party: Party, code: str) -> None:
    mover = party.mover
    await party.say(mover, "a1-b2")
    reply = await party.say(mover, "/resign")
    await party.press(mover, button(card(reply), "resign!"))
    party.restarted()
    await party.say(mover, f"/board game:{code}")
    assert len(check(party)) == 3


async def test_game_of_another_rules_version_is_not_redrawn(duel: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(games["annuvin"]), "rules_version", games["annuvin"].rules_version + 1)
    with capture_logs() as logs:
        await duel.say(duel.mover, "a1-b2")
    assert isinstance(duel.adapter, Losing)
    assert duel.adapter.redrawn == {}
    assert [entry["log_level"] for entry in logs if entry["event"] == "picture-lost"] == ["warning"]
    (post,) = await duel.store.posts.list_for_game(duel.code)
    assert (post.due_at, post.stale_messages) == (None, {})


async def test_where_nothing_can_be_shown_again_it_is_noted(party: Party) -> None:
    class Plain(Losing):
        redraw = None  # type: ignore[assignment]

    party.adapter = Plain()
    party.restarted()
    await party.started(SQUARE)
    lost = replace(party.newest)
    with capture_logs() as logs:
        await party.say(party.mover, "a1-b2")
    assert lost.card.picture is not None
    assert len([entry for entry in logs if entry["event"] == "picture-lost"]) == 1
