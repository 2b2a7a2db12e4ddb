"""Positions and turns in words: what a picture shows, for those who do not see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bot.cards import Span, Text, plain
from bot.services.line import by_player
from bot.texts import Speaker
from engine import CHANCE, Action, State, Turn

LONGEST_ALT: Final = 1024

_BY_SEAT: Final = frozenset(
    {"pieces", "queens", "reserve", "lost", "dots", "dead", "lines", "pawns", "off"}
    | {"entry_ban", "attack_scores", "man_scores"}
)
_SEATS: Final = frozenset({"order"})
"""Lists of seats, said as names."""
_UNSAID: Final = frozenset(
    ("game", "options", "seats", "to_move", "dropped", "outcome", "extra", "phase", "man_seat", "last_entry")
)


def position_words(speaker: Speaker, state: State, names: Sequence[str]) -> list[str]:
    """Return sentences that say everything there is on the board: first each seat's own, then what is common.

    `speaker` knows the game; a seat's words are its name, the colour it plays if it has one, and what it holds.
    """
    position = state.to_json()
    seats: list[list[str]] = [[] for _ in range(state.seats)]
    common: list[str] = []
    for key, value in position.items():
        if key in _UNSAID or not value or not speaker.has(f"position.{key}"):
            continue
        if key in _SEATS:
            value = [names[seat] for seat in value]
        for seat, part in _by_seat(key, value, state.seats):
            said = _value(speaker, part)
            if not said or (said == "0" and not key.endswith("scores")):
                continue
            words = speaker.line(f"position.{key}", value=said)
            if seat is None:
                common.append(words)
            else:
                seats[seat].append(words)
    sentences = [
        f"{seat_name(speaker, seat, names)}: {'; '.join(parts) or speaker.line('position.nothing')}."
        for seat, parts in enumerate(seats)
    ]
    if common:
        sentences.append(f"{'; '.join(common)}.")
    if state.dropped:
        gone = speaker.listing([names[seat] for seat in state.dropped])
        sentences.append(speaker.line("position.dropped", who=gone, n=len(state.dropped)))
    return sentences


def alt_text(speaker: Speaker, state: State, turn: Turn | None, names: Sequence[str]) -> str:
    """Return the description of a board for those who do not see it, of at most 1024 characters."""
    sentences = [speaker.line("alt.title", game=speaker.line("name"), number=state.turn + 1)]
    if state.to_move is None:
        sentences.append(speaker.line("alt.over"))
    elif state.to_move != CHANCE:
        sentences.append(speaker.line("alt.to-move", who=names[state.to_move]))
    sentences += position_words(speaker, state, names)
    if turn is not None:
        sentences.append(plain(turn_words(speaker, turn, [Span(name) for name in names])))
    return shortened(sentences, LONGEST_ALT)


def shortened(sentences: Sequence[str], most: int) -> str:
    """Return the sentences as one text, with an ellipsis where there is no more room."""
    text = " ".join(sentences)
    if len(text) <= most:
        return text
    kept = text[: most - 2]
    return kept[: kept.rfind(" ")].rstrip(" ,;:") + " …"


def seat_name(speaker: Speaker, seat: int, names: Sequence[str]) -> str:
    """Return a seat's name with the colour it plays, where the game has one for it."""
    key = f"seat.{seat}"
    return f"{names[seat]} ({speaker.line(key)})" if speaker.has(key) else names[seat]


def turn_words(speaker: Speaker, turn: Turn, names: Sequence[Span | str]) -> Text:
    """Return who did what in a turn; empty if there is nothing to say."""
    parts: list[Text] = []
    chance = [action for action in turn.actions if speaker.has(f"chance.{action.verb}")]
    mine = [action for action in turn.actions if by_player(action)]
    who = names[turn.seat] if 0 <= turn.seat < len(names) else ""
    for action in chance:
        parts.append(speaker.say(f"chance.{action.verb}", value=_value(speaker, action.value)))
    if mine:
        parts.append(speaker.say("turn.played", who=who, moves=moves_text(mine)))
    for action in turn.actions:
        if action.verb == "drop":
            parts.append(speaker.say("turn.dropped", who=names[action.value]))
    words: list[Span] = []
    for part in parts:
        words += [Span(" "), *part] if words else part
    return tuple(words)


def moves_text(actions: Sequence[Action]) -> Span:
    """Return actions as they are written."""
    return Span(" ".join(action.text for action in actions), code=True)


def _by_seat(key: str, value: Any, seats: int) -> list[tuple[int | None, Any]]:
    if key in _BY_SEAT and isinstance(value, list) and len(value) == seats:
        return list(enumerate(value))
    if key == "colours" and isinstance(value, list):
        return list(enumerate(value))
    if key == "colours" and isinstance(value, Mapping):
        return [(seat, [colour for colour, owner in value.items() if owner == seat]) for seat in range(seats)]
    if isinstance(value, list) and value and all(isinstance(item, Mapping) and "seat" in item for item in value):
        rest = [(item["seat"], tuple(part for name, part in item.items() if name != "seat")) for item in value]
        return [(seat, [part for owner, part in rest if owner == seat]) for seat in range(seats)]
    return [(None, value)]


def _value(speaker: Speaker, value: Any) -> str:
    if value is None or value in ([], {}):
        return ""
    if isinstance(value, str):
        return speaker.word("word", value)
    if isinstance(value, Mapping):
        return ", ".join(
            f"{speaker.word('word', name)} {said}" for name, part in value.items() if (said := _value(speaker, part))
        )
    if isinstance(value, list | tuple):
        if value and all(isinstance(item, list) for item in value):
            return " ".join("-".join(map(str, item)) for item in value)
        between = ", " if isinstance(value[0], tuple) else " "
        return between.join(_value(speaker, item) for item in value)
    return str(value)
