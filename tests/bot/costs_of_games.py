"""What is done at a table, and what it costs: playing, beginning and ending, offers, delivery."""

from __future__ import annotations

from tests.bot.costs import BOARD, SQUARE, Prepared, kind, over, press, typed
from tests.bot.party import Party, button, buttons, card, labelled


async def first_question(party: Party) -> str:
    """Return the press by which the first piece is chosen."""
    return buttons(party.board.card)[0].press


async def last_question(party: Party) -> str:
    """Choose the first piece, and return the press that completes the move."""
    asked = await party.press(party.mover, await first_question(party))
    return labelled(card(asked), "1 · a2").press


@kind("a half-made choice")
async def choice(party: Party) -> Prepared:
    await party.started(SQUARE)
    return press(party, party.mover, await first_question(party))


@kind("a completed move")
async def move(party: Party) -> Prepared:
    await party.started(SQUARE)
    return press(party, party.mover, await last_question(party))


async def with_delivery(party: Party, work: Prepared, last: str) -> None:
    """Do something and return when it was delivered: when the last call that this takes was made, and noted."""
    before = party.adapter.calls.count(last)
    await work
    await party.adapter.until(lambda: party.adapter.calls.count(last) > before)
    await party.front.delivery.close()


async def delivering(party: Party) -> None:
    """Have delivery run as it does in the program, with nothing left to do."""
    party.front.delivery.start()
    await party.settle()


@kind("its delivery, the old board retired", after_commit=True)
async def delivered(party: Party) -> Prepared:
    await party.started(SQUARE)
    await delivering(party)
    return with_delivery(party, press(party, party.mover, await last_question(party)), "retire")


@kind("a move that was typed")
async def text(party: Party) -> Prepared:
    await party.started(SQUARE)
    return typed(party, party.mover, "a1-a2")


@kind("talk")
async def talk(party: Party) -> Prepared:
    await party.started(SQUARE)
    return typed(party, party.mover, "what a fine day")


@kind("/move")
async def command(party: Party) -> Prepared:
    await party.started(SQUARE)
    return typed(party, party.mover, "/move a1-a2")


@kind("a press of a board that is out of date")
async def stale(party: Party) -> Prepared:
    await party.started(SQUARE)
    mover, pressed = party.mover, await last_question(party)
    await party.press(mover, pressed)
    return press(party, mover, pressed)


@kind("a press by somebody who is not to move")
async def not_theirs(party: Party) -> Prepared:
    await party.started(SQUARE)
    return press(party, party.other(), await first_question(party))


@kind("a new game, open to all")
async def opened(party: Party) -> Prepared:
    return typed(party, "anna", "/play annuvin")


@kind("the delivery of a new game", after_commit=True)
async def opened_delivered(party: Party) -> Prepared:
    # A person's first game of a kind mentions its lesson.
    await party.say("anna", "/play annuvin")
    await delivering(party)
    return with_delivery(party, typed(party, "anna", "/play annuvin"), "send")


@kind("the form of a new game")
async def form(party: Party) -> Prepared:
    return typed(party, "anna", "/play")


@kind("a challenge")
async def challenge(party: Party) -> Prepared:
    return typed(party, "anna", BOARD)


@kind("joining, which starts the game")
async def joined(party: Party) -> Prepared:
    await party.say("anna", BOARD)
    return press(party, "bruno", button(party.newest.card, "join").press)


@kind("joining one of several seats")
async def joined_many(party: Party) -> Prepared:
    await party.say("anna", "/play uomo-nero seats:4")
    return press(party, "bruno", button(party.newest.card, "join").press)


@kind("leaving an open game")
async def left(party: Party) -> Prepared:
    await joined_early(party)
    return press(party, "bruno", button(party.newest.card, "leave").press)


async def joined_early(party: Party) -> None:
    await party.say("anna", "/play uomo-nero seats:4")
    await party.press("bruno", button(party.newest.card, "join"))


@kind("starting a game before all seats are taken")
async def started(party: Party) -> Prepared:
    await joined_early(party)
    return press(party, "anna", button(party.newest.card, "start").press)


@kind("/board")
async def board(party: Party) -> Prepared:
    await party.started(SQUARE)
    return typed(party, "anna", "/board")


@kind("/games")
async def games(party: Party) -> Prepared:
    await party.started(SQUARE)
    return typed(party, "anna", "/games")


@kind("More")
async def more(party: Party) -> Prepared:
    await party.started(SQUARE)
    return press(party, party.mover, button(party.board.card, "more").press)


@kind("offering a draw")
async def offer(party: Party) -> Prepared:
    await party.started(SQUARE)
    return typed(party, "anna", "/draw")


@kind("agreeing to a draw")
async def agreed(party: Party) -> Prepared:
    await party.started(SQUARE)
    await party.say("anna", "/draw")
    return press(party, "bruno", button(party.newest.card, "agree").press)


@kind("refusing a draw")
async def refused(party: Party) -> Prepared:
    await party.started(SQUARE)
    await party.say("anna", "/draw")
    return press(party, "bruno", button(party.newest.card, "refuse").press)


@kind("asking to take a move back")
async def undo(party: Party) -> Prepared:
    await party.started(SQUARE)
    mover = party.mover
    await party.say(mover, "/move a1-a2")
    return typed(party, mover, "/undo")


@kind("a move taken back")
async def undone(party: Party) -> Prepared:
    await party.started(SQUARE)
    mover = party.mover
    await party.say(mover, "/move a1-a2")
    other = party.mover
    await party.say(mover, "/undo")
    return press(party, other, button(party.newest.card, "agree").press)


@kind("/resign, to be confirmed")
async def resigning(party: Party) -> Prepared:
    await party.started(SQUARE)
    return typed(party, "anna", "/resign")


@kind("resigning")
async def resigned(party: Party) -> Prepared:
    return press(party, "anna", await about_to_resign(party))


async def about_to_resign(party: Party) -> str:
    await party.started(SQUARE)
    await party.warm_up()
    return button(card(await party.say("anna", f"/resign {party.code}")), "resign!").press


@kind("the delivery of a game's end", after_commit=True)
async def end_delivered(party: Party) -> Prepared:
    pressed = await about_to_resign(party)
    await delivering(party)
    return with_delivery(party, press(party, "anna", pressed), "retire")


@kind("/pause")
async def pause(party: Party) -> Prepared:
    await party.started("/play annuvin @bruno clock:1d")
    return typed(party, "anna", "/pause")


@kind("/rematch")
async def rematch(party: Party) -> Prepared:
    await over(party)
    return typed(party, "anna", "/rematch")


@kind("a request that comes a second time")
async def again(party: Party) -> Prepared:
    await party.started(SQUARE)
    request, pressed = party.request(party.mover), await last_question(party)
    await party.front.press(request, pressed)
    return party.restarted().press(request, pressed)
