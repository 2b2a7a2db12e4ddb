"""A database with something in every table: filled, read again, counted, and made one of an older version."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import insert, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import (
    Ballot,
    CompetitionChange,
    EntrantRow,
    FormDraft,
    NewPost,
    NewProposal,
    NewTitle,
    PuzzleDay,
    PuzzleRating,
    ShownPost,
    Store,
    StoredTree,
    WebhookCursor,
)
from storage.addresses import database_file, read_url
from storage.competition_schema import team_sides
from storage.database import Database
from storage.message_schema import NewInteractionPass, NewNotice
from storage.puzzle_schema import guesses, played_puzzles, puzzle_sources
from storage.rows import GameChange, NewEvent
from storage.schema import LIVE, NewResult, ProcessedEvent, Rating, metadata
from tests.support.older import back_to
from tests.support.present import present
from tests.support.stores import (
    ALL_TIME,
    START,
    add_post,
    make_cup_row,
    make_place,
    some_people,
    store_cup,
    store_game,
    time_after,
)

POSITION: Final[dict[str, Any]] = {"game": "annuvin"}
TREE: Final[dict[str, Any]] = {
    "roots": [[1, 0, 0, "d", POSITION, {}]],
    "nodes": [[2, 1, ["b1-b2"], "", True]],
    "here": 2,
    "begun": [],
    "tip": 2,
    "last": 2,
    "checked": 1,
    "stopped": "",
}
PLAYED: Final[dict[str, Any]] = {
    "turn": 3,
    "seat": 0,
    "begun": 0,
    "played": ["b1-b2"],
    "better": ["c1-c2"],
    "before": 0.5,
    "after": 0.25,
}
MISTAKE: Final[dict[str, Any]] = {
    "id": 0,
    "game": "annuvin",
    "names": ["Ada", "Bob"],
    "position": POSITION,
    "found": {"choice": PLAYED, "values": {"b1-b2": 0.25}},
    "at": 0,
    "count": 1,
}


PUZZLE: Final[dict[str, Any]] = {
    "id": "annuvin-played",
    "position": POSITION,
    "goal": ["win", 1],
    "tree": [["b1-b2"]],
    "size": 1,
    "difficulty": 1,
    "motif": "corner",
}


async def fill_guesses(store: Store, game: str, person: int) -> None:
    """Store a guess at a turn of a game, and that somebody agreed to it, whatever the game stands like."""
    await store.guesses.agree(game, person, START)
    row = {"game": game, "revision": 1, "person": person, "actions": ["a1-a2"], "made_at": START, "checked": 1}
    async with store._database.transaction() as connection:
        await connection.execute(insert(guesses).values(**row))


async def _fill_played_puzzles(store: Store, game: str) -> None:
    """Store a puzzle from a game, whether anybody has agreed to that or not."""
    row = {"id": PUZZLE["id"], "game": game, "game_key": "annuvin", "data": PUZZLE, "made_at": START}
    async with store._database.transaction() as connection:
        await connection.execute(insert(puzzle_sources).values(game=game, looked_at=START))
        await connection.execute(insert(played_puzzles).values(**row))


async def _vote_in_round(store: Store, game: str, team: int, person: int) -> None:
    """Store a proposal, with the vote for it, in the first round of a team."""
    async with store._database.transaction() as connection:
        await connection.execute(update(team_sides).values(round=1, closes_at=time_after(days=1)))
    proposed = NewProposal("turn", ("a", "b"))
    await store.teams.propose(Ballot(game, team, 1, person, 0), proposed, START, most=9, most_each=3)


async def fill_store(address: str) -> dict[str, Any]:
    """Store games with everything that refers to them, and return all that is told about them."""
    async with await Store.open(address) as store:
        place, people = await make_place(store), await some_people(store, "Ada", "Bob")
        games = [await store_game(store, place, people) for _ in range(3)]
        for number, game in enumerate(games):
            post = await add_post(store, game.id, place.id, START)
            change = GameChange(
                game=replace(game, status="over", position={"n": number}, deadline=time_after(days=1)),
                events=(NewEvent("a", {"draw": number}, people[0].id), NewEvent("b")),
                at=time_after(minutes=number),
                processed=ProcessedEvent("web", f"{number}"),
                results=(NewResult(0, 1, "goal", people[0].id), NewResult(1, 2, "goal", people[1].id)),
                ratings=(
                    Rating(people[0].id, "annuvin", 25.5, 8.0, number),
                    Rating(people[0].id, "annuvin", 26.5, 7.0, number, pace=LIVE),
                ),
            )
            games[number] = await store.games.commit(change)
            await store.posts.record_shown(post, ShownPost(f"m{number}", 2, 1), START)
        await store.room.add_message(START, author=people[0].id, text="ciao", picture=b"png")
        await store.places.record_seen(place.id, people[0].id, START)
        await store.links.store_code("K7QF", people[0].id, time_after(days=1))
        draft = FormDraft("D7QF", people[0].id, "cup", 1, {"clock": "3d"}, place.id, time_after(days=1))
        await store.drafts.put(draft)
        await store.alarms.record_heartbeat("here", START)
        await store.clock.move(60, START, time_after(minutes=1))
        await store.key_values.set("web", "n", {"channel": "n"})
        await store.lessons.record_offer(people[0].id, "real-queen", START)
        await store.trees.store(StoredTree(people[0].id, games[0].id, TREE, planned=True), START, 40)
        asked = (people[0].id, "annuvin-c3645a3e34", "annuvin", "corner")
        attempt = await store.puzzles.begin_attempt(*asked, START, place.id, counts=True)
        day = PuzzleDay(people[0].id, "2026-11-21", "annuvin-c3645a3e34", "clean")
        await store.puzzles.update_attempt(replace(attempt, result="solved", ended_at=START), START, day=day)
        _, figures = await store.puzzles.lock_ratings_for_update(people[0].id, "annuvin-c3645a3e34")
        await store.puzzles.store_ratings([PuzzleRating(people[0].id, "", 25.0, 8.0, 1)], figures)
        await store.own_moments.add(people[0].id, games[0].id, "annuvin", [(3, MISTAKE)], START)
        await _fill_played_puzzles(store, games[0].id)
        await store.analyses.store(
            games[0].id, {"version": 4, "points": [], "moments": [], "swings": [], "settled": []}, START
        )
        await fill_guesses(store, games[0].id, people[0].id)
        cup = await store_cup(store, make_cup_row(place.id, people[0].id))
        entry = EntrantRow(0, people[0].id, place.id, "web:1")
        step = CompetitionChange(row=cup, events=(NewEvent("entered"),), at=START, entrants=(entry,))
        await store.competitions.commit(replace(step, games=(("1.0.0", games[0].id),)))
        await store.titles.award([NewTitle(people[0].id, "league", "annuvin", cup.id, "1")], START)
        await store.notices.promise(games[0].id, (), [NewNotice(people[1].id, "over", games[0].id)], START)
        await store.notices.set_choice(place.id, people[1].id, "private")
        await store.passes.add(place.id, NewInteractionPass("secret", "m0", time_after(minutes=15), 5), START)
        await store.bans.add(place.id, "ban", people[1].id, [], None, START)
        await store.public.create_ids("game", [games[0].id], START)
        hook = present(await store.webhooks.create(place.id, "https://example.org", "secret", people[0].id, START, 5))
        await store.webhooks.note_sent(WebhookCursor(hook.id, f"game:{games[0].id}", 2, 1, over=True))
        team = await store.teams.get_or_create(place.id, "", "Our channel", START)
        voter = await store.people.identify("web", "voter", "Cleo", at=START)
        await store.teams.add_side(games[0].id, team.id, 3600)
        await store.teams.admit(games[0].id, team.id, voter.id)
        await _vote_in_round(store, games[0].id, team.id, voter.id)
        await store.teams.invite(games[0].id, team.id, [people[0].id], START)
        await store.daily.switch_on(place.id, 9, START)
        await store.daily.promise(place.id, "2026-11-21", "annuvin-c3645a3e34", START, time_after(days=1))
        await store.posts.promise(NewPost("month", "2026-11", place.id, START, time_after(days=9)))
    return await read_everything(address)


async def read_everything(address: str) -> dict[str, Any]:
    """Return all that the public verbs tell about what `fill_store` has stored."""
    async with await Store.open(address) as store:
        place = await make_place(store)
        games = {result.game for result in await store.games.list_results_between(place.id, *ALL_TIME)}
        return {
            "games": {game: await store.games.get(game) for game in games},
            "events": {game: await store.games.events(game) for game in games},
            "posts": {game: await store.posts.list_for_game(game) for game in games},
            "results": await store.games.list_results_between(place.id, *ALL_TIME),
            "room": await store.room.list_messages(None),
            "members": await store.places.members(place.id),
            "handled": [await store.processed_events.get("web", f"{n}") for n in range(3)],
        }


@asynccontextmanager
async def connected(address: str) -> AsyncIterator[AsyncConnection]:
    """Give a connection to a database, beside the store's."""
    database = Database(read_url(address), 30)
    async with database.transaction() as connection:
        yield connection
    await database.close()


async def count_rows(address: str) -> dict[str, int]:
    """Return how many rows each table has."""
    async with connected(address) as connection:
        return {
            name: (await connection.exec_driver_sql(f"SELECT count(*) FROM {name}")).scalar_one()  # noqa: S608
            for name in metadata.tables
        }


async def downgrade(address: str, version: str) -> None:
    """Make a database of today one of an older version."""
    async with connected(address) as connection:
        for statement in back_to(version, postgresql=database_file(address) is None):
            await connection.execute(text(statement))


async def migrate(address: str, steps: Path) -> None:
    """Open a database with further migrations: what runs in a process of its own."""
    await Store.open(address, steps=[steps])


async def find_differences(address: str) -> list[Any]:
    """Return how the tables of a database differ from those that the program expects."""
    async with connected(address) as connection:
        return await connection.run_sync(lambda sync: compare_metadata(MigrationContext.configure(sync), metadata))
