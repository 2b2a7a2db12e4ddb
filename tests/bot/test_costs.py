"""What each kind of request asks of the database is what the table in docs/measurements.md says, and no more."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.bot import costs
from tests.bot.costs import Cost, cost, kinds
from tests.bot.costs_table import PAGE, differences, from_page, to_table, with_table
from tests.bot.cups import a_cup
from tests.bot.party import Party, words
from tests.support.counting import name_statement

KINDS = kinds()
TABLE = from_page(PAGE.read_text(encoding="utf-8"))
MOVES = ("a completed move", "a move that was typed", "/move")
DELIVERY = "its delivery, the old board retired"
TABLES_OF_GAMES = {"games", "seats", "events", "identities", "members", "notices", "posts", "processed_events"}
"""The tables that every game needs."""


@pytest.mark.parametrize("name", KINDS)
async def test_request_costs_match_the_table(name: str, tmp_path: Path, empty_database: Path) -> None:
    changed = await find_differences(name, KINDS[name], tmp_path, empty_database)
    assert not changed, f"{'; '.join(changed)} (python -m tools.make_costs writes the table anew)"


async def find_differences(name: str, kind: costs.Kind, folder: Path, empty_database: Path) -> list[str]:
    """Return how the cost of a request differs from the table.

    A job that looks now and then may fall into what is counted; what has really grown differs a second time, too.
    """
    known = {name: TABLE[name]} if name in TABLE else {}
    changed = differences({name: await cost(kind, folder / "party", empty_database)}, known)
    return changed and differences({name: await cost(kind, folder / "again", empty_database)}, known)


def test_the_table_has_no_row_too_many_and_keeps_to_the_limits() -> None:
    assert set(TABLE) == set(KINDS)
    assert len(TABLE["a half-made choice"].statements) <= 2
    assert not TABLE["a half-made choice"].writes
    assert [name for name in MOVES if len(TABLE[name].statements) > 8 or TABLE[name].transactions > 1] == []
    assert len(TABLE[DELIVERY].statements) <= 4


def _tables(statements: Iterable[str]) -> set[str]:
    return {each.split()[-1] for each in statements}


async def use_every_feature(party: Party) -> None:
    """Have others in the same room use whatever there is, at tables and boards of their own."""
    code = await party.started("/play annuvin @dino clock:1d rated:no", "dino")
    mover = party.mover
    for who, line, answer in (
        ("anna" if mover == "dino" else "dino", f"/plan #{code} if b1-b2 then b5-b4", "Planned"),
        (mover, f"/hint {code}", "good move"),
        ("dino", f"/try #{code} b1-b2", "Tried: b1-b2"),
        ("dino", f"/draw {code}", "You have offered a draw"),
        ("dino", "/learn annuvin", "lesson, step 1"),
        ("dino", "/puzzle", "puzzle of"),
        ("dino", "/block @eva", "You will not meet"),
        ("dino", "/settings notices:private", "in private"),
    ):
        assert answer in words(await party.say(who, line))
    await a_cup(party, "/cup annuvin clock:1d players:4", "dino")


@pytest.mark.parametrize("name", ["a half-made choice", "a completed move", DELIVERY])
async def test_unused_features_add_no_statements_to_a_press(name: str, tmp_path: Path, empty_database: Path) -> None:
    async def among_others(party: Party) -> costs.Prepared:
        await party.meet("dino", "eva")
        await use_every_feature(party)
        # Anna has made the competition, and plays with Dino; those at the table use nothing.
        return await KINDS[name](party)

    if KINDS[name] in costs.AFTER_COMMIT:
        costs.AFTER_COMMIT.add(among_others)
    assert await find_differences(name, among_others, tmp_path, empty_database) == []
    assert _tables(TABLE[name].statements) <= TABLES_OF_GAMES


def test_cost_differences_list_added_and_removed_statements() -> None:
    before = {"a move": Cost(("SELECT games", "UPDATE games"), 1), "gone": Cost((), 0)}
    now = {"a move": Cost(("SELECT games", "SELECT games", "INSERT events"), 2), "new": Cost((), 0)}
    assert differences(now, before) == [
        "a move: 2 statements in 1 transactions, now 3 in 2: + SELECT games, + INSERT events, - UPDATE games",
        "new: not in the table",
        "gone: in the table alone",
    ]
    assert differences(now, now) == []


def test_the_table_is_read_as_it_was_written() -> None:
    page = with_table(PAGE.read_text(encoding="utf-8"), TABLE)
    assert from_page(page) == {
        name: Cost(tuple(sorted(each.statements, key=list(dict.fromkeys(each.statements)).index)), each.transactions)
        for name, each in TABLE.items()
    }
    assert to_table(TABLE) in page


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("BEGIN IMMEDIATE", "BEGIN"),
        ("COMMIT", None),
        ("PRAGMA foreign_keys = ON", None),
        ("-- a trigger", None),
        ("SELECT a, b FROM games WHERE id = 1", "SELECT games"),
        ("INSERT INTO events (a) VALUES (1)", "INSERT events"),
        ("WITH new AS\n(SELECT 1)\n UPDATE posts SET a = 1", "UPDATE posts"),
        ("DELETE FROM notices", "DELETE notices"),
        ("SAVEPOINT sp", "SAVEPOINT"),
    ],
)
def test_statements_are_named_by_verb_and_table(statement: str, name: str | None) -> None:
    assert name_statement(statement) == name
