"""Anyone can ask for the hash of a game's seed before somebody joins; the seed is shown when the game is over."""

from typing import Any

import pytest

from bot.kernel.texts import strip_styles
from engine import fair
from tests.bot.party import Party, button, buttons, card, missing, words

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


async def play_some(party: Party, every: list[str], turns: int = 6) -> None:
    """Have the player to move take the first choice, and of that again the first, for some turns."""
    for _ in range(turns):
        who, offered = party.mover, buttons(party.board.card)
        for _ in range(20):
            reply = await party.press(who, offered[0])
            every.append(words(reply))
            if reply.card is None or not reply.card.rows:
                break
            offered = buttons(reply.card)


@pytest.mark.parametrize("line", [DICE, NO_DICE])
async def test_details_button_shows_the_seed_hash_until_the_end(party: Party, every: list[str], line: str) -> None:
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
    await play_some(party, every)
    more = await party.press("anna", button(party.board.card, "more"))
    assert row.seed_hash in words(await party.press("anna", button(card(more), "fair")))
    assert row.seed_hash in words(await party.press("bruno", pressed)), "on an old message, too"
    await party.press("bruno", button(card(await party.say("bruno", f"/resign {code}")), "resign!"))
    assert not [text for text in every if row.seed in text or row.seed_hash in text]


async def test_without_a_lobby_the_hash_is_behind_more(party: Party, every: list[str]) -> None:
    await party.say("anna", f"{DICE} computer 1")
    row = await party.load_row(party.code)
    more = await party.press("anna", button(party.board.card, "more"))
    assert row.seed_hash in words(await party.press("anna", button(card(more), "fair")))
    assert not [text for text in every if row.seed_hash in text]


async def test_the_seed_is_behind_a_button_when_the_game_is_over(party: Party) -> None:
    code = await party.started(NO_DICE + " @bruno")
    early = await party.press("carla", f"fair:{code}:1")
    row = await party.load_row(code)
    assert row.seed_hash in words(early)
    assert row.seed not in words(early)
    await party.press("bruno", button(card(await party.say("bruno", "/resign")), "resign!"))
    fairness = button(party.board.card, "fair")
    assert fairness.label == "Fair chance"
    reply = await party.press("carla", fairness)
    assert reply.private
    assert missing(words(reply), f"Seed: {row.seed}", row.seed_hash, f"/export {code}") == []
