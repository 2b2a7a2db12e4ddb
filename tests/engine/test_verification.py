"""Verifying records of every version: golden ones, and such as were changed."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.fair import MAX_CHAIN_LENGTH, MAX_CHAINS, next_hash
from engine.record import DrawIds, InvalidRecord, NewChain, Record, Verified, verify
from tests.support.present import catch_error

RECORDS = sorted((Path(__file__).parent / "records").glob("*.txt"))
FOUND = {
    "uomo-nero-1": Verified(2, 27),
    "uomo-nero-2": Verified(2, 9, with_ids=10, chains=1, nothing_new=(1, 1)),
    "vedova-nera-1": Verified(3, 1),
}


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_that_was_ever_written_is_read_and_verified_as_it_was(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    record = Record.from_text(text)
    assert (record.to_text(), record.version) == (text, int(path.stem[-1]))
    assert verify(record) == FOUND[path.stem]


def newest() -> Record:
    return Record.from_text(next(path for path in RECORDS if path.stem.endswith("-2")).read_text(encoding="utf-8"))


def refused(record: Record) -> str:
    return catch_error(InvalidRecord, verify, record).code


@pytest.mark.parametrize(
    ("line", "instead", "code"),
    [
        ("Draw 0: seat 1 by chain:", "Draw 0: seat 1 chain:", "broken-draw"),
        ("Draw 0: seat 1 by chain:", "Draw 0: seat 1 by ", "other-lot"),
        ("Draw 0:", "Draw 00:", "unexpected-header"),
        ("Chain 5: seat 0 by f", "Chain 5: seat 0 by F", "broken-chain"),
        ("Chain 5: seat 0", "Chain 5: seat 3", "broken-chain"),
        ("Chain 5: seat 0", "Chain 5: seat 1", "other-chain"),
        ("Chain 5:", "Chain 9:", "other-chain"),
        ("Draw 9:", "Draw 10:", "other-chance"),
        ("Draw 9: seat 0", "Draw 9: seat 1", "broken-draw"),
        ("Tavoliere record 2", "Tavoliere record 1", "unexpected-header"),
    ],
)
def test_a_changed_line_is_found(line: str, instead: str, code: str) -> None:
    text = newest().to_text()
    assert line in text
    with pytest.raises(InvalidRecord) as error:
        verify(Record.from_text(text.replace(line, instead)))
    assert error.value.code == code


def test_changed_contributions_of_a_draw_are_detected() -> None:
    record = newest()
    took = record.taken[3]
    for ids, code in (
        (took.ids[:1], "other-chance"),
        (took.ids[::-1], "broken-draw"),
        ((*took.ids[:1], *took.ids[:1]), "broken-draw"),
        ((), "broken-draw"),
        ((*took.ids[:1], (7, "web:1")), "broken-draw"),
    ):
        assert refused(replace(record, taken=(*record.taken[:3], DrawIds(took.draw, ids), *record.taken[4:]))) == code
    assert refused(replace(record, taken=record.taken[1:])) == "other-lot"
    assert refused(replace(record, taken=record.taken[::-1])) == "broken-draw"
    assert refused(replace(record, taken=(*record.taken, DrawIds(10, took.ids[1:])))) == "other-chain"
    assert refused(replace(record, taken=(*record.taken, DrawIds(10, record.taken[-1].ids)))) == "broken-draw"
    with pytest.raises(InvalidRecord, match="broken-draw"):
        replace(record, taken=(DrawIds(0, ((0, "two words; or more"),)),))


def test_a_link_is_not_looked_for_without_end() -> None:
    record = newest()
    far = "00" * 32
    end = far
    for _ in range(MAX_CHAIN_LENGTH + 1):
        end = next_hash(end)
    joined = tuple(replace(each, event=f"chain:{end}") if each.seat == 1 else each for each in record.joined)
    assert refused(replace(record, joined=joined, taken=(DrawIds(0, ((1, f"chain:{far}"),)),))) == "other-chain"
    chains = tuple(NewChain(0, 0, f"{number:064x}") for number in range(MAX_CHAINS + 1))
    assert refused(replace(record, chains=chains)) == "broken-chain"
