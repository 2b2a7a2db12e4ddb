"""One figure for one position: whatever an analysis says in words, its chart, its alt text and its cards say too."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from bot.boards.puzzles.own_moments import MOMENTS_PRESS
from bot.boards.tries import TrialBoard
from bot.kernel.advice import Advice, Suggestion
from bot.kernel.request_context import resolve_request
from bot.kernel.requests import Reply
from bot.kernel.texts import strip_styles
from bot.kernel.tree import AnalysisTree
from bot.people.advice import analysis as shown_analysis
from bot.people.advice.analysis import ChancesCourse, chances_course
from bot.table.replaying import turns_of
from bot.thinking.analysis import (
    MIN_COST,
    Analysis,
    CostlyChoice,
    Figures,
    SearchedFigures,
    Swing,
    place_after,
    read_analysis,
)
from bot.thinking.analyst import MIN_CLEAR_COST, Analyst, OwnMomentFinder, read_own_moments
from engine import CHANCE, Action, State, Turn, games
from engine.search import Judged
from engine.turn import group_turns
from render.chances import draw_chances
from storage import StoredTree
from tests.bot.computers import Thoughts
from tests.bot.party import Party, Quick, button, buttons, card, labelled, words
from tests.bot.test_limits import CAPTION
from tests.support.present import present

COSTLY_TURN = re.compile(
    r"^Turn (\d+), (\w+): with .+, the best move, their chances stood at (\d+)%; after .+, the move played, at (\d+)%",
    re.MULTILINE | re.IGNORECASE,
)
LUCK = re.compile(
    r"^Turn (\d+): the dice [\d ]+ were (?:un)?kind to (\w+), from (\d+)% to (\d+)%", re.MULTILINE | re.IGNORECASE
)
DEPARTURE = re.compile(
    r"^Turn (\d+): (\w+) left the game\. Chance of winning at that moment: (\d+)%", re.MULTILINE | re.IGNORECASE
)
OWN = re.compile(r"You played .+: (\d+)% chances with the better turn, (\d+)% chances with yours")


@pytest.fixture
def party(advised: Party) -> Party:
    return advised


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the charts drawn from here on were given."""
    found: list[dict[str, Any]] = []

    def draw(*given: Any) -> Any:
        names = ("title", "names", "points", "marks", "theme", "game", "pieces", "turns")
        found.append(dict(zip(names, given, strict=True)))
        return draw_chances(*given)

    monkeypatch.setattr(shown_analysis, "draw_chances", draw)
    return found


def played_game(key: str, seats: int, seed: int, most: int) -> list[Turn]:
    """Return a game of random turns, which are full of mistakes, with the first of each option: a small board."""
    first = games[key].start(seats, {name: option.values[0] for name, option in games[key].options.items()})
    rng, state, actions = Random(seed), first, list[Action]()
    while state.to_move is not None and state.turn < most:
        actions.append(state.sample_chance(rng) if state.to_move == CHANCE else state.random_action(rng))
        state = state.play(actions[-1])
    return list(group_turns(first, actions))


def percents(chart: Mapping[str, Any], turn: int, seat: int) -> list[int]:
    """Return a seat's figures on a chart at the start of a turn, before its dice and after them."""
    at = [
        round(100 * point[seat]) for where, point in zip(chart["turns"], chart["points"], strict=True) if where == turn
    ]
    assert 1 <= len(at) <= 2
    return at


async def analysed(party: Party, who: str, code: str) -> Reply:
    """Have somebody ask for the analysis of a game until it is there, however busy the machine is."""
    while "so far" in words(reply := await party.say(who, f"/analyse {code}")):
        pass
    return reply


async def finished(party: Party, key: str, seed: int) -> str:
    """Have people play some turns at random, and all but one of them leave."""
    people = ("bruno", "carla", "dario", "elena")[: games[key].seats[-1] - 1]
    code = await party.started(f"/play {key} seats:{len(people) + 1}", *people)
    rng = Random(seed)
    for _ in range(12):
        state = (await party.table(code)).playing.state
        if state.to_move is None:
            return code
        text = rng.choice(state.legal_actions()).text
        await party.say(await party.mover_of(code), f"/move {text} game:{code}")
    for who in ("anna", *people[:-1]):
        await party.resign(who, code)
    return code


@pytest.mark.parametrize("key", games)
async def test_words_chart_alt_text_and_cards_give_one_figure_for_one_position(
    key: str, party: Party, drawn: list[dict[str, Any]]
) -> None:
    code = await finished(party, key, 11)
    reply = await analysed(party, "anna", code)
    said, chart = words(reply), drawn[-1]
    names, costly = list(chart["names"]), COSTLY_TURN.findall(said)
    for turn, who, before, after in costly:
        seat, (mark,) = names.index(who), [each for each in chart["marks"] if not each.dice and each.turn == int(turn)]
        where = max(at for at, place in enumerate(chart["turns"]) if place <= (mark.at or mark.turn))
        assert [round(100 * point[seat]) for point in chart["points"][where : where + 2]] == [int(before), int(after)]
        shown = await party.press("anna", labelled(card(reply), f"Turn {turn}"))
        assert [(turn, who, before, after)] == COSTLY_TURN.findall(words(shown)), "the card of the turn"
    others = [*LUCK.findall(said), *DEPARTURE.findall(said)]
    for turn, who, *values in others:
        assert percents(chart, int(turn), names.index(who))[-len(values) :] == list(map(int, values))
    assert costly or others, f"no turn of a game of {key} costs anything: what does its policy evaluate?"
    named = 2 * len(costly) + sum(len(values) for _, _, *values in others)
    assert len(re.findall(r"\d+%", said)) == named, "no other figure is named"
    assert said.endswith("the computer's estimates.")
    assert len(said) <= CAPTION, "it fits below the chart"
    alt = present(card(reply).picture).alt
    for who, line in re.findall(r"(\w+): ((?:turn \d+ \d+%, )+at the end \d+%)\.", alt):
        seat = names.index(who)
        for turn, value in re.findall(r"turn (\d+) (\d+)%", line):
            assert percents(chart, int(turn), seat)[-1] == int(value)
        assert line.endswith(f"at the end {round(100 * chart['points'][-1][seat])}%")


@pytest.mark.parametrize("key", games)
async def test_analysis_and_own_moments_share_settled_figures_that_survive_storing(key: str) -> None:
    swings = list[Swing]()
    for seats in {games[key].seats[0], games[key].seats[-1]}:
        # Dice that turn a game are rare.
        played = played_game(key, seats, 5, 30 if games[key].facts.rolls else 20)
        analyst = Analyst(Thoughts(), played, 0.05)
        found = await analyst.analysis()
        assert analyst.done == analyst.total > 0
        assert found.moments
        swings += found.swings
        assert read_analysis(found.to_json()) == read_analysis(present(read_analysis(found.to_json())).to_json())
        check_analysis(found, played)
        for seat in range(2):
            finder = OwnMomentFinder(Thoughts(), played, seat, found, 0.05)
            own = await finder.own_moments()
            assert finder.done == finder.total
            assert read_own_moments(own.to_json()) == own
            mine = [each.choice for each in own.moments]
            assert [each for each in found.moments if each.seat == seat] == [
                each for each in mine if each in found.moments
            ]
            for choice in mine:
                assert choice.seat == seat
                assert choice.cost >= (MIN_COST if choice in found.moments else MIN_CLEAR_COST)
                assert choice.played != choice.better
            found = found.with_settled(finder.figures)
            progress = chances_course(found, played)
            for choice in [*mine, *found.moments]:
                check_choice(choice, found, progress, played)
    assert bool(swings) == bool(games[key].facts.rolls)


def check_analysis(found: Analysis, played: Sequence[Turn]) -> None:
    """Check that all that an analysis names is on its chart, and that its settled figures are those of its points."""
    progress = chances_course(found, played)
    assert list(progress.turns) == sorted(progress.turns)
    assert (progress.turns[0], progress.turns[-1]) == (1, len(played) + 1)
    assert len(progress.points) == len(progress.turns) == len(progress.seat_pieces)
    figures = Figures(played, found.settled)
    for start, point in zip(figures.starts, found.points, strict=True):
        assert figures.read(start, point) == pytest.approx(point, abs=1e-4)
        assert sum(point) == pytest.approx(len(point) / 2, abs=0.01)
    for choice in found.moments:
        check_choice(choice, found, progress, played)
        assert choice.cost >= 0.08 - 1e-9
        turn = played[choice.turn - 1]
        assert (choice.seat, choice.played != choice.better) == (turn.seat, True)
        # What the dice of a turn bring is no part of what its choice costs.
        assert choice.begun >= (turn.actions[0].verb in turn.before.game.facts.rolls)
    for swing in found.swings:
        at = [point for where, point in zip(progress.turns, progress.points, strict=True) if where == swing.turn]
        assert [point[swing.seat] for point in at] == [swing.before, swing.after]
        assert abs(swing.after - swing.before) >= 0.12
        turn = played[swing.turn - 1]
        assert (turn.seat, turn.actions[0].text) == (swing.seat, f"roll {swing.dice}")
    named = {each.turn for each in found.moments} | {each.turn for each in found.swings}
    assert {each.turn for each in progress.marks} == named


def check_choice(choice: CostlyChoice, found: Analysis, progress: ChancesCourse, played: Sequence[Turn]) -> None:
    """Check that a choice's figures are those of its positions on the chart, one before the other."""
    begin, end = choice.places(played)
    assert found.settled[begin][choice.seat] == choice.before
    assert found.settled[end][choice.seat] == choice.after
    before = [at for at, point in enumerate(progress.points) if point == found.settled[begin]]
    after = [at for at, point in enumerate(progress.points) if point == found.settled[end]]
    assert any(one + 1 == other for one in before for other in after)


async def test_a_player_reads_the_figures_of_the_analysis_again_in_their_own_moments(
    party: Party, drawn: list[dict[str, Any]]
) -> None:
    """What is found of one player later is on the chart as well from then on."""
    checked, code = 0, await finished(party, "vedova-nera", 0)
    turns = await turns_of(party.front.context, await party.table(code))
    for who in ("anna", "bruno"):
        reply = await analysed(party, who, code)
        named = {(turn, before, after) for turn, name, before, after in COSTLY_TURN.findall(words(reply))}
        while "so far" in words(opened := await party.press(who, button(card(reply), MOMENTS_PRESS))):
            pass
        if "a moment of your own" not in words(opened):
            assert not any(name.lower() == who for _, name, _, _ in COSTLY_TURN.findall(words(reply)))
            continue
        count = int(present(re.search(r"moment of your own, \d of (\d)", words(opened)))[1])
        for at in range(count):
            opened = await party.press(who, f"moments:{code}:0={at}")
            turn = int(present(re.search(r"turn (\d+) of game", words(opened)))[1])
            for choice in ("give", "giveyes"):
                given = next(each for each in buttons(card(opened)) if each.press.endswith(choice))
                opened = await party.press(who, given)
            figures = OWN.search(words(opened))
            if figures is None:
                continue
            await analysed(party, who, code)
            chart, seat = drawn[-1], turns[turn - 1].seat
            assert percents(chart, turn, seat)[-1] == int(figures[1])
            assert percents(chart, turn + 1, seat)[0] == int(figures[2])
            assert (str(turn), figures[1], figures[2]) in named or str(turn) not in {each for each, *_ in named}
            checked += 1
    assert checked


def test_the_first_figure_of_a_position_stays() -> None:
    played = played_game("annuvin", 2, 1, 6)
    figures = Figures(played)
    assert figures.starts == [(number, 0) for number in range(1, len(played) + 2)]
    assert figures.settle((2, 0), (0.123456, 0.876544)) == (0.1235, 0.8765)
    assert figures.settle((2, 0), (0.5, 0.5)) == figures.read((2, 0), (0.7, 0.3)) == (0.1235, 0.8765)
    assert place_after(played, 1, 1) == (2, 0)
    raw = [(0.5, 0.5), (0.9, 0.1), (0.4, 0.6), (0.6, 0.4), *[(1.0, 0.0)] * (len(played) - 3)]
    progress = figures.course(raw)
    assert progress[:3] == ((0.5, 0.5), (0.1235, 0.8765), (0.5, 0.5)), "no mean goes past a settled figure"
    assert progress[-1] == (1.0, 0.0)


class Wavering(Quick):
    """Says something else of every position, as searches do."""

    def __init__(self) -> None:
        super().__init__()
        self._random = Random(7)

    async def analyse(self, position: Mapping[str, Any], *_: Any, **__: Any) -> tuple[Judged, ...]:
        legal = games[position["game"]].load(position).legal_actions()
        best = self._random.uniform(0.3, 0.9)
        shares = [(best - n / 50) if position["to_move"] == 0 else 1 - best + n / 50 for n in range(len(legal))]
        return tuple(Judged(each, (mine, 1 - mine), 9) for each, mine in zip(legal, shares, strict=True))


@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize("key", [key for key in games if 2 in games[key].seats])
async def test_positions_of_a_running_game_have_one_figure(key: str, step: int) -> None:
    """A hint's figure is that of the position that it leads to, whichever of them is searched and shown first."""
    for seed in range(3):
        advice, state = Advice(Wavering()), after_first_dice(key, seed)
        later, shown = list[State](), dict[State, float]()
        for _ in range(6):
            if state.to_move in (None, CHANCE):
                break
            later.append(state)
            state = state.play(state.legal_actions()[0])
        # A position to which another move leads as well may have got the figure of that one.
        transposed = {each.play(action) for each in later for action in each.legal_actions()[1:]}
        for at in [*range(len(later))][::step] * 2:
            found = await advice.suggestion(later[at])
            if not found.judged[0].visits:
                continue
            for each in (later[at], later[at].play(found.actions[0])):
                if transposed & {later[at], each}:
                    continue
                assert shown.setdefault(each, found.judged[0].values[0]) == found.judged[0].values[0], (seed, at)
            values = [each.values[later[at].to_move or 0] for each in found.judged]
            assert values == sorted(values, reverse=True)


def after_first_dice(key: str, seed: int) -> State:
    rng, state = Random(seed), games[key].start(2)
    while state.to_move == CHANCE:
        state = state.play(state.sample_chance(rng))
    return state


async def test_a_turn_without_a_choice_is_not_given_chances_that_nobody_searched(party: Party) -> None:
    """What nothing was searched for is no even chance."""
    table = await party.front.context.table(await party.started("/play annuvin @bruno rated:no"))
    state = table.playing.state
    alone = Judged(state.legal_actions()[0], (0.5, 0.5), 0)
    assert SearchedFigures().settle(state, [alone]) == (alone,)
    context = party.front.context
    requester = await resolve_request(context, party.request("anna"))
    trial = TrialBoard(context, requester, StoredTree(1, table.row.id), table, AnalysisTree(), table.playing)
    for visits, has_chances in ((0, False), (1, True)):
        found = Suggestion(state, (alone.action,), (replace(alone, visits=visits),))
        said = strip_styles(trial.evaluation_words(found))
        assert ("chances" in said, "50 %" in said) == (has_chances, has_chances)
