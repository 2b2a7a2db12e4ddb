"""Messages as somebody reads them on a phone: lobbies of a few lines, boards that say nothing twice."""

from textwrap import wrap
from typing import Final

import pytest

from engine import games
from tests.bot.party import Party, button, words
from tests.bot.test_first_turns import turn

PHONE: Final = 44
"""How many characters a line has on a phone, more or less."""
BRIEF: Final = 60
"""How long a line may be that is told at each turn."""


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("game", games)
async def test_a_lobby_is_a_few_short_lines_on_a_phone(party: Party, game: str, language: str) -> None:
    party.managers.add("anna")
    await party.say("anna", f"/settings language:{language} for:channel")
    seats = min(3, games[game].seats[-1])
    await party.say("anna", f"/play {game} seats:{seats} clock:1d rated:no")
    lobby, joined = party.newest, ("bruno", "carla")[: seats - 2]
    for who in joined:
        await party.press(who, button(lobby.card, "join"))
    assert all(name.capitalize() in lobby.text for name in ("anna", *joined))
    assert len([line for part in lobby.text.split("\n") for line in wrap(part, PHONE)]) <= 5
    details = words(await party.press("dora", button(lobby.card, "details")))
    row = await party.load_row()
    assert row.id in details
    assert row.seed_hash in details
    assert row.id not in lobby.text
    assert row.seed_hash not in lobby.text


@pytest.mark.parametrize("game", games)
async def test_messages_repeat_no_sentence_except_turns(party: Party, game: str) -> None:
    names = ("anna", "bruno", "carla")[: min(3, games[game].seats[-1])]
    await party.started(f"/play {game} seats:{len(names)}", *names[1:])
    messages: dict[str, list[str]] = {name: [] for name in names}
    shown: list[str] = []
    for _ in range(12):
        if party.board.card.mention is None:
            break  # it is over
        lines = party.board.text.split("\n")
        goals = [line for line in lines if line.startswith("Goal:")]
        assert not set(goals) & set(shown)
        last = lines[-1]
        assert last.startswith(party.mover.capitalize())
        assert last not in messages[party.mover] or len(last) <= BRIEF, "taught once"
        messages[party.mover].append(last)
        shown += goals
        await turn(party, party.mover)


@pytest.mark.parametrize(("game", "chance"), [("uomo-nero", "The dice decide"), ("vedova-nera", "The marbles have")])
async def test_initial_chance_is_described_in_the_first_message_only(party: Party, game: str, chance: str) -> None:
    await party.started(f"/play {game} seats:3", "bruno", "carla")
    assert chance in party.board.text
    for _ in range(3):
        await turn(party, party.mover)
        assert chance not in party.board.text
