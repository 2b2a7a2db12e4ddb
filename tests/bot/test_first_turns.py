"""What newcomers are told in their first turns, and nobody else."""

import pytest

from tests.bot.party import Party, button, buttons

SQUARE = "/play annuvin @bruno board:square"
HOW = "Below the picture, press"


async def turn(party: Party, who: str) -> None:
    """Have somebody take the first thing that can be done, and of that again the first, until their turn is over."""
    offered = buttons(party.board.card)
    for _ in range(20):
        reply = await party.press(who, offered[0])
        if reply.card is None or not reply.card.rows:
            return
        offered = buttons(reply.card)
    raise AssertionError("a turn without an end")


async def test_goal_is_shown_once_and_instructions_once_per_newcomer(party: Party) -> None:
    await party.started(SQUARE)
    shown = []
    for _ in range(8):
        shown.append((HOW in party.board.text, "Goal:" in party.board.text))
        assert "it is your turn" in party.board.text
        await turn(party, party.mover)
    assert shown == [(True, True), (True, False)] + [(False, False)] * 6
    assert party.board.text.endswith(f"{party.mover.capitalize()}, it is your turn.")


async def test_experienced_player_gets_no_instructions(party: Party) -> None:
    await party.started(SQUARE)
    await party.press("anna", button((await party.say("anna", "/resign")).card or party.board.card, "resign!"))
    await party.started("/play annuvin @carla board:square", "carla")
    shown = {}
    for _ in range(2):
        shown[party.mover] = (HOW in party.board.text, "Goal:" in party.board.text)
        await turn(party, party.mover)
    assert shown == {"anna": (False, False), "carla": (True, True)}
    await party.started("/play real-queen @bruno")
    assert "Goal:" in party.board.text, "to another game they are new all the same"


@pytest.mark.parametrize("line", ["/play vedova-nera @bruno", "/play uomo-nero @bruno"])
async def test_the_goal_comes_before_the_first_choice_of_every_game(party: Party, line: str) -> None:
    await party.started(line)
    assert "Goal:" in party.board.text
