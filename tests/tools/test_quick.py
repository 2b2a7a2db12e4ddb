"""tools/quick.py: what it chooses is there, and what it leaves out is said."""

from __future__ import annotations

import pytest

from tools.quick import CHOSEN, LONG, TESTS, chosen, left_out, modules


@pytest.mark.parametrize("pattern", CHOSEN)
def test_what_is_chosen_is_there(pattern: str) -> None:
    assert modules([pattern]) & set(chosen())


def test_what_takes_long_is_left_out_and_said() -> None:
    said = {TESTS / folder / f"test_{name}.py" for folder, names in left_out().items() for name in names}
    assert modules(LONG) <= said
    assert said | set(chosen()) == modules(["**/test_*.py"])
    assert not said & set(chosen())
    assert any(TESTS / "durability" in path.parents for path in said)
