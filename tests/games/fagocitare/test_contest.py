"""Whole contests of Fagocitare on the small sheet: every bout comes out the same again."""

from engine.search.contest import Bout, list_bouts, play


def test_a_contest_swaps_seats_and_repeats() -> None:
    todo = list_bouts("fagocitare", {"size": 7}, 2, 2, 1, 4, opening=2)
    assert [(bout.pair, bout.seat) for bout in todo] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert [play(bout) for bout in todo] == [play(bout) for bout in todo]
    both = [play(Bout("fagocitare", {"size": 7}, 2, 0, 0, 5, seat)).value for seat in (0, 1)]
    assert all(value in (0.0, 0.5, 1.0) for value in both)
