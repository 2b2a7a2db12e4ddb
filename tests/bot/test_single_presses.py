"""A single press on the open board that moves a piece of which there is only one asks first, once, in any game."""

from bot.kernel.presses import press
from bot.kernel.question_cards import PUBLIC_CHOICE
from tests.bot.party import Party, button, buttons, card, labelled, words


async def begun(party: Party) -> tuple[str, str, int]:
    """Have a game of La Vedova Nera begin; return its code, who is to move and its revision."""
    code = await party.started("/play vedova-nera @bruno")
    for _ in range(2):
        await party.press(party.mover, buttons(party.board.card)[0])
    return code, party.mover, (await party.load_row(code)).revision


async def test_the_counsellor_moves_by_a_single_press_only_once_that_is_confirmed(advised: Party) -> None:
    code, mover, revision = await begun(advised)
    cell, carried = next((cell, each) for cell, each in advised.board.card.presses.items() if "=counsellor." in each)
    asked = await advised.press(mover, carried)
    assert asked.private
    assert f"Move the Counsellor to {cell}?" in words(asked)
    assert card(asked).picture is not None
    assert [each.label for each in buttons(card(asked))] == ["Yes", "Back"]
    assert (await advised.load_row(code)).revision == revision, "nothing was played"
    back = await advised.follow(mover, asked, "Back")
    assert {"Move a pawn", "Move the Counsellor"} <= {each.label for each in buttons(card(back))}
    assert f"Counsellor to {cell}" in words(await advised.follow(mover, asked, "Yes"))
    assert advised.mover != mover


async def test_in_two_presses_it_moves_as_ever(party: Party) -> None:
    _, mover, _ = await begun(party)
    chosen = card(await party.press(mover, labelled(party.board.card, "Move the Counsellor")))
    await party.press(mover, button(chosen, "p"))
    assert party.mover != mover


async def test_ordinary_move_needs_one_press(party: Party) -> None:
    code = await party.started("/play fagocitare @bruno size:7")
    mover = party.mover
    await party.press(mover, press(PUBLIC_CHOICE, code, (await party.load_row(code)).revision, "d4"))
    assert party.mover != mover
