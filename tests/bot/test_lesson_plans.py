"""The lessons as they are written: every step can be played, everything said of it is so, in both languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from bot.cards import plain
from bot.lessons import Ask, Plan, Step, captured, lesson_of
from bot.preferences import LANGUAGES
from bot.services.line import Line, played
from bot.texts import Texts
from engine import Action, State, fair, games

TEXTS = Texts()
LONGEST_TEACH = 450
LONGEST = 220
PASS = "pass"


def draws(number: int) -> fair.Draw:
    return fair.Draw("ab" * 32, "test", number)


def plan(key: str) -> Plan:
    found = lesson_of(key)
    assert found is not None
    return found


@dataclass(frozen=True)
class Moment:
    """One ask as a learner meets it."""

    key: str
    step: Step
    ask: Ask
    line: Line

    @property
    def state(self) -> State:
        return self.line.state

    @property
    def wanted(self) -> list[Action]:
        return [action for action in self.state.legal_actions() if self.ask.is_met(self.state, action)]

    @property
    def others(self) -> list[Action]:
        return [action for action in self.state.legal_actions() if not self.ask.is_met(self.state, action)]


def moments(key: str) -> Iterator[Moment]:
    """Yield every ask of a lesson, the suggestions followed."""
    line: Line | None = None
    for number, step in enumerate(plan(key).steps):
        line = plan(key).first_line(number, line)
        for ask in step.asks:
            yield Moment(key, step, ask, line)
            line = played(line, [ask.suggested(line.state)], draws)[0]
        for text in step.reply:
            line = played(line, [line.state.read(text)], draws)[0]


MOMENTS = [moment for key in games for moment in moments(key)]


def named(moment: Moment) -> str:
    return f"{moment.key}-{moment.step.name}-{moment.ask.number}"


def keys_said(key: str) -> Iterator[tuple[str, bool]]:
    """Yield the keys of all words that a lesson says, and whether each must be there."""
    for step in plan(key).steps:
        yield f"{step.name}.teach", True
        yield f"{step.name}.done", True
        if step.free:
            yield f"{step.name}.task.1", True
    for moment in moments(key):
        name, number = moment.step.name, moment.ask.number
        yield f"{name}.task.{number}", True
        yield f"{name}.hint.{number}", True
        yield f"{name}.well.{number}", False
        yield f"{name}.other.{number}", any(not moment.ask.answer(moment.state, each) for each in moment.others)
        for other in moment.ask.others:
            yield f"{name}.other.{number}.{other}", True


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", games)
def test_every_lesson_has_all_its_words_and_no_others(key: str, language: str) -> None:
    catalogue = TEXTS.catalogue(language, f"lesson-{key}")
    assert catalogue is not None
    said = list(keys_said(key))
    assert {name for name, needed in said if needed} <= catalogue.keys
    # A well.n after the last ask would never be said, an other.n after other choices may.
    assert catalogue.keys <= {name for name, _ in said}
    voice = TEXTS.speaker(language).of(f"lesson-{key}")
    for name in catalogue.keys:
        assert len(voice.line(name)) <= (LONGEST_TEACH if name.endswith(".teach") else LONGEST), name


@pytest.mark.parametrize("key", games)
def test_every_lesson_has_between_five_and_nine_steps_and_is_played_out_at_its_end(key: str) -> None:
    steps = plan(key).steps
    assert 5 <= len(steps) <= 9
    assert [step.free for step in steps] == [False] * (len(steps) - 1) + [True]
    assert len({step.name for step in steps}) == len(steps)
    assert steps[-1].position is not None
    for step in steps:
        if step.position is not None:
            state = games[key].load(step.position)
            assert state.to_move == step.position["to_move"]
            assert state.legal_actions()
            assert state.outcome is None


@pytest.mark.parametrize("key", games)
def test_every_kind_of_action_of_a_game_is_asked_for(key: str) -> None:
    voice = TEXTS.speaker("en").of(key)
    catalogue = TEXTS.catalogue("en", key)
    assert catalogue is not None
    verbs = {name.removeprefix("verb.") for name in catalogue.keys if name.startswith("verb.")} - {PASS}
    assert verbs
    assert {action.verb for moment in moments(key) for action in moment.wanted} >= verbs
    assert voice.has(f"verb.{PASS}")


@pytest.mark.parametrize("moment", MOMENTS, ids=named)
def test_what_is_asked_for_can_be_played_and_is_suggested(moment: Moment) -> None:
    assert moment.wanted
    suggested = moment.ask.suggested(moment.state)
    assert suggested in moment.wanted
    assert suggested.text in moment.ask.suggest
    assert len(moment.state.legal_actions()) > 1, "there is a choice"


@pytest.mark.parametrize("moment", MOMENTS, ids=named)
def test_every_answer_to_other_actions_has_its_action(moment: Moment) -> None:
    given = {moment.ask.answer(moment.state, action) for action in moment.others}
    assert set(moment.ask.others) <= given


def later(key: str, number: int, line: Line, at: int) -> Iterator[Line]:
    """Yield how a step can end, whatever wanted actions are played, the steps that go on from it included."""
    step = plan(key).steps[number]
    if at < len(step.asks):
        wanted = [each for each in line.state.legal_actions() if step.asks[at].is_met(line.state, each)]
        assert wanted, (key, step.name, at)
        for action in wanted:
            yield from later(key, number, played(line, [action], draws)[0], at + 1)
        return
    for text in step.reply:
        line = played(line, [line.state.read(text)], draws)[0]
    steps = plan(key).steps
    if number + 1 < len(steps) and steps[number + 1].position is None:
        yield from later(key, number + 1, line, 0)
    else:
        yield line


@pytest.mark.parametrize("key", games)
def test_a_step_can_be_brought_to_its_end_in_every_way(key: str) -> None:
    ends = 0
    for number, step in enumerate(plan(key).steps):
        if step.position is not None and not step.free:
            seat = step.position["to_move"]
            for line in later(key, number, plan(key).first_line(number), 0):
                ends += 1
                assert line.state.to_move != seat or line.begun is None
    assert ends > len(plan(key).steps)


CELL = re.compile(r"\b[a-h]\d{1,2}\b")


@pytest.mark.parametrize("key", games)
def test_both_languages_speak_of_the_same_cells_and_buttons(key: str) -> None:
    english, italian = (TEXTS.speaker(language).of(f"lesson-{key}") for language in LANGUAGES)
    catalogue = TEXTS.catalogue("en", f"lesson-{key}")
    assert catalogue is not None
    spoken = 0
    for name in catalogue.keys:
        cells = [set(CELL.findall(voice.line(name))) for voice in (english, italian)]
        assert cells[0] == cells[1], name
        spoken += len(cells[0])
    assert spoken > 20


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", games)
def test_buttons_that_are_named_exist(key: str, language: str) -> None:
    """Bold words in tasks and answers, where they begin with a capital, are those of buttons."""
    game, voice = TEXTS.speaker(language).of(key), TEXTS.speaker(language).of(f"lesson-{key}")
    general = TEXTS.catalogue(language, key)
    catalogue = TEXTS.catalogue(language, f"lesson-{key}")
    assert general is not None
    assert catalogue is not None
    labels = {game.line(name) for name in general.keys if name.startswith("verb.")}
    for name in catalogue.keys:
        if ".task." in name or ".other." in name:
            for span in voice.say(name):
                if span.bold and span.text[0].isupper():
                    assert span.text in labels, (name, span.text)


# What the words claim of the positions, one by one.


def at(key: str, step: str, number: int = 1) -> Moment:
    return next(each for each in MOMENTS if (each.key, each.step.name, each.ask.number) == (key, step, number))


def after(state: State, *texts: str) -> State:
    for text in texts:
        state = state.play(state.read(text))
    return state


def captures(state: State) -> list[Action]:
    return [action for action in state.legal_actions() if action.verb == "capture"]


def loses_at_once(state: State) -> bool:
    """Say whether the seat to move wins with its next action."""
    mover = state.to_move
    outcomes = [state.play(action).outcome for action in state.legal_actions()]
    return any(outcome is not None and outcome.winner == mover for outcome in outcomes)


def most_captures(state: State, seat: int) -> int:
    if state.to_move != seat:
        return 0
    return max((1 + most_captures(state.play(action), seat) for action in captures(state)), default=0)


def test_annuvin_a_capture_is_taken_back_from_two_cells_away() -> None:
    moment = at("annuvin", "capture")
    assert [action.text for action in moment.wanted] == ["e3xe4"]
    state = after(moment.state, "e3xe4")
    assert [action.text for action in captures(state)] == ["e6xe4"]
    assert {action.source for action in at("annuvin", "reach").wanted} == {"d2", "e2", "f3"}


def test_annuvin_only_the_line_that_is_taught_takes_three() -> None:
    state = at("annuvin", "on").state
    best = [action.text for action in captures(state) if 1 + most_captures(state.play(action), 0) == 3]
    assert best == ["d5xc4"]
    state = after(state, "d5xc4")
    assert [each.text for each in captures(state) if 1 + most_captures(state.play(each), 0) == 2] == ["xc3"]
    assert most_captures(after(state, "xc3"), 0) == 1


def test_annuvin_stopping_is_safe_and_going_on_is_not() -> None:
    state = after(at("annuvin", "stop").state, "f5xg6")
    assert captures(after(state, "stop")) == []
    greedy = after(state, "xe7")
    assert {action.source for action in captures(greedy) if action.target == "e7"} == {"b4", "c6"}


def test_annuvin_is_won_by_every_capture_and_by_nothing_else() -> None:
    moment = at("annuvin", "win")
    ends = {action: moment.state.play(action).outcome for action in moment.state.legal_actions()}
    assert {action for action, outcome in ends.items() if outcome is not None} == set(moment.wanted)
    assert {outcome.reason for outcome in ends.values() if outcome is not None} == {"reduced-to-one"}


def test_real_queen_the_lines_that_are_asked_for_are_all_there_are() -> None:
    moment = at("real-queen", "line")
    made = {each for each in moment.state.legal_actions() if moment.state.play(each).to_json()["pending"]}
    assert {each for each in made if each.verb == "place"} == set(moment.wanted)
    crown = at("real-queen", "crown")
    assert [each.text for each in crown.state.legal_actions() if each.verb == "crown"] == ["Qe3"]
    due = [after(crown.state, text).to_json()["pending"]["captures"] for text in ("Qe3", "e3")]
    assert due == [2, 1]


def test_real_queen_wins_and_escapes_are_those_that_are_asked_for() -> None:
    win, flee, shift = at("real-queen", "win"), at("real-queen", "step"), at("real-queen", "shift")
    for moment in (win, shift):
        won = {each for each in moment.state.legal_actions() if moment.state.play(each).outcome is not None}
        assert won == set(moment.wanted)
    safe = {each for each in flee.state.legal_actions() if not loses_at_once(flee.state.play(each))}
    assert safe == set(flee.wanted)
    assert {shift.state.play(each).outcome.reason for each in shift.wanted} == {"royal"}  # type: ignore[union-attr]
    lines = {each for each in shift.state.legal_actions() if shift.state.play(each).to_json()["pending"]}
    assert {shift.ask.answer(shift.state, each) for each in lines} == {"line"}


def test_fagocitare_what_is_said_of_its_dots_is_so() -> None:
    double = at("fagocitare", "double")
    rim = {each.text for each in double.state.legal_actions() if each.text[0] in "ag" or each.text[1] in "17"}
    assert rim == {each.text for each in double.wanted} == {"a4", "g4"}
    cross = at("fagocitare", "cross")
    assert [each.text for each in cross.wanted] == ["b6"]
    without = {**cross.state.to_json(), "lines": [[], []], "extra": {}}
    freed = games["fagocitare"].load(without)
    assert captured(freed, freed.read("c6"))[1] == ["c5"], "the old line alone forbids it"
    trap = at("fagocitare", "trap")
    assert {each.text for each in trap.others} == {"c3", "c4", "d3"}
    assert captured(trap.state, trap.state.read("c5"))[1] == ["d4"]
    win = at("fagocitare", "win")
    assert {win.state.play(each).outcome.reason for each in win.wanted} == {"lead-of-three"}  # type: ignore[union-attr]


def test_vedova_nera_the_web_fills_as_is_said() -> None:
    from bot.words.vedova_nera import stable

    spider = at("vedova-nera", "spider")
    goals = spider.state.to_json()["marbles"]["red"]
    assert stable(goals, spider.state.to_json()["pawns"][0]) == ["b1"]
    full = after(spider.state, "d2-d1")
    assert len(stable(goals, full.to_json()["pawns"][0])) == 5
    first = at("vedova-nera", "step")
    assert stable(goals, after(first.state, "c1-b1").to_json()["pawns"][0]) == ["b1"]
    marble = at("vedova-nera", "marble")
    won = [each.text for each in marble.state.legal_actions() if marble.state.play(each).outcome is not None]
    assert won == ["Me4-e3"]
    free = plan("vedova-nera").steps[-1].position
    assert free is not None
    assert stable(goals, free["pawns"][0]) == ["b1", "d1", "g2"]


def test_uomo_nero_what_is_said_of_its_dice_is_so() -> None:
    for step, dice in (("walk", [2, 3]), ("split", [2, 5]), ("finish", [1, 3]), ("stay", [3, 5]), ("sprint", [6, 6])):
        assert at("uomo-nero", step).state.to_json()["dice"] == dice
    home = [each for each in at("uomo-nero", "finish").state.legal_actions() if (each.target or "").endswith("13")]
    assert home == at("uomo-nero", "finish").wanted
    man = at("uomo-nero", "man")
    assert {each.target for each in man.wanted} == {"d10", "e10"}
    free = plan("uomo-nero").steps[-1].position
    assert free is not None
    assert (free["round"], free["attack_scores"]) == (2, [0, 1])
    assert all(int(piece["cell"][1:]) > int(free["man"][1:]) for piece in free["attackers"])


def test_words_of_lessons_hold_no_markup_that_is_left_over() -> None:
    for key in games:
        for language in LANGUAGES:
            catalogue = TEXTS.catalogue(language, f"lesson-{key}")
            assert catalogue is not None
            voice = TEXTS.speaker(language).of(f"lesson-{key}")
            assert not [name for name in catalogue.keys if set("*`{}") & set(plain(voice.say(name)))]


def all_steps() -> Sequence[tuple[str, Step]]:
    return [(key, step) for key in games for step in plan(key).steps]


def test_there_is_a_lesson_for_every_game() -> None:
    assert {key for key, _ in all_steps()} == set(games)
