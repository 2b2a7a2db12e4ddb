"""Chance that players can check; the code of docs/fair-chance.md is run as it stands there."""

import doctest
import hashlib
from collections import Counter

import pytest
from hypothesis import given, strategies as st

from engine import CHANCE, games
from engine.fair import Draw, draw_seats, hash_seed, is_hex, leads_to, next_hash, public_text
from tests.engine.playing import CountingChance
from tests.support.fair_page import BLOCKS, from_the_page

EXAMPLE = "".join(block for block in BLOCKS if block.startswith(">>>"))

seeds = st.binary(min_size=32, max_size=32).map(bytes.hex)
publics = st.lists(st.text(st.characters(codec="utf-8", categories=["L", "N", "P"])), max_size=6).map(
    lambda ids: public_text("7K3QXD", ids)
)

taken = st.none() | st.lists(st.text(st.characters(codec="ascii", categories=["L", "N"])), max_size=4)


def test_the_ten_lines_of_the_page_are_ten_lines() -> None:
    assert len([line for line in BLOCKS[0].splitlines() if line]) <= 10


def test_the_example_of_the_page_is_true() -> None:
    example = doctest.DocTestParser().get_doctest(EXAMPLE, from_the_page(), "docs/fair-chance.md", None, 0)
    result = doctest.DocTestRunner().run(example)
    assert result.attempted >= 7
    assert result.failed == 0


@given(seeds, publics, st.integers(0, 10_000), st.lists(st.integers(1, 2**32), min_size=1, max_size=30), taken)
def test_the_code_of_the_page_gives_the_numbers_of_the_engine(
    seed: str, public: str, number: int, spans: list[int], ids: list[str] | None
) -> None:
    page = from_the_page()
    draw, numbers = Draw(seed, public, number, ids), page["draw"](seed, public, number, ids)
    assert [draw.randrange(n) for n in spans] == [page["randrange"](numbers, n) for n in spans]


@given(seeds, publics, st.integers(1, 6), taken)
def test_the_code_of_the_page_gives_the_lot_of_the_engine(
    seed: str, public: str, players: int, ids: list[str] | None
) -> None:
    seats = draw_seats(seed, public, players, ids)
    assert sorted(seats) == list(range(players))
    assert list(seats) == from_the_page()["seats"](seed, public, players, ids)


def test_the_code_of_the_page_follows_links_as_the_engine_does() -> None:
    links = ["00" * 32]
    while len(links) < 6:
        links.append(next_hash(links[-1]))
    page = from_the_page()
    for at, link in enumerate(links[:-1]):
        assert page["follows"](link, links[-1])
        assert leads_to(link, links[-1:]) == (links[-1], len(links) - 1 - at)
    assert not page["follows"](links[-1], links[0])
    assert leads_to(links[-1], links[:1]) is None
    assert leads_to(links[0], links[-1:], 4) is None, "not in so few steps"
    assert leads_to("no link", links) is None


def test_draw_result_depends_on_its_contributions() -> None:
    def first(ids: list[str] | None) -> int:
        return Draw("00" * 32, "7K3QXD\n", 1, ids).randrange(2**32)

    assert len({first(ids) for ids in (None, [], ["a"], ["a", "b"], ["b", "a"], ["ab"])}) == 6
    with pytest.raises(ValueError, match="printable"):
        first(["a\nb"])


@pytest.mark.parametrize("key", games)
def test_what_chance_brings_follows_from_the_seed_the_public_text_and_the_number(key: str) -> None:
    seed, public = hashlib.sha256(key.encode()).hexdigest(), public_text(key, ["web:1", "web:2"])
    for seats in games[key].seats:
        state = games[key].start(seats)
        for number in range(1, 30):
            if state.to_move == CHANCE:
                drawn = CountingChance(Draw(seed, public, number))
                action = state.sample_chance(drawn)
                assert drawn.asked
                assert action == state.sample_chance(Draw(seed, public, number))
                assert action == state.read(action.text)
            elif state.to_move is not None:
                action = state.legal_actions()[0]
            else:
                break
            state = state.play(action)


def test_a_commitment_is_the_sha_256_of_the_seed() -> None:
    seed = "ab" * 32
    assert hash_seed(seed) == hashlib.sha256(b"\xab" * 32).hexdigest()
    assert is_hex(hash_seed(seed))


@pytest.mark.parametrize("broken", ["", "ab", "AB" * 32, "ab" * 33, "zz" * 32, "٣" * 64, "ab" * 32 + "\n"])
def test_a_seed_has_64_hexadecimal_digits(broken: str) -> None:
    assert not is_hex(broken)
    with pytest.raises(ValueError, match="64"):
        hash_seed(broken)
    with pytest.raises(ValueError, match="64"):
        Draw(broken, "", 1)


def test_ids_cannot_be_run_together() -> None:
    assert public_text("g", ["ab", "c"]) != public_text("g", ["a", "bc"])
    assert public_text("g", ["a", ""]) != public_text("g", ["a"])
    with pytest.raises(ValueError, match="printable"):
        public_text("g", ["a\nb"])


@pytest.mark.parametrize("n", [0, -1, 2**32 + 1])
def test_a_draw_is_of_one_to_four_thousand_million(n: int) -> None:
    with pytest.raises(ValueError, match=str(n)):
        Draw("00" * 32, "", 1).randrange(n)


def test_draws_differ_by_seed_public_and_number() -> None:
    first = Draw("00" * 32, "g\n", 1)
    others = [Draw("01" * 32, "g\n", 1), Draw("00" * 32, "h\n", 1), Draw("00" * 32, "g\n", 2)]
    assert len({draw.randrange(2**32) for draw in (first, *others)}) == 4


def test_a_draw_serves_more_numbers_than_a_digest_holds_and_none_is_favoured() -> None:
    draw = Draw("07" * 32, "g\n", 1)
    drawn = Counter(draw.randrange(6) for _ in range(6000))
    assert sorted(drawn) == list(range(6))
    assert all(abs(count - 1000) < 150 for count in drawn.values())
    # three quarters of 2**32 and a bit: every second number or so is rejected, and none goes past the end
    assert max(draw.randrange(3 * 2**30 + 1) for _ in range(200)) <= 3 * 2**30
