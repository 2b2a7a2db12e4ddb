"""What is typed among others: played where it can be meant, left alone where people just talk."""

from dataclasses import replace
from random import Random

import pytest

from bot.kernel.commandline import is_talk
from engine import games
from engine.core import CHANCE
from tests.bot.party import SQUARE, Party, button, words
from tests.bot.test_lessons import go_on, progress


@pytest.mark.parametrize(
    ("text", "talk"),
    [
        ("d2-d3", False),
        ("D2 d3", False),
        ("d2-d6", False),
        ("d2-d9", False),
        ("d4", False),
        ("hello", True),
        ("stop", True),
        ("pass", True),
        ("d2-d6 is too far for me", True),
        ("d4?", True),
        ("d2 or d4", True),
        ("w8", True),
        ("at 4", True),
        ("", True),
    ],
)
def test_text_in_move_notation_is_not_talk(text: str, talk: bool) -> None:
    assert is_talk(games["annuvin"].start(2), text) is talk


@pytest.mark.parametrize("key", games)
def test_every_legal_action_is_no_talk(key: str) -> None:
    state = games[key].start(games[key].seats[0])
    drawn = Random(1)
    while state.to_move == CHANCE:
        state = state.play(state.sample_chance(drawn))
    assert not [action.text for action in state.legal_actions() if is_talk(state, action.text)]


async def test_talk_is_distinguished_from_mistyped_moves(duel: Party) -> None:
    before = len(duel.adapter.calls)
    said = [(duel.mover, "hello everybody"), (duel.mover, "a1-a3 is too far, is it?"), (duel.other(), "a1-a2")]
    for who, text in [*said, ("carla", "what is this?")]:
        reply = await duel.say(who, text)
        assert (reply.talk, reply.card, len(duel.adapter.calls)) == (True, None, before)
    slip = await duel.say(duel.mover, "a1-a3")
    assert not slip.talk
    assert slip.private
    assert words(slip)
    assert not (await duel.say(duel.mover, "a1-a2")).talk
    assert "played a1-a2" in duel.newest.text


async def test_move_is_played_in_the_waiting_game_where_it_is_legal(duel: Party) -> None:
    mover, other = duel.mover, duel.other()
    await duel.say(mover, f"/play fagocitare @{other}")
    await duel.press(other, button(duel.newest.card, "join"))
    if duel.mover != mover:
        await duel.say(duel.mover, "e5")
    assert duel.mover == mover
    assert (await duel.say(mover, "which one first?")).talk
    assert not (await duel.say(mover, "e6")).talk
    assert "e6" in duel.newest.text


async def test_what_is_typed_is_for_a_newer_lesson_unless_only_the_game_that_waits_can_play_it(
    duel: Party,
) -> None:
    mover = duel.mover
    duel.clock.turn(minutes=1)
    await duel.say(mover, "/learn annuvin")
    assert "d6" in words(await duel.say(mover, "d2-d6"))
    assert (await duel.say(mover, "d2-d6 would be nice")).talk
    await duel.say(mover, "d2-d3")
    assert (await progress(duel, mover)).done
    assert (await go_on(duel, await progress(duel, mover), mover)).card is not None
    # What cannot be played in the lesson may be meant for the game.
    await duel.say(mover, "/move a1-a2")
    assert (await duel.load_row()).turn == 1


async def test_in_a_games_own_thread_its_game_is_meant_though_another_waits(party: Party) -> None:
    first, second = (replace(Party.room, thread=thread) for thread in ("1", "2"))
    codes = [await party.started(SQUARE, place=place) for place in (first, second)]
    moves = await party.mover_of(codes[1])
    while await party.mover_of(codes[0]) == moves:
        await party.play_first(codes[0])
    row = await party.store.games.get(codes[1])
    assert "turn" in words(await party.say(moves, "/move a1-a2", place=first))
    assert await party.store.games.get(codes[1]) == row
