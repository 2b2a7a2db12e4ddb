"""What each kind of request asks of the database: people do it once, as a rule, and what is sent to SQLite is listed.

Everybody has been here before, so that memory knows who they are; what is counted is the request alone, or delivery
alone, without what had to be done before it.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.interface.presses import PUZZLE_ANSWER, PUZZLE_WAY, TRY, read_press
from bot.interface.requests import Reply
from bot.presenters.puzzles import open_press
from bot.puzzles.puzzle import puzzles_of
from storage import Store
from tests.bot.cups import a_cup
from tests.bot.party import Party, button, buttons, card, labelled, words
from tests.support.counting import BEGIN, listed_statements

Prepared = Awaitable[object]
Kind = Callable[[Party], Awaitable[Prepared]]
"""Prepares all and returns what is to be counted once it is awaited."""

SQUARE: Final = "/play annuvin @bruno board:square"
BOARD: Final = "/play annuvin @bruno"
KINDS: Final[dict[str, Kind]] = {}
AFTER_COMMIT: Final[set[Kind]] = set()
"""The kinds of which only what follows the commit is counted."""


@dataclass(frozen=True)
class Cost:
    """The statements of something, by verb and table in their order, and in how many transactions they are."""

    statements: tuple[str, ...]
    transactions: int

    @classmethod
    def of(cls, listed: list[str]) -> Cost:
        """Return the cost of what was listed."""
        return cls(tuple(each for each in listed if each != BEGIN), listed.count(BEGIN))

    @property
    def writes(self) -> tuple[str, ...]:
        """Those of the statements that change something."""
        return tuple(each for each in self.statements if not each.startswith("SELECT"))


def kind(name: str, *, after_commit: bool = False) -> Callable[[Kind], Kind]:
    """Have a kind of request counted under a name, or only what is done once it is stored."""

    def note(work: Kind) -> Kind:
        assert name not in KINDS
        if after_commit:
            AFTER_COMMIT.add(work)
        KINDS[name] = work
        return work

    return note


def _file_in(folder: Path, empty: Path | None) -> Path:
    folder.mkdir(parents=True)
    path = folder / "tavoliere.db"
    if empty is not None:
        shutil.copy(empty, path)
    return path


@asynccontextmanager
async def a_party(folder: Path, empty: Path | None = None) -> AsyncIterator[tuple[Party, list[str]]]:
    """Give people in a room, on a database of their own (a copy of an empty one), and what is asked of it."""
    path = await asyncio.to_thread(_file_in, folder, empty)
    with listed_statements() as listed:
        async with await Store.open(path) as store:
            party = Party(store)
            try:
                for who in ("anna", "bruno"):
                    await party.say(who, "/help")
                yield party, listed
            finally:
                await party.front.close()


async def cost(work: Kind, folder: Path, empty: Path | None = None) -> Cost:
    """Return what a kind of request costs, in a folder that is not there yet."""
    async with a_party(folder, empty) as (party, listed):
        prepared = await work(party)
        listed.clear()
        if work in AFTER_COMMIT:
            # Told at once when it has ended, before anything else can be done.
            party.store.listen(lambda news: listed.clear() if news[0] == "game" else None)
        done = await prepared
        found = Cost.of(listed)
        if isinstance(done, Reply):
            assert not done.failed, words(done)
        return found


def press(party: Party, who: str, pressed: str) -> Prepared:
    """Return a press, without the delivery that follows."""
    return party.front.press(party.request(who), pressed)


def typed(party: Party, who: str, line: str) -> Prepared:
    """Return a typed line, without the delivery that follows."""
    return party.front.typed(party.request(who), line)


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
    # Who plays a game for the first time is told of its lesson.
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


async def over(party: Party) -> str:
    code = await party.started(SQUARE)
    await party.warm_up(code)
    resigning = await party.say("anna", f"/resign {code}")
    await party.press("anna", button(card(resigning), "resign!"))
    return code


@kind("/hint")
async def hint(party: Party) -> Prepared:
    await party.started("/play annuvin @bruno rated:no")
    return typed(party, party.mover, "/hint")


@kind("/try")
async def trying(party: Party) -> Prepared:
    await party.started(BOARD)
    return typed(party, "anna", "/try b1-b2")


@kind("a press on the board of a try")
async def try_pressed(party: Party) -> Prepared:
    await party.started(BOARD)
    return press(party, "anna", way(await party.say("anna", "/try b1-b2"), "back", TRY))


def way(reply: Reply, what: str, answer: str) -> str:
    """Return the press of a button of a private board beside those that play."""
    carried = [read_press(each.press) for each in buttons(card(reply))]
    return next(str(each) for each in carried if each.rest == what and each.deed.startswith(answer[0]))


@kind("/plan")
async def plan(party: Party) -> Prepared:
    await party.started("/play annuvin @bruno clock:1d")
    return typed(party, party.other(), "/plan if b1-b2 then b5-b4")


@kind("a move that a plan answers")
async def planned(party: Party) -> Prepared:
    await party.started("/play annuvin @bruno clock:1d")
    mover = party.mover
    await party.say(party.other(), "/plan if b1-b2 then b5-b4")
    return typed(party, mover, "/move b1-b2")


@kind("/analyse")
async def analysis(party: Party) -> Prepared:
    code = await over(party)
    return typed(party, "anna", f"/analyse {code}")


@kind("/analyse, once it is known")
async def analysis_again(party: Party) -> Prepared:
    code = await over(party)
    await party.say("anna", f"/analyse {code}")
    return typed(party, "bruno", f"/analyse {code}")


@kind("/replay")
async def replay(party: Party) -> Prepared:
    code = await over(party)
    return typed(party, "anna", f"/replay {code}")


@kind("/history")
async def history(party: Party) -> Prepared:
    await over(party)
    return typed(party, "anna", "/history")


@kind("/export")
async def export(party: Party) -> Prepared:
    code = await over(party)
    return typed(party, "anna", f"/export {code}")


@kind("/learn")
async def learn(party: Party) -> Prepared:
    return typed(party, "anna", "/learn annuvin")


@kind("a step of a lesson")
async def lesson(party: Party) -> Prepared:
    await party.say("anna", "/learn annuvin")
    return typed(party, "anna", "/move d2-d3")


@kind("/puzzle")
async def puzzle(party: Party) -> Prepared:
    return typed(party, "anna", "/puzzle")


@kind("an answer to a puzzle")
async def puzzle_answer(party: Party) -> Prepared:
    reply = await party.press("anna", open_press(next(iter(puzzles_of("annuvin").values())).id))
    carried = [read_press(each.press) for each in buttons(card(reply))]
    return press(party, "anna", next(str(each) for each in carried if each.deed == PUZZLE_ANSWER))


@kind("a hint for a puzzle")
async def puzzle_hint(party: Party) -> Prepared:
    reply = await party.press("anna", open_press(next(iter(puzzles_of("annuvin").values())).id))
    carried = [read_press(each.press) for each in buttons(card(reply))]
    return press(party, "anna", next(str(each) for each in carried if (each.deed, each.rest) == (PUZZLE_WAY, "hint")))


@kind("/settings")
async def settings(party: Party) -> Prepared:
    return typed(party, "anna", "/settings")


@kind("a setting changed")
async def setting(party: Party) -> Prepared:
    return typed(party, "anna", "/settings theme:dark")


@kind("/leaderboard")
async def leaderboard(party: Party) -> Prepared:
    await over(party)
    return typed(party, "anna", "/leaderboard")


@kind("/profile")
async def profile(party: Party) -> Prepared:
    await over(party)
    return typed(party, "anna", "/profile")


@kind("/help")
async def helped(party: Party) -> Prepared:
    return typed(party, "anna", "/help")


@kind("/rules")
async def rules(party: Party) -> Prepared:
    return typed(party, "anna", "/rules annuvin")


@kind("/privacy")
async def privacy(party: Party) -> Prepared:
    return typed(party, "anna", "/privacy")


@kind("/block")
async def block(party: Party) -> Prepared:
    return typed(party, "anna", "/block @bruno")


@kind("/link")
async def link(party: Party) -> Prepared:
    return typed(party, "anna", "/link")


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
    code = await party.started(SQUARE)
    return party.front.look(party.request("anna"), code)


@kind("/cup")
async def cup(party: Party) -> Prepared:
    return typed(party, "anna", "/cup annuvin clock:1d players:4")


@kind("entering a cup")
async def entered(party: Party) -> Prepared:
    code = await a_cup(party)
    return press(party, "bruno", f"cup=join.{code}")


@kind("leaving a cup")
async def cup_left(party: Party) -> Prepared:
    code = await a_cup(party, "/cup annuvin clock:1d players:4", "bruno")
    return press(party, "bruno", f"cup=leave.{code}")


@kind("a request that comes a second time")
async def again(party: Party) -> Prepared:
    await party.started(SQUARE)
    request, pressed = party.request(party.mover), await last_question(party)
    await party.front.press(request, pressed)
    return party.restarted().press(request, pressed)


async def all_costs(folder: Path, empty: Path | None = None) -> dict[str, Cost]:
    """Return what each kind of request costs, in folders that are made within one."""
    return {name: await cost(work, folder / str(number), empty) for number, (name, work) in enumerate(KINDS.items())}
