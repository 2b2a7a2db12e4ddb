"""Suggestions for moves: few, fitting, and leading to a whole action in any position of any game."""

import random
from itertools import islice

import pytest

from bot.completion.completion import MAX_COMPLETIONS, complete_moves, complete_prefixes
from engine import CHANCE
from engine.notation import normalise
from tests.bot.party import SQUARE, Party
from tests.engine.playing import Setting, playout, settings


@pytest.mark.parametrize("setting", settings(), ids=str)
def test_following_completions_always_leads_to_an_action(setting: Setting) -> None:
    rng, looked_at = random.Random(str(setting)), 0
    for number, (state, _) in enumerate(islice(playout(setting, 0), 400)):
        if state.to_move is None or state.to_move == CHANCE or number % 7:
            continue
        texts = {action.text for action in state.legal_actions()}
        typed = ""
        while typed not in texts:
            found = [item.value for item in complete_moves(state, typed)]
            assert 0 < len(found) <= MAX_COMPLETIONS
            assert len(set(found)) == len(found)
            assert all(normalise(value).startswith(normalise(typed)) for value in found)
            assert all(len(value) > len(typed) for value in found)
            typed = rng.choice(found)
        looked_at += 1
    assert looked_at


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
