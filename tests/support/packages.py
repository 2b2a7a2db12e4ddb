"""Packages that bring games, written into a folder that a test puts on the path of another process.

The game is the smallest that is whole: stones on a line of cells, of which the seats take one each in turn. Taking the
last one wins. It has an option, a picture, a computer player, words in English, and no lesson.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

from render.theme import MARKS, THEMES

AUDIOOP = "ignore:'audioop' is deprecated:DeprecationWarning"
"""What discord.py imports that newer versions of Python do not have."""
ROOT = Path(__file__).resolve().parents[2]

RULES = """
from engine.core import Action, Game, IllegalAction, InvalidPosition, Option, Outcome, State
from engine.topology import square_grid

BOARD = square_grid(12, 1)


class Stones(State):
    __slots__ = ("dropped", "outcome", "seats", "size", "stones", "to_move", "turn")

    def __init__(self, size, stones, to_move, turn, dropped=()):
        self.seats, self.size, self.stones, self.turn, self.dropped = 2, size, stones, turn, dropped
        winner = 1 - to_move if not stones else 1 - dropped[0] if dropped else None
        self.outcome = None
        if winner is not None:
            places = (1, 2) if winner == 0 else (2, 1)
            self.outcome = Outcome("last-seat" if dropped else "last-stone", places)
        self.to_move = to_move if winner is None else None

    @property
    def topology(self):
        return BOARD

    def legal_actions(self):
        return [Action(cell, "take", target=cell) for cell in self.stones] if self.to_move is not None else []

    def advance(self, action):
        if action.verb == "drop":
            return Stones(self.size, self.stones, self.to_move, self.turn + 1, (action.value,))
        left = tuple(cell for cell in self.stones if cell != action.target)
        return Stones(self.size, left, 1 - self.to_move, self.turn + 1)

    def refusal(self, action):
        return IllegalAction("no-stone", cell=action.target)

    def well_formed(self, text):
        return [Action(cell, "take", target=cell) for cell in BOARD.names if text.startswith(cell)][::-1]

    def key(self):
        return (self.size, self.stones, self.to_move, self.dropped)

    def to_json(self):
        found = {
            "game": GAME.key,
            "options": {"size": self.size},
            "to_move": self.to_move,
            "stones": list(self.stones),
            "extra": {"turn": self.turn},
        }
        if self.outcome is not None:
            found |= {"dropped": list(self.dropped), "outcome": self.outcome.to_json()}
        return found


class Dwindle(Game):
    key = "KEY"
    seats = range(2, 3)
    rules_version = 1
    options = {"size": Option(5, (5, 9, 12))}

    def start(self, seats=2, options=None):
        size = self.checked_options(seats, options)["size"]
        return Stones(size, BOARD.names[:size], 0, 0)

    def load(self, position):
        try:
            stones, dropped = tuple(position["stones"]), tuple(position.get("dropped", ()))
            turn = position.get("extra", {}).get("turn", 0)
            mover = position["to_move"]
            if mover is None:
                mover = position["outcome"]["places"].index(2)
            if not set(stones) <= set(BOARD.names):
                raise InvalidPosition("unknown-cell", field="stones", cell=str(stones))
            return Stones(position["options"]["size"], stones, mover, turn, dropped)
        except (KeyError, TypeError) as error:
            raise InvalidPosition("missing-field", field=str(error)) from error

    def symbols(self, position):
        return {cell: "o" for cell in position["stones"]}


GAME = Dwindle()
Stones.game = GAME
"""

POLICY = """
from engine.search.policy import Level, Policy


class DwindlePolicy(Policy):
    key = "KEY"
    levels = tuple(Level(number * 20) for number in range(1, 6))

    def evaluate(self, state):
        return (0.5, 0.5)


POLICY = DwindlePolicy()
"""

PICTURE = """
from functools import lru_cache

from render import frame
from render.canvas import Canvas, Ground, Tile
from render.scene import GamePicture
from render.sketch import Sketch


@lru_cache
def _ground(theme):
    return Ground("KEY", theme, Sketch(900, 600, paper=theme.paper))


@lru_cache
def _stone(ink):
    sketch = Sketch(60, 60, (30, 30))
    sketch.disc(0, 0, 25, ink)
    return Tile(sketch)


def _paint(scene):
    canvas = Canvas(_ground(scene.theme))
    spots = {cell: (40 + 70 * at, 250, 30) for at, cell in enumerate(scene.state.topology.names)}
    for cell in scene.position["stones"]:
        canvas.put(_stone(scene.theme.ink), *spots[cell][:2])
    frame.put_footer(canvas, scene)
    return canvas, spots


PICTURE = GamePicture("KEY", lambda theme: (), _paint)
"""

WORDS = """
from bot.words.teller import GameWords

WORDS = GameWords(
    lambda teller, seat: (),
    lambda turn: {},
    lambda teller: [teller.line("position.stones", cells=", ".join(teller.position["stones"]))],
)
"""

REASONS = """
from bot.explanations.candidate import GameReasons

REASONS = GameReasons(lambda case: ())
"""

CATALOGUE = {
    "name": "Dwindle",
    "tagline": "Take the last stone.",
    "option.size": "Stones in the row",
    "option.size.5": "five",
    "option.size.9": "nine",
    "option.size.12": "twelve",
    "verb.take": "Take a stone",
    "first.take": "{who}, it is your turn: take a stone, for example {example}.",
    "position.stones": "stones on {cells}.",
    "reason.last-stone": "The last stone is taken.",
    "refusal.no-stone": "There is no stone on {cell}.",
    "rules.short": "Take a stone each in turn. Whoever takes the last one wins.",
}


def palette(theme: str) -> bytes:
    """Return a palette of the colours that every picture has."""
    colours = list(dict.fromkeys([*THEMES[theme].colours(), *MARKS]))
    return bytes(value for colour in colours for value in colour)


def catalogue(words: Mapping[str, str], language: str = "en") -> str:
    """Return a catalogue with these words."""
    entries = "".join(
        f'\nmsgid "{key}"\nmsgstr {json.dumps(said, ensure_ascii=False)}\n' for key, said in words.items()
    )
    return f'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n{entries}'


def announce(folder: Path, distribution: str, points: Mapping[str, str], version: str = "1.0") -> None:
    """Write into a folder what says that a distribution is installed there, and which games it brings."""
    info = folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n", encoding="utf-8"
    )
    lines = "".join(f"{key} = {package}\n" for key, package in points.items())
    (info / "entry_points.txt").write_text(f"[tavoliere.games]\n{lines}", encoding="utf-8")


def package(
    folder: Path, key: str = "dwindle", *, words: Mapping[str, str] | None = None, **changed: str | None
) -> Path:
    """Write a package that brings the game under a key, and return its folder.

    `words` change those of its catalogue; `changed` are other texts for its modules (`rules`, `policy` ...), None to
    leave one out.
    """
    name = f"game_{key.replace('-', '_')}"
    place = folder / name
    place.mkdir(parents=True)
    modules = {"rules": RULES, "policy": POLICY, "picture": PICTURE, "words": WORDS, "reasons": REASONS} | changed
    for module, text in {"__init__": "", **modules}.items():
        if text is not None:
            (place / f"{module}.py").write_text(dedent(text).replace("KEY", key), encoding="utf-8")
    (place / "palettes").mkdir()
    for theme in THEMES:
        (place / "palettes" / f"{key}-{theme}.bin").write_bytes(palette(theme))
    (place / "locales" / "en").mkdir(parents=True)
    words_file = catalogue({**CATALOGUE, **(words or {})})
    (place / "locales" / "en" / f"{key}.po").write_text(words_file, encoding="utf-8")
    announce(folder, f"tavoliere-{key}", {key: name})
    return place


def environment(*folders: Path, **more: str) -> dict[str, str]:
    """Return an environment in which packages in these folders are found, and nobody's settings."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("TAVOLIERE", "LC_"))}
    variables = {name: value for name, value in variables.items() if not name.endswith(("TOKEN", "_URL"))}
    return variables | {"PYTHONPATH": os.pathsep.join(map(str, (*folders, ROOT))), "LANG": "en_GB.UTF-8", **more}


def run(program: str, *folders: Path, cwd: Path | None = None, **more: str) -> str:
    """Run a program in a Python that finds packages in these folders, and return what it prints."""
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-W", AUDIOOP, "-c", dedent(program)],
        env=environment(*folders, **more),
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def tavoliere(*arguments: str, folders: tuple[Path, ...] = (), cwd: Path | None = None, **more: str) -> str:
    """Run the command with packages in these folders, and return what it prints; it must go well."""
    call = f"import sys; from bot.__main__ import main; sys.exit(main({list(arguments)!r}))"
    return run(call, *folders, cwd=cwd, **more)


def run_module(name: str, *arguments: object, folders: tuple[Path, ...] = (), **more: str) -> str:
    """Run a module of the tests as a program, with packages in these folders, and return what it prints."""
    given = [str(each) for each in arguments]
    call = f"import runpy, sys; sys.argv[1:] = {given!r}; runpy.run_module({name!r}, run_name='__main__')"
    return run(call, *folders, cwd=None, **more)
