"""Boards to follow: earlier turns are marked more quietly than the last, and what can be chosen beforehand."""

from functools import cache
from random import Random

import pytest

from bot.kernel.choices import Question, next_question
from engine import CHANCE, State, Turn, games
from engine.turn import group_turns
from render import Choices, Drawing, draw
from render.theme import PALE, SAFFRON
from tests.render.pixels import EVERY, RGB, changed_mask, count_colours, count_marked, picture


@cache
def played(key: str, seed: int = 3, most: int = 40) -> list[Turn]:
    """Return the turns of the beginning of a seeded game of as many as can play, captures where there are any."""
    rng, game = Random(seed), games[key]
    state: State = game.start(game.seats[-1])
    start, actions = state, []
    while state.to_move is not None and state.turn < most:
        captures = [action for action in state.legal_actions() if game.facts.is_capture(action)]
        drawn = state.to_move == CHANCE or not captures
        actions.append(state.random_action(rng) if drawn else captures[0])
        state = state.advance(actions[-1])
    return list(group_turns(start, actions))


def cells_of(turn: Turn) -> set[str]:
    named = {cell for action in turn.actions for cell in (action.source, action.target)}
    return {cell for cell in named if cell is not None}


def ink_on(drawing: Drawing, ink: RGB) -> int:
    return count_colours(picture(drawing.png)).get(ink, 0)


@pytest.mark.parametrize(("key", "theme"), EVERY)
def test_every_turn_since_ones_last_is_marked_and_the_last_one_most(key: str, theme: str) -> None:
    line, seen = played(key), list[bool]()
    for at in range(len(line) - 2, 2, -len(line) // 3):
        last, after = line[at], line[at].after
        earlier = [turn for turn in line[max(0, at - after.seats + 1) : at] if turn.own]
        alone = draw(after, last_turn=last, theme=theme)
        shown = draw(after, last_turn=last, theme=theme, earlier=earlier)
        assert (shown.size, shown.spots) == (alone.size, alone.spots)
        marks = changed_mask(alone, shown)
        if marks.getbbox() is None:
            continue  # a new round has cleared the board of what came before
        for turn in earlier:
            reached = [action.target for action in turn.own if action.target in shown.spots]
            for cell in set(reached) - cells_of(last):
                seen.append(count_marked(marks, shown, str(cell)) > 60)
        assert ink_on(shown, SAFFRON) >= 0.75 * ink_on(alone, SAFFRON)
        assert ink_on(shown, PALE) > ink_on(alone, PALE)
    assert seen, "no turn before the last one is marked: scene.past (docs/pictures.md)"
    # What a new round has cleared away in between is not marked.
    assert sum(seen) > 0.7 * len(seen) > 0


@pytest.mark.parametrize(("key", "theme"), EVERY)
def test_question_board_marks_choices_and_keeps_the_last_turn(key: str, theme: str) -> None:
    tried, line = 0, played(key)
    for turn in line[::-1]:
        state = turn.after
        if tried > 3:
            break
        asked = next_question(state, state.legal_actions()) if state.to_move not in (None, CHANCE) else None
        if not isinstance(asked, Question):
            continue
        choices = asked.selectable_cells
        plain = draw(state, last_turn=turn, theme=theme)
        shown = draw(state, last_turn=turn, theme=theme, choices=choices)
        marks = changed_mask(plain, shown)
        for cell in {*choices.movable, *(target.cell for target in choices.targets)}:
            assert count_marked(marks, shown, cell) > 30, cell
            tried += 1
        assert ink_on(shown, SAFFRON) >= 0.75 * ink_on(plain, SAFFRON)
    assert tried


@pytest.mark.parametrize(("key", "theme"), EVERY)
def test_chosen_piece_is_marked_more_strongly_than_other_choices(key: str, theme: str) -> None:
    tried = most = 0
    for turn in played(key):
        state = turn.after
        most = max(most, len({each.source for each in state.legal_actions() if each.source}))
        pieces = sorted({each.source for each in state.legal_actions() if each.source and each.verb == "move"})
        pieces = pieces or sorted({each.source for each in state.legal_actions() if each.source and each.target})
        if len(pieces) < 2:
            continue
        plain = draw(state, theme=theme)
        shown = draw(state, theme=theme, choices=Choices(tuple(pieces), pieces[0]))
        ring = draw(state, theme=theme, choices=Choices(tuple(pieces)))
        own, others = changed_mask(plain, shown), pieces[1:]
        # It looks otherwise than before, and they stand out no more (its own mark reaches a little into their boxes).
        assert count_marked(changed_mask(ring, shown), shown, pieces[0], 1.3) > 400
        for cell in others:
            assert count_marked(own, shown, cell, 1.3) < 1.1 * count_marked(changed_mask(plain, ring), ring, cell, 1.3)
        tried += 1
        break
    assert tried or most < 2
