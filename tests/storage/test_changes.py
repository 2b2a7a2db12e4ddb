"""Games as they are created and changed: every step in one transaction, none twice, none lost."""

from contextlib import suppress
from dataclasses import replace

import pytest

from storage import AlreadyProcessed, CodeTaken, Conflict, NoSuchGame, Store, read_code
from storage.addresses import CODE_ALPHABET
from storage.rows import GameChange, NewEvent
from storage.schema import Event, GameRow, NewResult, Person, PlaceRow, ProcessedEvent, Seat
from tests.support.stores import (
    START,
    add_post,
    handle_event,
    make_new_game,
    one_step,
    reply_of,
    store_game,
    time_after,
)

MOVE = NewEvent("action", {"text": "d5-d6"})


def test_game_codes_are_normalised_and_validated() -> None:
    assert read_code(" #k7qf4m ") == "K7QF4M"
    for text in ("", "K7QF4", "K7QF4MM", "K7QF4O", "K7QF4è", "K7 QF4"):
        assert read_code(text) is None


async def test_a_new_game_is_a_lobby_with_a_short_code(store: Store, place: PlaceRow, people: list[Person]) -> None:
    game = await store.games.create(make_new_game(place, people), START)
    assert len(game.id) == 6
    assert set(game.id) <= set(CODE_ALPHABET)
    assert read_code(game.id) == game.id
    assert (game.game, game.status, game.revision, game.turn) == ("annuvin", "lobby", 0, 0)
    assert (game.created_at, game.updated_at, game.waiting_since) == (START, START, START)
    assert (game.position, game.last_turn, game.outcome, game.to_move, game.deadline) == (None,) * 5
    assert game.seats == (Seat(0, person=people[0].id, name="Ada"), Seat(1, person=people[1].id, name="Bob"))
    assert await store.games.get(game.id) == game
    assert await store.games.get("ZZZZZZ") is None
    assert game.seed == "ab" * 32
    assert game.seed not in repr(game)


async def test_a_game_may_be_created_under_a_code_but_not_under_a_taken_one(
    store: Store, place: PlaceRow, people: list[Person]
) -> None:
    code = "CCCCCC"
    game = await store.games.create(
        make_new_game(place, people, code=code),
        START,
        happened=[NewEvent("created")],
        processed=ProcessedEvent("web", "1"),
    )
    assert (game.id, game.revision) == (code, 1)
    assert await store.games.events(code) == [Event(code, 1, "created", {}, None, START, "web:1")]
    with pytest.raises(CodeTaken):
        await store.games.create(make_new_game(place, people, code=code), START, processed=ProcessedEvent("web", "2"))
    assert await store.processed_events.get("web", "2") is None


async def test_a_collision_of_codes_is_resolved(
    store: Store, place: PlaceRow, people: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = iter(["CCCCCC", "CCCCCC", "DDDDDD"])
    monkeypatch.setattr("storage.games.generate_code", lambda: next(codes))
    assert [(await store_game(store, place, people)).id for _ in range(2)] == ["CCCCCC", "DDDDDD"]


async def test_a_change_is_stored_as_a_whole(store: Store, game: GameRow) -> None:
    ada, bob = (seat.person for seat in game.seats)
    seats = (replace(game.seats[0], seat=1), replace(game.seats[1], seat=0, joined_by="web:9"))
    wanted = replace(
        game,
        status="playing",
        seats=seats,
        options={"board": "square", "n": 1, "è": "è"},
        rules_version=2,
        position={"cells": {"d5": 1}, "extra": {"turn": 0, "long": 2**70}},
        last_turn={"number": 1, "actions": ["d5-d6"]},
        to_move=bob,
        turn=1,
        deadline=time_after(days=3),
        started_at=time_after(minutes=1),
    )
    change = GameChange(
        game=wanted,
        events=(NewEvent("lot", {"draw": 0}), NewEvent("action", {"text": "d5-d6"}, ada)),
        at=time_after(minutes=1),
        processed=ProcessedEvent("web", "77", reply_of("done")),
    )
    stored = await store.games.commit(change)
    assert stored == replace(wanted, revision=2, updated_at=time_after(minutes=1), waiting_since=time_after(minutes=1))
    assert await store.games.get(game.id) == stored
    assert await store.games.events(game.id) == [
        Event(game.id, 1, "lot", {"draw": 0}, None, time_after(minutes=1), "web:77"),
        Event(game.id, 2, "action", {"text": "d5-d6"}, ada, time_after(minutes=1), "web:77"),
    ]
    assert await store.games.events(game.id, after=1) == (await store.games.events(game.id))[1:]
    assert await store.processed_events.get("web", "77") == ProcessedEvent("web", "77", reply_of("done"))


async def test_commit_ignores_immutable_fields(store: Store, game: GameRow) -> None:
    odd = replace(game, game="fagocitare", seed="00", seed_hash="11", created_at=time_after(days=1), starter=0)
    assert await store.games.commit(one_step(odd)) == replace(game, revision=1)


async def test_a_change_of_a_game_that_has_moved_on_is_refused_and_leaves_no_trace(store: Store, game: GameRow) -> None:
    await store.games.commit(GameChange(game=game, events=(MOVE, MOVE), at=START))
    before = await store.games.get(game.id)
    stale = replace(game, turn=9, seats=game.seats[:1])
    with pytest.raises(Conflict) as caught:
        await store.games.commit(one_step(stale, processed=ProcessedEvent("web", "5")))
    assert caught.value.params == {"game": game.id, "revision": 2}
    assert await store.games.get(game.id) == before
    assert len(await store.games.events(game.id)) == 2
    assert await store.processed_events.get("web", "5") is None
    with pytest.raises(NoSuchGame):
        await store.games.commit(one_step(replace(game, id="CCCCCC")))


async def test_an_event_of_a_platform_changes_a_game_once(store: Store, game: GameRow) -> None:
    first = one_step(game, processed=ProcessedEvent("discord", "1", reply_of("first")))
    after_first = await store.games.commit(first)
    for again in (
        first,
        replace(first, game=after_first, processed=ProcessedEvent("discord", "1", reply_of("second"))),
    ):
        with pytest.raises(AlreadyProcessed) as caught:
            await store.games.commit(again)
        assert caught.value.reply == reply_of("first")
    assert await store.games.get(game.id) == after_first
    # The same number on another platform is another event.
    await store.games.commit(replace(first, game=after_first, processed=ProcessedEvent("telegram", "1")))


async def test_the_wait_begins_with_the_turn_and_not_with_every_change(store: Store, game: GameRow) -> None:
    ada, bob = (seat.person for seat in game.seats)

    async def step(minutes: int, **values: object) -> GameRow:
        return await store.games.commit(one_step(replace(game, **values), time_after(minutes=minutes)))  # type: ignore[arg-type]

    game = await step(1, status="playing", to_move=ada)
    assert game.waiting_since == time_after(minutes=1)
    game = await step(2, position={"half": "a turn"})
    assert (game.waiting_since, game.updated_at) == (time_after(minutes=1), time_after(minutes=2))
    game = await step(3, to_move=bob, turn=1)
    assert game.waiting_since == time_after(minutes=3)
    # The others have dropped out or were computers: the same person again, but another turn.
    game = await step(4, to_move=bob, turn=2)
    assert game.waiting_since == time_after(minutes=4)
    game = await step(5, to_move=None)
    assert game.waiting_since == time_after(minutes=5)
    game = await step(6)
    assert game.waiting_since == time_after(minutes=5)


async def test_seats_come_go_and_swap(store: Store, ada: Person, bob: Person, cleo: Person, game: GameRow) -> None:
    for seats in (
        (Seat(0, person=ada.id, name="Ada"), Seat(1, "open"), Seat(2, "invited", person=cleo.id, name="Cleo")),
        (Seat(0, person=ada.id, seat=0), Seat(1, person=cleo.id, seat=1), Seat(2, computer="easy", seat=2)),
        (Seat(0, person=ada.id, seat=2), Seat(1, person=cleo.id, seat=0), Seat(2, "declined", person=bob.id, seat=1)),
        (Seat(0, "open", name="@dora"),),
    ):
        game = await store.games.commit(one_step(replace(game, seats=seats)))
        assert game.seats == seats
        assert await store.games.get(game.id) == game


@pytest.mark.parametrize(
    ("places", "marks"),
    [
        ((1, 2), ["win", "loss"]),
        ((1, 1), ["draw", "draw"]),
        ((2, 1, 3), ["loss", "win", "loss"]),
        ((1, 3, 1), ["draw", "loss", "draw"]),
    ],
)
async def test_results_say_who_won(
    store: Store, place: PlaceRow, people: list[Person], cleo: Person, places: tuple[int, ...], marks: list[str]
) -> None:
    people.append(cleo)
    game = await store_game(store, place, people)
    ended = tuple(NewResult(i, number, "goal", people[i].id) for i, number in enumerate(places))
    over = replace(
        game, status="over", outcome={"reason": "goal", "places": list(places)}, ended_at=time_after(hours=1)
    )
    await store.games.commit(one_step(over, time_after(hours=1), results=ended))
    found = await store.games.results_of(game.id)
    assert [result.mark for result in found] == marks
    assert [(result.seat, result.person, result.place_number) for result in found] == [
        (i, people[i].id, number) for i, number in enumerate(places)
    ]
    assert {(result.game_key, result.reason, result.rated, result.ended_at) for result in found} == {
        ("annuvin", "goal", True, time_after(hours=1))
    }


async def test_a_transaction_holds_several_verbs_together(store: Store, place: PlaceRow, people: list[Person]) -> None:
    async with store.transaction():
        game = await store.games.create(make_new_game(place, people), START)
        post = await add_post(store, game.id, place.id, START)
        assert await store.games.get(game.id) == game
        assert await store.posts.list_for_game(game.id) == [post]
    assert await store.games.get(game.id) == game

    async def interrupted() -> None:
        async with store.transaction():
            await store.games.commit(one_step(game, processed=ProcessedEvent("web", "1")))
            raise OSError("a drawing failed")

    with pytest.raises(OSError, match="a drawing failed"):
        await interrupted()
    assert await store.games.get(game.id) == game
    assert await store.processed_events.get("web", "1") is None


async def test_savepoint_is_rolled_back_without_its_transaction(store: Store, game: GameRow) -> None:
    async with store.transaction():
        moved = await store.games.commit(one_step(game))
        with pytest.raises(Conflict):
            async with store.savepoint():
                await store.games.commit(one_step(game, processed=ProcessedEvent("web", "1")))
        await handle_event(store, ProcessedEvent("web", "2"))
    assert await store.games.get(game.id) == moved
    assert await store.processed_events.get("web", "1") is None
    assert await store.processed_events.get("web", "2") == ProcessedEvent("web", "2")


async def test_a_transaction_in_which_an_error_was_caught_leaves_nothing(store: Store, game: GameRow) -> None:

    async def go_on() -> None:
        async with store.transaction():
            await store.games.commit(one_step(game))
            with suppress(Conflict):
                await store.games.commit(one_step(game, processed=ProcessedEvent("web", "1")))

    with pytest.raises(RuntimeError, match="caught inside a transaction"):
        await go_on()
    assert await store.games.get(game.id) == game
    assert await store.processed_events.get("web", "1") is None
