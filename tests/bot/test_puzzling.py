"""Puzzles: today's and others, on a board of one's own; what counts, and what there is to tell of it."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.boards.puzzle_boards import PuzzleBoard
from bot.boards.puzzles.cards import MARK_GLYPHS, open_puzzle_press
from bot.boards.puzzles.proving import WholeTurn, whole_turns
from bot.boards.puzzles.puzzle import FIRST_DATE, Puzzle, puzzle_on, puzzles_of
from bot.boards.puzzles.solving import find_solution
from bot.kernel.choices import path_to
from bot.kernel.context import MAX_CONCURRENT
from bot.kernel.presses import OPEN_PUZZLE, PUZZLE_ANSWER, PUZZLE_CONTROL, read_press
from bot.kernel.request_context import resolve_request
from bot.kernel.requests import Place, Reply
from engine import State, games
from render import Drawing
from storage import Attempt, Store
from tests.bot.party import Party, button, buttons, card, missing, picture_of, words
from tests.bot.test_limits import CAPTION, check
from tests.bot.test_pictures import Studio

NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)
"""On a Tuesday in the first week of the calendar."""
WITH_PUZZLES = [key for key in games if puzzles_of(key)]
FIRST = {key: next(iter(puzzles_of(key).values())) for key in WITH_PUZZLES}
"""A puzzle of each game."""
ANNUVIN = FIRST["annuvin"]
ALONE = Place("web", "@anna", kind="private")


class Easel(Studio):
    """Draws nothing; what is `held` only once it is let go, and `full` says that so many wait."""

    def __init__(self) -> None:
        super().__init__(plain=True)
        self.held: State | None = None
        self.waiting = 0
        self.full, self.let_go = asyncio.Event(), asyncio.Event()

    async def __call__(self, state: State, **view: Any) -> Drawing:
        if state == self.held:
            self.waiting += 1
            if self.waiting >= MAX_CONCURRENT:
                self.full.set()
            await self.let_go.wait()
        return await super().__call__(state, **view)


@pytest.fixture
def easel() -> Easel:
    return Easel()


@pytest.fixture
def party(store: Store, easel: Easel) -> Party:
    party = Party(store, draw=easel)
    party.clock.now = NOON
    return party


def way(reply: Reply, what: str) -> str:
    """Return the press of a button beside those that play."""
    carried = (read_press(each.press) for each in buttons(card(reply)))
    return next(str(each) for each in carried if each.deed == PUZZLE_CONTROL and each.rest == what)


def deeds(reply: Reply) -> set[str]:
    carried = [read_press(each.press) for each in buttons(card(reply))]
    return {each.rest if each.deed == PUZZLE_CONTROL else each.deed for each in carried}


def right(puzzle: Puzzle) -> list[str]:
    """Return the right turns of the solver, as they are typed."""
    return [" ".join(turn) for turn in find_solution(puzzle)[::2]]


def wrong_ways(puzzle: Puzzle) -> Iterator[WholeTurn]:
    """Return the first turns that are not right."""
    state = good = puzzle.state()
    for text in find_solution(puzzle)[0]:
        good = good.advance(good.read(text))
    return (each for each in whole_turns(state) if each.after.key() != good.key())


def wrong(puzzle: Puzzle) -> str:
    """Return a first turn that is not right, as it is typed."""
    return " ".join(next(wrong_ways(puzzle)).texts)


async def solve(party: Party, who: str, puzzle: Puzzle, *, first: Sequence[str] = (), **where: Any) -> Reply:
    """Have somebody open a puzzle and type its solution, after some other turns."""
    reply = await party.press(who, open_puzzle_press(puzzle.id), **where)
    for text in (*first, *right(puzzle)):
        reply = await party.say(who, f"/move {text}", **where)
    return reply


async def give_up(party: Party, who: str, puzzle: Puzzle) -> Reply:
    """Have somebody open a puzzle, give it up, and confirm that."""
    reply = await party.press(who, open_puzzle_press(puzzle.id))
    return await party.press(who, way(await party.press(who, way(reply, "give")), "giveyes"))


async def load_attempt(party: Party, puzzle: Puzzle, who: str = "anna") -> Attempt:
    (person,) = await party.store.people.find(who)
    (attempt,) = (each for each in await party.store.puzzles.list_attempts(person.id) if each.puzzle == puzzle.id)
    return attempt


async def test_the_puzzle_of_the_day_is_the_same_for_all_and_seen_by_each_alone(party: Party, easel: Easel) -> None:
    shown = len(party.shown)
    for who in ("anna", "bruno"):
        reply = await party.say(who, "/puzzle")
        assert (reply.private, reply.secret, reply.apart, reply.update) == (True, True, True, False)
        assert "puzzle of Nov 24, 2026, seen by you alone" in words(reply)
        assert (await load_attempt(party, puzzle_on(NOON.date()), who)).tried_at is None
        assert {"hint", "give", "words", PUZZLE_ANSWER} <= deeds(reply)
        # The picture bears nobody's name: it is drawn once for all.
        assert set(easel.asked[-1]["names"]) == {"You", "Opponent"}
        assert easel.asked[-1]["caption"] == "Puzzle"
        assert f"It is {who.title()}'s turn" in picture_of(reply).alt
    assert len(party.shown) == shown
    await party.say("anna", "/puzzle yesterday")
    assert (await load_attempt(party, puzzle_on(FIRST_DATE))).puzzle == puzzle_on(FIRST_DATE).id
    # Where it is tomorrow already, tomorrow's is today's.
    await party.say("anna", "/settings timezone:Pacific/Kiritimati")
    await party.say("anna", "/puzzle", place=ALONE)
    assert await load_attempt(party, puzzle_on(NOON.date() + timedelta(days=1)))


@pytest.mark.parametrize("key", WITH_PUZZLES)
async def test_a_puzzle_of_every_game_is_solved_by_its_buttons(party: Party, key: str) -> None:
    party.languages["anna"] = "it"
    await party.say("anna", "/settings text:on")
    puzzle = FIRST[key]
    reply = await party.press("anna", open_puzzle_press(puzzle.id))
    check(card(reply), CAPTION)
    shown = len(party.shown)
    # A newcomer to the game can read its rules; asking costs nothing.
    asked = button(card(reply), "rules")
    assert key in asked.press
    assert (await party.press("anna", asked)).private
    requester = await resolve_request(party.front.context, party.request("anna"))
    for turn in find_solution(puzzle)[::2]:
        for text in turn:
            board = PuzzleBoard.read(party.front.context, requester, await load_attempt(party, puzzle))
            state = board.line.state
            if board.over or text not in [action.text for action in state.legal_actions()]:
                break  # automatic turns were played already
            path = path_to(state, state.legal_actions(), state.read(text))
            for at in range(len(path)):
                carried = [read_press(each.press) for each in buttons(card(reply))]
                pressed = next(each for each in carried if each.deed == PUZZLE_ANSWER and each.path == path[: at + 1])
                reply = await party.press("anna", str(pressed))
                check(card(reply), CAPTION)
    attempt = await load_attempt(party, puzzle)
    assert (attempt.result, attempt.wrong, attempt.hints, attempt.rated) == ("solved", 0, 0, True)
    assert attempt.presses > 0
    assert f"{MARK_GLYPHS['clean']} risolto al primo colpo" in words(reply)
    assert deeds(reply) == {OPEN_PUZZLE, "share", "again", "words"}
    assert len(party.shown) == shown


async def test_wrong_puzzle_turn_counts_and_explains_the_oversight(party: Party, easel: Easel) -> None:
    puzzle = next(each for each in puzzles_of("real-queen").values() if each.goal.kind == "win")
    await party.press("anna", open_puzzle_press(puzzle.id))
    drawn = len(easel.asked)
    reply = await party.say("anna", f"/move {wrong(puzzle)}")
    assert "overlooks" in words(reply) or "not win yet" in words(reply)
    assert deeds(reply) == {"go", "hint", "give"}
    (picture,) = easel.asked[drawn:]
    assert picture["state"].to_json() != puzzle.state().to_json()
    if "overlooks" in words(reply):
        assert picture["hint"] is not None
        assert "overlooks" in picture_of(reply).alt
    attempt = await load_attempt(party, puzzle)
    assert (attempt.wrong, attempt.result, attempt.rated, attempt.tried_at) == (1, "", True, NOON)
    rating = (await party.store.puzzles.list_ratings(attempt.person))["real-queen"]
    assert (rating.tries, rating.solved) == (1, 0)
    reply = await party.press("anna", way(reply, "go"))
    assert easel.asked[-1]["state"].to_json() == puzzle.state().to_json()
    for text in right(puzzle):
        reply = await party.say("anna", f"/move {text}")
    assert "solved after errors" in words(reply)
    attempt = await load_attempt(party, puzzle)
    assert (attempt.wrong, attempt.result, attempt.mark) == (1, "solved", "errors")
    assert (await party.store.puzzles.list_ratings(attempt.person))["real-queen"] == rating


async def test_a_right_turn_is_answered_and_the_next_one_asked_for(party: Party) -> None:
    puzzle = next(each for each in puzzles_of("real-queen").values() if len(right(each)) > 1)
    await party.press("anna", open_puzzle_press(puzzle.id))
    reply = await party.say("anna", f"/move {right(puzzle)[0]}")
    answer = " ".join(find_solution(puzzle)[1])
    assert missing(words(reply), f"The answer is {answer}", "Win in 1 turn") == []
    reply = await party.say("anna", f"/move {right(puzzle)[1]}")
    assert "solved at once" in words(reply)
    # The board in words tells where it ended, and a look changes nothing.
    before = await load_attempt(party, puzzle)
    assert card(await party.press("anna", way(reply, "words"))).picture is None
    assert "solved at once" in words(await party.press("anna", way(reply, "go")) if "go" in deeds(reply) else reply)
    assert await load_attempt(party, puzzle) == before


async def test_hints_become_clearer_and_take_the_rating_away(party: Party, easel: Easel) -> None:
    reply = await party.press("anna", open_puzzle_press(ANNUVIN.id))
    shown = []
    for number in range(4):
        reply = await party.press("anna", way(reply, "hint")) if number != 1 else await party.say("anna", "/hint")
        shown.append(words(reply))
        assert (await load_attempt(party, ANNUVIN)).hints == number + 1
    assert len(set(shown[:3])) == 3
    assert f"It is {right(ANNUVIN)[0]}" in shown[2]
    assert shown[3] == shown[2]
    assert easel.asked[-1]["hint"] is not None
    reply = await party.say("anna", f"/move {right(ANNUVIN)[0]}")
    assert missing(words(reply), "solved with hints", "does not count for your rating") == []
    attempt = await load_attempt(party, ANNUVIN)
    assert (attempt.mark, attempt.rated) == ("hinted", False)
    assert await party.store.puzzles.list_ratings(attempt.person) == {}


async def test_who_gives_up_is_shown_the_solution(party: Party, easel: Easel) -> None:
    reply = await party.press("anna", open_puzzle_press(ANNUVIN.id))
    sure = await party.press("anna", way(reply, "give"))
    assert (await load_attempt(party, ANNUVIN)).result == ""
    assert picture_of(sure), "the board stays, and nothing can be played on it meanwhile"
    assert not card(sure).presses
    assert [each["hint"] for each in easel.asked[-1:]] == [None]
    reply = await party.press("anna", way(sure, "giveyes"))
    assert missing(words(reply), f"Solution: {right(ANNUVIN)[0]}", "not solved") == []
    assert easel.asked[-1]["hint"] is not None
    # It plays on the board, turn after turn, and back.
    turns, first = find_solution(ANNUVIN), easel.asked[-1]["state"]
    shown, states = reply, [first]
    for number in range(1, len(turns) + 1):
        shown = await party.press("anna", way(shown, f"see{number}"))
        states.append(easel.asked[-1]["state"])
        assert (easel.asked[-1]["hint"] is None) == (number == len(turns))
    assert len(set(states)) == len(turns) + 1
    assert f"see{len(turns) + 1}" not in deeds(shown)
    for number in reversed(range(len(turns))):
        shown = await party.press("anna", way(shown, f"see{number}"))
        assert easel.asked[-1]["state"] == states[number]
    for wrong in ("see99", "see-1", "see", "seex"):
        refused = way(reply, "see1").replace("see1", wrong)
        assert "out of date" in words(await party.press("anna", refused)), wrong
    attempt = await load_attempt(party, ANNUVIN)
    assert (attempt.result, attempt.rated, attempt.mark) == ("given-up", True, None)
    assert (await party.store.puzzles.list_ratings(attempt.person))[""].solved == 0
    # A second run is not rated.
    assert "hint" in deeds(await party.press("anna", way(reply, "again")))
    assert "solved at once" in words(await party.say("anna", f"/move {right(ANNUVIN)[0]}"))
    assert replace(await load_attempt(party, ANNUVIN), state={}) == replace(
        attempt, state={}, revision=attempt.revision + 2, touched_at=NOON
    )


async def test_typed_move_goes_to_the_last_used_board_unless_a_game_waits(party: Party) -> None:
    party.clock.turn(minutes=1)
    await party.say("anna", "/learn annuvin")
    party.clock.turn(minutes=1)
    await party.press("anna", open_puzzle_press(ANNUVIN.id))
    assert [each.value for each in await party.complete("anna", "move", "move", move=right(ANNUVIN)[0])]
    assert "*" not in words(await party.say("anna", "/move z9-z8"))
    assert "Hint" in " ".join(each.label for each in buttons(card(await party.say("anna", "/move z9-z8"))))
    party.clock.turn(minutes=1)
    await party.started()
    party.clock.turn(minutes=1)
    if party.mover != "anna":
        await party.say(party.mover, "/move b1-b2")
    before = (await load_attempt(party, ANNUVIN)).revision
    await party.say("anna", f"/move {await party.legal()}")
    assert (await load_attempt(party, ANNUVIN)).revision == before
    # Elsewhere in a group nothing is taken for it; in private it is.
    there = Place("web", "elsewhere", title="Elsewhere")
    party.clock.turn(minutes=1)
    await party.press("anna", open_puzzle_press(ANNUVIN.id), place=ALONE)
    await party.say("anna", right(ANNUVIN)[0], place=there)
    assert (await load_attempt(party, ANNUVIN)).result == ""
    await party.say("anna", right(ANNUVIN)[0], place=ALONE)
    assert (await load_attempt(party, ANNUVIN)).result == "solved"


async def test_boards_of_games_go_before_puzzles(party: Party, easel: Easel) -> None:
    await party.started()
    easel.held = ANNUVIN.state()
    press = open_puzzle_press(ANNUVIN.id)
    opened = [asyncio.create_task(party.press(f"solver{number}", press)) for number in range(2 * MAX_CONCURRENT)]
    opened += [asyncio.create_task(party.say("dora", "/puzzle annuvin"))]
    await easel.full.wait()
    mover = party.mover
    await party.say(mover, "/move b1-b2")
    assert party.mover != mover
    assert easel.waiting == MAX_CONCURRENT
    easel.let_go.set()
    assert all(picture_of(reply).png for reply in await asyncio.gather(*opened))


async def test_a_result_is_shared_as_text_that_gives_nothing_away(party: Party) -> None:
    puzzle = puzzle_on(NOON.date())
    reply = await solve(party, "anna", puzzle, first=[wrong(puzzle)])
    shared = words(await party.press("anna", way(reply, "share")))
    name = party.front.context.speaker("en").game_name(puzzle.game)
    assert f"Tavoliere puzzle of Nov 24, 2026 · {name} · ☆ solved after errors" in shared
    assert not any(text in shared for text in right(puzzle))


async def test_a_puzzle_that_is_gone_or_was_stored_by_another_version_is_answered(party: Party) -> None:
    await party.press("anna", way(await party.press("anna", open_puzzle_press(ANNUVIN.id)), "hint"))
    assert "not there any more" in words(await party.press("anna", open_puzzle_press("annuvin-000")))
    assert "not there any more" in words(await party.press("anna", open_puzzle_press("nothing")))
    attempt = await load_attempt(party, ANNUVIN)
    await party.store.puzzles.update_attempt(replace(attempt, state={"solving": {"of": "another version"}}), NOON)
    again = await party.press("anna", open_puzzle_press(ANNUVIN.id))
    assert "hint" in deeds(again)
    await party.press("anna", way(again, "hint"))
    # What was counted of it before stays counted.
    assert (await load_attempt(party, ANNUVIN)).hints == 2


async def test_wrong_annuvin_turn_is_explained_in_terms_of_its_rules(party: Party) -> None:
    puzzle, taking = next(
        (each, way)
        for each in puzzles_of("annuvin").values()
        if each.goal.turns == 0
        for way in wrong_ways(each)
        if "x" in way.texts[0]
    )
    await party.press("anna", open_puzzle_press(puzzle.id))
    said = words(await party.say("anna", " ".join(taking.texts)))
    left = len(taking.after.to_json()["pieces"][1 - puzzle.seat])
    reach = taking.after.to_json()["lost"][1 - puzzle.seat] + 1
    assert missing(said, f"With {left} piece", f"reaches {reach} cells away.") == []


async def test_solution_describes_its_first_turn(party: Party) -> None:
    puzzle = next(each for each in puzzles_of("annuvin").values() if each.goal.kind == "most")
    assert f"It captures {puzzle.goal.amount} pieces (" in words(await give_up(party, "anna", puzzle))


async def test_a_picture_marks_at_most_twelve_cells_at_a_time(party: Party, easel: Easel) -> None:
    puzzle = FIRST["fagocitare"]
    assert len(puzzle.state().legal_actions()) > PuzzleBoard.max_marked
    reply = await party.press("anna", open_puzzle_press(puzzle.id))
    await party.press("anna", button(card(reply), PUZZLE_ANSWER))
    marked = [len(each["choices"].targets) for each in easel.asked if each["choices"] is not None]
    assert marked[0] == 0
    assert 0 < marked[-1] <= PuzzleBoard.max_marked
