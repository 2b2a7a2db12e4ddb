"""Print the size of the program beside that of its last release: python -m tools.figures [--record].

Modules, syntax nodes and packages of the four packages, and how many of our functions the two ways that people wait
for most enter. `--record` writes them down as those of the version in pyproject.toml: part of making a release.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from storage import Store
from tests.bot.party import Party
from tools.release import read_version
from tools.walk_ways import walk_ways
from tools.weigh import ROOT, list_modules, weigh

FILE: Final = Path(__file__).with_suffix(".json")
WAYS: Final = ("move", "delivery")


async def count_functions() -> dict[str, int]:
    """Return how many functions each of the two ways enters."""
    with tempfile.TemporaryDirectory() as folder:
        store = await Store.open(Path(folder) / "figures.db")
        async with Party(store) as party:
            counted = {name: entered.counts[1] async for name, entered in walk_ways(party) if name in WAYS}
        await store.close()
    return counted


def measure() -> dict[str, int]:
    """Return the figures of this checkout by their names."""
    source = weigh()["source"]
    names = [path for path, _ in list_modules(ROOT, None)]
    rooms = {path.removesuffix("/__init__.py") for path in names if path.startswith("bot/") and "/__init__" in path}
    return {
        "modules": source["modules"],
        "nodes": source["nodes"],
        "packages": len(rooms - {"bot"}),
        **asyncio.run(count_functions()),
    }


def format_figures(now: Mapping[str, int], release: Mapping[str, int], version: str) -> str:
    """Return the figures as lines, each beside that of a release, if it was counted then."""
    return "\n".join(
        f"{name:9} {figure:>8,}" + (f"   {version}: {release[name]:>8,}" if name in release else "")
        for name, figure in now.items()
    )


def main() -> None:
    """Print the figures, or record them."""
    now = measure()
    if "--record" in sys.argv[1:]:
        FILE.write_text(json.dumps({"version": read_version(ROOT), "figures": now}, indent=2) + "\n", encoding="utf-8")
    recorded = json.loads(FILE.read_text(encoding="utf-8"))
    print(format_figures(now, recorded["figures"], recorded["version"]))


if __name__ == "__main__":
    main()
