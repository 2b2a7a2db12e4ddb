"""Where the test kit of a game lies: `tests/games/<name>`, or the folder of `pytest --kit` for another package's game.

A kit is everything that is only about one game, and all data that generic tests compare its games with; CONTRIBUTING.md
(Add a game) says what belongs into it. Generic tests find it here, by the key of the game, and nowhere else.
"""

import argparse
import json
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from engine import games

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDER: Final = ROOT / "tests" / "games"
_given: list[Path] = []


def give(folder: Path) -> None:
    """Make a folder the kit of the game that does not stand in this tree."""
    _given[:] = [folder.resolve()]


def name_of(key: str) -> str:
    """Return the name that a game's modules and its kit have."""
    return key.replace("-", "_")


def in_tree(key: str) -> bool:
    """Say whether the rules of a game stand in this tree."""
    rules = ROOT / "engine" / "games" / name_of(key)
    return rules.is_dir() or rules.with_suffix(".py").exists()


def kit(key: str) -> Path | None:
    """Return the folder of a game's kit, whether it exists or not; None for a package's game without one."""
    if in_tree(key):
        return FOLDER / name_of(key)
    return _given[0] if _given else None


def with_kit() -> list[str]:
    return [key for key in games if (folder := kit(key)) and folder.is_dir()]


def files(key: str, pattern: str) -> list[Path]:
    """Return the files of a game's kit that a pattern fits, in order."""
    folder = kit(key)
    return sorted(folder.glob(pattern)) if folder else []


@cache
def data(key: str, name: str) -> Any:
    """Return what a JSON file of a game's kit holds, None if there is no such file; it is not to be changed."""
    found = files(key, name)
    return json.loads(found[0].read_text(encoding="utf-8")) if found else None


@cache
def module(key: str, name: str) -> ModuleType | None:
    """Return a module of a game's kit, loaded from its file, wherever that is; None if there is none."""
    found = files(key, f"{name}.py")
    spec = spec_from_file_location(f"kit_of_{name_of(key)}_{name}", found[0]) if found else None
    if spec is None or spec.loader is None:
        return None
    loaded = module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def entries(key: str, name: str) -> list[dict[str, Any]]:
    """Return the list that a JSON file of a game's kit holds, empty if there is no such file."""
    return data(key, name) or []


def fact(key: str, name: str, usual: Any) -> Any:
    """Return what the kit.json of a game says about it, or else the usual; CONTRIBUTING.md lists what it may say."""
    return (data(key, "kit.json") or {}).get(name, usual)


def named(text: str) -> set[str]:
    """Return the games whose keys stand as words in a test's id; a longer key hides one that it contains."""
    padded = f"-{text}-"
    found = {key for key in games if f"-{key}-" in padded}
    return {key for key in found if not any(f"-{key}-" in f"-{other}-" for other in found - {key})}


def arguments(description: str | None, **flags: str) -> tuple[list[str], argparse.Namespace]:
    """Return the games that a tool is asked to write something for, and its flags: `[--kit DIR] [GAME ...]`.

    Without games those of this tree, and with a kit the game that it belongs to.
    """
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"which games (all): {', '.join(games)}")
    parser.add_argument("--kit", metavar="DIR", type=Path, help="the kit of a game that an installed package brings")
    for flag, text in flags.items():
        parser.add_argument(f"--{flag}", action="store_true", help=text)
    asked = parser.parse_args()
    if asked.kit:
        give(asked.kit)
    unknown = [key for key in asked.games if key not in games]
    if unknown:
        parser.error(f"no game called {', '.join(unknown)}")
    homeless = [key for key in asked.games if kit(key) is None]
    if homeless:
        parser.error(f"{', '.join(homeless)} does not stand in this tree: say with --kit where its kit is")
    return asked.games or [key for key in games if in_tree(key) != bool(asked.kit)], asked


def home(key: str, *parts: str) -> Path:
    """Return a folder of a game's kit, made if it does not exist; LookupError for a game without a kit."""
    folder = kit(key)
    if folder is None:
        raise LookupError(key)
    folder = folder.joinpath(*parts)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
