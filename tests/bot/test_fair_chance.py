"""Anyone can ask for the hash of a game's seed before somebody joins; the seed is shown when the game is over."""

from typing import Any

import pytest

from bot.kernel.texts import strip_styles
from engine import fair
from tests.bot.party import Party, button, card, missing, words
from tests.bot.test_first_turns import turn

DICE = "/play uomo-nero"
NO_DICE = "/play annuvin board:square"


@pytest.fixture
def every(party: Party, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All that was ever sent, edited or answered, the newest last."""
    said: list[str] = []
    for name in ("send", "edit"):
        real = getattr(party.adapter, name)

        async def noted(*arguments: Any, real: Any = real, **named: Any) -> Any:
            said.extend(strip_styles(each.text) for each in arguments if hasattr(each, "rows"))
            return await real(*arguments, **named)

        monkeypatch.setattr(party.adapter, name, noted)
    return said


@pytest.mark.parametrize("line", [DICE, NO_DICE])
async def test_who_asks_is_shown_the_hash_and_at_the_end_the_seed(party: Party, every: list[str], line: str) -> None:
    await party.say("anna", f"{line} @bruno")
    code, lobby = party.code, party.newest
    row, pressed = await party.load_row(code), button(lobby.card, "details")
    assert row.seed_hash == fair.hash_seed(row.seed)
    for who in ("anna", "bruno", "carla"):
        details = await party.press(who, pressed)
        assert details.private
        assert row.seed_hash in words(details)
        assert row.seed not in words(details)
    await party.press("bruno", button(lobby.card, "join"))
    for _ in range(6):
        every += await turn(party, party.mover)
    more = await party.press("anna", button(party.board.card, "more"))
    assert row.seed_hash in words(await party.press("anna", button(card(more), "fair")))
    for who, old in (("bruno", pressed.press), ("carla", f"fair:{code}:1")):
        early = words(await party.press(who, old))
        assert row.seed_hash in early, "on an old message, too"
        assert row.seed not in early
    await party.resign("bruno", code)
    fairness = button(party.board.card, "fair")
    assert fairness.label == "Fair chance"
    reply = await party.press("carla", fairness)
    assert reply.private
    assert missing(words(reply), f"Seed: {row.seed}", row.seed_hash, f"/export {code}") == []
    assert not [text for text in every if row.seed in text or row.seed_hash in text]
