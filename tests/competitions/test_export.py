"""A competition as a file: written, read back strictly, and checked."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

import pytest

from bot.competitions.events import (
    BoardDecided,
    CompetitionEvent,
    CupEnded,
    CupStarted,
    Ending,
    GameReplayed,
    InvalidCompetition,
    Pairing,
    RoundPaired,
)
from bot.competitions.file import CupFile, VerifiedCompetition, check_file
from engine.record import FORGOTTEN_NAME, MAX_NAME_LENGTH, find_bad_name, make_names_distinct
from tests.competitions.files import FORMS, file_of, play_whole_cup, record_of
from tests.competitions.playing import BEGAN, SEED, Played, make_terms


@pytest.mark.parametrize("form", FORMS)
def test_a_file_is_read_back_from_text_and_from_json_and_all_of_it_is_checked(form: str) -> None:
    file = play_whole_cup(form)
    for text in (file.text(), file.json()):
        assert CupFile.matches(text)
        read = CupFile.read(text)
        assert read == file
        lots = 1 + sum(isinstance(event, BoardDecided) and event.lot for _, event in file.events)
        state = file.replay
        assert check_file(read) == VerifiedCompetition(len(file.events), lots, len(list(state.games())), 0)


def test_export_of_a_running_competition_hides_its_seed() -> None:
    file = file_of(Played.started("swiss", 5))
    assert SEED not in file.text() + file.json()
    assert check_file(CupFile.read(file.text())) == VerifiedCompetition(len(file.events), 0, 0, 0)


def test_one_that_was_stopped_tells_its_seed_when_its_last_game_has_ended() -> None:
    played = Played.started("swiss", 5)
    played.end((1, 0, 0), (1, 2))
    played.add(CupEnded(Ending.STOPPED))
    file = file_of(played)
    ((_, last),) = [(at, game) for *_, at, game in played.state.games() if game.places is None]
    assert last.id is not None
    changed = replace(file, records={**file.records, last.id: record_of(last.id, (1, 1), slot="1.1.0")})
    assert check_file(changed) == VerifiedCompetition(len(file.events), 1, 2, 0)
    assert check_file(CupFile.read(replace(file, seed=None).text())) == VerifiedCompetition(len(file.events), 0, 1, 0)


def test_exported_names_are_single_lines_and_one_for_all_forgotten_people() -> None:
    played = Played.begun(make_terms("all", 4), 4)
    played.win_by()
    names = ["A\nEvents\n\u202e B", FORGOTTEN_NAME, "Entrant 7: x", FORGOTTEN_NAME]
    read = CupFile.read(file_of(played, names.__getitem__).text())
    assert [read.name(number) for number in range(4)] == ["A Events B", FORGOTTEN_NAME, "Entrant 7: x", FORGOTTEN_NAME]
    assert check_file(read).games == 6


def test_equal_names_are_told_apart_in_files() -> None:
    assert make_names_distinct(["Ada", "Bob", "Ada", "Ada", "Ada (2)"]) == (
        "Ada",
        "Bob",
        "Ada (2)",
        "Ada (3)",
        "Ada (2) (2)",
    )
    assert make_names_distinct([FORGOTTEN_NAME] * 2) == (FORGOTTEN_NAME,) * 2
    long = make_names_distinct(["x" * MAX_NAME_LENGTH] * 12)
    assert find_bad_name(long) is None
    cut = "y" * (MAX_NAME_LENGTH - 1) + "…"
    assert make_names_distinct(["", "", "y" * 40]) == (FORGOTTEN_NAME, FORGOTTEN_NAME, cut)


def test_the_text_tells_people_the_table_and_every_game() -> None:
    lines = play_whole_cup("knockout").text().split("\n")
    assert lines[lines.index("Table") + 1].startswith("1. Entrant ")
    games_ = list(play_whole_cup("knockout").replay.games())
    for *_, game in games_:
        assert any(
            line.endswith(f"{','.join(map(str, game.places or ()))} won") and (game.id or "?") in line for line in lines
        )
    assert len(games_) == 6  # one was drawn
    assert sum(line.endswith(": bye") for line in lines) == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [("2026-", "9926-"), ("-01T", "-45T"), ("T", "x"), ("+00:00", ""), ("+00:00", "Z"), ("12:00:00", "12:00")],
)
def test_times_that_no_program_of_ours_writes_are_none(old: str, new: str) -> None:
    text = play_whole_cup("all").text()
    head, events = text.split("\nEvents\n")
    at = events.split('"at": "')[1].split('"')[0]
    assert old in at
    with pytest.raises(InvalidCompetition, match="broken-event"):
        CupFile.read(f"{head}\nEvents\n{events.replace(at, at.replace(old, new, 1), 1)}")


def test_a_hash_is_of_hexadecimal_digits() -> None:
    text = play_whole_cup("all").text()
    known = play_whole_cup("all").replay.seed_hash
    with pytest.raises(InvalidCompetition, match="broken-event"):
        CupFile.read(text.replace(known, f"g{known[1:]}"))


Kind = TypeVar("Kind", bound=CompetitionEvent)


def changed(form: str, change: Callable[[list[CompetitionEvent]], None]) -> CupFile:
    """Return the file with other events, everything else as it follows from them."""
    file = play_whole_cup(form)
    events = [event for _, event in file.events]
    change(events)
    return replace(file, events=tuple((BEGAN + timedelta(hours=at), event) for at, event in enumerate(events)))


def first(events: list[CompetitionEvent], kind: type[Kind]) -> tuple[int, Kind]:
    """Return the first event of a kind, with its index."""
    return next((at, event) for at, event in enumerate(events) if isinstance(event, kind))


def other_lots(events: list[CompetitionEvent]) -> None:
    at, started = first(events, CupStarted)
    events[at:] = [replace(started, lots=started.lots[::-1], ratings={}), CupEnded(Ending.STOPPED)]


def fewer_rounds(events: list[CompetitionEvent]) -> None:
    at, started = first(events, CupStarted)
    events[at] = replace(started, rounds=1)
    ended_too_soon(events)


def other_pairing(events: list[CompetitionEvent]) -> None:
    at, paired = first(events, RoundPaired)
    a, b, c = (pairing.seats for pairing in paired.pairings)
    other = RoundPaired(1, (Pairing((a[0], b[0])), Pairing((a[1], b[1])), Pairing(c)))
    events[at:] = [other, CupEnded(Ending.STOPPED)]


def somebody_missed(events: list[CompetitionEvent]) -> None:
    at, paired = first(events, RoundPaired)
    events[at:] = [replace(paired, pairings=paired.pairings[1:]), CupEnded(Ending.STOPPED)]


def ended_too_soon(events: list[CompetitionEvent]) -> None:
    at = [number for number, event in enumerate(events) if isinstance(event, RoundPaired)][1]
    events[at:] = [CupEnded(Ending.PLAYED)]


def same_seats_again(events: list[CompetitionEvent]) -> None:
    at, again = first(events, GameReplayed)
    events[at:] = [replace(again, seats=again.seats[::-1]), CupEnded(Ending.STOPPED)]


@pytest.mark.parametrize(
    ("form", "change", "code"),
    [
        ("swiss", other_lots, "other-lot"),
        ("swiss", fewer_rounds, "other-end"),
        ("all", other_pairing, "other-pairing"),
        ("swiss", somebody_missed, "other-pairing"),
        ("all", ended_too_soon, "other-end"),
        ("knockout", same_seats_again, "other-pairing"),
    ],
)
def test_check_finds_events_that_do_not_follow(
    form: str, change: Callable[[list[CompetitionEvent]], None], code: str
) -> None:
    file = changed(form, change)
    known = {game.id for *_, game in file.replay.games() if game.places}
    file = replace(file, records={name: text for name, text in file.records.items() if name in known})
    with pytest.raises(InvalidCompetition, match=code):
        check_file(file)


def test_a_lot_of_a_board_is_drawn_again() -> None:
    played = Played.started("knockout", 4)
    played.end((1, 0, 0), (1, 1))
    played.go_on()
    played.end((1, 0, 1), (1, 1))
    played.win_by()
    file = file_of(played)
    assert check_file(file).lots == 2
    events = [event for _, event in file.events]
    at, lot = first(events, BoardDecided)
    other = next(each for each in played.state.board_at(1, 0).entrants if each != lot.winner)
    forged = [*events[:at], replace(lot, winner=other), CupEnded(Ending.STOPPED)]
    known = {name: text for name, text in file.records.items() if name in {"G00000", "G00002"}}
    with pytest.raises(InvalidCompetition, match="other-lot"):
        check_file(replace(file, events=tuple((BEGAN, event) for event in forged), records=known))


@pytest.mark.parametrize("seed", [None, "00" * 32, "no seed"])
def test_the_seed_has_to_be_the_one_that_was_promised(seed: str | None) -> None:
    with pytest.raises(InvalidCompetition, match="no-seed" if seed is None else "other-seed"):
        check_file(replace(play_whole_cup("all"), seed=seed))


def test_records_have_to_tell_the_same_as_the_table() -> None:
    file = play_whole_cup("all")
    name = next(name for name in file.records if file.records[name].count("drop"))
    slot = next(f"{each}.{board}.{at}" for each, board, at, game in file.replay.games() if game.id == name)
    for text in (record_of(name, (1, 1), slot=slot), record_of(name, (1, 2), "OTHER1"), record_of("GXXXXX", (1, 2))):
        with pytest.raises(InvalidCompetition, match="other-result"):
            check_file(replace(file, records={**file.records, name: text}))
    with pytest.raises(InvalidCompetition, match="other-result"):
        check_file(replace(file, records={**file.records, "STRAY1": file.records[name]}))
    with pytest.raises(InvalidCompetition, match="other-game-seed"):
        check_file(replace(file, records={**file.records, name: record_of(name, (1, 2), slot="9.9.9")}))
    without = {other: text for other, text in file.records.items() if other != name}
    assert check_file(replace(file, records=without)).unseen == 1


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("Tavoliere competition 1", "Tavoliere competition 9", "not-a-cup"),
        ("Events", "Happenings", "broken-file"),
        ('{"at"', '{"at', "broken-file"),
        ('"kind": "entered"', '"kind": "came"', "unknown-event"),
        ('"kind": "ended"', '"kind": "paused"', "broken-event"),
        ("Format: all", "Format: swiss", "other-line"),
        ("1. Entrant", "2. Entrant", "other-line"),
        ('"entrant": 1', '"entrant": 0', "entered-already"),
    ],
)
def test_a_text_that_was_changed_is_not_read(old: str, new: str, code: str) -> None:
    text = play_whole_cup("all").text()
    assert old in text
    with pytest.raises(InvalidCompetition, match=code):
        CupFile.read(text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"version": 2}, "not-a-cup"),
        ({"names": []}, "broken-file"),
        ({"names": {"x": "y"}}, "broken-file"),
        ({"events": {}}, "broken-file"),
        ({"events": ["x"]}, "broken-event"),
        ({"events": [{"at": "yesterday", "kind": "paused", "data": {}}]}, "broken-event"),
        ({"events": []}, "no-events"),
        ({"names": {"0": "Ada", "1": "Ada"}}, "broken-name"),
        ({"names": {"0": ""}}, "broken-name"),
        ({"names": {"0": "x" * 33}}, "broken-name"),
        ({"table": []}, "other-table"),
        ({"code": "OTHER1"}, "other-table"),
    ],
)
def test_a_json_that_was_changed_is_not_read(change: dict[str, object], code: str) -> None:
    with pytest.raises(InvalidCompetition, match=code):
        CupFile.read(json.dumps({**json.loads(play_whole_cup("all").json()), **change}))
