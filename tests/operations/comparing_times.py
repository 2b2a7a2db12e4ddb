"""Finds where the program compares or subtracts two times."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PACKAGES: Final = ("bot", "storage", "engine", "render")
ORDERS: Final = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
CLOCKS: Final = frozenset({"clock", "_clock", "utc_now", "monotonic", "time", "perf_counter"})
"""Functions that tell the time, called without arguments."""
TIMES: Final = re.compile(r"now|\w*(_at|until|deadline|expires|answer_by|drawn_by|since|touched|seconds)")
"""Names of times."""
OF_DAY: Final = re.compile(
    r"datetime\.now|utcnow|date\.today|time\.time\b|time_ns\(|localtime|CURRENT_TIMESTAMP|func\.now"
)
"""What reads the time of day."""


def find_comparisons(root: Path) -> Iterator[str]:
    """Yield `file function` of each comparison or difference of two times."""
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            if "migrations" not in path.parts:
                found = _Comparisons()
                found.visit(ast.parse(path.read_text("utf-8")))
                yield from (f"{path.relative_to(root)} {function}" for function in found.functions)


class _Comparisons(ast.NodeVisitor):
    def __init__(self) -> None:
        self.functions: dict[str, None] = {}
        self._inside: list[str] = []

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._inside.append(node.name)
        self.generic_visit(node)
        self._inside.pop()

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.Sub):
            self._look_at(node.left, node.right)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        if any(isinstance(each, ORDERS) for each in node.ops):
            self._look_at(node.left, *node.comparators)
        self.generic_visit(node)

    def _look_at(self, *sides: ast.expr) -> None:
        if not any(isinstance(each, ast.Constant) for each in sides) and any(map(_is_time, sides)):
            self.functions[self._inside[-1] if self._inside else "-"] = None


def _is_time(node: ast.expr) -> bool:
    """Return True for a name of a time, a call of a clock, or one of them plus a duration."""
    if isinstance(node, ast.BinOp):
        return _is_time(node.left) or _is_time(node.right)
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
        made = name in ("fromisoformat", "timestamp", "max", "min") and _has_time(node)
        return made or (name in CLOCKS and not node.args)
    if not isinstance(node, ast.Name | ast.Attribute):
        return False
    return TIMES.fullmatch(node.id if isinstance(node, ast.Name) else node.attr) is not None


def _has_time(node: ast.Call) -> bool:
    return node.func.__class__ is ast.Attribute or any(map(_is_time, node.args))
