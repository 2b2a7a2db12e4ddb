"""A process whose memory is behind: who may act, and on what, is decided by the database when it is stored."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

import pytest

from bot.kernel.requests import Place, Reply, Request, User
from storage import GameChange, GameRow, Store
from tests.bot.party import SQUARE, Party, button, words
from tests.bot.test_account import code_in
from tests.support.stores import delay_notifications

CHAT: Final = Place("telegram", "chat")


class Pair:
    """Two programs on one database and one platform; what the first does the second may not have heard of."""

    def __init__(self, stores: tuple[Store, Store]) -> None:
        self.here, self.there = (Party(store) for store in stores)
        self.there.adapter, self.there.clock = self.here.adapter, self.here.clock
        self.there.numbers = 1000
        self.there.managers = self.here.managers
        self.there.restarted()

    async def known_there(self) -> str:
        """Have a game going on that the second program knows as well as its people; return its code."""
        code = await self.here.started(SQUARE)
        await self.there.meet("anna", "bruno")
        await self.half_made(self.here.mover)
        return code

    async def half_made(self, who: str) -> Reply:
        """Have somebody choose a piece at the second program."""
        return await self.there.press(who, button(self.here.board.card, "c"))

    async def move(self, code: str, who: str) -> Reply:
        """Have somebody complete a move at the second program."""
        row = await self.here.load_row(code)
        return await self.there.press(who, f"p:{code}:{row.revision}=a1.a2")

    async def stored(self, code: str) -> list[str]:
        return [event.kind for event in await self.here.store.games.events(code)]


@pytest.fixture
async def pair(two_stores: tuple[Store, Store]) -> AsyncIterator[Pair]:
    made = Pair(two_stores)
    yield made
    for party in (made.here, made.there):
        await party.front.close(0)


async def _forget(pair: Pair, who: str) -> None:
    person = await pair.here.id_of(who)
    await pair.here.store.privacy.forget_person(person, pair.here.clock())


async def _ban(pair: Pair, who: str) -> None:
    pair.here.managers.add("carla")
    await pair.here.say("carla", "/help")
    assert who.capitalize() in words(await pair.here.say("carla", f"/ban @{who}"))


async def _link_away(pair: Pair, who: str) -> None:
    """Make somebody a part of another person, who has been known on another platform for longer."""
    pair.here.numbers += 1
    older = User("telegram", "older", "Older", "en")
    given = await pair.here.front.typed_text(Request("t1", older, CHAT), "/link")
    assert "Linked" in words(await pair.here.say(who, f"/link {code_in(given)}"))


@pytest.mark.parametrize("change", [_forget, _ban], ids=["forgotten", "banned"])
async def test_outdated_process_stores_nothing_for_a_person_without_permission(
    pair: Pair, change: Callable[[Pair, str], Awaitable[None]]
) -> None:
    code = await pair.known_there()
    mover = pair.here.mover
    with delay_notifications(pair.there.store) as late:
        await change(pair, mover)
        before = await pair.stored(code)
        for answer in (await pair.move(code, mover), await pair.there.say(mover, f"/move a1-a2 game:{code}")):
            assert answer.private
            assert words(answer)
        assert await pair.stored(code) == before
        assert late or change is _ban


async def test_who_was_banned_begins_and_joins_nothing(pair: Pair) -> None:
    await pair.known_there()
    await pair.there.say("dora", "/help")
    await pair.here.say("anna", "/play annuvin")
    row = await pair.here.load_row()
    with delay_notifications(pair.there.store):
        await _ban(pair, "dora")
        kept_out = pair.there.front.context.speaker("en").line("refusal.kept-out")
        assert words(await pair.there.press("dora", f"join:{row.id}:{row.revision}")) == kept_out
        assert words(await pair.there.say("dora", "/play annuvin")) == kept_out
        assert words(await pair.there.say("dora", "/cup annuvin clock:1d players:4")) == kept_out
        dora = (await pair.here.store.people.find("dora"))[0]
        assert await pair.here.store.games.list_for_person(dora.id) == []
        assert await pair.here.store.competitions.list_made_by(dora.id) == []


async def test_outdated_process_moves_for_the_merged_account(pair: Pair) -> None:
    code = await pair.known_there()
    mover = pair.here.mover
    with delay_notifications(pair.there.store):
        await _link_away(pair, mover)
        older = (await pair.here.store.people.find("older", platform="telegram"))[0].id
        assert (await pair.move(code, mover)).card is not None
        (event,) = [each for each in await pair.here.store.games.events(code) if each.kind == "action"]
        assert event.person == older


@pytest.mark.parametrize("who", ["anna", "bruno"])
async def test_outdated_process_keeps_blocked_people_apart(pair: Pair, who: str) -> None:
    await pair.known_there()
    blocked = {"anna": "bruno", "bruno": "anna"}[who]
    await pair.here.say("anna", "/play annuvin")
    row = await pair.here.load_row()
    context = pair.there.front.context
    await context.table(row.id)
    with delay_notifications(pair.there.store):
        assert "You will not meet" in words(await pair.here.say(who, f"/block @{blocked}"))
        refused = context.speaker("en").line("refusal.cannot-join")
        assert words(await pair.there.press("bruno", f"join:{row.id}:{row.revision}")) == refused
        assert "Bruno" in words(await pair.there.say("anna", "/play annuvin @bruno"))
        assert {each.status for each in await pair.here.store.games.list_in_place(row.place)} == {"lobby", "playing"}
        assert len(await pair.here.store.games.list_in_place(row.place, status="lobby")) == 1


async def test_outdated_process_refuses_guess_seat_and_challenge_of_a_blocked_person(pair: Pair) -> None:
    code = await pair.known_there()
    for who in ("anna", "bruno"):
        await pair.here.press(who, f"guessyes:{code}:0")
    pair.here.clock.turn(hours=25)
    await pair.there.say("carla", "/help")
    await pair.there.table(code)
    with delay_notifications(pair.there.store):
        assert "You will not meet" in words(await pair.here.say("anna", "/block @carla"))
        before = await pair.stored(code)
        assert "blocked" in words(await pair.there.say("carla", f"/guess a1-a2 game:{code}"))
        assert "would rather not play" in words(await pair.there.say("carla", f"/join {code}"))
        assert "cannot challenge Anna" in words(await pair.there.say("carla", "/team annuvin @anna"))
        assert await pair.here.store.guesses.list_in_game(code) == []
        assert await pair.stored(code) == before
        assert await pair.here.store.games.list_for_person(await pair.here.id_of("carla")) == []


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
