"""A database that grows for years: no statement of any verb reads a whole table."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from storage import (
    CompetitionChange,
    EntrantRow,
    EventOrigin,
    FormDraft,
    NewPost,
    NewTitle,
    PuzzleDay,
    PuzzleRating,
    ShownPost,
    Store,
    StoredTree,
    WebhookCursor,
)
from storage.addresses import read_url
from storage.database import Database, Repository
from storage.message_schema import NewInteractionPass, NewNotice
from storage.rows import GameChange, NewEvent, PastNotice
from storage.schema import NewResult, Person, PlaceRow, ProcessedEvent, metadata
from tests.storage import using_guesses, using_months, using_played_puzzles, using_teams
from tests.support.present import present
from tests.support.sent import each_sent
from tests.support.stores import (
    START,
    add_post,
    list_posts_in,
    make_cup_row,
    make_place,
    one_step,
    some_people,
    store_cup,
    store_game,
    time_after,
)

READ_FOR_MOVES: Final = {
    *("people", "key_values", "link_codes", "form_drafts", "webhooks", "interaction_tokens", "daily_messages"),
    *("processed_events", "notices", "analysis_boards"),
}
"""Tables that are read whole if the clock was set, or the program away: those of the second line by a day or more.

None of them grows with each game for years.
"""
OTHER_METHODS: Final = {"write_error", "write_failures"}
"""What subjects of the store have besides statements."""
NOT_EXPLAINED: Final = ("PRAGMA", "BEGIN", "SAVEPOINT", "RELEASE", "ROLLBACK", "EXPLAIN")


@pytest.fixture
def statements() -> Iterator[dict[str, Any]]:
    """Every statement that was sent, with the parameters it had first."""
    sent: dict[str, Any] = {}

    def note(statement: str, parameters: Any) -> None:
        if not statement.startswith(NOT_EXPLAINED):
            sent.setdefault(statement, parameters)

    with each_sent(note):
        yield sent


async def use_every_verb(store: Store) -> None:
    """Call everything that the store can do."""
    place, people = await make_place(store), await some_people(store, "Ada", "Bob")
    ada, bob = people
    await store.people.identify("web", "ada", "Ada L.", "it")
    await store.people.get(ada.id)
    await store.people.identities(ada.id)
    await store.people.identities_with_prefix("web", "a")
    await store.people.ids_of_users("web", ["ada"])
    await store.people.add_identity(ada.id, "web", "ada2", "Ada", "en")
    await store.people.change_settings(ada.id, {"theme": "dark"})
    await store.people.find("ada l.", platform="web", place=place.id)
    await store.places.get_or_create("web", "room", title="New")
    await store.places.get(place.id)
    await store.places.change_settings(place.id, {"theme": "dark"})
    await store.places.record_seen(place.id, ada.id, START)
    await store.places.record_seen(place.id, ada.id, time_after(days=1))
    await store.places.members(place.id)
    game = await store_game(store, place, people)
    post = await add_post(store, game.id, place.id, START)
    change = GameChange(
        game=replace(game, status="playing", to_move=ada.id, seats=game.seats[::-1]),
        events=(NewEvent("a"), NewEvent("b")),
        at=START,
        processed=ProcessedEvent("web", "1"),
    )
    game = await store.games.commit(change)
    await store.games.list_for_person(ada.id)
    await store.games.list_thinking()
    await store.games.count_thinking()
    await store.games.list_ids()
    await store.games.count_live("status")
    await store.posts.count_due(START)
    await store.alarms.disable("AAAAAA")
    await store.ratings.count_marks(ada.id, "computer")
    await store.games.list_in_place(place.id)
    await store.games.list_for_person(ada.id, place=place.id)
    await store.games.list_in_place(place.id, status="lobby")
    await store.posts.list_for_game(game.id)
    await store.posts.get(post.id)
    await store.posts.get_with_notices(post.id)
    await store.posts.list_due(START)
    await store.posts.list_due(START, 10, ("web", "telegram"))
    await store.posts.next_due_at()
    await store.posts.record_shown(post, ShownPost("m1", 2, 0), START)
    await store.posts.record_shown(post, ShownPost("m2", 2, 1), START)
    await store.posts.record_late(post, "m2", 1, START)
    await store.posts.record_late(post, "m3", 1, START)
    await store.posts.record_retired(post, ["m1"], START)
    await store.posts.record_failure(post.id, START)
    await store.posts.find_by_message("web", "room", "m2")
    await store.posts.find_by_message("web", "room", "m2", kind=None)
    await store.alarms.set_deadline(game, START, START)
    await store.posts.add(game.id, place.id, START)
    await store.posts.close_earlier(post)
    await store.posts.block(post.id)
    await store.posts.unblock("web", "group", START)
    await store.posts.unblock("web", None, START)
    await store.posts.list_changing("web", channel="room", thread="1")
    await store.posts.list_changing("web", group_id="group")
    await store.posts.close(post.id)
    await store.posts.delete_ended(["notice", "digest"], START)
    results = (NewResult(0, 1, "goal", ada.id), NewResult(1, 2, "goal", bob.id))
    await store.games.commit(one_step(replace(game, status="over"), results=results))
    await store.games.get(game.id)
    await store.analyses.store(game.id, {"points": []}, START)
    await store.analyses.get(game.id)
    await store.games.last_finished_in(place.id)
    await store.games.events(game.id, after=1)
    await store.games.results_of(game.id)
    await store.processed_events.get("web", "2")
    origin = EventOrigin(platform="web", user="ada", name="Ada", channel="room")
    await store.processed_events.resolve_source("2", origin, START)
    await store.games.get_with_people(game.id)
    await store.key_values.check_writable()
    await store.games.revision(game.id)
    await store.processed_events.delete_before(START)
    await store.room.delete_old_messages(0, 0)
    said = await store.room.add_message(START, author=ada.id, text="ciao", picture=b"png", key="k")
    await store.room.add_message(START, key="k")
    await store.room.update_message(said.id, START, text="new", picture=b"png")
    await store.room.get(said.id)
    await store.room.list_messages(ada.id, before=99)
    await store.room.messages_after(0)
    await store.room.changes_since(0, 9)
    await store.room.get_many([said.id])
    await store.room.last_change()
    await store.room.picture(said.id, ada.id)
    await store.room.delete_message(said.id, START)
    async with store.transaction():
        await store.games.get(game.id)
    await use_the_passes(store)
    await use_the_club(store, place, people)


async def use_the_passes(store: Store) -> None:
    """Call what the store can do about places where the bot is a guest."""
    place = await store.places.get_or_create("discord", "dm", None, "g", guest=True)
    await store.passes.places_without("AAAAAA", START)
    await store.people.record_reachability("web", "ada", can_dm=False)
    brought = await store.passes.add(place.id, NewInteractionPass("secret", "m", time_after(minutes=15), 5), START)
    await store.passes.list_usable("discord", "dm", None, START)
    await store.passes.record_spent(brought.id)
    await store.passes.record_sent(brought.id, "n")
    await store.passes.record_answered(place.id, "secret", START)
    await store.passes.delete(brought.id)
    await store.passes.delete_expired(START)
    await store.passes.promote_guest_places("discord", "g", START)


async def use_the_club(store: Store, place: PlaceRow, people: list[Person]) -> None:
    """Call what the store can do around games."""
    ada, bob = people
    await store.alarms.record_heartbeat("here", START)
    await store.alarms.list_due(START)
    await store.alarms.lock_heartbeat("here")
    await store.clock.shift_live(timedelta(seconds=1), START)
    await store.clock.hold(timedelta(hours=1), ("annuvin",))
    await store.clock.list_moves()
    await store.games.count_live("game")
    await store.games.is_kind_known("annuvin")
    await store.ratings.lock_for_update([ada.id, bob.id], "annuvin")
    await store.ratings.list_for_people([ada.id])
    await store.ratings.best("annuvin")
    await store.ratings.results_of_person(ada.id)
    await store.ratings.results_of_person(ada.id, "annuvin")
    await using_months.use_months(store, place, ada)
    await store.ratings.head_to_head(ada.id, bob.id)
    await store.lessons.is_new_to(ada.id, "annuvin")
    await store.lessons.people_who_finished([ada.id, bob.id], "annuvin")
    await store.lessons.record_offer(ada.id, "annuvin", START)
    await store.lessons.list_for_person(ada.id)
    lesson = await store.lessons.begin(ada.id, "real-queen", START)
    await store.lessons.update(lesson, START, ProcessedEvent("web", "3"))
    await store.lessons.get(lesson.id)
    game = await store_game(store, place, [ada])
    tried = await store.trees.store(StoredTree(ada.id, game.id, planned=True), START, 2, ProcessedEvent("web", "4"))
    tried = await store.trees.store(tried, START, 2)
    await store.trees.get(ada.id, game.id)
    await store.trees.delete(tried, START)
    await store.trees.list_for_person(ada.id)
    await store.trees.list_plans(game.id)
    await store.trees.delete_expired(START)
    await use_the_puzzles(store, place, ada)
    await using_teams.use_teams(store, place, ada, game.id)
    await using_guesses.use_guesses(store, place.id, ada.id, game.id)
    await using_played_puzzles.use_played_puzzles(store, ada.id, game.id)
    await use_competitions(store, place, ada, game.id)
    await use_what_is_public(store, place, ada, game.id)
    await store.links.store_code("K7QF", ada.id, time_after(days=1))
    await store.links.redeem_code("K7QF", START)
    await store.links.merge_people(ada.id, bob.id)
    await store.links.split_identity("web", "bob")
    await use_the_notices(store, place, ada)
    await store.key_values.set("web", "read", {"next": 1})
    await store.key_values.announce("web", "read", {"next": 2})
    await store.key_values.set("web", "read", None)
    await store.key_values.get("web", "read")
    await store.key_values.get_or_add("web", "key", {"n": 1})
    await store.key_values.get_with_prefix("web", "read")
    await store.bans.add(place.id, "ban", ada.id, ["f1."], None, START)
    await store.bans.list_in_place(place.id, START)
    await store.bans.remove(place.id, "ban", [ada.id], ["f1."])
    await store.bans.delete_expired(START)
    await store.people.identities(ada.id, bob.id)
    await use_the_moments(store, ada, game.id)
    await use_the_dailies(store, place)
    await store.places.get_or_create("web", "hall")
    await store.places.move_channel("web", "hall", "room", START)
    await store.privacy.export_person(ada.id)
    await store.privacy.forget_person(ada.id, START)


async def use_the_moments(store: Store, ada: Person, game: str) -> None:
    """Call what the store can do about moments of own games."""
    await store.own_moments.add(ada.id, game, "annuvin", [(3, {})], START)
    (stored,) = await store.own_moments.list_in_game(ada.id, game)
    await store.own_moments.get(stored.id)
    await store.own_moments.next_due(ada.id, START)
    await store.own_moments.next_due(ada.id, START, "annuvin")
    await store.own_moments.record_review(stored.id, 0, {}, START, solved=True)
    await store.own_moments.counts(ada.id, START)
    await store.own_moments.counts(ada.id, START, "annuvin")


async def use_the_puzzles(store: Store, place: PlaceRow, ada: Person) -> None:
    """Call what the store can do about puzzles."""
    attempt = await store.puzzles.begin_attempt(ada.id, "annuvin-1", "annuvin", "corner", START, place.id, counts=True)
    day = PuzzleDay(ada.id, "2026-11-21", "annuvin-1", "clean")
    attempt = await store.puzzles.update_attempt(attempt, START, ProcessedEvent("web", "5"), day=day)
    await store.daily.mark_attempted(attempt, START)
    await store.puzzles.get_attempt(attempt.id)
    await store.puzzles.get_last_attempt(ada.id)
    await store.puzzles.has_ended("annuvin-1", [ada.id])
    await store.puzzles.list_attempts(ada.id)
    await store.puzzles.list_solved_days(ada.id)
    _, figures = await store.puzzles.lock_ratings_for_update(ada.id, "annuvin-1")
    await store.puzzles.store_ratings([PuzzleRating(ada.id, "", 25.0, 8.0)], figures)
    await store.puzzles.list_ratings(ada.id)
    await store.puzzles.get_figures(["annuvin-1"])
    await store.puzzles.publish_solution("annuvin-1", START)
    await store.puzzles.get_solved_summary("annuvin-1", place.id, START)
    await store.puzzles.list_standings("2026-11-01", place.id)
    await store.puzzles.list_standings("2026-11-01", place.id, ("web", "g"))


async def use_the_notices(store: Store, place: PlaceRow, person: Person) -> None:
    """Call what the store can do about what people are told."""
    game = await store_game(store, place, [person])
    post = await add_post(store, game.id, place.id, START)
    await store.posts.promise(NewPost("offer", "draw", place.id, START, game=game.id))
    await store.posts.show(NewPost("offer", "draw", place.id, START, game=game.id))
    await list_posts_in(store, place.id, "offer")
    await store.posts.list_with(kind="offer", subject="draw")
    await store.posts.mark_due(START, kind="offer", subject="draw")
    await store.posts.put_off(post.id, START)
    await store.posts.finish(post.id)
    past = [PastNotice("turn"), PastNotice("offer", "x", person.id)]
    await store.notices.promise(game.id, past, [NewNotice(person.id, "turn", "1", START)], START)
    (notice,) = await store.notices.list_for_game(game.id)
    await store.notices.list_due(START)
    await store.notices.next_due_at()
    await store.notices.wait_for_post(notice)
    await store.notices.find(person.id, "turn", "1")
    await store.notices.record_route(notice, "here", place=place.id)
    await store.notices.reroute(notice, "channel", place.id, START)
    await store.notices.record_failure(notice, START)
    await store.notices.reopen(START, game=game.id, place=place.id)
    await store.notices.reopen(START, person=person.id)
    await store.notices.list_for_person(person.id, "digest")
    await store.notices.postpone(notice, START)
    await store.notices.record_delivered([notice], START, place=place.id)
    await store.notices.delete_before(time_after(days=1))
    await store.notices.postpone(notice, None)
    await store.notices.last_seen_in(person.id, [place.id])
    await store.places.filter_seen(place.id, [person.id])
    await store.places.players_seen(place.id, game.id)
    await store.notices.set_choice(place.id, person.id, "none")
    await store.notices.choices(person.id)
    await store.notices.set_choice(place.id, person.id, None)


async def use_the_dailies(store: Store, place: PlaceRow) -> None:
    """Call what the store can do about what comes once a day."""
    await store.daily.switch_on(place.id, 9, START)
    await store.daily.list_due(START, ("web", "telegram"))
    await store.daily.next_due_at(("web", "telegram"))
    await store.daily.postpone(place.id, START, START)
    await store.daily.reschedule(place, START)
    await store.daily.promise(place.id, "2026-11-20", "annuvin-0", START, START)
    await store.daily.promise(place.id, "2026-11-21", "annuvin-1", START, START)
    await store.daily.mark_since(START, START)
    await store.daily.is_past(place.id, "2026-11-20")
    await store.daily.hasten_earlier(place.id, "2026-11-21", START)
    await store.daily.switch_off(place.id)
    await store.daily.end(place.id)


async def use_competitions(store: Store, place: PlaceRow, person: Person, game: str) -> None:
    """Call what the store can do with competitions."""
    cup = await store_cup(store, make_cup_row(place.id, person.id))
    entry = EntrantRow(0, person.id, place.id, "web:1")
    step = CompetitionChange(row=cup, events=(NewEvent("entered"),), at=START, entrants=(entry,))
    await store.competitions.commit(replace(step, games=(("1.0.0", game),), processed=ProcessedEvent("web", "cup-5")))
    await store.competitions.get(cup.id)
    await store.competitions.list_ids()
    await store.competitions.events(cup.id)
    await store.competitions.entrants(cup.id)
    await store.competitions.paired_games(cup.id)
    await store.competitions.list_due(START)
    await store.competitions.next_due_at()
    await store.competitions.postpone(cup.id, START, START)
    await store.competitions.list_made_by(person.id)
    await store.competitions.private_place(person.id, "web")
    await store.competitions.list_in_place(place.id)
    await store.competitions.count_wins(person.id)
    await store.titles.award([NewTitle(person.id, "league", "annuvin", cup.id, "1")], START)
    await store.titles.list_for_person(person.id)
    await store.drafts.put(FormDraft("AAAA", person.id, "cup", 1, {}, place.id, START))
    await store.drafts.get("AAAA", person.id, START)
    await store.drafts.delete_expired(START)
    await store.competitions.add_place(cup.id, place.id, START)
    await store.posts.list_of_competition(cup.id)


async def use_what_is_public(store: Store, place: PlaceRow, person: Person, game: str) -> None:
    """Call what the store can do about what the world is shown, and about webhooks."""
    await store.places.change_settings(place.id, {"public": True})
    await store.public.list_public_places()
    ids = await store.public.create_ids("game", [game], START)
    await store.public.find_ids("person", [person.id])
    await store.public.get(ids[game])
    await store.public.game_consent(game)
    await store.public.people_of_games([game])
    cup = (await store.competitions.list_ids())[0]
    await store.public.competition_places(cup)
    await store.public.current_person(person.id)
    await store.public.list_games([place.id], limit=5)
    chosen: dict[str, Any] = {"game_key": "annuvin", "status": "over", "person": person.id, "competition": cup}
    await store.public.list_games([place.id], limit=5, after=(START, "AAAAAA"), **chosen)
    await store.public.list_games_of_competition(cup, [place.id])
    await store.public.list_competitions([place.id], limit=5, after=(START, "AAAAAA"))
    hook = present(await store.webhooks.create(place.id, "https://example.org", "secret", person.id, START, 5))
    await store.webhooks.list_all()
    await store.webhooks.list_in_place(place.id)
    await store.webhooks.get(hook.id)
    await store.webhooks.list_behind(hook, START)
    await store.webhooks.note_failure(hook, START, START)
    await store.webhooks.postpone(hook.id, START)
    await store.webhooks.note_sent(WebhookCursor(hook.id, f"game:{game}", 2, 1, over=False))
    await store.webhooks.cursor(hook.id, f"game:{game}")
    await store.webhooks.stop(hook.id, "failing")
    await store.webhooks.remove(hook.id)


def called_above() -> set[tuple[str, str]]:
    """Return the methods that this module, and what it calls, call, each with its subject."""
    text = "".join(each.read_text("utf-8") for each in (Path(__file__), *Path(__file__).parent.glob("using_*.py")))
    return set(re.findall(r"store\.(\w+)\.(\w+)\(", text))


def all_methods(store: Store) -> set[tuple[str, str]]:
    """Return the methods of all subjects of a store, each with its subject."""
    subjects = {name: part for name, part in vars(store).items() if isinstance(part, Repository)}
    return {
        (name, method)
        for name, part in subjects.items()
        for method in dir(part)
        if not method.startswith("_") and method not in OTHER_METHODS
    }


async def test_every_statement_finds_its_rows_by_an_index(tmp_path: Path, statements: dict[str, Any]) -> None:
    path = tmp_path / "x.db"
    async with await Store.open(path) as store:
        # All but the last, which is PostgreSQL's, are called by other methods.
        others = {("people", "get_many"), ("games", "create"), ("games", "list_briefs"), ("clock", "server_time")}
        others |= {("puzzles", "drop_attempts"), ("puzzles", "transfer_attempts"), ("guesses", "drop_own")}
        others |= {("competitions", f"{verb}_entries") for verb in ("transfer", "restore", "forget")}
        others |= {("competitions", "create")}
        others |= {("played_puzzles", "withdraw_without_consent"), ("passes", "open_places")}
        assert all_methods(store) - called_above() == others, (
            "call what is new in use_every_verb, or in tests/storage/using_*.py"
        )
        statements.clear()
        await store.clock.move(-1_000_000, START, START)
        moves = set(statements)
        await use_every_verb(store)
        asked = {statement: parameters for statement, parameters in statements.items() if "INSERT" not in statement}
    assert len(asked) > 40
    used, database = set[str](), Database(read_url(path), 1)
    async with database.snapshot() as connection:
        for statement, parameters in asked.items():
            plan = await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", tuple(parameters))
            for row in plan:
                whole_table = re.match(rf"SCAN ({'|'.join(metadata.tables)})$", row.detail)
                if whole_table and not (statement in moves and whole_table[1] in READ_FOR_MOVES):
                    raise AssertionError(f"{row.detail}: {statement}")
                used |= set(re.findall(r"INDEX (ix_\w+)", row.detail))
    await database.close()
    # What is over, or delivered, is not even looked at.
    assert used >= {"ix_seats_live", "ix_game_places_live", "ix_posts_due", "ix_notices_due"}
