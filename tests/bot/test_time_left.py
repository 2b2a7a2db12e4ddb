"""What boards and `/board` say of the time that is left for each player."""

import pytest
from hypothesis import given, strategies as st

from bot.lobby.cards import clock_name
from bot.table.card_parts import format_time_left
from bot.table.clocks import ClockReading, parse_time_control
from tests.bot.party import SQUARE, Party, missing, words
from tests.support.program import TEXTS

DAY = 86_400_000


def reading(milliseconds: int, *, is_live: bool) -> ClockReading:
    return ClockReading("15+10", is_live, {0: milliseconds}, 0, 0, 1000)


@pytest.mark.parametrize(
    ("milliseconds", "is_live", "english", "italian"),
    [
        (872_999, True, "14:32", "14:32"),
        (5_000, True, "0:05", "0:05"),
        (3_900_000, True, "1:05:00", "1:05:00"),
        (29 * DAY + 3 * 3_600_000, False, "29 d 3 h", "29 g 3 h"),
        (3 * 3_600_000 + 14 * 60_000, False, "3 h 14 min", "3 h 14 min"),
        (0, False, "0 h 0 min", "0 h 0 min"),
    ],
)
def test_times_are_short_in_both_languages(milliseconds: int, is_live: bool, english: str, italian: str) -> None:
    for language, said in (("en", english), ("it", italian)):
        assert format_time_left(TEXTS.speaker(language), reading(milliseconds, is_live=is_live), 0) == said


@pytest.mark.parametrize(
    ("name", "english", "italian"),
    [
        ("3+2", "3+2: 3 min each, 2 s more a turn", "3+2: 3 min a testa, 2 s in più a mossa"),
        ("10+0", "10+0: 10 min each for the whole game", "10+0: 10 min a testa per tutta la partita"),
        ("2m", "2 minutes a turn", "2 minuti a mossa"),
        ("10d+2d", "10d+2d: 2 days a turn, 10 days in reserve", "10d+2d: 2 giorni a mossa, 10 giorni di riserva"),
    ],
)
def test_every_clock_has_a_name_in_words(name: str, english: str, italian: str) -> None:
    for language, said in (("en", english), ("it", italian)):
        assert clock_name(TEXTS.speaker(language), parse_time_control(name)) == said


@given(st.integers(0, 3 * 3_600_000))
def test_a_live_time_is_never_more_than_there_is(milliseconds: int) -> None:
    parts = [
        int(each) for each in format_time_left(TEXTS.speaker("en"), reading(milliseconds, is_live=True), 0).split(":")
    ]
    seconds = sum(each * 60**power for power, each in enumerate(reversed(parts)))
    assert seconds == milliseconds // 1000


async def test_a_board_says_what_was_left_for_each_and_the_command_what_is_left_now(party: Party) -> None:
    await party.started(f"{SQUARE} clock:15+10")
    assert missing(party.board.text, "\nLeft: ", "Anna 15:00", "Bruno 15:00") == []
    assert "runs out" not in party.board.text
    mover, other = party.mover, party.other()
    party.clock.turn(seconds=61)
    for who in (mover, other):
        said = words(await party.say(who, "/board"))
        assert missing(said, f"{mover.capitalize()} 13:59", f"{other.capitalize()} 15:00") == []
    party.clock.turn(seconds=69)
    await party.play_first(party.code)
    with_increment = f"{mover.capitalize()} 13:00"
    assert missing(party.board.text, with_increment, f"{other.capitalize()} 15:00") == []


async def test_of_minutes_for_a_turn_those_of_who_is_to_move_are_told(party: Party) -> None:
    await party.started(f"{SQUARE} clock:5m")
    mover = party.mover
    assert party.board.text.endswith(f"\nLeft: {mover.capitalize()} 5:00")
    party.clock.turn(seconds=100)
    assert f"{mover.capitalize()} 3:20" in words(await party.say(mover, "/board"))


async def test_days_in_reserve_are_told_and_games_without_say_nothing_more(party: Party) -> None:
    await party.started(f"{SQUARE} clock:30d+1d")
    assert "Anna 31 d 0 h" in party.board.text
    mover = party.mover
    party.clock.turn(days=2, hours=3)
    await party.play_first(party.code)
    assert f"{mover.capitalize()} 29 d 21 h" in party.board.text
    for clock in ("", " clock:1d"):
        await party.started(f"{SQUARE}{clock}")
        assert "Left:" not in party.board.text
        assert "Left:" not in words(await party.say(party.mover, "/board"))
