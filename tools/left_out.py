"""Say what `make setup` leaves out: none of it is needed to play, each has its use and its way to be had."""

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

Find = Callable[[str], str | None]

BROWSERS: Final = ("chromium-headless-shell", "chromium", "chromium-browser")
COMPILERS: Final = ("cc", "gcc", "clang")


def list_left_out(find: Find = shutil.which, folder: Path = Path(sys.prefix)) -> Iterator[tuple[str, str]]:
    """Yield what there is besides, and how to come by it: what it is for, and whether it is here."""
    if not (folder / ".dev").exists():
        yield "tools for development", "make test and make check install theirs when they are first run"
    for name, use, names, packages in (
        ("a browser", "the tests of the page drive it", BROWSERS, "chromium libatomic1"),
        ("a C compiler", "make compiled lets computer players think faster", COMPILERS, "gcc python3-dev"),
    ):
        here = next(filter(None, map(find, names)), None)
        yield name, f"{use}; {f'found: {here}' if here else f'none here (Debian, Ubuntu: apt-get install {packages})'}"
    yield (
        "a PostgreSQL server",
        "games are kept in a SQLite file unless DATABASE_URL names one; the tests bring their own",
    )
    yield "tokens", "Discord and Telegram are connected by a line each in .env (README.md); the page needs none"


if __name__ == "__main__":
    print("Set up; `make start` starts it. Left out, since it runs without:")
    for name, words in list_left_out():
        print(f"  {name:<22} {words}")
