"""Inputs that are nearly right, and some that are nothing of the kind: the same ones for the same seed."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

_HOSTILE: Final = json.loads(Path(__file__).with_name("hostile.json").read_text(encoding="utf-8"))
NASTY: Final[tuple[str, ...]] = tuple(_HOSTILE["pieces"])
"""Pieces that have broken programs before."""
VALUES: Final[tuple[Any, ...]] = tuple(_HOSTILE["values"])


def mutate_text(rng: random.Random, corpus: Sequence[str]) -> str:
    """Return a mutant of one of the texts, now and then something else altogether."""
    if rng.random() < 0.05:
        return "".join(rng.choice(NASTY) for _ in range(rng.randrange(6)))
    made = rng.choice(corpus)
    for _ in range(rng.randrange(4)):
        made = _mutated(rng, made, corpus)
    return made[:4000]


def _mutated(rng: random.Random, made: str, corpus: Sequence[str]) -> str:
    start = rng.randrange(len(made) + 1)
    end = min(len(made), start + rng.randrange(1, 6))
    kind = rng.randrange(7)
    if kind == 0:
        return made[:start] + made[end:]
    if kind == 1:
        return made[:start] + rng.choice(NASTY) + made[start:]
    if kind == 2:
        return made[:start] + rng.choice(NASTY) + made[end:]
    if kind == 3:
        return made[:start] + made[start:end] * rng.randrange(2, 5) + made[end:]
    if kind == 4:
        other = rng.choice(corpus)
        return made[:start] + other[rng.randrange(len(other) + 1) :]
    if kind == 5:
        other = chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x250), rng.randrange(0xD800))))
        return made[:start] + other + made[end:]
    return made.swapcase() if rng.random() < 0.5 else made[::-1]


def mutate_tree(rng: random.Random, value: Any) -> Any:
    """Return JSON with one to three of its parts changed, removed, doubled or put elsewhere."""
    made = json.loads(json.dumps(value))
    for _ in range(rng.randrange(1, 4)):
        spot = _spot(rng, made)
        if spot is None:
            return json.loads(json.dumps(rng.choice(VALUES)))
        _change(rng, *spot, made)
    return made


def _spot(rng: random.Random, value: Any) -> tuple[Any, Any] | None:
    """Return a place of a tree: what holds it, and under what; every part of a whole is as likely as the others.

    So a position's long history is not changed more often than its board.
    """
    found = None
    while isinstance(value, dict | list) and value:
        key = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
        found = (value, key)
        if rng.random() < 0.25:
            break
        value = value[key]
    return found


def _change(rng: random.Random, holder: Any, key: Any, whole: Any) -> None:
    kind = rng.randrange(6)
    if kind == 0:
        del holder[key]
    elif kind == 1:
        other, there = _spot(rng, whole) or (holder, key)
        holder[key] = json.loads(json.dumps(other[there]))
    elif kind == 2 and isinstance(holder, list):
        holder.insert(key, json.loads(json.dumps(holder[key])))
    elif kind == 3 and isinstance(holder[key], int):
        holder[key] += rng.choice((-1, 1, 100, -100))
    elif kind == 4 and isinstance(holder[key], str):
        holder[key] = mutate_text(rng, [holder[key]])
    elif kind == 5 and isinstance(holder, dict):
        holder[rng.choice(NASTY[:20])] = json.loads(json.dumps(rng.choice(VALUES)))
    else:
        holder[key] = json.loads(json.dumps(rng.choice(VALUES)))
