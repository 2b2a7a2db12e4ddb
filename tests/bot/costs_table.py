"""The table of what each kind of request costs, as docs/measurements.md shows it and the test compares it."""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.bot.costs import Cost
from tests.support.present import present

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "measurements.md"
BEGINS: Final = "<!-- costs: written by python -m tools.make_costs -->"
ENDS: Final = "<!-- costs end -->"
_ROW: Final = re.compile(r"\| (?P<name>.+?) \| \d+ \| (?P<transactions>\d+) \| (?P<asked>.*?) ?\|")
_TIMES: Final = re.compile(r"(?P<what>.+?)(?: ×(?P<times>\d+))?")


def to_table(costs: Mapping[str, Cost]) -> str:
    """Return the costs as a table of Markdown."""
    rows = ["| what | statements | transactions | statements by verb and table |", "|---|--:|--:|---|"]
    for name, each in costs.items():
        counts = Counter(each.statements)
        asked = ", ".join(what if times == 1 else f"{what} ×{times}" for what, times in counts.items())
        rows.append(f"| {name} | {len(each.statements)} | {each.transactions} | {asked} |".replace("|  |", "| |"))
    return "\n".join(rows)


def from_page(page: str) -> dict[str, Cost]:
    """Return the costs that the table on a page tells."""
    found = {}
    for row in _ROW.finditer(page.partition(BEGINS)[2].partition(ENDS)[0]):
        statements: list[str] = []
        for part in row["asked"].split(", ") if row["asked"] else ():
            match = present(_TIMES.fullmatch(part))
            statements += [match["what"]] * int(match["times"] or 1)
        found[row["name"]] = Cost(tuple(statements), int(row["transactions"]))
    return found


def differences(costs: Mapping[str, Cost], table: Mapping[str, Cost]) -> list[str]:
    """Return a line for whatever costs something else than the table says."""
    lines = []
    for name in {**costs, **table}:
        if (now := costs.get(name)) is None:
            lines.append(f"{name}: in the table alone")
        elif (before := table.get(name)) is None:
            lines.append(f"{name}: not in the table")
        else:
            more, less = Counter(now.statements), Counter(before.statements)
            changed = [f"+ {what}" for what in (more - less).elements()]
            changed += [f"- {what}" for what in (less - more).elements()]
            if changed or now.transactions != before.transactions:
                then = f"{len(before.statements)} statements in {before.transactions} transactions"
                today = f"{len(now.statements)} in {now.transactions}"
                lines.append(f"{name}: {then}, now {today}: {', '.join(changed) or 'the same statements'}")
    return lines


def with_table(page: str, costs: Mapping[str, Cost]) -> str:
    """Return a page with its table written anew."""
    before, _, rest = page.partition(BEGINS)
    _, found, after = rest.partition(ENDS)
    assert found, "the page has no place for the table"
    return f"{before}{BEGINS}\n{to_table(costs)}\n{ENDS}{after}"
