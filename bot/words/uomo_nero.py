"""Gioco dell'Uomo Nero in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bot.words.teller import GameWords, Teller, targets
from engine import Turn


def _seat(teller: Teller, seat: int) -> Iterator[str]:
    position = teller.position
    for colour, owner in position["colours"].items():
        if owner == seat:
            cells = [piece["cell"] for piece in position["attackers"] if piece["colour"] == colour]
            yield from teller.cells(f"position.attackers.{colour}", cells)
            if not cells:
                yield teller.line(f"position.no-attackers.{colour}")
    yield teller.line("position.attack-points", n=position["attack_scores"][seat])
    if position["man_scores"][seat] is not None:
        yield teller.line("position.man-points", n=position["man_scores"][seat])


def _common(teller: Teller) -> Iterator[str]:
    position = teller.position
    if position["round"]:
        yield teller.line("position.round", number=position["round"], who=teller.names[position["man_seat"]])
        if not teller.brief:
            yield teller.line("position.order", who=", ".join(teller.names[seat] for seat in position["order"]))
    if position["man"]:
        yield teller.line("position.man", cell=position["man"])
    yield from teller.count("position.man-turns", position["man_turns"])
    if position["dice"]:
        one, other = position["dice"]
        yield teller.line("position.dice", one=one, other=other)
    used = position["used"]
    if used and used["attacker"]:
        yield teller.line("position.used", die=used["die"], cell=used["attacker"])
    elif used:
        yield teller.line("position.stayed", die=used["die"])
    yield from teller.cells("position.named", position["captured"])


def _asked(teller: Teller) -> str:
    position = teller.position
    if position["to_move"] is None:
        return ""
    return teller.line(f"phase.{position['phase']}", who=teller.names[position["to_move"]])


def _captured(turn: Turn) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    taken = targets(turn)
    for piece in turn.before.to_json()["attackers"] if taken else ():
        if piece["cell"] in taken:
            found.setdefault(piece["seat"], []).append(piece["cell"])
    return found


def _ended(teller: Teller) -> Iterator[str]:
    details = teller.position["outcome"].get("details", {})
    for key in ("best_attacker", "best_man"):
        if details.get(key):
            yield teller.line(f"position.{key.replace('_', '-')}", who=teller.people(details[key]))
    for number, over in enumerate(details.get("rounds", ()) if not teller.brief else (), 1):
        points = ", ".join(f"{name} {won}" for name, won in zip(teller.names, over["points"], strict=True))
        yield teller.line("position.round-over", number=number, who=teller.names[over["man"]], points=points)
        yield teller.line(f"round.{over['reason']}")


UOMO_NERO: Final = GameWords(_seat, _captured, _common, _asked, _ended)
