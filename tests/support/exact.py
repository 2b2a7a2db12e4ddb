"""Pictures kept to the pixel: a digest of each one, which holds only for the libraries that drew it.

Kept pictures themselves are compared with tolerance (tests/support/comparing.py), so that they hold with other versions
of Pillow; there a line that moves by a pixel passes. With what is named in digests.json, which are the versions of
constraints.txt on Linux and x86-64, nothing passes. Pictures of games that other packages bring have no digests.
"""

import hashlib
import io
import json
import sysconfig
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib.metadata import version
from itertools import cycle
from pathlib import Path
from typing import Final
from zlib import crc32

import PIL
from PIL import Image, ImageSequence, features

from engine import Turn, games
from render import THEMES
from render.animation import Look, animate, select_key_positions
from render.chances import Mark, draw_chances
from render.charts import (
    EMBLEM_KINDS,
    Chart,
    Emblem,
    LeaderboardRow,
    Point,
    draw_course,
    draw_emblems,
    draw_leaderboard,
)
from render.preview import PreviewBoard, PreviewRow, PreviewText, draw_preview, draw_table_preview
from render.tournaments import BracketTie, GridCell, GridLine, draw_bracket, draw_grid
from tests.support import kits
from tests.support.samples import NAMES, random_playout

FILE: Final = Path(__file__).parents[1] / "render" / "digests.json"
_TURNS: Final = 6


def drawn_with() -> str:
    """Return what decides over single pixels: the versions of the libraries, the system and the processor."""
    freetype, harfbuzz = features.version("freetype2"), version("uharfbuzz")
    return f"Pillow {PIL.__version__}, FreeType {freetype}, uharfbuzz {harfbuzz}, {sysconfig.get_platform()}"


def are_kept_here() -> bool:
    """Return True where digests are made: with the versions of constraints.txt, on Linux and x86-64."""
    pinned = (kits.ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    is_pinned = all(f"{name}=={version(name)}" in pinned for name in ("pillow", "uharfbuzz"))
    return is_pinned and sysconfig.get_platform() == "linux-x86_64"


def digest(data: bytes) -> str:
    """Return the digest of all that is seen of a picture or film: its size, every pixel, and how long each is seen."""
    found = hashlib.sha256()
    with Image.open(io.BytesIO(data)) as image:
        for frame in ImageSequence.Iterator(image):
            found.update(f"{frame.size} {frame.info.get('duration')}".encode())
            found.update(frame.convert("RGB").tobytes())
    return found.hexdigest()[:16]


@cache
def _stored() -> Mapping[str, str]:
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    return stored["pictures"] if stored["drawn_with"] == drawn_with() else {}


def assert_exact(name: str, data: bytes) -> None:
    """Assert that a picture has the digest that was kept of it, if these libraries drew it."""
    wanted = _stored().get(name)
    assert wanted in (None, digest(data)), (
        f"{name} is not what it was to the pixel; if it is meant to change: make golden"
    )


def list_names() -> list[str]:
    """Return the names of all pictures whose digests are kept, in order."""
    files = [file for key in games if kits.in_tree(key) for file in kits.files(key, "pictures/**/*.png")]
    return sorted([*(file.stem for file in files), *other_pictures()])


def keep(pictures: Mapping[str, bytes]) -> None:
    """Keep the digests of pictures, if they are made here; those of others stay if the same libraries drew them."""
    if not are_kept_here():
        print("The digests stay: they are made with the versions of constraints.txt, on Linux and x86-64.")
        return
    found = {**_stored(), **{name: digest(data) for name, data in pictures.items()}}
    content = {"drawn_with": drawn_with(), "pictures": {name: found[name] for name in list_names() if name in found}}
    FILE.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    _stored.cache_clear()


def _charts() -> dict[str, Callable[[str], Chart]]:
    """Return how charts, tables and brackets are drawn in a theme, with all that can be in them."""
    rows = [
        LeaderboardRow(1, "Anna", 12, 1, 3, 1534),
        LeaderboardRow(2, "Bruno", 9, 0, 6),
        LeaderboardRow(2, "علي", 0, 1, 0, 980),
        LeaderboardRow(4, "Maria Teresa Giovanna di Savoia e di Borbone", 0, 0, 104, 1),
    ]
    course = [Point(1500 + 30 * at, 300 - 10 * at, ("win", "loss", "draw")[at % 3]) for at in range(9)]
    emblems = [Emblem(kind, at) for at, kind in enumerate(EMBLEM_KINDS, 1)]
    chances = [[0.5 + at / 40, 0.3 - at / 60, 0.2 - at / 120] for at in range(18)]
    marks = [Mark(3, 0), Mark(4, 1, dice=True), Mark(9, 2, at=8.5), Mark(10, 0)]
    own, won, drawn, lost = GridCell(kind="self"), GridCell("1", "win"), GridCell("½", "draw"), GridCell("0", "loss")
    lines = [
        GridLine("1", "Anna", ((own,), (won, drawn), (drawn,)), "2"),
        GridLine("2", "Bruno", ((lost, drawn), (own,), ()), "½"),
        GridLine("", "علي", ((drawn,), (GridCell("+"),), (own,)), "½", gone=True),
    ]
    ties = [
        [
            BracketTie(("Anna", "Bruno"), 0),
            BracketTie(("Chiara", "Dario")),
            BracketTie(("Elena", ""), 0),
            BracketTie(("", "")),
        ],
        [BracketTie(("Anna", "")), BracketTie(("Elena", ""))],
        [BracketTie(("", ""))],
    ]
    return {
        "leaderboard": partial(draw_leaderboard, "Annuvin", rows),
        "course": lambda theme: draw_course("Anna", course, theme, emblems),
        "emblems": partial(draw_emblems, "Anna", emblems),
        "chances": partial(draw_chances, "Annuvin", NAMES[:3], chances, marks),
        "table": partial(draw_grid, "Annuvin", ("1", "2", "3"), lines),
        "bracket": partial(draw_bracket, "Annuvin", ties),
    }


def _of_a_game(key: str, theme: str) -> dict[str, Callable[[], bytes]]:
    """Return the drawing of a film, a sheet of key positions and previews of one random game."""
    game = games[key]
    seats = game.seats[-1]
    line = list(random_playout(game, 7, seats, {}, _TURNS))
    start = line[0][0]
    turns: dict[int, Turn] = {turn.number: turn for state, turn in line if turn and state.turn != turn.before.turn}
    names = NAMES[:seats]
    look: Look = {"names": names, "theme": theme}
    board = PreviewBoard(line[-1][0], list(turns.values())[-1], names)
    text = PreviewText(key, "A sentence. And another one, which goes on for some time. " * 2, "Game", "example.org")
    rows = [PreviewRow(str(at + 1), name, f"{9 - at}", key) for at, name in enumerate(NAMES)]
    return {
        "film": lambda: animate(start, list(turns.values()), **look).gif,
        "sheet": lambda: select_key_positions(start, list(turns.values()), most=4, **look).png,
        "preview": lambda: draw_preview(board, text, theme).png,
        "rows": lambda: draw_table_preview(board, text, rows, [Emblem(next(iter(EMBLEM_KINDS)), 1)], theme, key).png,
    }


def _png(draw: Callable[[str], Chart], theme: str) -> bytes:
    return draw(theme).png


def other_pictures() -> dict[str, Callable[[], bytes]]:
    """Return how each picture besides the kept boards is drawn, by name; what is there beside it changes no theme."""
    found: dict[str, Callable[[], bytes]] = {}
    for (name, draw), theme in zip(_charts().items(), cycle(THEMES), strict=False):
        found[f"{name}-{theme}"] = partial(_png, draw, theme)
    for key in filter(kits.in_tree, games):
        theme = list(THEMES)[crc32(key.encode()) % len(THEMES)]
        found |= {f"{key}-{name}": draw for name, draw in _of_a_game(key, theme).items()}
    return found
