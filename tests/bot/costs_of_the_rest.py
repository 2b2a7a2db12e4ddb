"""What is done besides playing, and what it costs: boards of one's own, looking things up, settings, competitions."""

from bot.interface.presses import PUZZLE_ANSWER, PUZZLE_CONTROL, TRY_ANSWER, Press, read_press
from bot.interface.requests import Reply
from bot.puzzles.cards import open_puzzle_press
from bot.puzzles.puzzle import puzzles_of
from tests.bot.costs import Prepared, begins, kind, press, script, typed
from tests.bot.cups import a_cup
from tests.bot.ladders import a_ladder, challenged
from tests.bot.party import SQUARE, Party, buttons, card

script("/hint", "started /play annuvin @bruno rated:no", "mover: /hint")
script("/try", "started /play annuvin @bruno", "anna: /try b1-b2")


@kind("a press on the board of a try")
async def try_pressed(party: Party) -> Prepared:
    await party.started()
    return press(party, "anna", way(await party.say("anna", "/try b1-b2"), "back", TRY_ANSWER))


def way(reply: Reply, what: str, answer: str) -> str:
    """Return the press of a button of a private board beside those that play."""
    carried = [read_press(each.press) for each in buttons(card(reply))]
    return next(str(each) for each in carried if each.rest == what and each.deed.startswith(answer[0]))


script("/plan", "started /play annuvin @bruno clock:1d", "other: /plan if b1-b2 then b5-b4")


script(
    "a move that a plan answers",
    "started /play annuvin @bruno clock:1d",
    "other: /plan if b1-b2 then b5-b4",
    "mover: /move b1-b2",
)


script("/analyse", "over", "anna: /analyse CODE")
script("/analyse, once it is known", "over", "anna: /analyse CODE", "bruno: /analyse CODE")
script("/replay", "over", "anna: /replay CODE")
script("/history", "over", "anna: /history")
script("/export", "over", "anna: /export CODE")
script("/learn", "anna: /learn annuvin")
script("a step of a lesson", "anna: /learn annuvin", "anna: /move d2-d3")
script("/puzzle", "anna: /puzzle")


async def puzzle_presses(party: Party) -> list[Press]:
    """Open a puzzle, and return what its buttons carry."""
    reply = await party.press("anna", open_puzzle_press(next(iter(puzzles_of("annuvin").values())).id))
    return [read_press(each.press) for each in buttons(card(reply))]


@kind("an answer to a puzzle")
async def puzzle_answer(party: Party) -> Prepared:
    carried = await puzzle_presses(party)
    return press(party, "anna", next(str(each) for each in carried if each.deed == PUZZLE_ANSWER))


@kind("a hint for a puzzle")
async def puzzle_hint(party: Party) -> Prepared:
    carried = [each for each in await puzzle_presses(party) if (each.deed, each.rest) == (PUZZLE_CONTROL, "hint")]
    return press(party, "anna", str(carried[0]))


script("/settings", "anna: /settings")
script("a setting changed", "anna: /settings theme:dark")
script("a form opened", "anna: /cup annuvin")
script("/menu", "started /play annuvin @bruno", "mover: /menu")
script("/leaderboard", "over", "anna: /leaderboard")
script("/profile", "over", "anna: /profile")
script("/help", "anna: /help")
script("/rules", "anna: /rules annuvin")
script("/privacy", "anna: /privacy")
script("/block", "anna: /block @bruno")
script("/link", "anna: /link")


@kind("completion of a move")
async def completed(party: Party) -> Prepared:
    await party.started(SQUARE)
    await party.complete(party.mover, "move", "move")
    return party.front.complete(party.request(party.mover), "move", "move", {"move": "a"})


@kind("completion of a game")
async def completed_game(party: Party) -> Prepared:
    await party.started(SQUARE)
    await party.complete("anna", "board", "game")
    return party.front.complete(party.request("anna"), "board", "game", {})


@kind("a board looked at on the page")
async def looked(party: Party) -> Prepared:
    return party.front.view_game(party.request("anna"), await party.started(SQUARE))


script("/cup", "anna: /cup annuvin clock:1d players:4")


@begins
async def cup(party: Party) -> str:
    return await a_cup(party)


script("entering a cup", "cup", "bruno does cup=join.CODE")


script("leaving a cup", "cup", "bruno does cup=join.CODE", "bruno does cup=leave.CODE")


script("/ladder", "anna: /ladder annuvin clock:1d")


@begins
async def ladder(party: Party) -> str:
    return await a_ladder(party)


@begins
async def ladder_of_two(party: Party) -> str:
    return await a_ladder(party, "/ladder annuvin clock:1d", "anna", "bruno")


script("joining a ladder", "ladder", "bruno does ladder=join.CODE")


script("a challenge on a ladder", "ladder_of_two", "bruno does ladder=challenge.CODE.0")


@kind("a challenge is accepted")
async def ladder_accepted(party: Party) -> Prepared:
    code = await ladder_of_two(party)
    await challenged(party, code, "bruno", "anna")
    return press(party, "anna", f"ladder=accept.{code}.0")


@begins
async def team(party: Party) -> str:
    """Return the code of a game in which the room is to vote, with a proposal of Bruno's."""
    await party.say("anna", "/team annuvin computer 1")
    code = party.code
    await party.say("bruno", f"/move {await party.legal(code)} game:{code}")
    return code


script("/team", "team", "anna: /team")


@kind("a vote for a turn")
async def vote(party: Party) -> Prepared:
    code = await team(party)
    pressed = f"vote:{code}:{(await party.load_row(code)).revision}=1"
    await press(party, "anna", pressed)
    return press(party, "anna", pressed)


@kind("a turn proposed")
async def proposed(party: Party) -> Prepared:
    code = await team(party)
    return typed(party, "anna", f"/move {await party.legal(code, 1)} game:{code}")


@kind("votes shown below a board")
async def votes_shown(party: Party) -> Prepared:
    await team(party)
    party.clock.turn(seconds=10)
    return party.front.jobs["teams"].run_until_idle()


@kind("a round of votes that ends")
async def round_over(party: Party) -> Prepared:
    await team(party)
    party.clock.turn(days=1)
    return party.front.jobs["teams"].run_until_idle()


@begins
async def guessed(party: Party) -> str:
    """Return the code of a game whose players have agreed to guesses, watched by Carla."""
    await party.say("carla", "/help")
    code = await party.started()
    for who in ("anna", "bruno"):
        await party.press(who, f"guessyes:{code}:0")
    return code


script("guesses offered", "carla: /help", "started /play annuvin @bruno", "carla does guessoffer:CODE:0")


script("guesses agreed to", "started /play annuvin @bruno", "anna does guessyes:CODE:0")


script("a board for a guess", "guessed", "carla does guess:CODE:0")


script("a guess", "guessed", "carla: /guess b1-b2 game:CODE")


script(
    "who guesses well this month",
    "guessed",
    "carla: /guess b1-b2 game:CODE",
    "mover: /move b1-b2 game:CODE",
    "carla: /guess month",
)


script("/league", "anna: /league annuvin clock:1d")


@kind("entering a league")
async def league_entered(party: Party) -> Prepared:
    await party.say("anna", "/league annuvin clock:1d")
    (code,) = await party.store.competitions.list_ids(kind="league")
    return press(party, "bruno", f"league=join.{code}")
