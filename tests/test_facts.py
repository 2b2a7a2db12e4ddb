"""What each game says of itself is true: chance, captures, colours, kinds of action, the words for its turns."""

import ast
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from bot.kernel.texts import Texts
from bot.kernel.words import words
from engine import CHANCE, Action, Facts, State, games
from engine.turn import Turn, group_turns
from tests.engine.playing import EVERY_GAME, EVERY_SETTING, Setting, playout, settings

ROOT = Path(__file__).resolve().parent.parent
SEEDS = (0, 1, 2)
TEXTS = Texts()


@dataclass(frozen=True)
class Step:
    """An action with the states before and after it, and what stood on the cells then and now."""

    before: State
    action: Action
    after: State
    then: Mapping[str, str]
    now: Mapping[str, str]

    @property
    def facts(self) -> Facts:
        return self.before.game.facts

    @property
    def due(self) -> bool:
        """Whether it was for chance to act, and chance did."""
        return self.before.to_move == CHANCE and not self.action.is_drop

    @property
    def replaced(self) -> tuple[str, str] | None:
        """What stood on the action's target before and after it, "" for nothing; None where that is the same."""
        change = self.then.get(self.action.target or "", ""), self.now.get(self.action.target or "", "")
        return change if change[0] != change[1] else None

    def vanished(self) -> dict[str, str]:
        """Return what no longer stands where it stood, but for what the action itself moves or names."""
        if not self.now or self.after.outcome is not None:
            return {}  # the board is cleared for what comes next, or the end takes away what it likes
        named = (self.action.source, self.action.target)
        gone = {cell: piece for cell, piece in self.then.items() if self.now.get(cell) != piece and cell not in named}
        landed = self.now.get(self.action.target or "")
        if self.action.source is None and landed != self.then.get(self.action.target or "") and len(gone) == 1:
            # a piece of which there is but one needs no source to be moved
            return {cell: piece for cell, piece in gone.items() if piece != landed}
        return gone


@cache
def line(setting: Setting, seed: int) -> tuple[tuple[State, Action | None, Mapping[str, str]], ...]:
    """Return the states of a random game with the action taken in each, and what stands on the cells."""
    return tuple((state, action, state.game.symbols(state.to_json())) for state, action in playout(setting, seed))


@cache
def steps(setting: Setting) -> tuple[Step, ...]:
    """Return every action of some whole random games; in one of them seats drop out."""
    found: list[Step] = []
    for seed in SEEDS:
        found += [
            Step(one, action, two, then, now)
            for (one, action, then), (two, _, now) in pairwise(line(setting, seed))
            if action
        ]
    return tuple(found)


def every_step(key: str) -> Iterator[Step]:
    for setting in settings():
        if setting.key == key:
            yield from steps(setting)


@EVERY_SETTING
def test_chance_acts_where_the_game_says_so_and_nowhere_else(setting: Setting) -> None:
    game, acted = games[setting.key], False
    for step in steps(setting):
        assert game.facts.by_chance(step.action) == step.due
        assert game.facts.by_player(step.action) == (not step.due and not step.action.is_drop)
        if step.due:
            listed = bool(step.before.chance_outcomes())
            assert (step.action.verb in game.facts.rolls, step.action.verb in game.facts.deals) == (listed, not listed)
        acted = acted or step.due
    assert game.has_chance(setting.seats, dict(setting.options)) == acted


@EVERY_SETTING
def test_turn_lists_the_actions_of_its_player(setting: Setting) -> None:
    actions = [action for _, action, _ in line(setting, 1) if action is not None]
    for turn in group_turns(setting.start(), actions):
        state, own = turn.before, []
        for action in turn.actions:
            if state.to_move != CHANCE and not action.is_drop:
                own.append(action)
            state = state.play(action)
        assert turn.own == tuple(own)


@EVERY_GAME
def test_every_verb_that_a_game_tells_of_is_played(key: str) -> None:
    facts = games[key].facts
    chance = facts.rolls | facts.deals
    verbs = chance | facts.captures | facts.traps | facts.exchanges | facts.picks | facts.weighty | facts.kinds.keys()
    assert verbs <= {step.action.verb for step in every_step(key)}


@EVERY_GAME
def test_grand_wins_are_among_the_ends_that_a_game_words(key: str) -> None:
    # Where the game's own module is, be it in another package.
    place = Path(inspect.getfile(type(games[key]))).parent
    written = {
        node.value
        for file in place.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    words = TEXTS.speaker("en").of(key)
    for reason in games[key].facts.grand:
        assert reason in written
        assert words.has(f"reason.{reason}")
    assert words.has("grand") == bool(games[key].facts.grand)


@EVERY_GAME
def test_captures_take_the_pieces_of_others_from_their_targets_and_nothing_else_does(key: str) -> None:
    facts, own, others = games[key].facts, set[tuple[int | None, str]](), set[tuple[int | None, str]]()
    for step in every_step(key):
        if step.due or step.action.is_drop or step.action.verb in facts.exchanges:
            continue
        seat, change = step.before.to_move, step.replaced
        assert change or not facts.is_capture(step.action), step.action
        then, now = change or ("", "")
        if now and not facts.picks:
            # where colours belong to seats, what a seat brings onto the board is its own
            own.add((seat, now))
        if then and facts.is_capture(step.action):
            others.add((seat, then))
        elif then:
            # only one's own pieces may be taken back from where they stand
            assert not facts.picks, step.action
            own.add((seat, then))
    assert bool(others) == bool(facts.captures)
    assert not own & others
    assert len(own) == len({piece for _, piece in own})


@EVERY_GAME
def test_traps_take_pieces_elsewhere_and_nothing_else_does(key: str) -> None:
    facts, sprung = games[key].facts, set[str]()
    for step in every_step(key):
        if step.action.verb in facts.exchanges:
            continue
        if not step.due and not step.action.is_drop and (gone := step.vanished()):
            assert step.action.verb in facts.traps, (step.action, gone)
            sprung.add(step.action.verb)
    assert sprung == facts.traps
    assert facts.takes == bool(facts.captures or sprung)


@EVERY_GAME
def test_what_is_said_to_capture_takes_pieces_of_others_at_once_or_later_in_the_turn(key: str) -> None:
    facts, said = games[key].facts, 0
    for step in every_step(key):
        if step.due or step.action.is_drop or step.before.to_move is None:
            continue
        captures = step.action in step.before.find_captures((step.action,))
        said += captures
        taken = words[key].captured(Turn(1, step.before.to_move, (step.action,), step.before))
        others = [cell for seat, cells in taken.items() if seat != step.before.to_move for cell in cells]
        if step.action.verb in facts.captures | facts.traps:
            assert captures == bool(others), step.action
    assert bool(said) == facts.takes


@EVERY_GAME
def test_exchanges_move_pieces_or_change_their_hands_and_lose_none(key: str) -> None:
    facts, exchanged = games[key].facts, set[str]()
    assert not facts.exchanges & (facts.captures | facts.traps | facts.rolls | facts.deals)
    for step in every_step(key):
        if step.action.verb in facts.exchanges:
            assert len(step.then) == len(step.now)
            if step.then != step.now:
                exchanged.add(step.action.verb)
    assert exchanged == facts.exchanges


@EVERY_GAME
def test_described_captures_match_the_removed_pieces(key: str) -> None:
    facts, checked = games[key].facts, 0
    for setting in [setting for setting in settings() if setting.key == key]:
        for seed in SEEDS:
            actions = [action for _, action, _ in line(setting, seed) if action is not None]
            for turn in group_turns(setting.start(), actions):
                taken = [cell for cells in words[key].captured(turn).values() for cell in cells]
                named = [action.target for action in turn.actions if facts.is_capture(action)]
                trapping = any(action.verb in facts.traps for action in turn.actions)
                assert set(named) <= set(taken)
                assert not taken or named or trapping
                checked += len(taken)
    assert bool(checked) == facts.takes


@EVERY_GAME
def test_colours_are_chosen_where_the_game_says_so(key: str) -> None:
    game, chosen = games[key], set[tuple[int | None, str]]()
    for step in every_step(key):
        legal = [step.action] if step.before.to_move == CHANCE else step.before.legal_actions()
        for action in filter(game.facts.by_player, legal):
            assert (action.verb in game.facts.picks) == isinstance(action.value, str), action
        if step.action.verb in game.facts.picks:
            assert (step.action.source, step.action.target) == (None, None)
            assert step.action not in step.after.legal_actions()
            chosen.add((step.before.to_move, step.action.value))
    colours = {colour for _, colour in chosen}
    assert bool(colours) == bool(game.facts.picks)
    for language in TEXTS.languages:
        voice = TEXTS.speaker(language).of(key)
        assert [colour for colour in colours if not voice.has(f"word.{colour}")] == []
        # a colour that is chosen is not that of a seat
        assert not (colours and any(voice.has(f"seat.{seat}") for seat in range(game.seats[-1])))
    if colours:
        assert {seat for seat, _ in chosen} == set(range(game.seats[-1]))
        assert len(chosen) > game.seats[-1]


@EVERY_GAME
def test_weighty_actions_move_unique_pieces(key: str) -> None:
    facts = games[key].facts
    unique: dict[str, set[bool]] = {}
    for step in every_step(key):
        piece = step.now.get(step.action.target or "")
        if facts.by_player(step.action) and piece is not None and step.after.outcome is None:
            alone = list(step.now.values()).count(piece) == 1
            unique.setdefault(step.action.verb, set()).add(alone)
    for verb in facts.weighty:
        assert unique[verb] == {True}


@EVERY_GAME
def test_kinds_join_actions_that_begin_at_the_same_pieces(key: str) -> None:
    facts, ends = games[key].facts, dict[str, set[tuple[bool, bool]]]()
    for step in every_step(key):
        ends.setdefault(step.action.verb, set()).add((step.action.source is not None, step.action.target is not None))
    for verb, kind in facts.kinds.items():
        assert ends[verb] == ends[kind] == {(True, True)}
        assert kind not in facts.kinds


@pytest.mark.parametrize("language", TEXTS.languages)
@EVERY_GAME
def test_turn_names_of_every_game_are_translated(key: str, language: str) -> None:
    voice, turn = TEXTS.speaker(language).of(key), games[key].facts.turn
    assert [name for name in ("numbered", "counted", "sheet") if not voice.has(f"{name}.{turn}")] == []


def generic_modules() -> Iterator[Path]:
    """Yield the modules that belong to no game."""
    own = {key.replace("-", "_") for key in games}
    for package in ("engine", "render", "storage", "bot"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if not own & {*path.relative_to(ROOT).with_suffix("").parts}:
                yield path


def test_no_module_but_a_games_own_knows_a_verb() -> None:
    guesses = []
    for path in generic_modules():
        source = path.read_text(encoding="utf-8")
        # To parse all modules takes seconds.
        for node in ast.walk(ast.parse(source)) if ".verb" in source else ():
            if isinstance(node, ast.Compare):
                within = [part for side in (node.left, *node.comparators) for part in ast.walk(side)]
                verbs = any(isinstance(part, ast.Attribute) and part.attr == "verb" for part in within)
                if verbs and any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in within):
                    guesses.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert guesses == []
