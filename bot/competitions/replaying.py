"""Replaying the events of any competition; an error has the number of the first invalid event."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TypeVar

from bot.competitions.events import InvalidCompetition

S = TypeVar("S")
E = TypeVar("E")


def replay_events(events: Iterable[E], created: Callable[[E], S], apply: Callable[[S, E], S]) -> S:
    """Return the state after these events; InvalidCompetition has the number of the first invalid one."""
    stands: S | None = None
    for number, event in enumerate(events, start=1):
        try:
            stands = created(event) if stands is None else apply(stands, event)
        except InvalidCompetition as error:
            raise InvalidCompetition(error.code, **{**error.params, "event": number}) from None
    if stands is None:
        raise InvalidCompetition("no-events")
    return stands


def replay_timed_events(
    events: Iterable[tuple[datetime, E]], created: Callable[[E], S], apply: Callable[[S, datetime, E], S]
) -> S:
    """Return the same for a competition whose events have times."""

    def start(each: tuple[datetime, E]) -> S:
        return created(each[1])

    def follow(stands: S, each: tuple[datetime, E]) -> S:
        return apply(stands, *each)

    return replay_events(events, start, follow)
