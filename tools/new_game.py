"""Lay out the files of a new game, ready to be filled: `python tools/new_game.py KEY [--package [DIR]]`.

They come from tools/blank_game: a game that plays already, as little of one as there can be, with a comment in every
file that says what goes there. Without --package they are laid into this tree, with it into a package of its own in a
folder (tavoliere-KEY). A key that is no key or is taken is refused, and no file is ever overwritten.
"""

import argparse
import keyword
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from bot.kernel.texts import DEFAULT_LANGUAGE, LOCALES_FOLDER
from engine.discovery import MAX_KEY_LENGTH, RULES, is_key
from engine.games import games
from render.theme import MARKS, THEMES, list_inks

ROOT: Final = Path(__file__).resolve().parent.parent
BLANK: Final = ROOT / "tools" / "blank_game"


class Refused(Exception):
    """Nothing was laid out; the message says why."""


def find_refusal(key: str) -> str:
    """Return why a game cannot have this key, empty if it can."""
    if not is_key(key):
        return f"{key!r} is no key: small letters, digits and single hyphens, {MAX_KEY_LENGTH} at most, a letter first"
    taken = {*games, *(aside.source.key for aside in games.set_aside)}
    if key in taken or keyword.iskeyword(key) or (LOCALES_FOLDER / DEFAULT_LANGUAGE / f"{key}.po").exists():
        return f"the key {key} is taken"
    return ""


def list_places(key: str, package: Path | None) -> dict[Path, Path]:
    """Return where each file of the blank game goes: into this tree, or into the folder of a package."""
    from tests.support import whole

    name = key.replace("-", "_")
    inside = package / f"tavoliere_{name}" if package else None
    game = BLANK / "game_key"
    found = {
        game / f"{part.beside}.py": whole.module_path(part, key, inside).with_suffix(".py")
        for _, part, _ in whole.MODULES
    }
    for _, place in whole.FILES:
        source = (BLANK if "{pages}" in place else game) / place.format(**whole.THERE, key="game-key")
        source = source.with_name(source.name.replace("{key}", "game-key"))
        if source.suffix != ".bin":
            found[source] = whole.file_path(place, key, inside)
    kit = package / "kit" if package else ROOT / "tests" / "games" / name
    found |= {source: kit / source.name for source in sorted((BLANK / "kit").iterdir()) if source.is_file()}
    if package and inside:
        found |= {BLANK / each: package / each for each in ("pyproject.toml", "README.md")}
        found |= {game / each: inside / each for each in ("__init__.py", "py.typed")}
    else:
        found[BLANK / "contract.md"] = ROOT / "docs" / "rules" / f"{key}.md"
    return found


def make_palettes(key: str, package: Path | None) -> dict[Path, bytes]:
    """Return the palettes of the blank picture: just the colours that it names, until make_palettes finds the rest."""
    from tests.support import whole
    from tools.blank_game.game_key.picture import PICTURE

    inside = package / f"tavoliere_{key.replace('-', '_')}" if package else None
    made = {}
    for theme, place in zip(THEMES, [place for _, place in whole.FILES if place.endswith(".bin")], strict=True):
        colours = list(dict.fromkeys([*list_inks(THEMES[theme]), *MARKS, *PICTURE.colours(THEMES[theme])]))
        made[whole.file_path(place, key, inside)] = bytes(value for colour in colours for value in colour)
    return made


def fill_template(text: str, key: str, package: bool) -> str:
    """Return a text of the blank game as that of another one."""
    name = key.replace("-", "_")
    title = " ".join(word.capitalize() for word in key.split("-"))
    rules = f"tavoliere_{name}.{RULES.beside}" if package else f"{RULES.within}.{name}"
    changes: Mapping[str, str] = {
        "from .rules import": f"from {rules} import",
        "game_package": f"tavoliere_{name}",
        "game_key": name,
        "game-key": key,
        "GameKey": title.replace(" ", ""),
        "Game Key": title,
        "game key": title.lower(),
    }
    for old, new in changes.items():
        text = text.replace(old, new)
    return text


def lay_out(key: str, package: Path | None) -> list[Path]:
    """Write all files of a new game and return them; Refused if it cannot have the key or one is there already."""
    if why := find_refusal(key):
        raise Refused(why)
    if find_spec("ruff") is None:
        raise Refused("nothing was written, for this puts code into shape with ruff: `make check` installs it")
    texts = {
        target: fill_template(source.read_text(encoding="utf-8"), key, package is not None).encode()
        for source, target in list_places(key, package).items()
    }
    files = {**texts, **make_palettes(key, package)}
    if there := [str(target) for target in files if target.exists()]:
        raise Refused(f"nothing was written, for there is already: {', '.join(sorted(there))}")
    for target, content in files.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    code = [target for target in files if target.suffix == ".py"]
    # A longer name may want another line, and other modules stand in another order.
    for arguments in (["check", "--quiet", "--select", "I", "--fix"], ["format", "--quiet"]):
        ruff = [
            sys.executable,
            "-m",
            "ruff",
            *arguments,
            "--no-cache",
            "--config",
            str(ROOT / "pyproject.toml"),
            *map(str, code),
        ]
        subprocess.run(ruff, check=True, cwd=ROOT)
    return sorted(files)


def describe_files(key: str, package: Path | None, files: Sequence[Path]) -> str:
    """Return what was laid out and what comes next."""
    from tests.support.whole import GUIDE, LAID_OUT

    listed = "\n".join(f"  {path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}" for path in files)
    kit = f" --kit {package / 'kit'}" if package else ""
    asked = f'ARGS="--kit {package / "kit"}" ' if package else ""
    install = f"  .venv/bin/python -m pip install --editable {package}   (so that it is found)\n" if package else ""
    return (
        f"{listed}\n\nThe game plays already; {GUIDE} tells what each file is for. Next:\n"
        f"{install}"
        f"  .venv/bin/tavoliere games                                (it is listed)\n"
        f"  .venv/bin/tavoliere play {key}\n"
        f"  .venv/bin/python -m tools.make_palettes {key}            (once its picture is drawn)\n"
        f"  .venv/bin/python -m tools.make_golden{kit} {key}\n"
        f"  .venv/bin/python -m tools.make_golden_pictures{kit} {key}\n"
        f"  {'.venv/bin/python -m tools.make_docs' + kit + ' ' + key if package else 'make docs'}\n"
        f"  .venv/bin/python -m tools.make_strength{kit} {key}       (once its computer player knows something)\n"
        f"  make test-game GAME={key} {asked}(says what is left to do, the worst first)\n"
        f"A file is done when the line with “{LAID_OUT.strip()}” is gone from it."
    )


def main() -> int:
    """Lay out the game that the command line names."""
    sys.path.insert(0, str(ROOT))
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("key", metavar="KEY", help="the key of the game, like real-queen")
    parser.add_argument(
        "--package",
        metavar="DIR",
        type=Path,
        nargs="?",
        const=Path(),
        help="lay out a package of its own, in this folder (tavoliere-KEY)",
    )
    asked = parser.parse_args()
    package = None
    if asked.package is not None:
        package = (Path(f"tavoliere-{asked.key}") if asked.package == Path() else asked.package).resolve()
    try:
        files = lay_out(asked.key, package)
    except Refused as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    print(describe_files(asked.key, package, files))
    return 0


if __name__ == "__main__":
    sys.exit(main())
