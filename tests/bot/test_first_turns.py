"""What newcomers are told in their first turns, and nobody else."""

import pytest

from tests.bot.party import Party, button, buttons, words

HOW = "Below the picture, press"


async def turn(party: Party, who: str) -> list[str]:
    """Have somebody take the first thing that can be done, and of that again the first, until their turn is over.

    Returns what they were answered.
    """
    answers, offered = list[str](), buttons(party.board.card)
    for _ in range(20):
        reply = await party.press(who, offered[0])
        answers.append(words(reply))
        if reply.card is None or not reply.card.rows:
            return answers
        offered = buttons(reply.card)
    raise AssertionError("a turn without an end")


async def test_goal_is_shown_once_and_instructions_once_per_newcomer(duel: Party) -> None:
    shown = []
    for _ in range(8):
        shown.append((HOW in duel.board.text, "Goal:" in duel.board.text))
        assert "it is your turn" in duel.board.text
        await turn(duel, duel.mover)
    assert shown == [(True, True), (True, False)] + [(False, False)] * 6
    assert duel.board.text.endswith(f"{duel.mover.capitalize()}, it is your turn.")


async def test_experienced_player_gets_no_instructions(duel: Party) -> None:
    await duel.press("anna", button((await duel.say("anna", "/resign")).card or duel.board.card, "resign!"))
    await duel.started("/play annuvin @carla board:square", "carla")
    shown = {}
    for _ in range(2):
        shown[duel.mover] = (HOW in duel.board.text, "Goal:" in duel.board.text)
        await turn(duel, duel.mover)
    assert shown == {"anna": (False, False), "carla": (True, True)}
    await duel.started("/play real-queen @bruno")
    assert "Goal:" in duel.board.text, "to another game they are new all the same"


@pytest.mark.parametrize("line", ["/play vedova-nera @bruno", "/play uomo-nero @bruno"])
async def test_the_goal_comes_before_the_first_choice_of_every_game(party: Party, line: str) -> None:
    await party.started(line)
    assert "Goal:" in party.board.text
