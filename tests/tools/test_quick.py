"""tools/quick.py: what it chooses is there, and what it leaves out is said."""

import pytest

from tools.quick import CHOSEN_TESTS, SLOW_TESTS, TESTS, choose_modules, list_left_out, list_modules


@pytest.mark.parametrize("pattern", CHOSEN_TESTS)
def test_every_pattern_selects_existing_modules(pattern: str) -> None:
    assert list_modules([pattern]) & set(choose_modules())


def test_what_takes_long_is_left_out_and_said() -> None:
    said = {TESTS / folder / f"test_{name}.py" for folder, names in list_left_out().items() for name in names}
    assert all(list_modules([pattern]) and list_modules([pattern]) <= said for pattern in SLOW_TESTS)
    chosen = set(choose_modules())
    assert (said | chosen, said & chosen) == (list_modules(["**/test_*.py"]), set())
    assert any(TESTS / "durability" in path.parents for path in said)
