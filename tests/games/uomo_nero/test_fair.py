"""The rolls of Gioco dell'Uomo Nero, as docs/fair-chance.md tells players to check them."""

from typing import Any

from tests.support.fair_page import compare_page


def worked_out(page: dict[str, Any], _text: str, seed: str, public: str, number: int) -> str:
    return " ".join(["roll", *map(str, page["roll"](seed, public, number))])


def test_the_code_of_the_page_gives_every_roll() -> None:
    assert compare_page("uomo-nero", worked_out) > 10
