"""Reads the words for a position back into its JSON, with the templates of the catalogues: what is not said is lost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.texts import GENERAL, Texts
from engine import games

COLOURS = ("red", "yellow", "green", "blue", "white", "black")
_BETWEEN = re.compile(r", and | and |, | e ")


@dataclass
class Reader:
    """One text, line by line; lines that were understood are struck out."""

    texts: Texts
    language: str
    names: Sequence[str]
    lines: list[str]
    game: str = ""
    seats: list[list[str]] = field(default_factory=list)

    def templates(self, key: str) -> Iterator[str]:
        for domain in (self.game, GENERAL):
            catalogue = self.texts.catalogue(self.language, domain)
            if catalogue is not None and key in catalogue.keys:
                yield from {catalogue.find(key, n).replace("*", "") for n in (0, 1, 2)}
                return
        raise KeyError(key)

    def match(self, key: str, text: str) -> dict[str, str] | None:
        """Return the parameters of a text, None if it is not made from the template."""
        for template in self.templates(key):
            pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(template))
            found = re.fullmatch(pattern, text)
            if found:
                return found.groupdict()
        return None

    def take(self, key: str, lines: list[str] | None = None) -> dict[str, str] | None:
        """Return the parameters of the first line made from a template, and strike it out; None if there is none."""
        lines = self.lines if lines is None else lines
        for number, line in enumerate(lines):
            found = self.match(key, line)
            if found is not None:
                del lines[number]
                return found
        return None

    def cells(self, key: str, lines: list[str] | None = None) -> list[str]:
        found = self.take(key, lines)
        return found["cells"].split(", ") if found else []

    def value(self, key: str, name: str, lines: list[str] | None = None) -> str | None:
        found = self.take(key, lines)
        return found[name] if found else None

    def number(self, key: str, lines: list[str] | None = None) -> int:
        """Return the number that a template says, 0 if nothing is said; words for 1 alone may leave it out."""
        found = self.take(key, lines)
        return int(found.get("n", 1)) if found else 0

    def seat(self, name: str) -> int:
        return self.names.index(name)

    def seats_of(self, listing: str) -> list[int]:
        return [self.seat(name) for name in _BETWEEN.split(listing)]


def read_back(texts: Texts, language: str, names: Sequence[str], text: str) -> dict[str, Any]:
    """Return the position's JSON without `extra`; AssertionError for a line that says something unheard of."""
    reader = Reader(texts, language, names, text.split("\n"))
    title = reader.take("alt.title")
    assert title is not None
    reader.game = next(key for key in games if texts.speaker(language).of(key).line("name") == title["game"])
    reader.lines.pop(0)  # the last turn
    over, to_move = _mover(reader)
    for name in names:
        lines = [found for line in reader.lines if (found := reader.match("position.seat", line))]
        mine = next(found for found in lines if re.fullmatch(re.escape(name) + r"( \(\w+\))?", found["who"]))
        reader.seats.append(mine["parts"].split("; "))
        reader.lines.remove(f"{mine['who']}: {mine['parts']}.")
    gone = reader.value("position.dropped", "who")
    position: dict[str, Any] = {
        "game": reader.game,
        "options": dict(_options(reader)),
        "to_move": to_move,
        "dropped": reader.seats_of(gone) if gone else [],
        "outcome": _outcome(reader) if over else None,
    }
    position |= _GAMES[reader.game](reader, over)
    for parts in reader.seats:
        reader.take("position.nothing", parts)
    assert not reader.lines, reader.lines
    assert not any(reader.seats), reader.seats
    return position


def _mover(reader: Reader) -> tuple[bool, int | None]:
    if reader.take("alt.over") is not None:
        return True, None
    for line in reader.lines:
        found = reader.match("alt.to-move", line)
        if found is not None and found["who"] in reader.names:
            reader.lines.remove(line)
            return False, reader.seat(found["who"])
    return False, None


def _options(reader: Reader) -> Iterator[tuple[str, str | int]]:
    voice = reader.texts.speaker(reader.language).of(reader.game)
    for name, option in games[reader.game].options.items():
        for value in option.values:
            line = f"{voice.line(f'option.{name}')}: {voice.line(f'option.{name}.{value}')}."
            if line in reader.lines:
                reader.lines.remove(line)
                yield name, value


def _outcome(reader: Reader) -> dict[str, Any]:
    keys = {
        key
        for domain in (reader.game, GENERAL)
        for key in getattr(reader.texts.catalogue(reader.language, domain), "keys", ())
        if key.startswith("reason.")
    }
    reason = next(key for key in sorted(keys) if reader.take(key) is not None).removeprefix("reason.")
    winner = reader.value("over.win", "who")
    first = winner or reader.value("over.draw", "who") or reader.value("over.shared", "who") or ""
    firsts = reader.seats_of(first)
    places = [1 if seat in firsts else 2 for seat in range(len(reader.names))]
    if len(places) > 2:
        line = next(line for line in reader.lines if re.match(r"1\. ", line))
        reader.lines.remove(line)
        for entry in line.removesuffix(".").split(", "):
            found = reader.match("over.place", entry)
            assert found is not None
            places[reader.seat(found["who"])] = int(found["place"])
        assert [seat for seat, place in enumerate(places) if place == 1] == sorted(firsts)
    outcome: dict[str, Any] = {"reason": reason, "places": places}
    if reader.game == "uomo-nero" and reason == "score":
        outcome["details"] = _details(reader)
    return outcome


def _details(reader: Reader) -> dict[str, Any]:
    attacker, man = (reader.value(f"position.best-{who}", "who") for who in ("attacker", "man"))
    rounds = []
    while True:
        at = next((n for n, line in enumerate(reader.lines) if reader.match("position.round-over", line)), None)
        if at is None:
            break
        said = reader.take("position.round-over") or {}
        reasons = ("none-left", "total-block", "no-progress", "drop")
        reason = next(each for each in reasons if reader.match(f"round.{each}", reader.lines[at]) is not None)
        del reader.lines[at]
        points = [int(entry.rpartition(" ")[2]) for entry in said["points"].split(", ")]
        rounds.append({"man": reader.seat(said["who"]), "points": points, "reason": reason})
    return {
        "best_attacker": reader.seats_of(attacker) if attacker else [],
        "best_man": reader.seats_of(man) if man else [],
        "rounds": rounds,
    }


def _annuvin(reader: Reader, _over: bool) -> dict[str, Any]:
    moving = reader.take("position.moving")
    return {
        "pieces": [reader.cells("position.pieces", parts) for parts in reader.seats],
        "reserve": [reader.number("position.reserve", parts) for parts in reader.seats],
        "lost": [reader.number("position.lost", parts) for parts in reader.seats],
        "moving": {"piece": moving["cell"], "range": int(moving["n"])} if moving else None,
    }


def _real_queen(reader: Reader, _over: bool) -> dict[str, Any]:
    for parts in reader.seats:
        reader.take("position.no-queen", parts)
    captures, returns = reader.number("position.captures"), reader.number("position.returns")
    runs = []
    while run := reader.cells("position.run"):
        runs.append(run)
    crossing = reader.value("position.crossing", "cell")
    pending = {"captures": captures, "returns": returns, "runs": runs, "crossing": crossing}
    return {
        "queens": [reader.value("position.queen", "cell", parts) for parts in reader.seats],
        "pieces": [reader.cells("position.pieces", parts) for parts in reader.seats],
        "reserve": [reader.number("position.reserve", parts) for parts in reader.seats],
        "pending": pending if returns else None,
    }


def _fagocitare(reader: Reader, _over: bool) -> dict[str, Any]:
    return {
        "dead": [reader.cells("position.dead", parts) for parts in reader.seats],
        "dots": [reader.cells("position.dots", parts) for parts in reader.seats],
        "lines": [[line.split("-") for line in reader.cells("position.lines", parts)] for parts in reader.seats],
    }


def _vedova_nera(reader: Reader, over: bool) -> dict[str, Any]:
    seats = reader.seats
    chosen = [_colour(reader, parts) for parts in seats]
    chooser = reader.value("phase.colours", "who")
    dealing = reader.take("phase.deal") is not None
    counsellor = reader.value("position.counsellor", "cell")
    marbles: dict[str, list[str]] = {}
    phase, moved = "play", {}
    if counsellor is None:
        marbles = {colour: reader.cells(f"position.marbles.{colour}") for colour in COLOURS}
        phase = "deal" if dealing or (over and not any(marbles.values())) else "colours"
        if not over:
            moved = {"to_move": reader.seat(chooser) if chooser else 0}
    else:
        for colour, parts in zip(chosen, seats, strict=True):
            marbles[colour or ""] = reader.cells("position.goals", parts)
    for parts in seats:
        reader.take("position.stable", parts)  # worked out, not part of the JSON
    return {
        "seats": len(seats),
        "phase": phase,
        "colours": chosen,
        "marbles": marbles,
        "pawns": [reader.cells("position.pawns", parts) for parts in seats],
        "off": [reader.number("position.off", parts) for parts in seats],
        "counsellor": counsellor,
        "counsellor_ban": reader.value("position.counsellor_ban", "cell"),
        "last_entry": reader.value("position.last_entry", "cell"),
        "entry_ban": [reader.value("position.entry_ban", "cell", parts) for parts in seats],
        **moved,
    }


def _colour(reader: Reader, parts: list[str]) -> str | None:
    return next((each for each in COLOURS[:5] if reader.take(f"position.colour.{each}", parts) is not None), None)


def _uomo_nero(reader: Reader, over: bool) -> dict[str, Any]:
    phases = ("roll-off", "man-start", "colours", "roll", "attack", "man")
    asked = {phase: who for phase in phases if (who := reader.value(f"phase.{phase}", "who"))}
    assert len(asked) == (not over)
    round_ = reader.take("position.round")
    order = reader.value("position.order", "who")
    attackers, colours = [], {}
    for seat, parts in enumerate(reader.seats):
        for colour in COLOURS[:4]:
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


_GAMES: Mapping[str, Callable[[Reader, bool], dict[str, Any]]] = {
    "annuvin": _annuvin,
    "real-queen": _real_queen,
    "fagocitare": _fagocitare,
    "vedova-nera": _vedova_nera,
    "uomo-nero": _uomo_nero,
}
