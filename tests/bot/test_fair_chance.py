"""The hash of a game's seed is told once, in small print; the seed when the game is over, to whoever asks."""

from __future__ import annotations

from typing import Any

import pytest

from bot.language.rich_text import plain
from engine import fair
from storage import GameRow
from tests.bot.party import Party, button, buttons, card, words

DICE = "/play uomo-nero"
NO_DICE = "/play annuvin board:square"


@pytest.fixture
def every(party: Party, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All that was ever sent, edited or answered, the newest last."""
    said: list[str] = []
    for name in ("send", "edit"):
        real = getattr(party.adapter, name)

        async def noted(*arguments: Any, real: Any = real) -> Any:
            said.extend(plain(each.text) for each in arguments if hasattr(each, "rows"))
            return await real(*arguments)

        monkeypatch.setattr(party.adapter, name, noted)
    return said


async def stored(party: Party, code: str) -> GameRow:
    row = await party.store.games.get(code)
    assert row is not None
    return row


async def play_some(party: Party, every: list[str], turns: int = 6) -> None:
    """Have whoever is to move take the first choice, and of that again the first, for some turns."""
    for _ in range(turns):
        who, offered = party.mover, buttons(party.board.card)
        for _ in range(20):
            reply = await party.press(who, offered[0])
            every.append(words(reply))
            if reply.card is None or not reply.card.rows:
                break
            offered = buttons(reply.card)


@pytest.mark.parametrize("line", [DICE, NO_DICE])
async def test_the_hash_is_told_in_the_lobby_in_small_print_and_nowhere_else(
    party: Party, every: list[str], line: str
) -> None:
    await party.say("anna", f"{line} @bruno")
    code, lobby = party.code, party.newest
    row = await stored(party, code)
    assert row.seed_hash == fair.commitment(row.seed)
    assert row.seed_hash in "".join(span.text for span in lobby.card.text if span.small)
    assert row.seed_hash not in "".join(span.text for span in lobby.card.text if not span.small)
    await party.press("bruno", button(lobby.card, "join"))
    await play_some(party, every)
    assert [text for text in every if row.seed_hash in text] == [lobby.text]
    assert row.seed_hash in lobby.text, "it stays where it was told"
    await party.press("bruno", button(card(await party.say("bruno", f"/resign {code}")), "resign!"))
    assert not any(secret in party.newest.text for secret in (row.seed, row.seed_hash))


async def test_without_a_lobby_the_hash_is_told_with_the_first_turn_of_whoever_plays(
    party: Party, every: list[str]
) -> None:
    await party.say("anna", f"{DICE} computer 1")
    code = party.code
    row = await stored(party, code)
    first = party.board
    assert row.seed_hash in "".join(span.text for span in first.card.text if span.small)
    await play_some(party, every, turns=3)
    assert party.board is not first
    telling = [shown for shown in party.shown if row.seed_hash in shown.text]
    assert telling == [first]
    await party.say("anna", f"{NO_DICE} computer 1")
    lot = await stored(party, party.code)
    assert not any(lot.seed_hash in shown.text for shown in party.shown), (
        "with but the lot for the seats it is not told"
    )


async def test_the_seed_is_behind_a_button_when_the_game_is_over(party: Party) -> None:
    code = await party.started(NO_DICE + " @bruno")
    early = await party.press("carla", f"fair:{code}:1")
    assert "not over yet" in words(early)
    row = await stored(party, code)
    assert row.seed not in words(early)
    await party.press("bruno", button(card(await party.say("bruno", "/resign")), "resign!"))
    fairness = button(party.board.card, "fair")
    assert fairness.label == "Fair chance"
    told = await party.press("carla", fairness)
    assert told.private
    assert f"Seed: {row.seed}" in words(told)
    assert row.seed_hash in words(told)
    assert f"/export {code}" in words(told)
