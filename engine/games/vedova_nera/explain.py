"""What players type in La Vedova Nera, and which rule stands in the way of what they may not do.

Codes of IllegalAction, with their params:

- any action: must-act; foreign-action (text); no-such-seat (seat); no-chance-due; colours-chosen; turn-is-over (text)
- captures, which nobody names: captures-happen (cell)
- steps: counsellor-not-a-pawn, no-pawn, not-your-pawn, stays-put, node-taken (cell); too-far (piece, cell,
  distance, range); through-middle (piece, cell)
- the Counsellor: counsellor-elsewhere (piece: where it was said to be, counsellor: where it is);
  counsellor-stays-put, counsellor-straight-back (cell); counsellor-off-line, counsellor-through-middle
  (counsellor, cell); counsellor-node-taken (cell); counsellor-blocked (cell, blockers)
- entries: none-off; enter-outermost (cell, ring, outermost); entry-taken, entry-ban (cell)
- marbles: no-marble, not-your-marble, marble-stays-put, hollow-taken (cell); too-few-stable (n, needed);
  marble-too-far (piece, cell, distance, range); marble-through-middle (piece, cell)
- while colours are chosen: colours-first; black-is-counsellor; colour-taken (colour)
- before the deal: deal-first; wrong-deal
"""

# Not compiled: searches do not come here.

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from engine.core import PASS, Action, IllegalAction, shorten_value
from engine.games.vedova_nera.tables import (
    BLACK,
    COLOURS,
    OUTERMOST,
    RAYS,
    RINGS,
    SLIDE,
    SPOKES,
    STABLE_PAWNS_FOR_MARBLE,
    WEB,
)

if TYPE_CHECKING:
    from engine.games.vedova_nera.play import Play

NAMES: Final = {colour: (colour,) for colour in (*COLOURS, BLACK)} | {
    "red": ("red", "rosso"),
    "green": ("green", "verde"),
    "yellow": ("yellow", "giallo"),
    "blue": ("blue", "blu"),
    "white": ("white", "bianco"),
    "black": ("black", "nero"),
}
"""Each colour's names in English and in the Italian of the sheet; only the first is ever written."""
_COLOUR: Final = {name: colour for colour, names in NAMES.items() for name in names}
_WORD: Final = re.compile(r"[a-z]+")
_TAKING: Final = re.compile(r"(?:[k+m]?[\s,;:\-]*([a-z]\d{1,3})[\s,;:\-]*)?x[\s,;:\-]*([a-z]\d{1,3})")
_ONE: Final = re.compile(r"([k+]?)[\s,;:\-x]*([a-z]\d{1,3})")
_TWO: Final = re.compile(r"([km]?)[\s,;:\-x]*([a-z]\d{1,3})[\s,;:\-x]*([a-z]\d{1,3})")


def well_formed(text: str, counsellor: str | None = None) -> Iterable[Action]:
    """Yield the actions that a text may mean; the Counsellor is on the node `counsellor`."""
    word = _WORD.match(text)
    if word and word[0] == PASS.text:
        yield PASS
    elif word and word[0] in _COLOUR:
        yield Action(_COLOUR[word[0]], "colour", value=_COLOUR[word[0]])
    elif (match := _TAKING.match(text)) and match[2] in WEB.index:
        yield Action(f"x{match[2]}", "capture", match[1], match[2])
    elif (match := _TWO.match(text)) and match[2] in WEB.index and match[3] in WEB.index:
        kind, source, target = match.groups()
        if kind == "m":
            yield Action(f"M{source}-{target}", "marble", source, target)
            return
        if source == counsellor:
            yield Action(f"K{target}", "counsellor", source, target)
        if kind == "k":
            yield Action(f"K{source}-{target}", "counsellor", source, target)
        else:
            yield Action(f"{source}-{target}", "step", source, target)
    elif (match := _ONE.match(text)) and match[2] in WEB.index:
        kind, target = match.groups()
        if kind == "k":
            yield Action(f"K{target}", "counsellor", counsellor, target)
        else:
            yield Action(f"+{target}", "enter", None, target)


def refusal(state: Play, action: Action) -> IllegalAction:
    """Return the error that names the rule forbidding an action of the phase `play`."""
    if action.verb == "drop":
        return IllegalAction("no-such-seat", seat=shorten_value(action.value))
    if action == PASS:
        return IllegalAction("must-act")
    if action.verb in ("colour", "deal"):
        return IllegalAction("colours-chosen" if action.verb == "colour" else "no-chance-due")
    start, end = WEB.index.get(action.source or ""), WEB.index.get(action.target or "")
    foreign = IllegalAction("foreign-action", text=shorten_value(action.text))
    if end is None:
        return foreign
    if action.verb == "capture":
        return IllegalAction("captures-happen", cell=action.target)
    if action.text == f"K{action.target}":
        return _counsellor(state, end) or foreign
    if action.text == f"+{action.target}":
        return _enter(state, end) or foreign
    if start is None:
        return foreign
    if action.text == f"K{action.source}-{action.target}":
        return IllegalAction("counsellor-elsewhere", piece=action.source, counsellor=WEB.names[state.counsellor])
    if action.text == f"{action.source}-{action.target}":
        return _step(state, start, end) or foreign
    if action.text == f"M{action.source}-{action.target}":
        return _marble(state, start, end) or foreign
    return foreign


def _step(state: Play, start: int, end: int) -> IllegalAction | None:
    if start == state.counsellor:
        return IllegalAction("counsellor-not-a-pawn", cell=WEB.names[start])
    owner = state.owner(start)
    if owner != state.to_move:
        return IllegalAction("no-pawn" if owner is None else "not-your-pawn", cell=WEB.names[start])
    if error := _refuse_distant(start, end, ""):
        return error
    if state.occupied >> end & 1:
        return IllegalAction("node-taken", cell=WEB.names[end])
    return None


def _marble(state: Play, start: int, end: int) -> IllegalAction | None:
    mover = state.to_move
    if mover is None:
        return None
    if not state.goals[mover] >> start & 1:
        owned = sum(state.goals) >> start & 1
        return IllegalAction("not-your-marble" if owned else "no-marble", cell=WEB.names[start])
    if not state.may_move_marbles(mover):
        stable = state.stable(mover).bit_count()
        return IllegalAction("too-few-stable", n=stable, needed=STABLE_PAWNS_FOR_MARBLE[state.seats])
    if error := _refuse_distant(start, end, "marble-"):
        return error
    if sum(state.goals) >> end & 1:
        return IllegalAction("hollow-taken", cell=WEB.names[end])
    return None


def _refuse_distant(start: int, end: int, kind: str) -> IllegalAction | None:
    """Return the error if the nodes are not neighbours of a pawn or marble (`kind`), None if they are."""
    distance = WEB.distances[start][end]
    piece, cell = WEB.names[start], WEB.names[end]
    if distance == 0:
        return IllegalAction(f"{kind}stays-put", cell=cell)
    if distance == 1:
        return None
    if _opposite(start, end) and start % RINGS == end % RINGS == 0:
        return IllegalAction(f"{kind}through-middle", piece=piece, cell=cell)
    return IllegalAction(f"{kind}too-far", piece=piece, cell=cell, distance=distance, range=1)


def _opposite(start: int, end: int) -> bool:
    """Return whether the nodes are on opposite spokes, which would be one line through the centre."""
    return (start // RINGS - end // RINGS) % SPOKES == SPOKES // 2


def _counsellor(state: Play, end: int) -> IllegalAction | None:
    start, names = state.counsellor, WEB.names
    if end == start:
        return IllegalAction("counsellor-stays-put", cell=names[end])
    if end not in SLIDE[start]:
        code = "counsellor-through-middle" if _opposite(start, end) else "counsellor-off-line"
        return IllegalAction(code, counsellor=names[start], cell=names[end])
    if state.occupied >> end & 1:
        return IllegalAction("counsellor-node-taken", cell=names[end])
    ways = [ray[: ray.index(end)] for ray in RAYS[start] if end in ray]
    first = [next((node for node in way if state.occupied >> node & 1), None) for way in ways]
    blockers = {node for node in first if node is not None}
    if None not in first:
        return IllegalAction("counsellor-blocked", cell=names[end], blockers=[names[node] for node in sorted(blockers)])
    if end == state.ban:
        return IllegalAction("counsellor-straight-back", cell=names[end])
    return None


def _enter(state: Play, end: int) -> IllegalAction | None:
    mover, cell = state.to_move, WEB.names[end]
    if mover is None:
        return None
    if not state.off(mover):
        return IllegalAction("none-off")
    if not OUTERMOST >> end & 1:
        return IllegalAction("enter-outermost", cell=cell, ring=end % RINGS + 1, outermost=RINGS)
    if state.occupied >> end & 1:
        return IllegalAction("entry-taken", cell=cell)
    if end == state.entry_ban[mover]:
        return IllegalAction("entry-ban", cell=cell)
    return None


def refusal_of_colour(action: Action, taken: list[str]) -> IllegalAction:
    """Return the error that names the rule forbidding an action of the phase `colours`."""
    if action.verb == "drop":
        return IllegalAction("no-such-seat", seat=shorten_value(action.value))
    if action.verb == "deal":
        return IllegalAction("no-chance-due")
    if action.verb == "colour" and action.text == BLACK:
        return IllegalAction("black-is-counsellor")
    if action.verb == "colour" and action.text in taken:
        return IllegalAction("colour-taken", colour=action.text)
    if action.verb in ("step", "counsellor", "enter", "marble", "capture", "pass"):
        return IllegalAction("colours-first")
    return IllegalAction("foreign-action", text=shorten_value(action.text))
