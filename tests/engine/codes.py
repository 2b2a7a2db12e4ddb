"""The codes with which a game's own modules refuse actions, found in their sources."""

import ast
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from engine import games
from tests.support import kits

OF_EVERY_GAME: Final = {"foreign-action", "no-such-seat"}
"""What `State.refuse_unknown` gives to all games: no kit has to show it (tests/engine/test_conformance.py does)."""


def sources(key: str) -> list[Path]:
    """Return the modules that hold the rules of a game: one, or all of a package."""
    module = f"engine.games.{kits.name_of(key)}" if kits.in_tree(key) else type(games[key]).__module__
    spec = find_spec(module)
    if spec is None:
        raise LookupError(module)
    if spec.submodule_search_locations:
        return sorted(path for folder in spec.submodule_search_locations for path in Path(folder).glob("*.py"))
    return [Path(spec.origin or "")]


def illegal_codes(key: str) -> set[str]:
    """Return every code that a game's modules put into an IllegalAction; f-strings give what they end with."""
    return {code for path in sources(key) for code in _codes(ast.parse(path.read_text(encoding="utf-8")))}


def own_codes(key: str) -> set[str]:
    """Return the codes that a game's kit has to show."""
    return illegal_codes(key) - OF_EVERY_GAME


def _codes(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "IllegalAction":
            code = node.args[0]
            if isinstance(code, ast.Name):
                set_by = [each for each in ast.walk(tree) if isinstance(each, ast.Assign)]
                given = [each.value for each in set_by if getattr(each.targets[0], "id", "") == code.id]
                assert given, f"line {node.lineno}: where does the code come from?"
                for value in given:
                    yield from _strings(value)
            else:
                yield from _strings(code)


def _strings(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from _strings(node.body)
        yield from _strings(node.orelse)
    elif isinstance(node, ast.JoinedStr):
        yield from _strings(node.values[-1])
    else:
        assert isinstance(node, ast.Constant), f"line {node.lineno}: no code that can be read here"
        yield str(node.value)
