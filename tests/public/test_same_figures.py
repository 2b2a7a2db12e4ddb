"""Turns, captures and ratings are the same on the board's card, in its alt text, on the page and in the interface."""

import html
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from random import Random
from typing import Any, Final

import pytest

from bot.kernel.presses import press
from bot.kernel.requests import GameView
from bot.kernel.words.describe import captured_cells
from bot.table.replaying import export_record, shown_turns_of
from engine import CHANCE, State
from tests.bot.party import Party, words
from tests.bot.test_monthly import lose
from tests.public.test_api import rated
from tests.public.world import World
from tests.support.present import present

BEGINNING: Final = 9
"""How many actions are played at least."""
PLAYED_OUT: Final = "fagocitare"
"""The game that is played to its end; the others until there are figures."""
Position = Mapping[str, Any]


def _annuvin(position: Position) -> list[list[str]]:
    return [
        [f"{lost} lost"] * bool(lost) + [f"{reserve} in reserve"] * bool(reserve)
        for lost, reserve in zip(position["lost"], position["reserve"], strict=True)
    ]


def _fagocitare(position: Position) -> list[list[str]]:
    return [
        [f"captured dot{'s' if len(dead) > 1 else ''} on {', '.join(dead)}"] if dead else []
        for dead in position["dead"]
    ]


def _real_queen(position: Position) -> list[list[str]]:
    return [[f"{reserve} in reserve"] if reserve else [] for reserve in position["reserve"]]


def _vedova_nera(position: Position) -> list[list[str]]:
    return [[f"{off} off the web"] if off else [] for off in position["off"]]


def _uomo_nero(position: Position) -> list[list[str]]:
    return [[f"{score} point{'s' * (score != 1)} attacking"] for score in position["attack_scores"]]


FIGURES: Final[Mapping[str, Callable[[Position], list[list[str]]]]] = {
    "annuvin": _annuvin,
    "fagocitare": _fagocitare,
    "real-queen": _real_queen,
    "uomo-nero": _uomo_nero,
    "vedova-nera": _vedova_nera,
}
"""For each game, what the alt text has to say of each seat, by the position of the interface."""
CAPTURES: Final[Mapping[str, Callable[[Position], list[int]]]] = {
    "annuvin": lambda position: position["lost"],
    "fagocitare": lambda position: [len(dead) for dead in position["dead"]][::-1],
}
"""How much each seat has lost by a position, where only captures change that."""


async def play_until(party: Party, code: str, is_reached: Callable[[State], bool], rng: Random) -> State:
    """Play random actions, until the game is over or a position is reached, which is then shown and returned."""
    while True:
        table = await party.table(code)
        state = table.playing.state
        if table.mover is None or is_reached(state):
            await party.settle()
            return state
        mover = party.request(table.names[table.mover].lower())
        await party.front.typed_text(mover, f"/move {state.random_action(rng).text} game:{code}")


async def check_turns(world: World, page: str) -> None:
    party = world.party
    table = await party.table(party.code)
    turns = await shown_turns_of(party.front.context, table)
    data = (await world.get(f"/api/v1/games/{page}")).json
    listed = await world.items(f"/api/v1/games/{page}/turns?limit=100")
    page_text = (await world.get(f"/g/{page}")).text
    text = " ".join(re.sub(r"<[^>]+>", " ", page_text).split())
    finished = table.row.turn
    assert (data["turns"], table.playing.finished_turn_count) == (finished, finished)
    assert [each["number"] for each in listed] == list(range(1, len(turns) + 1))
    assert sum(each["finished"] for each in listed) == finished >= len(turns) - 1
    assert [each["seat"] for each in listed] == [None if each.seat == CHANCE else each.seat for each in turns]
    assert f"turn {len(turns)} / {len(turns)}" in text
    alt = present(party.board.card.picture).alt
    assert f", turn {len(turns)}." in alt
    # A board in a chat tells the turn before it, too, where one is going on or somebody has left, and captures to come.
    if turns[-1].own and not table.playing.has_acted:
        assert re.sub(r" Th(?:ese|is) cells? captures?: [^.]*\.", "", alt) in html.unescape(page_text)
    assert f"the whole game, {len(turns)} turns" in words(await party.say("carla", f"/replay {party.code}"))
    last = words(await party.press("carla", press("replay", party.code, 0, f"{len(turns) + 1}")))
    assert f"turn {len(turns)} of {len(turns)}" in last
    view = await party.front.view_game(party.request("anna"), party.code)
    assert isinstance(view, GameView)
    assert view.turns == finished
    assert f", turn {len(turns)}." in present(view.card.picture).alt
    async with export_record(party.front.context, table) as record:
        assert [turn.number for turn in record.turns()][: len(turns)] == list(range(1, len(turns) + 1))


async def check_captures(world: World, page: str, key: str) -> list[list[str]]:
    """Check the figures of a game wherever they are shown, and return them."""
    party = world.party
    table = await party.table(party.code)
    position = (await world.get(f"/api/v1/games/{page}")).json["position"]
    alt = present(party.board.card.picture).alt
    found = FIGURES[key](position)
    for seat, figures in enumerate(found):
        (said,) = re.findall(rf"(?<=\. ){re.escape(table.names[seat])}(?: \([^)]*\))?: ([^.]*)\. ", f"{alt} ")[-1:]
        for figure in figures:
            assert figure in said, (key, figure, said)
    if key in CAPTURES:
        lost = [0] * table.row.seat_count
        for turn in await shown_turns_of(party.front.context, table):
            for seat, cells in captured_cells(turn).items():
                lost[seat] += len(cells)
        assert lost == CAPTURES[key](position)
    return found


@pytest.mark.parametrize("key", FIGURES)
async def test_turns_and_captures_are_the_same_everywhere(world: World, key: str) -> None:
    page, party, played = await world.shown_game(f"/play {key} @bruno"), world.party, count()

    def has_figures(state: State) -> bool:
        return next(played) >= BEGINNING and key != PLAYED_OUT and any(FIGURES[key](state.to_json()))

    state = await play_until(party, party.code, has_figures, Random(8))
    party.clock.turn(minutes=1)
    await check_turns(world, page)
    assert any(await check_captures(world, page, key)), "a game without figures shows nothing here"
    if state.outcome is None:
        # Who leaves out of turn ends the game with a turn that counts everywhere.
        (waiting,) = {"anna", "bruno"} - {party.mover}
        await party.resign(waiting)
        party.clock.turn(minutes=1)
        over = await party.table(party.code)
        assert over.row.turn == over.playing.state.turn + 1 == state.turn + 1
        await check_turns(world, page)


def points_in(text: str, pattern: str) -> int:
    found = re.search(pattern, text)
    assert found, text
    return int(found[1].replace(",", ""))


async def test_ratings_are_the_same_everywhere(world: World) -> None:
    party = world.party
    await world.allow()
    for who in ("anna", "bruno"):
        await rated(world, who, 30)
    await lose(party, "bruno")
    pages = {name: await world.profile(name) for name in ("anna", "bruno")}
    world.party.clock.turn(minutes=1)
    best = {each["name"]: each for each in await world.items("/api/v1/ratings?game=annuvin")}
    board = party.board.text
    for who, page in pages.items():
        name = who.capitalize()
        ratings = await party.store.ratings.list_for_people([await party.id_of(who)])
        (rating,) = [each for each in ratings if each.game_key]
        shown: Sequence[int] = [
            points_in(board, rf"{name} ([\d,]+)"),
            points_in(words(await party.say(who, "/profile")), r"Annuvin: at least ([\d,]+)"),
            points_in(words(await party.say(who, "/leaderboard annuvin")), rf"{name}: .* – ([\d,]+)"),
            points_in(words(await party.say(who, "/leaderboard annuvin where:everywhere")), rf"{name}: .* – ([\d,]+)"),
            points_in(re.sub(r"<[^>]+>", "", (await world.get(f"/p/{page}")).text), r"Annuvin: at least ([\d,]+)"),
            best[name]["points"],
            *[each["points"] for each in (await world.get(f"/api/v1/players/{page}")).json["ratings"]],
        ]
        assert len(set(shown)) == 1, (name, shown)
        counted = [best[name][each] for each in ("wins", "draws", "losses")]
        assert best[name]["ranked"]
        assert counted == [rating.wins, rating.draws, rating.losses]


@pytest.mark.parametrize(("line", "rated"), [("", True), (" rated:no", False)])
async def test_whether_a_game_counts_is_the_same_everywhere(
    world: World, monkeypatch: pytest.MonkeyPatch, line: str, rated: bool
) -> None:
    page = await world.shown_game(f"/play annuvin @bruno{line}")
    assert (await world.get(f"/api/v1/games/{page}")).json["rated"] is rated
    # Not so between names of one browser, which is said when the game begins.
    monkeypatch.setattr(world.party.adapter, "browser_of", lambda _: "one", raising=False)
    await world.party.started(f"/play annuvin @bruno{line}")
    page = await world.page(world.party.code)
    assert (await world.get(f"/api/v1/games/{page}")).json["rated"] is False
    await world.party.say("anna", f"/play annuvin computer:1{line}")
    page = await world.page(world.party.code)
    assert (await world.get(f"/api/v1/games/{page}")).json["rated"] is False
