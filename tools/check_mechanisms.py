"""Check that there is one of each: what stays in places is sent by the outbox alone, and what is due is looped over by
the kernel's worker and the outbox's alone.

That only storage knows its database library, import-linter holds (pyproject.toml).
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
SENDS: Final = frozenset({"send", "edit", "retire", "redraw"})
"""The verbs of an adapter for what stays in a place; answers to a request have verbs of their own."""
MAY_SEND: Final = ("bot/outbox/", "bot/platforms/telegram/")
"""Telegram's own room answers a request by editing the message that was pressed, and retires it."""
LOOKS: Final = frozenset({"list_due", "next_due_at", "list_thinking", "tick"})
WAITS: Final = frozenset({"wait", "sleep", "timeout", "is_set_within"})
MAY_LOOP: Final = ("bot/kernel/", "bot/outbox/worker.py")


def find_problems(root: Path = ROOT) -> Iterator[str]:
    """Yield one line for every second way of sending, and of waiting for what is due."""
    for path in sorted((root / "bot").rglob("*.py")):
        name = path.relative_to(root).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not name.startswith(MAY_SEND) and _is_send(node):
                yield f"{name}:{node.lineno}: only the outbox sends what stays in a place: promise a post"  # type: ignore[attr-defined]
            if not name.startswith(MAY_LOOP) and _is_due_loop(node):
                yield f"{name}:{node.lineno}: only the kernel loops over what is due: make it a DueWorker"  # type: ignore[attr-defined]


def _is_send(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr=verb, value=ast.Name(id=owner) | ast.Attribute(attr=owner))):
            return verb in SENDS and owner.strip("_") == "adapter"
        case ast.Call(func=ast.Attribute(attr=verb, value=ast.Subscript(value=ast.Attribute(attr="adapters")))):
            return verb in SENDS
        case _:
            return False


def _is_due_loop(node: ast.AST) -> bool:
    """Say whether a loop looks for what is due, itself or in its rounds, and waits between two looks."""
    calls = {
        call.func.attr
        for call in (ast.walk(node) if isinstance(node, ast.While) else ())
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    }
    return bool(calls & LOOKS and calls & WAITS)


if __name__ == "__main__":
    found = list(find_problems())
    print("\n".join(found) or "mechanisms: one of each")
    sys.exit(bool(found))
