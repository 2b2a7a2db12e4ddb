"""Gioco dell'Uomo Nero in words."""

from collections.abc import Iterator
from typing import Final

from bot.kernel.texts import Speaker, Text
from bot.kernel.words.teller import GameWords, Losses, Names, PositionTeller, capture_targets, phase_words
from engine import Action, State, Turn
from engine.core import Json, Position


def _seat(teller: PositionTeller, seat: int) -> Iterator[str]:
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


def _common(teller: PositionTeller) -> Iterator[str]:
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


def _cells(teller: PositionTeller) -> dict[str, str]:
    position = teller.position
    found = {piece["cell"]: teller.line(f"cell.{piece['colour']}") for piece in position["attackers"]}
    return found | ({position["man"]: teller.line("cell.man")} if position["man"] else {})


def _find_captures(turn: Turn) -> Losses:
    found: Losses = {}
    taken = capture_targets(turn)
    for piece in turn.json_before["attackers"] if taken else ():
        if piece["cell"] in taken:
            found.setdefault(piece["seat"], []).append(piece["cell"])
    return found


def _describe_end(teller: PositionTeller) -> Iterator[str]:
    details = teller.position["outcome"].get("details", {})
    for key in ("best_attacker", "best_man"):
        if details.get(key):
            yield teller.line(f"position.{key.replace('_', '-')}", who=teller.people(details[key]))
    for number, over in enumerate(details.get("rounds", ()) if not teller.brief else (), 1):
        points = ", ".join(f"{name} {won}" for name, won in zip(teller.names, over["points"], strict=True))
        yield teller.line("position.round-over", number=number, who=teller.names[over["man"]], points=points)
        yield teller.line(f"round.{over['reason']}")


def _chance(speaker: Speaker, turn: Turn, names: Names) -> Iterator[Text]:
    """Yield the rolls; after the roll-off also who is the first Man, and why."""
    state = turn.before
    tries: list[list[Text]] = []
    for action in turn.actions:
        played, state = state, state.advance(action)
        if action.verb != "roll":
            continue
        before = turn.json_before if played is turn.before else played.to_json()
        who, (one, other) = names[before["to_move"]], action.value
        if before["phase"] == "roll-off":
            if not tries or not before["extra"].get("sums"):
                tries.append([])
            tries[-1].append(speaker.say("chance.roll", who=who, one=one, other=other))
        else:
            yield speaker.say("chance.rolled", who=who, one=one, other=other)
    for number, rolls in enumerate(tries):
        yield speaker.say("chance.again" if number else "chance.roll-off", rolls=speaker.listing(rolls))
    man = state.to_json()["man_seat"] if tries else None
    if man is not None:
        yield speaker.say("chance.first-man", who=names[man])


def _describe_round_end(speaker: Speaker, turn: Turn, names: Names) -> Iterator[Text]:
    """Yield how a round ended in a turn, and who is the next Man."""
    before, after = turn.json_before, turn.json_after
    for over in _rounds(after)[len(_rounds(before)) :]:
        points = _points(speaker, over["points"], names, over["man"])
        yield speaker.say("round.over", number=before["round"], points=points)
        yield speaker.say(f"round.{over['reason']}")
        if after["to_move"] is not None:
            yield speaker.say("round.next", who=names[after["man_seat"]])


def _rounds(position: Position) -> list[Json]:
    """Return the finished rounds."""
    outcome = position.get("outcome")
    found: list[Json] = (outcome.get("details", {}) if outcome else position["extra"]).get("rounds", [])
    return found


def _describe_scores(speaker: Speaker, state: State, names: Names) -> Iterator[Text]:
    """Yield the points of all rounds, and who let the fewest through."""
    position = state.to_json()
    yield speaker.say("over.points", points=_points(speaker, position["attack_scores"], names))
    best = (position.get("outcome") or {}).get("details", {}).get("best_man")
    if best:
        let_through = position["man_scores"][best[0]] or 0
        yield speaker.say("over.best-man", who=speaker.listing([names[seat] for seat in best]), n=let_through)


def _points(speaker: Speaker, points: list[int], names: Names, but: int | None = None) -> Text:
    """Return everybody's points, except those of the seat `but`."""
    counted = [(seat, won) for seat, won in enumerate(points) if seat != but]
    return speaker.listing([speaker.say("round.points", who=names[seat], n=won) for seat, won in counted])


def _first(state: State, kind: str) -> str:
    """Return the key of the words for the use of the dice; the Man has separate words."""
    return "man" if state.to_json()["phase"] == "man" else kind


def _choice(speaker: Speaker, state: State, action: Action) -> str:
    """Return the dice that an action uses; other differences between actions to the same cell do not matter."""
    if action.verb == "sprint":
        return speaker.line("choice.sprint")
    if action.amount is None and action.verb != "stay":
        return ""
    position = state.to_json()
    if not position["dice"]:
        return ""
    whole = sum(position["dice"])
    amount = whole if action.amount is None else action.amount  # the Man has only one way to stay
    dice = "both" if not position["used"] and amount == whole else "one"
    how = "stay" if action.verb == "stay" else "move"
    return speaker.line(f"choice.{how}.{dice}", amount=amount)


WORDS: Final = GameWords(
    _seat,
    _find_captures,
    _common,
    phase_words,
    _describe_end,
    _chance,
    _describe_round_end,
    _describe_scores,
    _first,
    choice=_choice,
    cells=_cells,
)
