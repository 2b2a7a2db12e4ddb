"""A database that grows for years: no statement of any verb reads a whole table."""

from __future__ import annotations

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
    GameChange,
    NewEvent,
    NewNotice,
    NewPass,
    NewResult,
    PastNotice,
    Person,
    PlaceRow,
    ProcessedEvent,
    PuzzleDay,
    PuzzleRating,
    Store,
    Tried,
)
from storage.database import Database, read_url
from storage.schema import metadata
from tests.support.sent import each_sent
from tests.support.stores import START, a_cup_row, a_game, a_place, after, some_people

NO_VERBS: Final = {
    "open", "open_as_it_is", "close", "backup", "transaction", "savepoint", "afterwards", "listen",
    "share", "shared", "claimed", "claim", "release", "holds", "era", "crowd", "company",
    "trouble", "failures", "misread", "damages", "brings", "memory", "recalling", "forget_table",
    "removed_files", "put_into_file", "size", "give_space_back",
}  # fmt: skip
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
    place, people = await a_place(store), await some_people(store, "Ada", "Bob")
    ada, bob = people
    await store.person_by_identity("web", "ada", "Ada L.", "it")
    await store.person(ada.id)
    await store.identities(ada.id)
    await store.identities_like("web", "a")
    await store.persons_of("web", ["ada"])
    await store.add_identity(ada.id, "web", "ada2", "Ada", "en")
    await store.set_person_settings(ada.id, {"theme": "dark"})
    await store.find_people("ada l.", platform="web", place=place.id)
    await store.place("web", "room", title="New")
    await store.place_by_id(place.id)
    await store.set_place_settings(place.id, {"theme": "dark"})
    await store.seen(place.id, ada.id, START)
    await store.seen(place.id, ada.id, after(days=1))
    await store.members(place.id)
    game = await a_game(store, place, people)
    surface = await store.add_surface(game.id, place.id, START)
    change = GameChange(
        game=replace(game, status="playing", to_move=ada.id, seats=game.seats[::-1]),
        events=(NewEvent("a"), NewEvent("b")),
        at=START,
        processed=ProcessedEvent("web", "1"),
    )
    game = await store.commit(change)
    await store.games_of(ada.id)
    await store.thinking_games()
    await store.thinking_counts()
    await store.game_ids()
    await store.game_counts()
    await store.due_count(START)
    await store.hasten_surfaces(after(days=1), START)
    await store.silence("AAAAAA")
    await store.marks_of(ada.id, "computer")
    await store.games_in(place.id)
    await store.waiting_here(ada.id, place.id)
    await store.lobbies_in(place.id)
    await store.surfaces(game.id)
    await store.surface(surface.id)
    await store.surface_with_notices(surface.id)
    await store.due_boards(START)
    await store.due_boards(START, 10, ("web", "telegram"))
    await store.next_due()
    await store.surface_shown(surface, revision=2, message="m1", turn=0, at=START)
    await store.surface_shown(surface, revision=2, message="m2", turn=1, at=START)
    await store.surface_overwritten(surface.id, "m2", 1, START)
    await store.surface_left_behind(surface.id, "m3", 1, START)
    await store.surface_retired(surface, ["m1"], START)
    await store.surface_retires_later(surface, START)
    await store.surface_failed(surface.id, START)
    await store.find_surface("web", "room", "m2")
    await store.add_surface(game.id, place.id, START)
    await store.surface_waits(surface.id)
    await store.reopen_surfaces("web", "group", START)
    await store.reopen_surfaces("web", None, START)
    await store.surface_gone(surface.id)
    results = (NewResult(0, 1, "goal", ada.id), NewResult(1, 2, "goal", bob.id))
    over = replace(game, status="over")
    await store.commit(GameChange(game=over, events=(NewEvent("end"),), at=START, results=results))
    await store.game(game.id)
    await store.keep_analysis(game.id, {"points": []}, START)
    await store.analysis(game.id)
    await store.last_over_in(place.id)
    await store.events(game.id, after=1)
    await store.results_of(game.id)
    await store.results(place.id)
    await store.results(place.id, "annuvin")
    await store.standings(place.id)
    await store.standings(place.id, "annuvin")
    await store.processed("web", "2")
    terms: dict[str, Any] = {"user": "ada", "name": "Ada", "language": None, "group": None, "kind": "group"}
    await store.arrival("web", "2", **terms, channel="room", thread=None, title="", at=START)
    await store.game_with_people(game.id)
    await store.try_writing()
    await store.revision_of(game.id)
    await store.forget_processed(START)
    await store.forget_old_messages("room", 0, 0)
    said = await store.say("room", START, author=ada.id, text="ciao", picture=b"png", key="k")
    await store.say("room", START, key="k")
    await store.change_message(said.id, START, text="new", picture=b"png")
    await store.message(said.id)
    await store.messages("room", ada.id, before=99)
    await store.messages_after("room", 0)
    await store.changes_since("room", ada.id, 0)
    await store.every_change_since("room", 0)
    await store.messages_among([said.id])
    await store.last_change("room")
    await store.picture(said.id, ada.id)
    await store.delete_message(said.id, START)
    async with store.transaction():
        await store.game(game.id)
    await use_the_passes(store)
    await use_the_club(store, place, people)


async def use_the_passes(store: Store) -> None:
    """Call what the store can do about places where the bot is a guest."""
    place = await store.place("discord", "dm", None, "g", guest=True)
    await store.places_without_pass("AAAAAA", START)
    await store.note_writable("web", "ada", writable=False)
    brought = await store.bring_pass(place.id, NewPass("secret", "m", after(minutes=15), 5), START)
    await store.passes("discord", "dm", None, START)
    await store.pass_spent(brought.id)
    await store.pass_sent(brought.id, "n")
    await store.pass_answered(place.id, "secret", START)
    await store.forget_pass(brought.id)
    await store.forget_passes(START)
    await store.made_member("discord", "g", START)


async def use_the_club(store: Store, place: PlaceRow, people: list[Person]) -> None:
    """Call what the store can do around games."""
    ada, bob = people
    await store.last_pulse("here")
    await store.pulse("here", START)
    await store.due_alarms(START)
    await store.next_alarm()
    await store.put_off_alarms(timedelta(hours=1))
    await store.put_off_alarms(timedelta(hours=1), besides=("annuvin",))
    await store.kinds_going_on()
    await store.kind_is_known("annuvin")
    await store.ratings_for_update([ada.id, bob.id], "annuvin")
    await store.ratings_of([ada.id])
    await store.best("annuvin")
    await store.results_of_person(ada.id)
    await store.results_of_person(ada.id, "annuvin")
    await store.standings_in_group("web", "g")
    await store.standings_in_group("web", "g", "annuvin")
    await store.met(ada.id, bob.id)
    await store.is_new_to(ada.id, "annuvin")
    await store.who_has_finished([ada.id, bob.id], "annuvin")
    await store.offer_lesson(ada.id, "annuvin", START)
    await store.lessons_of(ada.id)
    lesson = await store.begin_lesson(ada.id, "real-queen", START)
    await store.put_lesson(lesson, START, ProcessedEvent("web", "3"))
    await store.lesson(lesson.id)
    game = await a_game(store, place, [ada])
    tried = await store.put_tried(Tried(ada.id, game.id, planned=True), START, 2, ProcessedEvent("web", "4"))
    tried = await store.put_tried(tried, START, 2)
    await store.tried(ada.id, game.id)
    await store.drop_tried(tried, START)
    await store.tries_of(ada.id)
    await store.plans_in(game.id)
    await store.forget_tries(START)
    await use_the_puzzles(store, place, ada)
    await use_competitions(store, place, ada, game.id)
    await store.put_link_code("K7QF", ada.id, after(days=1))
    await store.take_link_code("K7QF", START)
    await store.merge_people(ada.id, bob.id)
    await store.split_identity("web", "bob")
    await store.identities_of([ada.id])
    await use_the_notices(store, place, ada)
    await store.set_value("web", "read", {"next": 1})
    await store.set_value("web", "read", None)
    await store.value("web", "read")
    await store.values_under("web", "read")
    await store.bar(place.id, "ban", ada.id, ["f1."], None, START)
    await store.bars_in(place.id, START)
    await store.unbar(place.id, "ban", [ada.id], ["f1."])
    await store.forget_bars(START)
    await store.identities_of([ada.id, bob.id])
    await use_the_dailies(store, place)
    await store.place("web", "hall")
    await store.move_channel("web", "hall", "room", START)
    await store.kept_about(ada.id)
    await store.forget_person(ada.id, START)


async def use_the_puzzles(store: Store, place: PlaceRow, ada: Person) -> None:
    """Call what the store can do about puzzles."""
    attempt = await store.begin_attempt(ada.id, "annuvin-1", "annuvin", "corner", START, place.id, counts=True)
    day = PuzzleDay(ada.id, "2026-11-21", "annuvin-1", "clean")
    attempt = await store.put_attempt(attempt, START, ProcessedEvent("web", "5"), day=day)
    await store.attempt(ada.id, "annuvin-1")
    await store.attempt_by_id(attempt.id)
    await store.last_attempt(ada.id)
    await store.attempts_of(ada.id)
    await store.puzzle_days(ada.id)
    _, figures = await store.puzzle_ratings_for_update(ada.id, "annuvin-1")
    await store.put_puzzle_ratings([PuzzleRating(ada.id, "", 25.0, 8.0)], figures)
    await store.puzzle_ratings_of(ada.id)
    await store.puzzle_figures(["annuvin-1"])
    await store.publish_solution("annuvin-1", START)
    await store.solved_summary("annuvin-1")
    await store.solved_summary("annuvin-1", place.id, since=START)
    await store.puzzle_standings("2026-11-01", place.id)
    await store.puzzle_standings("2026-11-01", place.id, ("web", "g"))


async def use_the_notices(store: Store, place: PlaceRow, person: Person) -> None:
    """Call what the store can do about what people are told."""
    game = await a_game(store, place, [person])
    surface = await store.add_surface(game.id, place.id, START)
    await store.put_beside(surface.id, "draw", "m1", START)
    past = [PastNotice("turn"), PastNotice("offer", "x", person.id)]
    await store.promise(game.id, past, [NewNotice(person.id, "turn", "1", START)], START)
    (notice,) = await store.notices_of(game.id)
    await store.notice(notice.id)
    await store.due_notices(START)
    await store.next_notice()
    await store.notice_waits(notice.id)
    await store.notice_decided(notice.id, "here", place=place.id)
    await store.notice_diverted(notice.id, "channel", place.id, START)
    await store.notice_failed(notice.id, START)
    await store.notices_reopened(START, game=game.id, place=place.id)
    await store.notices_reopened(START, person=person.id)
    await store.notices_held(person.id, "digest")
    await store.notice_put_off(notice.id, START)
    await store.notices_told([notice.id], START, way="here", place=place.id)
    await store.forget_notices(after(days=1))
    await store.notice_put_off(notice.id, None)
    await store.seen_in(person.id, [place.id])
    await store.seen_among(place.id, [person.id])
    await store.choose_notices(place.id, person.id, "none")
    await store.notice_choices(person.id)
    await store.choose_notices(place.id, person.id, None)


async def use_the_dailies(store: Store, place: PlaceRow) -> None:
    """Call what the store can do about what comes once a day."""
    await store.switch_daily(place.id, 9, START)
    await store.daily(place.id)
    await store.due_dailies(START, ("web", "telegram"))
    await store.next_daily(("web", "telegram"))
    await store.daily_put_off(place.id, START)
    await store.dailies_look_again(place, START)
    await store.hasten_dailies(after(days=1), START)
    await store.promise_daily(place.id, "2026-11-20", "annuvin-0", START, START)
    await store.promise_daily(place.id, "2026-11-21", "annuvin-1", START, START)
    ((number, _),) = await store.due_daily_messages(START, ("web", "telegram"))
    await store.daily_failed(number, 1, START)
    await store.daily_is_barred(number)
    await store.reopen_dailies("web", None, START)
    await store.daily_posted(number, "m1", "x", START)
    await store.daily_is_barred(number)
    await store.reopen_dailies("web", "group", START)
    await store.daily_messages(place.id)
    await store.stir_dailies("annuvin-1", START, START)
    await store.stir_dailies(None, START, START)
    message = await store.daily_message(number)
    assert message is not None
    await store.daily_last_shown("web", "room")
    await store.boards_are_due("web", "room", START)
    await store.daily_shown(message, "y", START)
    await store.daily_is_as_shown(message)
    await store.daily_waits_until(number, START)
    await store.daily_unsent(number)
    await store.daily_closed(number, "z", START)
    await store.drop_daily(place.id)
    await store.daily_ended(place.id)


async def use_competitions(store: Store, place: PlaceRow, person: Person, game: str) -> None:
    """Call what the store can do with competitions."""
    cup = await store.create_competition(a_cup_row(place.id, person.id), [NewEvent("created")], START)
    entry = EntrantRow(0, person.id, place.id, "web:1")
    step = CompetitionChange(row=cup, events=(NewEvent("entered"),), at=START, entrants=(entry,))
    await store.change_competition(replace(step, games=(("1.0.0", game),), processed=ProcessedEvent("web", "cup-5")))
    await store.competition(cup.id)
    await store.competition_ids()
    await store.competition_events(cup.id)
    await store.entrants(cup.id)
    await store.games_paired(cup.id)
    await store.due_competitions(START)
    await store.next_competition()
    await store.put_off_competition(cup.id, START, START)
    await store.competitions_made(person.id)
    await store.private_place(person.id, "web")
    await store.competitions_in(place.id)
    await store.cups_won(person.id)
    await store.show_competition(cup.id, place.id, START)
    await store.competition_places(cup.id)
    (shown,) = await store.due_competition_places(START, platforms=("web",))
    await store.competition_shown(shown, message="m1", revision=2, told=0, at=START)
    await store.competition_not_shown(shown, None)


def called_above() -> set[str]:
    """Return the names of the verbs that this module calls."""
    return set(re.findall(r"store\.(\w+)\(", Path(__file__).read_text(encoding="utf-8")))


async def test_every_statement_finds_its_rows_by_an_index(tmp_path: Path, statements: dict[str, Any]) -> None:
    path = tmp_path / "x.db"
    async with await Store.open(path) as store:
        verbs = {name for name in dir(store) if not name.startswith("_")} - NO_VERBS
        # `people` and `create_game` are called by others.
        assert verbs - called_above() == {"people", "create_game"}
        statements.clear()
        await use_every_verb(store)
        asked = {statement: parameters for statement, parameters in statements.items() if "INSERT" not in statement}
    assert len(asked) > 40
    used = set()
    database = Database(read_url(path), 1)
    async with database.reading() as connection:
        for statement, parameters in asked.items():
            plan = await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", tuple(parameters))
            for row in plan:
                whole_table = re.match(rf"SCAN ({'|'.join(metadata.tables)})$", row.detail)
                assert not whole_table, f"{row.detail}: {statement}"
                used |= set(re.findall(r"INDEX (ix_\w+)", row.detail))
    await database.close()
    # What is over, or delivered, is not even looked at.
    assert used >= {"ix_seats_live", "ix_game_places_live", "ix_surfaces_due", "ix_notices_due"}
