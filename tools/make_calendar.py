"""Give the puzzles that have no day yet their days, at the end of bot/boards/puzzles/calendar.txt; what stands there
stays.

Games come in turn as long as they have puzzles left. Each game's new puzzles are shared out among the weekdays by their
difficulty, the easiest seventh to Mondays and the hardest to Sundays; within a seventh the order is that of their ids,
which is as good as chance.

Usage: `python -m tools.make_calendar [--folder FOLDER]`.
"""

import argparse
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from engine import games

PLACE: Final = Path(__file__).resolve().parent.parent / "bot" / "boards" / "puzzles"
_WEEK: Final = 7


def extend_calendar(listed: Sequence[str], puzzles: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[str]:
    """Yield the ids that come after those of a list, given every game's puzzles as plain data."""
    known = set(listed)
    weeks = {
        game: _by_weekday([entry for entry in entries if entry["id"] not in known]) for game, entries in puzzles.items()
    }
    order = sorted((game for game in weeks if any(weeks[game])), key=lambda game: (games[game].order, game))
    day = len(listed)
    place = _next_place(listed, order)
    while order:
        game = order[place % len(order)]
        days = weeks[game]
        # Where a weekday has none left, the nearest has to help.
        nearest = min((each for each in range(_WEEK) if days[each]), key=lambda each: (abs(each - day % _WEEK), each))
        yield days[nearest].pop(0)
        day += 1
        if any(days):
            place = (place + 1) % len(order)
        else:
            order.remove(game)
            place = place % len(order) if order else 0


def _by_weekday(entries: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    ranked = sorted(entries, key=lambda entry: (entry["difficulty"], _mixed(entry["id"])))
    days: list[list[str]] = [[] for _ in range(_WEEK)]
    for rank, entry in enumerate(ranked):
        days[rank * _WEEK // len(ranked)].append(entry["id"])
    return [sorted(ids, key=_mixed) for ids in days]


def _next_place(listed: Sequence[str], order: Sequence[str]) -> int:
    """Return whose turn it is after the last puzzle that has its day."""
    last = listed[-1].rpartition("-")[0] if listed else ""
    return order.index(last) + 1 if last in order else 0


def _mixed(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def main() -> None:
    """Append to the list."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=PLACE, help="where puzzles and calendar are")
    folder = parser.parse_args().folder
    calendar = folder / "calendar.txt"
    listed = calendar.read_text(encoding="utf-8").split() if calendar.exists() else []
    puzzles = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
    more = list(extend_calendar(listed, puzzles))
    calendar.write_text("".join(f"{name}\n" for name in [*listed, *more]), encoding="utf-8")
    print(f"{len(more)} days more, {len(listed) + len(more)} in all")


if __name__ == "__main__":
    main()
