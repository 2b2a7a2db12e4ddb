"""Stored times follow the clock: durations keep what is left of them, dates stay, history stays."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from storage import (
    CompetitionChange,
    GameProgress,
    NewEvent,
    Person,
    PlaceRow,
    ProcessedEvent,
    ShownPost,
    Store,
    Terms,
    clock as stored_clock,
)
from storage.columns import UNKNOWN_TIME, Utc
from storage.message_schema import NewNotice, notices
from storage.notices import DIGEST_KIND
from storage.schema import metadata
from tests.support.present import present
from tests.support.stores import START, make_cup_row, one_step, store_cup, store_game, time_after

HOUR = 3600
GAME_CLOCKS = {"games": ("deadline", "alarm_at")}
"""The clocks of games: moved together, and the game says so."""
FIXED = {
    "pulses": ("at",),
    "clock_moves": ("at",),
    "people": ("created_at",),
    "members": ("seen_at",),
    "games": ("waiting_since", "created_at", "updated_at", "started_at", "ended_at"),
    "events": ("at",),
    "results": ("ended_at",),
    "lessons": ("touched_at", "finished_at"),
    "analyses": ("made_at",),
    "interaction_tokens": ("until",),  # the platform's own time, which runs on whether or not the program does
    "notices": ("delivered_at",),
    "bans": ("made_at",),
    "room_messages": ("created_at", "edited_at"),
    "competitions": ("created_at", "ended_at"),
    "competition_events": ("at",),  # rebased where a competition counts in durations: see `ClockMove`
    "titles": ("earned_at",),
    "posts": ("made_at", "shown_at"),
    "guess_consents": ("agreed_at",),
    "guesses": ("made_at",),
    "public_pages": ("made_at",),
    "webhooks": ("made_at",),
    "puzzle_attempts": ("began_at", "tried_at", "ended_at", "touched_at"),
    "puzzles": ("public_at",),
    "own_moments": ("found_at", "due_at"),  # the days of a timetable for learning
    "puzzle_sources": ("looked_at",),
    "played_puzzles": ("made_at",),
    "team_invitations": ("asked_at",),
    "team_proposals": ("made_at",),
    "team_votes": ("at",),
}
"""What has happened, and dates of the calendar: not moved."""
KINDS = (
    GAME_CLOCKS,
    stored_clock.DURATIONS,
    stored_clock.RETENTIONS,
    stored_clock.LOOKS,
    stored_clock.DATES,
    FIXED,
)


def test_every_time_that_is_stored_is_of_one_kind() -> None:
    """Every new column for a time is listed here, with what becomes of it when the clock is set."""
    kinds = [(table, name) for kind in KINDS for table, names in kind.items() for name in names]
    stored = {
        (table.name, column.name)
        for table in metadata.tables.values()
        for column in table.columns
        if isinstance(column.type, Utc)
    }
    assert set(kinds) == stored
    # A digest and a month are due at an hour, other notices and posts after a while: the columns of both kinds.
    both = {each for each in set(kinds) if kinds.count(each) > 1}
    assert both == {("notices", "due_at"), ("posts", "due_at")}


async def everything(store: Store) -> dict[tuple[str, str], list[datetime | None]]:
    """Return all stored times, by table and column."""
    found = dict[tuple[str, str], list[datetime | None]]()
    async with store._database.snapshot() as connection:
        for table in metadata.sorted_tables:
            names = [column.name for column in table.columns if isinstance(column.type, Utc)]
            if names:
                query = select(*(table.c[name] for name in names)).order_by(*table.primary_key.columns)
                rows = (await connection.execute(query)).all()
                found |= {(table.name, name): [row[at] for row in rows] for at, name in enumerate(names)}
    return found


async def fill(store: Store, place: PlaceRow, people: list[Person]) -> str:
    """Store something of all kinds, and set every time column of every row; return the id of a game."""
    ada = people[0]
    game = await store_game(store, place, people)
    await store.posts.add(game.id, place.id, START)
    step = one_step(replace(game, terms=Terms(clock=86_400), status="playing", to_move=ada.id))
    promised = (NewNotice(ada.id, "turn", "x", START), NewNotice(ada.id, DIGEST_KIND, "y", START))
    await store.games.commit(replace(step, promised=promised))
    cup = await store_cup(store, make_cup_row(place.id, ada.id))
    await store.daily.switch_on(place.id, 9, START)
    await store.daily.promise(place.id, "2026-11-21", "annuvin-1", START, START)
    await store.links.store_code("K7QF", ada.id, START)
    await store.bans.add(place.id, "kick", ada.id, [], START, START)
    await store.webhooks.create(place.id, "https://example.org", "secret", ada.id, START, 5)
    await store.competitions.commit(
        CompetitionChange(
            row=cup, events=(NewEvent("entered"),), at=START, processed=ProcessedEvent("web", "2"), moves=0
        )
    )
    async with store._database.transaction() as connection:
        for table in metadata.sorted_tables:
            times = {each.name: time_after(days=1) for each in table.columns if isinstance(each.type, Utc)}
            if times and table.name != "clock_moves":
                await connection.execute(update(table).values(**times))
    return game.id


@pytest.mark.parametrize("hours", [3, -3, 60, -60])
async def test_what_is_left_of_a_duration_stays_and_all_else_does(
    store: Store, place: PlaceRow, people: list[Person], hours: int
) -> None:
    game = await fill(store, place, people)
    before = await everything(store)
    assert await store.clock.move(hours * HOUR, START, time_after(hours=hours)) == 1
    after = await everything(store)
    later, now = time_after(days=1, hours=hours), time_after(hours=hours)
    is_long, days = abs(hours) > 24, 2 if hours == -60 else 0
    for kind, expected in (
        (GAME_CLOCKS, later),
        (stored_clock.DURATIONS, later),
        (stored_clock.RETENTIONS, later if is_long else time_after(days=1)),
        (stored_clock.LOOKS, now if hours < 0 else time_after(days=1)),
        (FIXED, time_after(days=1)),
    ):
        for table, names in kind.items():
            for name in names:
                if (table, name) in (("notices", "due_at"), ("clock_moves", "at")):
                    continue
                assert set(after[table, name]) <= {expected, None}, (table, name)
                assert [at is None for at in after[table, name]] == [at is None for at in before[table, name]]
    assert sorted(after["notices", "due_at"], key=str) == sorted([later, time_after(days=1 - days)], key=str)
    assert present(await store.games.get(game)).progress.moved_seconds == hours * HOUR


async def test_moves_of_one_turn_add_up_and_the_others_hear_of_them(
    store: Store, place: PlaceRow, people: list[Person]
) -> None:
    game, received = await fill(store, place, people), list[str]()
    store.add_listener(lambda news: received.append(news[0]), {"moved"})
    for seconds in (90, 30, -50):
        await store.clock.move(seconds, START, START)
    row = present(await store.games.get(game))
    assert (row.deadline, row.progress) == (time_after(days=1, seconds=70), GameProgress(moved_seconds=70))
    assert [move.seconds for move in await store.clock.list_moves()] == [90, 30, -50]
    assert [move.seconds for move in await store.clock.list_moves(after=2)] == [-50]
    assert received == ["moved"] * 3


async def test_times_in_settings_and_values_are_moved(store: Store, people: list[Person]) -> None:
    ada, bob = people[:2]
    until, over = time_after(days=2), time_after(days=-2)
    for person, end in ((ada, until), (bob, over)):
        await store.people.change_settings(person.id, {"holiday_until": end.isoformat(), "theme": "dark"})
    half = {"tap": "1", "at": until.isoformat(), "game": "ABCDEF", "revision": 1, "answers": {}}
    values: dict[str, dict[str, Any]] = {
        "passing:1:2": {"owner": 5, "until": until.isoformat()},
        "half:1:2:3": half,
        "launch.1.2": {"at": round(until.timestamp()), "game": "ABCDEF"},
        "other": half,
        "half:broken": half | {"at": "tomorrow"},
    }
    for name, value in values.items():
        await store.key_values.set("telegram", name, value)
    await store.clock.move(HOUR, START, time_after(hours=1))
    later = time_after(days=2, hours=1)
    assert [present(await store.people.get(each.id)).settings["holiday_until"] for each in (ada, bob)] == [
        later.isoformat(),
        over.isoformat(),
    ]
    assert [await store.key_values.get("telegram", name) for name in values if name != "half:broken"] == [
        {"owner": 5, "until": later.isoformat()},
        half | {"at": later.isoformat()},
        {"at": round(later.timestamp()), "game": "ABCDEF"},
        values["other"],
    ]


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)  # a server stores no such times
async def test_a_time_that_cannot_be_read_stays_as_it_is(store: Store, place: PlaceRow, people: list[Person]) -> None:
    await fill(store, place, people)
    async with store._database.transaction() as connection:
        await connection.exec_driver_sql("UPDATE notices SET due_at = 'soon'")
    await store.clock.move(HOUR, START, time_after(hours=1))
    async with store._database.snapshot() as connection:
        assert set((await connection.execute(select(notices.due_at))).scalars()) == {UNKNOWN_TIME}
        found = await connection.exec_driver_sql("SELECT due_at FROM notices")
        assert {value for (value,) in found} == {"soon"}


async def test_boards_with_a_clock_are_shown_again_over_some_minutes(
    store: Store, place: PlaceRow, people: list[Person]
) -> None:
    await fill(store, place, people)
    (post,) = await store.posts.list_for_game((await store.games.list_ids())[0])
    await store.posts.record_shown(post, ShownPost("m1", post.revision, 1), START)
    assert present(await store.posts.get(post.id)).due_at is None
    await store.clock.move(300, START, time_after(minutes=5))
    assert present(await store.posts.get(post.id)).due_at is None, "not worth a message"
    await store.clock.move(HOUR, START, time_after(hours=1))
    shown = present(await store.posts.get(post.id))
    assert shown.shown_revision == shown.revision - 1
    since = present(shown.due_at) - time_after(hours=1)
    assert timedelta() <= since <= timedelta(seconds=stored_clock.SHOWN_SPREAD_SECONDS)


@pytest.mark.parametrize("address", ["postgresql"], indirect=True)  # a file has no server
async def test_the_time_of_the_server_is_asked_of_the_server(store: Store) -> None:
    first = await store.clock.server_time()
    assert first <= await store.clock.server_time()
    assert re.fullmatch(r"UTC(\+00:00)?", str(first.tzinfo))
