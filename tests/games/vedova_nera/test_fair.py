"""The deal of La Vedova Nera, as docs/fair-chance.md tells players to check it."""

from typing import Any

from tests.support.fair_page import compare_page


def worked_out(page: dict[str, Any], text: str, seed: str, public: str, number: int) -> str:
    _, *parts = text.split()
    marbles = page["deal"](seed, public, number, parts[0].count(",") + 1)
    return " ".join(["deal", *(f"{colour}:{','.join(cells)}" for colour, cells in marbles.items())])


def test_the_code_of_the_page_gives_every_deal() -> None:
    assert compare_page("vedova-nera", worked_out) == 4
