"""Computers at the table: games against them, seats for them, what they answer, restarts, crowds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.requests import Reply
from bot.services.checking import check_game
from bot.services.computers import FIRST_PAUSE
from bot.services.imports import import_record
from bot.services.records import record_of
from bot.thinking import ThinkingFailed
from engine import games
from engine.record import Record, verify
from engine.search import Judged
from storage import GameChange, GameRow, NewEvent, Store
from tests.bot.party import Party, Quick, button, buttons, card, labelled, words
from tests.support.stores import START

SQUARE = "/play annuvin board:square computer:1"


async def row(party: Party, code: str = "") -> GameRow:
    found = await party.store.game(code or party.code)
    assert found is not None
    return found


async def move(party: Party, who: str = "anna", code: str = "") -> Reply:
    """Have somebody play the first legal actions until their turn is over."""
    found = await row(party, code)
    reply = Reply()
    turn = found.turn
    while found.status == "playing" and found.turn == turn:
        action = games[found.game].load(found.position or {}).legal_actions()[0]
        reply = await party.say(who, f"/move {action.text} game:{found.id}")
        found = await row(party, found.id)
    return reply


async def to_the_end(party: Party, who: str = "anna") -> GameRow:
    code = party.code
    for _ in range(200):
        found = await row(party, code)
        if found.status == "over":
            return found
        await move(party, who, code)
    raise AssertionError("a game without end")


class Held(Quick):
    """Thinks only when it may; `asked` says that it was asked to."""

    def __init__(self) -> None:
        super().__init__()
        self.may = asyncio.Event()
        self.asked = asyncio.Event()
        self.failures: list[str] = []

    async def turn(
        self,
        position: Mapping[str, Any],
        level: int,
        seed: int,
        seconds: float | None = None,
        *,
        whose: Hashable = None,
    ) -> tuple[str, ...]:
        self.asked.set()
        await self.may.wait()
        if self.failures:
            raise ThinkingFailed(self.failures.pop())
        return await super().turn(position, level, seed, seconds, whose=whose)


class Weighing(Quick):
    """Says of every position what each seat may expect."""

    def __init__(self, *values: float) -> None:
        super().__init__()
        self.values = values

    async def analyse(
        self, position: Mapping[str, Any], iterations: int, seconds: float | None = None, *, whose: Hashable = None
    ) -> tuple[Judged, ...]:
        action = games[position["game"]].load(position).legal_actions()[0]
        return (Judged(action, self.values, 1),)


async def until(wanted: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(60):
        while True:
            if await wanted():
                return
            await asyncio.sleep(0.01)


async def thought(party: Party, code: str) -> None:
    """Wait until no computer is to act in a game."""

    async def done() -> bool:
        return not (await row(party, code)).thinking

    await until(done)


async def test_a_game_against_the_computer_begins_at_once_and_goes_to_its_end(party: Party) -> None:
    await party.say("anna", SQUARE)
    started = await row(party)
    assert started.status == "playing"
    assert {entry.computer for entry in started.seats} == {None, "1"}
    assert party.mover == "anna"
    over = await to_the_end(party)
    results = await party.store.results_of(over.id)
    assert {(result.pool, result.rated) for result in results} == {("computer", False)}
    assert await check_game(party.store, over.id) == ()
    assert "Computer (level 1)" in party.newest.text


@pytest.mark.parametrize(
    ("said", "levels"),
    [
        ("computer:3", ["3"]),
        ("computer 4", ["4"]),
        ("computer", ["2"]),
        ("computers:1", ["2"]),
        ("Computer:5 clock:1d", ["5"]),
    ],
)
async def test_how_a_computer_is_asked_for(party: Party, said: str, levels: list[str]) -> None:
    await party.say("anna", f"/play real-queen {said}")
    assert [entry.computer for entry in (await row(party)).seats if entry.computer] == levels


@pytest.mark.parametrize(
    ("said", "seats", "computers", "status"),
    [
        ("seats:4 computer:1", 4, 3, "playing"),
        ("seats:4 computers:1", 4, 1, "lobby"),
        ("computers:3", 4, 3, "playing"),
        ("@bruno computer 1", 3, 1, "lobby"),
        ("@bruno seats:5 computer:1", 5, 3, "lobby"),
    ],
)
async def test_how_many_computers_play(party: Party, said: str, seats: int, computers: int, status: str) -> None:
    await party.say("bruno", "/help")
    await party.say("anna", f"/play vedova-nera {said}")
    found = await row(party)
    assert (found.seat_count, sum(entry.computer is not None for entry in found.seats)) == (seats, computers)
    assert found.status == status


@pytest.mark.parametrize(
    "said", ["computer:6", "computer:0", "computer:x", "computers:5", "@bruno computers:4", "seats:2 computers:3"]
)
async def test_what_cannot_be_is_refused(party: Party, said: str) -> None:
    await party.say("bruno", "/help")
    assert words(await party.say("anna", f"/play vedova-nera {said}"))
    assert party.shown == []


async def test_names_are_in_the_language_of_who_reads(party: Party) -> None:
    await party.say("anna", "/play vedova-nera seats:3 computer:1")
    assert "Computer 1 (level 1)" in party.newest.text + words(await party.say("anna", "/games"))
    party.languages["anna"] = "it"
    assert "Computer 1 (livello 1)" in words(await party.say("anna", "/games"))
    party.managers.add("anna")
    await party.say("anna", "/settings language:it for:channel")
    await party.say("anna", "/board")
    assert "livello 1" in party.newest.text


async def test_the_board_says_that_it_thinks_and_nobody_is_called(store: Store) -> None:
    thinkers = Held()
    party = Party(store, thinkers=thinkers)
    thinkers.may.set()
    await party.say("anna", SQUARE)
    code, called = party.code, party.newest
    party.thinking = False
    await move(party)
    assert party.newest is called
    assert "Computer (level 1) is thinking…" in called.text
    assert called.card.mention is None
    assert not [entry for entry in buttons(called.card) if entry.press.startswith("c:")]
    assert (await row(party, code)).deadline is None
    assert "Computer (level 1)'s turn" in words(await party.say("anna", f"/move b1-b2 game:{code}"))
    assert "the computer is thinking" in words(await party.say("anna", "/games"))
    await party.front.computers.settle()
    await party.front.delivery.settle()
    assert party.newest is not called
    assert party.mover == "anna"
    assert called.retired
    await party.front.close()


async def test_a_restart_in_the_middle_of_a_thought_thinks_again(store: Store) -> None:
    thinkers = Held()
    party = Party(store, thinkers=thinkers)
    thinkers.may.set()
    await party.say("anna", SQUARE)
    code = party.code
    thinkers.may.clear()
    thinkers.asked.clear()
    party.thinking = False
    await move(party)
    before = await row(party, code)
    assert (before.thinking, before.to_move) == (True, None)
    await party.front.start()
    await thinkers.asked.wait()
    await party.front.close()
    assert await row(party, code) == before

    party.arguments["thinkers"] = Quick()
    again = party.restarted()
    await again.start()
    await thought(party, code)
    await again.close()
    assert (await row(party, code)).turn == before.turn + 1


async def test_a_thought_that_the_game_has_moved_on_from_changes_nothing(store: Store) -> None:
    thinkers = Held()
    party = Party(store, thinkers=thinkers)
    thinkers.may.set()
    await party.say("anna", SQUARE)
    code, first = party.code, (await row(party)).position
    thinkers.may.clear()
    thinkers.asked.clear()
    party.thinking = False
    await move(party)
    thinking = asyncio.create_task(party.front.computers.settle())
    await thinkers.asked.wait()
    assert "taken back" in words(await party.say("anna", "/undo"))
    thinkers.may.set()
    await thinking
    found = await row(party, code)
    assert found.position == first
    assert not found.thinking
    await party.front.close()


async def test_two_programs_on_one_database_make_one_move(store: Store) -> None:
    one, other = Party(store, thinkers=Quick()), Party(store, thinkers=Quick())
    await one.say("anna", SQUARE)
    code = one.code
    one.thinking = False
    await move(one)
    before = await row(one, code)
    await asyncio.gather(one.front.computers.settle(), other.front.computers.settle())
    assert (await row(one, code)).turn == before.turn + 1
    assert await check_game(store, code) == ()
    await one.front.close()
    await other.front.close()


async def test_what_fails_is_tried_again_later(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.services.computers.FIRST_PAUSE", 0.01)
    assert FIRST_PAUSE > 1
    thinkers = Held()
    party = Party(store, thinkers=thinkers)
    thinkers.failures = ["worker-died", "no-worker"]
    thinkers.may.set()
    party.thinking = False
    await party.say("anna", "/play fagocitare size:7 computer:1")
    code = party.code
    if not (await row(party, code)).thinking:
        await move(party, code=code)
    await party.front.start()
    await thought(party, code)
    assert thinkers.failures == []
    await party.front.close()


async def test_a_game_that_makes_no_sense_is_left_alone_and_the_others_go_on(store: Store) -> None:
    party = Party(store)
    party.thinking = False
    codes = []
    for _ in range(2):
        await party.say("anna", "/play fagocitare size:7 computer:1")
        codes.append(party.code)
        if not (await row(party, codes[-1])).thinking:
            await move(party, code=codes[-1])
    broken = replace(await row(party, codes[0]), position={"game": "fagocitare"})
    await store.commit(GameChange(game=broken, events=(NewEvent("broken"),), at=START))
    await party.front.start()
    await thought(party, codes[1])
    await party.front.close()
    assert await store.thinking_games() == [codes[0]]


async def test_a_crowd_of_computer_games_leaves_people_alone(store: Store) -> None:
    """While every worker is busy and many games wait, presses and games between people go on."""
    thinkers = Held()
    party = Party(store, thinkers=thinkers)
    party.thinking = False
    await party.front.start()
    for number in range(30):
        await party.say(f"player{number}", "/play annuvin board:square computer:1 clock:1d")
    await thinkers.asked.wait()
    code = await party.started("/play annuvin @bruno board:square")
    for _ in range(6):
        found = await row(party, code)
        person = (await party.store.people([found.to_move or 0]))[found.to_move or 0].name.lower()
        await move(party, person, code)
        assert (await row(party, code)).turn == found.turn + 1
    assert "waiting" in words(await party.say("anna", "/games"))
    waiting = await store.thinking_games()
    assert waiting
    thinkers.may.set()

    async def none_left() -> bool:
        return not await store.thinking_games()

    await until(none_left)
    for waited in waiting:
        assert (await row(party, waited)).turn == 1
    await party.front.close()


async def test_an_open_seat_is_given_to_a_computer(party: Party) -> None:
    await party.say("anna", "/play annuvin")
    offered = button(party.newest.card, "robot")
    assert offered.label == "Play the computer"
    assert "Join first" in words(await party.press("bruno", offered))
    asked = await party.press("anna", offered)
    assert asked.private
    assert [entry.label for entry in buttons(card(asked))] == ["1", "2", "3", "4", "5"]
    assert "plays along" in words(await party.press("anna", labelled(card(asked), "1")))
    assert (await row(party)).status == "playing"
    assert "already started" in words(await party.press("anna", labelled(card(asked), "2")))


async def test_computers_fill_a_table_of_many(party: Party) -> None:
    await party.say("anna", "/play vedova-nera seats:4")
    await party.press("bruno", button(party.newest.card, "join"))
    for level in ("1", "2"):
        offered = button(party.newest.card, "robot")
        assert offered.label == "Add a computer"
        asked = await party.press("bruno", offered)
        await party.press("bruno", labelled(card(asked), level))
    found = await row(party)
    assert found.status == "playing"
    assert [entry.computer for entry in found.seats] == [None, None, "1", "2"]
    assert sorted(entry.seat or 0 for entry in found.seats) == [0, 1, 2, 3]


async def test_the_list_of_games_leads_to_one_against_the_computer(party: Party) -> None:
    listed = await party.say("anna", "/play")
    chosen = await party.press("anna", labelled(card(listed), "Fagocitare"))
    begun = await party.press("anna", next(each for each in buttons(card(chosen)) if each.label.startswith("1 –")))
    assert "has begun" in words(begun)
    assert (await row(party)).game == "fagocitare"
    assert [entry.computer for entry in (await row(party)).seats] == [None, "1"]
    await party.press("bruno", "solo=real-queen")
    assert (await row(party)).game == "real-queen"


async def test_with_a_level_alone_it_is_asked_which_game(party: Party) -> None:
    listed = await party.say("anna", "/play computer 1")
    await party.press("anna", labelled(card(listed), "Real Queen"))
    assert [entry.computer for entry in (await row(party)).seats] == [None, "1"]


async def test_taking_back_takes_the_computers_answer_along(party: Party) -> None:
    await party.say("anna", SQUARE)
    before = (await row(party)).position
    await move(party)
    assert (await row(party)).position != before
    assert "taken back" in words(await party.say("anna", "/undo"))
    assert (await row(party)).position == before
    assert party.mover == "anna"


@pytest.mark.parametrize(("mine", "theirs", "drawn"), [(0.8, 0.2, True), (0.5, 0.5, True), (0.3, 0.7, False)])
async def test_a_draw_is_agreed_to_by_whoever_stands_no_better(
    store: Store, mine: float, theirs: float, drawn: bool
) -> None:
    party = Party(store)
    await party.say("anna", SQUARE)
    found = await row(party)
    seat = next(entry.seat for entry in found.seats if entry.computer)
    party.front.house.thinkers = Weighing(*((theirs, mine) if seat == 0 else (mine, theirs)))
    await party.say("anna", "/draw")
    found = await row(party, found.id)
    if drawn:
        assert found.outcome == {"reason": "agreement", "places": [1, 1]}
        assert await check_game(store, found.id) == ()
    else:
        assert found.status == "playing"
        assert "Computer (level 1) would rather play on." in party.newest.text
        await move(party)
        assert "rather play on" not in party.newest.text
    await party.front.close()


async def test_an_offered_draw_waits_for_people_and_is_answered_after_a_restart(store: Store) -> None:
    party = Party(store, thinkers=Weighing(0.4, 0.4, 0.4))
    await party.say("anna", "/play vedova-nera seats:3")
    await party.press("bruno", button(party.newest.card, "join"))
    asked = await party.press("anna", button(party.newest.card, "robot"))
    await party.press("anna", labelled(card(asked), "1"))
    code = party.code
    party.thinking = False
    await party.say("anna", f"/draw {code}")
    assert (await row(party, code)).thinking
    party.restarted()
    party.thinking = True
    await party.settle()
    found = await row(party, code)
    assert (found.status, len(found.offers["draw"]["agreed"])) == ("playing", 2)
    await party.press("bruno", button(party.newest.card, "agree"))
    assert (await row(party, code)).outcome == {"reason": "agreement", "places": [1, 1, 1]}
    await party.front.close()


async def test_everything_else_it_agrees_to(party: Party) -> None:
    await party.say("anna", f"{SQUARE} clock:1d")
    code = party.code
    await move(party)
    assert words(await party.say("anna", "/pause")) == "Done."
    assert (await row(party, code)).terms["paused"]
    await party.press("anna", f"offer:{code}:{(await row(party, code)).revision}=together")
    assert (await row(party, code)).outcome == {"reason": "abandoned"}


async def test_the_seat_of_somebody_who_is_gone(party: Party) -> None:
    code = await party.started("/play annuvin @bruno board:square")
    gone = party.mover
    stays = party.other()
    more = await party.press(stays, button(party.newest.card, "more"))
    assert not [entry for entry in buttons(card(more)) if entry.press.startswith("seat:")]
    assert "moved" in words(await party.press(stays, f"seat:{code}:0"))
    party.clock.turn(days=1)
    more = await party.press(stays, button(party.newest.card, "more"))
    asked = await party.press(stays, button(card(more), "seat"))
    assert "plays on in that seat" in words(await party.press(stays, labelled(card(asked), "1")))
    found = await row(party, code)
    assert sorted(str(entry.computer) for entry in found.seats) == ["1", "None"]
    assert party.mover == stays
    assert "are playing here" in words(await party.say(gone, f"/move a1-a2 game:{code}"))
    await party.press(stays, f"resign!:{code}:{found.revision}")
    results = await party.store.results_of(code)
    assert {(result.rated, result.pool) for result in results} == {(False, "computer")}
    record = await record_of(party.front.house, await party.front.house.table(code))
    assert verify(Record.from_text(record.to_text())).seats == 2
    assert await check_game(party.store, code) == ()


async def test_the_others_are_asked_before_a_seat_changes_hands(party: Party) -> None:
    await party.say("anna", "/play vedova-nera seats:3")
    for who in ("bruno", "carla"):
        await party.press(who, button(party.newest.card, "join"))
    code, gone = party.code, party.mover
    one, other = (who for who in ("anna", "bruno", "carla") if who != gone)
    party.clock.turn(days=2)
    offered = await party.press(one, f"seat:{code}:{(await row(party, code)).revision}=2")
    assert "on the table" in words(offered)
    assert "Computer (level 2) would like to play on" in party.newest.text
    await party.press(other, button(party.newest.card, "agree"))
    found = await row(party, code)
    assert [entry.computer for entry in found.seats].count("2") == 1
    assert party.mover != gone


async def test_when_no_person_is_left_the_table_ends_the_game(party: Party) -> None:
    await party.say("anna", "/play vedova-nera seats:4")
    await party.press("bruno", button(party.newest.card, "join"))
    for _ in range(2):
        asked = await party.press("anna", button(party.newest.card, "robot"))
        await party.press("anna", labelled(card(asked), "1"))
    code = party.code
    for who in ("bruno", "anna"):
        await party.press(who, f"resign!:{code}:{(await row(party, code)).revision}")
    found = await row(party, code)
    assert found.status == "over"
    people = {entry.person: entry.seat for entry in found.seats}
    (anna,), (bruno,) = [await party.store.find_people(name) for name in ("anna", "bruno")]
    places = (found.outcome or {})["places"]
    assert (places[people[bruno.id] or 0], places[people[anna.id] or 0]) == (4, 3)
    assert sorted(places) == [1, 1, 3, 4]
    assert (found.outcome or {})["reason"] == "deserted"
    assert "All people have left" in party.newest.text
    assert await check_game(party.store, code) == ()


async def test_a_rematch_turns_the_seats_round_and_begins_at_once(party: Party) -> None:
    await party.say("anna", SQUARE)
    first = await row(party)
    await party.press("anna", f"resign!:{first.id}:{first.revision}")
    await party.press("anna", button(party.newest.card, "rematch"))
    again = await row(party)
    assert again.status == "playing"
    assert {entry.computer: entry.seat for entry in again.seats} == {
        entry.computer: 1 - (entry.seat or 0) for entry in first.seats
    }
    assert again.terms["rotated"]


async def test_a_rematch_of_many_with_equal_computers(party: Party) -> None:
    await party.say("anna", "/play vedova-nera seats:4 computer:1")
    first = await row(party)
    await party.press("anna", f"resign!:{first.id}:{first.revision}")
    await party.say("anna", f"/rematch {first.id}")
    again = await row(party)
    assert (again.status, again.seat_count) == ("playing", 4)
    before, after = (next(each.seat or 0 for each in game.seats if each.person) for game in (first, again))
    assert after == (before - 1) % 4
    assert sorted(entry.seat or 0 for entry in again.seats) == [0, 1, 2, 3]


async def test_results_against_computers_are_apart(party: Party) -> None:
    await party.say("anna", SQUARE)
    found = await row(party)
    await party.press("anna", f"resign!:{found.id}:{found.revision}")
    told = words(await party.say("anna", "/profile"))
    assert "Against the computer" in told
    assert "one loss" in told
    assert "Computer (level 1)" in words(await party.say("anna", "/history"))
    for where in ("here", "server", "everywhere"):
        assert "Computer" not in words(await party.say("anna", f"/leaderboard where:{where}"))
        assert "Anna" not in words(await party.say("anna", f"/leaderboard where:{where}"))
    (anna,) = await party.store.find_people("anna")
    assert await party.store.ratings_of([anna.id]) == []


async def test_a_record_goes_out_and_comes_in(party: Party, tmp_path: Path) -> None:
    await party.say("anna", "/play uomo-nero seats:3 computer:1")
    code = party.code
    for _ in range(2):
        await move(party, code=code)
    await party.press("anna", f"resign!:{code}:{(await row(party, code)).revision}")
    over = await row(party, code)
    record = await record_of(party.front.house, await party.front.house.table(code))
    text = record.to_text()
    record = Record.from_text(text)
    assert verify(record).seats == 3
    assert record.result == "abandoned"
    assert {name for name in record.names if name != "Anna"} == {"Computer 1 (level 1)", "Computer 2 (level 1)"}
    async with await Store.open(tmp_path / "other.db") as other:
        imported = await import_record(other, record, START)
        assert imported.outcome == over.outcome
        assert sorted(entry.computer or "" for entry in imported.seats) == ["", "1", "1"]
        assert {result.pool for result in await other.results_of(code)} == {"computer"}
        elsewhere = Party(other)
        again = await record_of(elsewhere.front.house, await elsewhere.front.house.table(code))
        assert again.to_text() == text
        assert await check_game(other, code) == ()
        await elsewhere.front.close()
