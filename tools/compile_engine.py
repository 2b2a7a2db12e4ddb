"""Compile the engine's hot modules with mypyc into out/compiled, where the thinking processes look for them.

Needs a C compiler and the `dev` extra; nothing else in the project needs what this makes. It works on a copy: the
guards against changing an Action or a State are left out there (a compiled class cannot have them), so the program
itself and its tests go on with the plain modules. The copy is used only as long as the sources stay as they are
now, and it is put in place only if it plays the same games and finds the same moves as the plain modules.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from bot.thinking.thinkers import COMPILED_FOLDER, FINGERPRINT_FILE, fingerprint
from tools import selfcheck

ROOT: Final = Path(__file__).resolve().parent.parent
COLD: Final = frozenset(
    # what searches do not come to, and what mypyc cannot do
    [
        "__init__",
        "contest",
        "diagram",
        "discovery",
        "facts",
        "fair",
        "progress",
        "notation",
        "perft",
        "record",
        "turn",
    ]
)
"""The modules that stay as they are, besides those that say so themselves."""

PLAIN: Final = re.compile(r"^# Not compiled: ", re.MULTILINE)
"""How a module says that it is to stay as it is, and why."""

_SETUP: Final = """
from mypyc.build import mypycify
from setuptools import setup
modules = {modules!r}
setup(name="compiled", packages=[], ext_modules=mypycify(
    ["--config-file=", "--ignore-missing-imports", *modules], opt_level="2", debug_level="0"))
"""
_SEAL: Final = re.compile(r"^ +self\.__class__ = _Sealed\w*\n", re.MULTILINE)
_PUT: Final = re.compile(r"^( +)put\(self, \"(\w+)\", (.+)\)\n", re.MULTILINE)
_GUARD: Final = re.compile(
    r"^    def __(?:set|del)attr__\(self, name: str.*\n +raise AttributeError\(.*\n\n", re.MULTILINE
)


def remove_guards(name: str, source: str) -> str:
    """Return a module without what keeps Actions and States from being changed; ValueError if it is not found."""
    if name == "core":
        source, puts = _PUT.subn(r"\1self.\2 = \3\n", source)
        source, guards = _GUARD.subn("", source)
        if (puts, guards) != (7, 2):
            raise ValueError(name)
        source = source.replace("        put = object.__setattr__\n", "")
        return re.sub(r"(__slots__ = .*\n\n)(    \w+: .*\n)+", r"\1", source, count=1)
    return _SEAL.sub("", source)


def copy_engine(place: Path) -> list[str]:
    """Copy the engine, unguarded, and return the modules that are to be compiled; data files come along."""
    hot = []
    for path in sorted((ROOT / "engine").rglob("*.*")):
        relative = path.relative_to(ROOT)
        target = place / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".bin":
            shutil.copyfile(path, target)
        if path.suffix != ".py":
            continue
        source = path.read_text(encoding="utf-8")
        target.write_text(remove_guards(path.stem, source), encoding="utf-8")
        if path.stem not in COLD and not PLAIN.search(source):
            hot.append(relative.as_posix())
    return hot


def main(wanted: Path = COMPILED_FOLDER) -> int:
    """Build, check and put in place; return 1 if something is missing or differs."""
    digest, expected = fingerprint(), selfcheck.compute_digest()
    place = wanted.with_name(f"{wanted.name}-new")
    shutil.rmtree(place, ignore_errors=True)
    modules = copy_engine(place)
    (place / "setup.py").write_text(_SETUP.format(modules=modules), encoding="utf-8")
    print(f"compiling {len(modules)} modules: this takes some minutes ...", flush=True)
    built = subprocess.run(
        [sys.executable, "setup.py", "build_ext", "--inplace"], cwd=place, capture_output=True, text=True, check=False
    )
    if built.returncode:
        print(built.stdout[-4000:], built.stderr[-4000:], sep="\n", file=sys.stderr)
        print("Not compiled; everything works without it, more slowly.", file=sys.stderr)
        return 1
    shutil.rmtree(place / "build")
    program = f"import sys; sys.path.insert(0, {str(place)!r}); from tools import selfcheck; selfcheck.main()"
    checked = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    if checked.stdout.strip() != f"compiled {expected}":
        print(checked.stdout, checked.stderr, "The compiled modules play differently.", sep="\n", file=sys.stderr)
        return 1
    (place / FINGERPRINT_FILE).write_text(digest, encoding="utf-8")
    shutil.rmtree(wanted, ignore_errors=True)
    place.rename(wanted)
    print(f"written: {wanted}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
