"""Suggestions for moves: few, fitting, and leading to a whole action in any position of any game."""

import random
from itertools import islice

import pytest

from bot.kernel.commandline import GOES_ON, MAX_COMPLETIONS, complete_moves, complete_prefixes, parse_typed
from bot.kernel.requests import Completion
from engine import CHANCE, State
from engine.core import InvalidAction
from engine.notation import normalise
from tests.bot.party import SQUARE, Party, buttons, card, words
from tests.engine.playing import Setting, playout, settings


@pytest.mark.parametrize("setting", settings(), ids=str)
def test_every_completion_is_a_turn_or_is_answered_by_how_to_go_on(setting: Setting) -> None:
    rng, looked_at = random.Random(str(setting)), 0
    for number, (state, _) in enumerate(islice(playout(setting, 0), 400)):
        if state.to_move is None or state.to_move == CHANCE or number % 15:
            continue
        typed, whole = "", False
        while not whole:
            found = complete_moves(state, typed)
            assert 0 < len(found) <= MAX_COMPLETIONS
            assert len({item.value for item in found}) == len(found)
            assert all(normalise(item.value).startswith(normalise(typed)) for item in found)
            # What is typed is offered again only where it is an action that can be played alone, before all else.
            assert all(len(item.value) > len(typed) for item in found[1:])
            for item in rng.sample(found, min(4, len(found))):
                assert is_answered(state, item)
            chosen = rng.choice([item for item in found if item.value != typed])
            typed, whole = chosen.value, not chosen.label.endswith(GOES_ON)
        looked_at += 1
    assert looked_at


def is_answered(state: State, item: Completion) -> bool:
    """Say whether a chosen completion is a whole turn, or an action of one, or answered by what it goes on with."""
    goes_on = item.label.endswith(GOES_ON)
    try:
        actions = parse_typed(state, item.value)
    except InvalidAction as error:
        return goes_on and error.code == "goes-on" and len(error.params["options"]) > 0
    after = state
    for action in actions:
        after = after.play(action)
    return goes_on == ((after.to_move, after.turn) == (state.to_move, state.turn))


async def test_a_chosen_beginning_is_answered_by_buttons_to_go_on(party: Party) -> None:
    code = await party.started("/play fagocitare @bruno size:12")
    mover = await party.mover_of(code)
    beginning = (await party.complete(mover, "move", "move"))[0]
    assert beginning.label == f"{beginning.value}{GOES_ON}"
    reply = await party.say(mover, f"/move {beginning.value}")
    assert "is how these turns begin" in words(reply)
    assert [entry.label for entry in buttons(card(reply))] == [
        item.value for item in await party.complete(mover, "move", "move", move=beginning.value)
    ]
    before = (await party.load_row(code)).revision
    await party.press(mover, buttons(card(reply))[0])
    assert (await party.load_row(code)).revision > before


def test_completed_prefixes_are_as_long_as_needed_to_differ() -> None:
    cells = [f"{column}{row}" for column in "abcdef" for row in range(1, 11)]
    assert complete_prefixes(cells, 0) == list("abcdef")
    assert complete_prefixes(cells[:10], 1) == [f"a{row}" for row in range(1, 11)]
    pairs = [f"{source}-{target}" for source in ("a1", "a2") for target in cells]
    assert complete_prefixes(pairs, 0) == [f"{source}-{column}" for source in ("a1", "a2") for column in "abcdef"]
    assert complete_prefixes([], 0) == []


async def test_codes_are_suggested_for_the_commands_that_take_them(party: Party) -> None:
    over = await party.started(SQUARE)
    await party.say("anna", "/resign")
    await party.resign("anna", over)
    running = await party.started(SQUARE)
    for command in ("replay", "export"):
        assert [item.value for item in await party.complete("anna", command, "code")] == [running, over]
        assert [item.value for item in await party.complete("carla", command, "code")] == []
    assert await party.complete("anna", "link", "code") == []
    (mine,) = await party.complete("anna", "board", "game")
    assert (mine.value, "Bruno" in mine.label) == (running, True)
