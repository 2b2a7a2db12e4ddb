"""What places are worth to the searches: 1 for a win, 0 for a loss, a half for a draw, and shares in between."""

import pytest
from hypothesis import given, strategies as st

from engine.core import Outcome
from engine.search.policy import compute_shares, values_of


@pytest.mark.parametrize(
    ("places", "values"),
    [
        ((1, 2), (1.0, 0.0)),
        ((2, 1), (0.0, 1.0)),
        ((1, 1), (0.5, 0.5)),
        ((1, 2, 3), (1.0, 0.5, 0.0)),
        ((1, 1, 3), (0.75, 0.75, 0.0)),
        ((1, 2, 2), (1.0, 0.25, 0.25)),
        ((1, 1, 1), (0.5, 0.5, 0.5)),
        ((1, 1, 1, 4), (2 / 3, 2 / 3, 2 / 3, 0.0)),
        ((2, 1, 2, 4, 5), (0.625, 1.0, 0.625, 0.25, 0.0)),
    ],
)
def test_ties_count_half(places: tuple[int, ...], values: tuple[float, ...]) -> None:
    assert values_of(Outcome("any", places)) == pytest.approx(values)


@given(st.lists(st.integers(1, 5), min_size=2, max_size=5))
def test_values_add_up_and_a_better_place_is_worth_more(places: list[int]) -> None:
    values = values_of(Outcome("any", tuple(places)))
    assert sum(values) == pytest.approx(len(places) / 2)
    for place, value in zip(places, values, strict=True):
        for other, worth in zip(places, values, strict=True):
            assert (place < other) == (value > worth)


@pytest.mark.parametrize("seats", range(2, 6))
def test_equal_seats_have_the_value_of_a_draw(seats: int) -> None:
    assert compute_shares([0.3] * seats) == pytest.approx(values_of(Outcome("any", (1,) * seats)))
