"""Reads a position of Gioco dell'Uomo Nero back from its words."""

from typing import Any

from tests.bot.reading import Reader
from tests.games.uomo_nero.court import COLOURS


def read(reader: Reader, over: bool) -> dict[str, Any]:
    """Return what a position of Gioco dell'Uomo Nero has beyond what all positions have."""
    phases = ("roll-off", "man-start", "colours", "roll", "attack", "man")
    asked = {phase: who for phase in phases if (who := reader.value(f"phase.{phase}", "who"))}
    assert len(asked) == (not over)
    round_ = reader.take("position.round")
    order = reader.value("position.order", "who")
    attackers, colours = [], {}
    for seat, parts in enumerate(reader.seats):
        for colour in COLOURS:
            cells = reader.cells(f"position.attackers.{colour}", parts)
            if cells or reader.take(f"position.no-attackers.{colour}", parts) is not None:
                colours[colour] = seat
            attackers += [{"seat": seat, "colour": colour, "cell": cell} for cell in cells]
    dice, used, stayed = (reader.take(f"position.{key}") for key in ("dice", "used", "stayed"))
    by = {"die": int(used["die"]), "attacker": used["cell"]} if used else None
    scored = [reader.take("position.man-points", parts) for parts in reader.seats]
    return {
        "seats": len(reader.seats),
        "phase": "over" if over else next(iter(asked)),
        "to_move": None if over else reader.seat(next(iter(asked.values()))),
        "round": int(round_["number"]) if round_ else 0,
        "order": [reader.seat(name) for name in order.split(", ")] if order else [],
        "man_seat": reader.seat(round_["who"]) if round_ else None,
        "man": reader.value("position.man", "cell"),
        "attackers": sorted(attackers, key=lambda piece: (str(piece["cell"])[0], int(str(piece["cell"])[1:]))),
        "colours": colours,
        "dice": [int(dice["one"]), int(dice["other"])] if dice else None,
        "used": by or ({"die": int(stayed["die"]), "attacker": None} if stayed else None),
        "captured": reader.cells("position.named"),
        "man_turns": reader.number("position.man-turns"),
        "attack_scores": [reader.number("position.attack-points", parts) for parts in reader.seats],
        "man_scores": [int(found["n"]) if found else None for found in scored],
    }


def details(reader: Reader, reason: str) -> dict[str, Any]:
    """Return what decided a match that was played to its last round."""
    if reason != "score":
        return {}
    attacker, man = (reader.value(f"position.best-{who}", "who") for who in ("attacker", "man"))
    rounds = []
    while True:
        at = next((n for n, line in enumerate(reader.lines) if reader.match("position.round-over", line)), None)
        if at is None:
            break
        said = reader.take("position.round-over") or {}
        reasons = ("none-left", "total-block", "no-progress", "drop")
        ended = next(each for each in reasons if reader.match(f"round.{each}", reader.lines[at]) is not None)
        del reader.lines[at]
        points = [int(entry.rpartition(" ")[2]) for entry in said["points"].split(", ")]
        rounds.append({"man": reader.seat(said["who"]), "points": points, "reason": ended})
    return {
        "best_attacker": reader.seats_of(attacker) if attacker else [],
        "best_man": reader.seats_of(man) if man else [],
        "rounds": rounds,
    }
