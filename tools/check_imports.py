"""Check that imports point one way: bot -> storage, render, engine; render -> engine; engine alone."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OURS = {"engine", "render", "storage", "bot"}
MAY_IMPORT = {"engine": set[str](), "render": {"engine"}, "storage": set[str](), "bot": {"engine", "render", "storage"}}


def imported(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and top-level name of every absolute import in a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.split(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.lineno, node.module.split(".")[0]


def problems(root: Path = ROOT) -> Iterator[str]:
    """Yield one line for every import that points the wrong way."""
    for package, allowed in MAY_IMPORT.items():
        for path in sorted((root / package).rglob("*.py")):
            for line, name in imported(ast.parse(path.read_text(encoding="utf-8"))):
                wrong = name in OURS - allowed - {package} or name in {"tests", "tools", "bench"}
                foreign = package == "engine" and name != "engine" and name not in sys.stdlib_module_names
                if wrong or foreign:
                    yield f"{path.relative_to(root)}:{line}: {package} may not import {name}"


if __name__ == "__main__":
    found = list(problems())
    print("\n".join(found) or "imports: all one way")
    sys.exit(bool(found))
