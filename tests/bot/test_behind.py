"""A process whose memory is behind: who may act, and on what, is decided by the database when it is stored."""

from collections.abc import AsyncIterator

import pytest

from bot.kernel.requests import Reply
from storage import GameChange, GameRow, Store
from tests.bot.party import SQUARE, button, words
from tests.bot.test_account import code_in, on_telegram
from tests.bot.test_together import Together
from tests.support.stores import delay_notifications


class Pair:
    """Two programs on one database and one platform; what the first does the second may not have heard of."""

    def __init__(self, stores: tuple[Store, Store]) -> None:
        self.here, self.there = Together(list(stores)).programs
        self.there.managers = self.here.managers

    async def known_there(self) -> str:
        """Have a game going on that the second program knows as well as its people; return its code."""
        code = await self.here.started(SQUARE)
        await self.there.meet("anna", "bruno")
        # A piece is chosen there: half a move.
        await self.there.press(self.here.mover, button(self.here.board.card, "c"))
        return code

    async def move(self, code: str, who: str) -> Reply:
        """Have somebody complete a move at the second program."""
        row = await self.here.load_row(code)
        return await self.there.press(who, f"p:{code}:{row.revision}=a1.a2")

    async def stored(self, code: str) -> list[str]:
        return [event.kind for event in await self.here.store.games.events(code)]

    async def stores_nothing(self, code: str, who: str) -> None:
        """Have a person press and type a move at the second program, which is answered, and nothing comes of it."""
        before = await self.stored(code)
        for answer in (await self.move(code, who), await self.there.say(who, f"/move a1-a2 game:{code}")):
            assert answer.private
            assert words(answer)
        assert await self.stored(code) == before


@pytest.fixture
async def pair(two_stores: tuple[Store, Store]) -> AsyncIterator[Pair]:
    made = Pair(two_stores)
    yield made
    for party in (made.here, made.there):
        await party.front.close(0)


async def _link_away(pair: Pair, who: str) -> None:
    """Make somebody a part of another person, who has been known on another platform for longer."""
    given = await on_telegram(pair.here, "older", "/link")
    assert "Linked" in words(await pair.here.say(who, f"/link {code_in(given)}"))


async def test_outdated_process_stores_nothing_for_who_was_forgotten(pair: Pair) -> None:
    code = await pair.known_there()
    mover = pair.here.mover
    with delay_notifications(pair.there.store) as late:
        await pair.here.store.privacy.forget_person(await pair.here.id_of(mover), pair.here.clock())
        await pair.stores_nothing(code, mover)
        assert late


async def test_outdated_process_stores_nothing_for_who_was_banned(pair: Pair) -> None:
    code = await pair.known_there()
    mover = pair.here.mover
    await pair.there.meet("dora")
    await pair.here.say("anna", "/play annuvin")
    row = await pair.here.load_row()
    pair.here.managers.add("carla")
    await pair.here.meet("carla")
    with delay_notifications(pair.there.store):
        for who in (mover, "dora"):
            assert who.capitalize() in words(await pair.here.say("carla", f"/ban @{who}"))
        await pair.stores_nothing(code, mover)
        kept_out = pair.there.front.context.speaker("en").line("refusal.kept-out")
        assert words(await pair.there.press("dora", f"join:{row.id}:{row.revision}")) == kept_out
        for line in ("/play annuvin", "/cup annuvin clock:1d players:4"):
            assert words(await pair.there.say("dora", line)) == kept_out
        dora = await pair.here.id_of("dora")
        assert await pair.here.store.games.list_for_person(dora) == []
        assert await pair.here.store.competitions.list_made_by(dora) == []


async def test_outdated_process_moves_for_the_merged_account(pair: Pair) -> None:
    code = await pair.known_there()
    mover = pair.here.mover
    with delay_notifications(pair.there.store):
        await _link_away(pair, mover)
        older = (await pair.here.store.people.find("older", platform="telegram"))[0].id
        assert (await pair.move(code, mover)).card is not None
        (event,) = [each for each in await pair.here.store.games.events(code) if each.kind == "action"]
        assert event.person == older


async def test_outdated_process_keeps_blocked_people_apart(pair: Pair) -> None:
    """Whichever of them it is that has blocked the other."""
    code = await pair.known_there()
    await pair.here.say("anna", "/play annuvin")
    row = await pair.here.load_row()
    for who in ("anna", "bruno"):
        await pair.here.press(who, f"guessyes:{code}:0")
    pair.here.clock.turn(hours=25)
    await pair.there.meet("carla", "dora")
    for known in (code, row.id):
        await pair.there.table(known)
    refused = pair.there.front.context.speaker("en").line("refusal.cannot-join")
    with delay_notifications(pair.there.store):
        for who, blocked in (("anna", "carla"), ("dora", "anna")):
            assert "You will not meet" in words(await pair.here.say(who, f"/block @{blocked}"))
        before = await pair.stored(code)
        for who, challenge in (("carla", "cannot challenge Anna"), ("dora", "You have blocked Anna")):
            assert words(await pair.there.press(who, f"join:{row.id}:{row.revision}")) == refused
            assert who.capitalize() in words(await pair.there.say("anna", f"/play annuvin @{who}"))
            assert "blocked" in words(await pair.there.say(who, f"/guess a1-a2 game:{code}"))
            assert "would rather not play" in words(await pair.there.say(who, f"/join {code}"))
            assert challenge in words(await pair.there.say(who, "/team annuvin @anna"))
            assert await pair.here.store.games.list_for_person(await pair.here.id_of(who)) == []
        assert await pair.here.store.guesses.list_in_game(code) == []
        assert await pair.stored(code) == before
        assert [each.id for each in await pair.here.store.games.list_in_place(row.place, status="lobby")] == [row.id]


async def test_press_on_an_outdated_position_is_refused(pair: Pair) -> None:
    code = await pair.known_there()
    mover = pair.here.mover
    row = await pair.here.load_row(code)
    with delay_notifications(pair.there.store):
        await pair.here.say(mover, "/move a1-a2")
        voice = pair.there.front.context.speaker("en")
        said = words(await pair.there.press(mover, f"p:{code}:{row.revision}=b1.b2"))
        assert said in (voice.line("refusal.moved-on"), voice.line("refusal.stale"))
        assert (await pair.stored(code)).count("action") == 1


async def test_who_is_linked_while_they_press_is_asked_to_press_again(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = await pair.known_there()
    mover, games = pair.here.mover, pair.there.store.games
    commit = games.commit

    async def link_then_commit(change: GameChange) -> GameRow:
        monkeypatch.undo()
        await _link_away(pair, mover)
        return await commit(change)

    monkeypatch.setattr(games, "commit", link_then_commit)
    again = pair.there.front.context.speaker("en").line("refusal.author-changed")
    assert words(await pair.move(code, mover)) == again
    assert "action" not in await pair.stored(code)
    assert (await pair.move(code, mover)).card is not None
    assert (await pair.stored(code)).count("action") == 1
