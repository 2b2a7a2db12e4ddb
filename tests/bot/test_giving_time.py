"""Opponents give time, and claim a draw from a player who has left the page or their app for a minute."""

import pytest

from bot.kernel.requests import Reply
from bot.table.checking import check_game
from bot.table.clocks import read_clock
from storage import GameRow
from tests.bot.party import Party, button, buttons, card, words
from tests.support.present import present

LIVE = "/play annuvin @bruno board:square clock:15+10"
SLOW = "/play annuvin @bruno board:square clock:3d"
THREE = "/play vedova-nera @bruno @carla clock:15+10"


@pytest.fixture
async def live(party: Party) -> str:
    """A game with a quarter of an hour for each."""
    return await party.started(LIVE)


async def press_time(party: Party, who: str, code: str) -> Reply:
    """Have somebody press the button that gives time."""
    return await party.press(who, f"time:{code}:{(await party.load_row(code)).revision}")


async def press_claim(party: Party, who: str, code: str) -> Reply:
    """Have somebody press the button that claims a draw."""
    return await party.press(who, f"claim:{code}:{(await party.load_row(code)).revision}")


def left_of(party: Party, row: GameRow, seat: int) -> int:
    """Return the milliseconds that a seat has left."""
    return present(read_clock(row, party.front.context.clock())).left[seat]


async def leave(party: Party, who: str, **parts: float) -> None:
    """Have somebody open the page and close it, and time pass."""
    with party.front.context.presence.open(await party.id_of(who)):
        pass
    party.clock.turn(**parts)


async def test_an_opponent_gives_fifteen_seconds_in_a_live_game(party: Party, live: str) -> None:
    seat, other = present((await party.table(live)).mover), party.other()
    before = left_of(party, await party.load_row(live), seat)
    assert "15 seconds" in words(await press_time(party, other, live))
    # The next press of the same button is as good: nothing was played meanwhile.
    await party.say(other, "/time")
    row = await party.load_row(live)
    assert left_of(party, row, seat) == before + 30_000
    (first, second) = [event for event in await party.store.games.events(live) if event.kind == "time"]
    assert first.data == second.data == {"seat": seat, "seconds": 15}
    assert await check_game(party.store, live) == ()
    # What was given counts, and goes on counting in the turns to come.
    party.clock.turn(minutes=15, seconds=20)
    await party.play_first(live)
    row = await party.load_row(live)
    assert row.status == "playing"
    assert 0 < left_of(party, row, seat) <= 30_000


async def test_an_opponent_gives_a_day_in_a_slow_game(party: Party) -> None:
    code = await party.started(SLOW)
    before = present((await party.load_row(code)).deadline)
    reply = await party.press(party.other(), button(party.board.card, "more"))
    assert "a day" in words(await party.press(party.other(), button(card(reply), "time")))
    assert (present((await party.load_row(code)).deadline) - before).days == 1
    # The reminder that was sent is one of the time before.
    assert (await party.load_row(code)).reminder is None


async def refusal_of_time(party: Party, who: str, code: str) -> str:
    """Return how somebody is refused who presses the button that gives time; it changes nothing."""
    before = await party.load_row(code)
    said = words(await press_time(party, who, code))
    assert await party.load_row(code) == before
    return said


async def test_time_that_may_not_be_given_is_refused(party: Party, live: str) -> None:
    first, revision = party.mover, (await party.load_row(live)).revision
    assert "your own clock runs" in await refusal_of_time(party, first, live)
    assert "are playing here" in await refusal_of_time(party, "carla", live)
    await party.play_first(live)
    assert "The game has moved on" in words(await party.press(first, f"time:{live}:{revision}"))
    for who in ("anna", "bruno"):
        await party.say(who, "/pause")
    assert "clock is stopped" in await refusal_of_time(party, first, live)
    await party.resign(first, live)
    assert "is over" in await refusal_of_time(party, first, live)
    for clock, wanted in (("", "without a clock"), (" clock:180+60", "plenty of time")):
        code = await party.started(LIVE.replace(" clock:15+10", clock))
        assert wanted in await refusal_of_time(party, party.other(), code)


async def test_a_draw_is_claimed_after_a_minute_without_the_other(party: Party, live: str) -> None:
    mover, other = party.mover, party.other()
    await leave(party, mover, seconds=59)
    assert "has not been away for a minute" in words(await press_claim(party, other, live))
    party.clock.turn(seconds=1)
    offered = await party.say(other, "/draw")
    reply = await party.press(other, button(card(offered), "claim"))
    assert words(reply) == "Done."
    row = await party.load_row(live)
    assert present(row.outcome) == {"reason": "claimed", "places": [1, 1]}
    assert "the other player had left" in party.board.text
    assert await check_game(party.store, live) == ()


async def refused(party: Party, who: str, code: str) -> None:
    """See that a claim changes nothing, and is not offered."""
    before = await party.load_row(code)
    assert words(await press_claim(party, who, code))
    assert await party.load_row(code) == before
    more = await party.press(who, f"more:{code}:{before.revision}")
    assert [each for each in buttons(card(more)) if each.press.startswith("claim:")] == []


async def test_a_draw_that_may_not_be_claimed_is_refused(party: Party, live: str) -> None:
    mover, other = party.mover, party.other()
    await refused(party, other, live)  # nobody has left
    await leave(party, mover, minutes=2)
    for who in (mover, "eve"):
        await refused(party, who, live)
    with party.front.context.presence.open(await party.id_of(mover)):
        await refused(party, other, live)
    await leave(party, mover, minutes=2)
    # Somebody who does anything elsewhere has only changed fronts.
    await party.say(mover, "/games")
    await refused(party, other, live)
    for who in ("anna", "bruno"):
        await party.say(who, f"/pause {live}")
    await leave(party, mover, minutes=2)
    await refused(party, other, live)


@pytest.mark.parametrize(("line", "joining"), [(SLOW, ["bruno"]), (THREE, ["bruno", "carla"])])
async def test_no_draw_is_claimed_in_a_slow_game_or_one_of_three(party: Party, line: str, joining: list[str]) -> None:
    code = await party.started(line, *joining)
    await leave(party, party.mover, minutes=2)
    await refused(party, party.other("anna", *joining), code)


async def test_whoever_left_before_their_turn_has_a_minute_to_come_back(party: Party, live: str) -> None:
    mover, other = party.mover, party.other()
    await leave(party, other, minutes=5)
    await party.say(mover, f"/move {await party.legal(live)}")
    party.clock.turn(seconds=59)
    assert "has not been away for a minute" in words(await press_claim(party, mover, live))
    party.clock.turn(seconds=1)
    assert words(await press_claim(party, mover, live)) == "Done."


async def test_whoever_left_loses_by_the_clock_and_not_at_once(party: Party, live: str) -> None:
    mover = party.mover
    await leave(party, mover, minutes=10)
    await party.front.alarms.tick()
    assert (await party.load_row(live)).status == "playing"
    await party.say(mover, f"/move {await party.legal(live)}")
    assert party.mover != mover
