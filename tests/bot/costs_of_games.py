"""What is done at a table, and what it costs: playing, beginning and ending, offers, delivery."""

from tests.bot.costs import Prepared, kind, press, script, typed
from tests.bot.party import SQUARE, Party, button, buttons, card, labelled


async def first_question(party: Party) -> str:
    """Return the press by which the first piece is chosen."""
    return buttons(party.board.card)[0].press


async def last_question(party: Party) -> str:
    """Choose the first piece, and return the press that completes the move."""
    return labelled(card(await party.press(party.mover, await first_question(party))), "1 · a2").press


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
    """Have delivery run as it does in the program, with nothing left to do and its first scan done."""
    party.front.delivery.start()
    await party.front.delivery.run_until_idle()


@kind("its delivery, the old board retired", after_commit=True)
async def delivered(party: Party) -> Prepared:
    await party.started(SQUARE)
    await delivering(party)
    return with_delivery(party, press(party, party.mover, await last_question(party)), "retire")


script("a move that was typed", "square", "mover: a1-a2")
script("talk", "square", "mover: what a fine day")
script("/move", "square", "mover: /move a1-a2")


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


@kind("a press by somebody who is new here")
async def newcomer(party: Party) -> Prepared:
    await party.started(SQUARE)
    return press(party, "dora", await first_question(party))


script("a new game, open to all", "anna: /play annuvin")


@kind("the delivery of a new game", after_commit=True)
async def opened_delivered(party: Party) -> Prepared:
    # A person's first game of a kind mentions its lesson.
    await party.say("anna", "/play annuvin")
    await delivering(party)
    return with_delivery(party, typed(party, "anna", "/play annuvin"), "send")


script("the form of a new game", "anna: /play")
script("a challenge", "anna: /play annuvin @bruno")
script("joining, which starts the game", "anna: /play annuvin @bruno", "bruno presses join")
script("joining one of several seats", "anna: /play uomo-nero seats:4", "bruno presses join")
script("leaving an open game", "anna: /play uomo-nero seats:4", "bruno presses join", "bruno presses leave")


script(
    "starting a game before all seats are taken",
    "anna: /play uomo-nero seats:4",
    "bruno presses join",
    "anna presses start",
)
script("/board", "square", "anna: /board")
script("/games", "square", "anna: /games")


script("More", "square", "mover presses more")


script("offering a draw", "square", "anna: /draw")
script("agreeing to a draw", "square", "anna: /draw", "bruno presses agree")
script("refusing a draw", "square", "anna: /draw", "bruno presses refuse")


script("asking to take a move back", "square", "mover: /move a1-a2", "other: /undo")


script("a move taken back", "square", "mover: /move a1-a2", "other: /undo", "mover presses agree")


script("/resign, to be confirmed", "square", "anna: /resign")


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


script("/pause", "started /play annuvin @bruno clock:1d", "anna: /pause")
script("/rematch", "over", "anna: /rematch")


@kind("a request that comes a second time")
async def again(party: Party) -> Prepared:
    await party.started(SQUARE)
    request, pressed = party.request(party.mover), await last_question(party)
    await party.front.press(request, pressed)
    return party.restarted().press(request, pressed)
