"""Count what each kind of request asks of the database, and write the table of docs/measurements.md anew."""

import asyncio
import sys
import tempfile
from pathlib import Path

from storage import Store
from tests.bot.costs import Cost, all_costs
from tests.bot.costs_table import PAGE, differences, from_page, with_table


async def _counted(folder: Path) -> dict[str, Cost]:
    empty = folder / "empty.db"
    await (await Store.open(empty)).close()
    return await all_costs(folder / "costs", empty)


def main() -> int:
    """Write the table, and say what has changed in it."""
    with tempfile.TemporaryDirectory() as name:
        costs = asyncio.run(_counted(Path(name)))
    page = PAGE.read_text(encoding="utf-8")
    for line in differences(costs, from_page(page)):
        print(line)
    PAGE.write_text(with_table(page, costs), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
