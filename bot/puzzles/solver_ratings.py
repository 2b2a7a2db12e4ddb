"""Ratings of solvers and puzzles: a first attempt is rated as a game between the two."""

from dataclasses import replace
from typing import Final

from bot.play.ratings import OVERALL_KEY, new_rating, rate_duel
from bot.puzzles.puzzle import Puzzle
from storage import PuzzleFigures, PuzzleRating, Store

MIN_ATTEMPTS: Final = 5
"""Number of first attempts before a rating is shown."""

_MEDIAN_DIFFICULTY: Final = 50
_RATING_PER_DIFFICULTY_POINT: Final = 0.2
"""Rating points for a point of a puzzle's initial difficulty."""
_INITIAL_SIGMA_FACTOR: Final = 0.5
"""Uncertainty of a puzzle's initial rating, relative to that of a new solver."""


def first_rating(person: int, game: str) -> PuzzleRating:
    """Return the rating that every solver begins with."""
    fresh = new_rating(person, game)
    return PuzzleRating(person, game, fresh.mu, fresh.sigma)


def puzzle_points(puzzle: Puzzle, figures: PuzzleFigures | None) -> tuple[float, float]:
    """Return a puzzle's rating as mu and sigma: from attempts, or from its initial difficulty."""
    if figures is not None and figures.mu is not None and figures.sigma is not None:
        return figures.mu, figures.sigma
    fresh = new_rating(0, puzzle.game)
    return fresh.mu + _RATING_PER_DIFFICULTY_POINT * (
        puzzle.difficulty - _MEDIAN_DIFFICULTY
    ), _INITIAL_SIGMA_FACTOR * fresh.sigma


async def rate_attempt(store: Store, person: int, puzzle: Puzzle, *, solved: bool) -> None:
    """Count somebody's first attempt at a puzzle, in the game and in all games together; called in a transaction."""
    known, figures = await store.puzzles.lock_ratings_for_update(person, puzzle.id)
    before = puzzle_points(puzzle, figures)
    after: list[PuzzleRating] = []
    hard = before
    for key in (OVERALL_KEY, puzzle.game):
        rating = known.get(key) or first_rating(person, key)
        mine = (rating.mu, rating.sigma)
        if solved:
            mine, hard = rate_duel(mine, before)
        else:
            hard, mine = rate_duel(before, mine)
        tries, right = rating.tries + 1, rating.solved + solved
        after.append(replace(rating, mu=mine[0], sigma=mine[1], tries=tries, solved=right))
    counted = replace(figures, tries=figures.tries + 1, solved=figures.solved + solved)
    await store.puzzles.store_ratings(after, replace(counted, mu=hard[0], sigma=hard[1]))
