"""Weigh a checkout by syntax, so that formatting does not count: python tools/weigh.py [FOLDER] [--ref COMMIT].

A module is a Python file under version control; migrations are weighed apart, since they stay as they were written.
"""

import argparse
import ast
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
SOURCE: Final = ("engine", "render", "storage", "bot")
OTHERS: Final = ("tests", "tools", "bench")
MIGRATIONS: Final = "storage/migrations/"
COLUMNS: Final = ("modules", "lines", "statements", "nodes", "functions", "classes")


def list_modules(root: Path, ref: str | None) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each Python file of a checkout, as it is on disk or in a commit."""
    git = ["git", "-C", str(root)]
    names = ["ls-tree", "-r", "--name-only", ref] if ref else ["ls-files"]
    found = subprocess.run([*git, *names], capture_output=True, text=True, check=True).stdout.splitlines()
    for path in sorted(path for path in found if path.endswith(".py")):
        if ref:
            shown = subprocess.run([*git, "show", f"{ref}:{path}"], capture_output=True, check=True)
            yield path, shown.stdout.decode()
        elif (root / path).exists():
            yield path, (root / path).read_text(encoding="utf-8")


def weigh_module(text: str) -> Counter[str]:
    """Return what one module holds: docstrings are no statements."""
    weight = Counter(modules=1, lines=text.count("\n"))
    for node in ast.walk(ast.parse(text)):
        weight["nodes"] += 1
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        weight["statements"] += isinstance(node, ast.stmt) and not is_docstring
        weight["functions"] += isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        weight["classes"] += isinstance(node, ast.ClassDef)
    return weight


def weigh(root: Path = ROOT, ref: str | None = None) -> dict[str, Counter[str]]:
    """Return the weight of each package, of the migrations, and of the four packages without them ("source")."""
    weights: dict[str, Counter[str]] = {name: Counter() for name in (*SOURCE, "source", "migrations", *OTHERS)}
    for path, text in list_modules(root, ref):
        package = "migrations" if path.startswith(MIGRATIONS) else path.split("/", maxsplit=1)[0]
        if package in weights:
            weight = weigh_module(text)
            weights[package] += weight
            if package in SOURCE:
                weights["source"] += weight
    return weights


def main() -> None:
    """Print the weights as a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT, help="a checkout (this one)")
    parser.add_argument("--ref", help="a commit in place of the files on disk")
    options = parser.parse_args()
    print(f"{'':10}", *(f"{name:>10}" for name in COLUMNS))
    for package, weight in weigh(options.folder, options.ref).items():
        print(f"{package:10}", *(f"{weight[name]:>10,}" for name in COLUMNS))


if __name__ == "__main__":
    main()
