"""tools/quick.py: what it chooses is there, and what it leaves out is said."""

import pytest

from tools.quick import CHOSEN_TESTS, SLOW_TESTS, TESTS, choose_modules, list_left_out, list_modules


@pytest.mark.parametrize("pattern", CHOSEN_TESTS)
def test_every_pattern_selects_existing_modules(pattern: str) -> None:
    assert list_modules([pattern]) & set(choose_modules())


def test_what_takes_long_is_left_out_and_said() -> None:
    said = {TESTS / folder / f"test_{name}.py" for folder, names in list_left_out().items() for name in names}
    for pattern in SLOW_TESTS:
        assert list_modules([pattern])
        assert list_modules([pattern]) <= said
    assert said | set(choose_modules()) == list_modules(["**/test_*.py"])
    assert not said & set(choose_modules())
    assert any(TESTS / "durability" in path.parents for path in said)
