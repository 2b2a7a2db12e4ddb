"""Events of competitions: stored and read back, and refused with a code where they cannot be."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.competitions.competition import Competition
from bot.competitions.events import (
    CUP_CODEC,
    Asked,
    BoardDecided,
    CompetitionEvent,
    CupClosed,
    CupCreated,
    CupEnded,
    CupGave,
    CupPaused,
    CupPostponed,
    CupResult,
    CupResumed,
    CupStarted,
    Ending,
    Entered,
    Excluded,
    GameAttached,
    GameReplayed,
    Here,
    InvalidCompetition,
    Leaving,
    Left,
    Missed,
    Pairing,
    RoundPaired,
    Stays,
    Walkover,
)
from tests.competitions.playing import GAME, make_terms, replay

MADE = CupCreated(
    make_terms(
        "swiss", 8, options={"board": "square"}, starts_at=datetime(2026, 11, 23, 20, tzinfo=UTC), double=("royal",)
    ),
    "ABCDEF",
    "0" * 64,
)
FOUR: list[CompetitionEvent] = [MADE, *(Entered(number, f"web:{number}") for number in range(4))]
BEGUN: list[CompetitionEvent] = [*FOUR, CupStarted((2, 0, 1, 3), {2: 1400}, 3)]
PAIRED: list[CompetitionEvent] = [*BEGUN, RoundPaired(1, (Pairing((2, 0)), Pairing((1, 3))))]
AT_PLAY: list[CompetitionEvent] = [*PAIRED, GameAttached(1, 0, 0, "GAME01")]
KNOCKED: list[CompetitionEvent] = [
    CupCreated(make_terms("knockout", 8), "ABCDEF", "0" * 64),
    *AT_PLAY[1:],
    CupResult(1, 0, 0, (1, 1), "repetition"),
]
EVERY: list[CompetitionEvent] = [
    *KNOCKED,
    GameReplayed(1, 0, 1, (0, 2)),
    BoardDecided(1, 0, 2),
    Left(1, Leaving.LINKED),
    Excluded(2),
    CupPostponed(datetime(2026, 11, 23, tzinfo=UTC)),
    RoundPaired(2, (), (Walkover(1, 2),), (0,)),
    CupResult(1, 1, 0, (2, 1), "last-seat", (0,)),
    Asked(0),
    Stays(0),
    CupPaused(),
    CupResumed(),
    CupClosed((0, 2), "web:9"),
    CupGave(2, "1" * 64),
    Here(3),
    Missed(1, 1, 0, (3, 1)),
    CupEnded(Ending.STOPPED, (1,)),
]


@pytest.mark.parametrize("event", [MADE, *EVERY], ids=CUP_CODEC.kind_of)
def test_events_are_read_back_as_they_were(event: CompetitionEvent) -> None:
    assert CUP_CODEC.from_json(CUP_CODEC.kind_of(event), CUP_CODEC.to_json(event)) == event


def test_every_kind_is_among_them() -> None:
    assert {CUP_CODEC.kind_of(event) for event in EVERY} == set(CUP_CODEC.types)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("entered", {"entrant": "1", "cause": "web:1"}),
        ("entered", {"entrant": True, "cause": "web:1"}),
        ("entered", {"entrant": -1, "cause": "web:1"}),
        ("entered", {"entrant": 1}),
        ("entered", {"entrant": 1, "cause": "web:1", "person": 4}),
        ("left", {"entrant": 1, "why": "bored"}),
        ("paired", {"round": 0, "pairings": []}),
        ("paired", {"round": 1, "pairings": [{"seats": [1]}]}),
        ("result", {"round": 1, "board": 0, "number": 0, "places": [1, 9], "reason": ""}),
        ("paused", None),
        ("paused", [1]),
    ],
)
def test_damaged_event_data_is_refused(kind: str, data: object) -> None:
    with pytest.raises(InvalidCompetition, match="broken-event"):
        CUP_CODEC.from_json(kind, data)


def test_unknown_event_kind_is_refused() -> None:
    with pytest.raises(InvalidCompetition, match="unknown-event"):
        CUP_CODEC.from_json("won", {})


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"clock": -1}, "broken-event"),
        ({"clock": 0}, "no-clock"),
        ({"clock": 0, "increment": 10}, "no-clock"),
        ({"reserve": -1}, "broken-event"),
        ({"clock": None}, "broken-event"),
        ({"format": "ladder"}, "broken-event"),
        ({"least": 2}, "broken-event"),
        ({"most": 65}, "broken-event"),
        ({"rounds": 31}, "broken-event"),
        ({"entry": "anybody"}, "broken-event"),
        ({"least": 6, "most": 5}, "least-above-most"),
        ({"format": "all", "most": 17}, "too-many-for-all"),
        ({"seats": 3}, "format-seats"),
        ({"format": "tables"}, "format-seats"),
        ({"format": "tables", "seats": 3, "fewest": 4}, "fewest-above-seats"),
    ],
)
def test_terms_that_do_not_fit_are_refused(changed: dict[str, Any], code: str) -> None:
    chosen = {"game": GAME, "format": "swiss", "clock": 3600, **changed}
    with pytest.raises(InvalidCompetition, match=code):
        Competition.created(
            datetime(2026, 11, 23, tzinfo=UTC),
            CUP_CODEC.from_json("created", {"terms": chosen, "code": "ABCDEF", "seed_hash": "0" * 64}),
        )


@pytest.mark.parametrize(
    ("before", "event", "code"),
    [
        ([], CupPaused(), "not-created"),
        (FOUR, MADE, "created-already"),
        (FOUR, Entered(3, "web:3"), "entered-already"),
        (FOUR, Entered(5, "web:5"), "entrant-number"),
        ([*FOUR, Excluded(3)], Entered(3, "web:3"), "excluded"),
        ([*FOUR, Left(3), Excluded(3)], Entered(3, "web:3"), "excluded"),
        ([*FOUR, *(Entered(n, f"web:{n}") for n in range(4, 8))], Entered(8, "web:8"), "full"),
        ([*FOUR, Left(3)], Left(3), "no-entrant"),
        (FOUR, Left(4), "no-entrant"),
        (FOUR[:3], CupStarted((0, 1)), "too-few"),
        (FOUR, CupStarted((0, 1, 2)), "other-entrants"),
        (FOUR, CupStarted((0, 1, 2, 3), {9: 1000}), "other-entrants"),
        (FOUR, RoundPaired(1, ()), "not-running"),
        (FOUR, CupEnded(Ending.PLAYED), "other-end"),
        ([*FOUR, CupClosed()], Entered(4, "web:4"), "not-open"),
        ([*FOUR, CupClosed()], CupClosed(), "not-open"),
        (FOUR[:3], CupClosed(), "too-few"),
        (FOUR, CupClosed((7,)), "other-entrants"),
        ([*FOUR, CupClosed(), Left(3)], CupStarted((0, 1, 2)), "other-entrants"),
        (FOUR, CupGave(0, "1" * 64), "not-awaited"),
        ([*FOUR, CupClosed((1,))], CupGave(0, "1" * 64), "not-awaited"),
        ([*FOUR, CupClosed((0,))], CupGave(0, "1" * 64), "broken-link"),
        (BEGUN, CupEnded(Ending.LAPSED), "other-end"),
        (BEGUN, CupStarted((2, 0, 1, 3)), "not-open"),
        (BEGUN, Entered(4, "web:4"), "not-open"),
        (BEGUN, CupPostponed(), "not-open"),
        (BEGUN, RoundPaired(2, ()), "other-round"),
        (BEGUN, RoundPaired(1, (Pairing((0, 0)),)), "broken-pairing"),
        (BEGUN, RoundPaired(1, (Pairing((0, 1)),), (), (1,)), "broken-pairing"),
        (BEGUN, RoundPaired(1, (Pairing((0, 7)),)), "broken-pairing"),
        (BEGUN, RoundPaired(1, (Pairing((-1, -1)),)), "broken-pairing"),
        (BEGUN, RoundPaired(1, (Pairing((0, 1, 2)),)), "broken-pairing"),
        ([*BEGUN, Left(0)], RoundPaired(1, (Pairing((0, 1)),)), "paired-gone"),
        ([*BEGUN, Asked(0)], RoundPaired(1, (Pairing((0, 1)),)), "paired-gone"),
        ([*BEGUN, CupPaused()], RoundPaired(1, (Pairing((0, 1)),)), "paused"),
        (BEGUN, CupResumed(), "not-paused"),
        ([*BEGUN, CupPaused()], CupPaused(), "paused"),
        (PAIRED, RoundPaired(2, (Pairing((0, 1)),)), "round-open"),
        (PAIRED, CupEnded(Ending.PLAYED), "round-open"),
        (PAIRED, GameAttached(1, 2, 0, "GAME01"), "no-board"),
        (PAIRED, CupResult(1, 0, 0, (1, 2), "won"), "no-game"),
        (AT_PLAY, GameAttached(1, 0, 0, "GAME02"), "attached-already"),
        (AT_PLAY, GameAttached(1, 1, 0, "GAME01"), "game-twice"),
        (AT_PLAY, CupResult(1, 0, 0, (1, 2, 3), "won"), "broken-result"),
        (AT_PLAY, CupResult(1, 0, 0, (2, 2), "won"), "broken-result"),
        (AT_PLAY, CupResult(1, 0, 0, (1, 3), "won"), "broken-result"),
        (AT_PLAY, CupResult(1, 0, 0, (1, 2), "won", (2,)), "broken-result"),
        ([*AT_PLAY, CupResult(1, 0, 0, (1, 2), "won")], CupResult(1, 0, 0, (1, 2), "won"), "result-already"),
        (AT_PLAY, GameReplayed(1, 0, 1, (0, 2)), "no-replay"),
        (KNOCKED, GameReplayed(1, 0, 1, (0, 1)), "no-replay"),
        (KNOCKED, BoardDecided(1, 0, 2), "not-drawn"),
        (KNOCKED, BoardDecided(1, 0, 3, lot=False), "not-drawn"),
        ([*KNOCKED, GameReplayed(1, 0, 1, (0, 2))], BoardDecided(1, 0, 2), "not-drawn"),
        (BEGUN, Stays(0), "not-asked"),
        ([*BEGUN, Asked(0)], Asked(0), "asked-already"),
        ([*BEGUN, CupEnded(Ending.STOPPED)], CupPaused(), "over"),
    ],
)
def test_impossible_event_is_refused_with_its_number(
    before: Sequence[CompetitionEvent], event: CompetitionEvent, code: str
) -> None:
    with pytest.raises(InvalidCompetition) as refused:
        replay([*before, event])
    assert (refused.value.code, refused.value.params["event"]) == (code, len(before) + 1)


def test_empty_event_list_is_refused() -> None:
    with pytest.raises(InvalidCompetition, match="no-events"):
        replay([])
