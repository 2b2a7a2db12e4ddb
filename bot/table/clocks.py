"""Clocks: deadlines, reminders and quiet hours."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, time, timedelta, tzinfo
from typing import Any, Final

from bot.kernel.time_zones import load_time_zone
from storage import GameRow, Person, Stage

SECONDS_PER_HOUR: Final = 3600
NO_CLOCK: Final = "none"
CLOCKS: Final[Mapping[str, int | None]] = {
    NO_CLOCK: None,
    "1h": SECONDS_PER_HOUR,
    "12h": 12 * SECONDS_PER_HOUR,
    "1d": 24 * SECONDS_PER_HOUR,
    "3d": 72 * SECONDS_PER_HOUR,
    "7d": 168 * SECONDS_PER_HOUR,
}
"""Time allowed for a turn in seconds, by the names to choose from."""

INVITATION_LIFETIME: Final = timedelta(days=3)
"""Time for which an invitation can be answered."""


def with_deadline(before: GameRow, row: GameRow, people: Mapping[int, Person], now: datetime) -> GameRow:
    """Return the changed row with its deadline and alarm: a new deadline if another player, or a new turn, is due.

    A game that is paused, over, without a clock, or waiting for a computer has none. A holiday moves it no further than
    agreed.
    """
    if row.status == "lobby":
        return row
    seconds = row.terms.clock
    if row.status != "playing" or not seconds or row.course.paused or row.to_move is None:
        return _without_deadline(row)
    person = people.get(row.to_move)
    if person is not None and person.team_place is not None:
        # The team's round of votes has an end of its own.
        return _without_deadline(row)
    deadline = row.deadline
    handed_on = (before.status, before.to_move, before.turn) != (row.status, row.to_move, row.turn)
    if deadline is None or handed_on:
        row = replace(row, course=replace(row.course, moved_seconds=0))
        deadline = min(_clock_start(person, now) + timedelta(seconds=seconds), _latest_deadline(row, now))
    elif before.deadline is not None and deadline > before.deadline:
        deadline = min(deadline, max(before.deadline, _latest_deadline(row, before.waiting_since)))
    return replace(row, deadline=deadline, alarm_at=next_alarm_at(deadline, seconds, person, now))


def _latest_deadline(row: GameRow, since: datetime) -> datetime:
    """Return the latest end of a turn that began at `since`, with as much of a holiday as agreed."""
    if row.terms.holidays is None:
        return datetime.max.replace(tzinfo=since.tzinfo)
    seconds = (row.terms.clock or 0) + row.course.moved_seconds
    return since + timedelta(seconds=seconds, days=row.terms.holidays)


def _without_deadline(row: GameRow) -> GameRow:
    return replace(row, deadline=None, alarm_at=None, course=replace(row.course, moved_seconds=0))


def next_alarm_at(deadline: datetime, seconds: int, person: Person | None, now: datetime) -> datetime:
    """Return when the next alarm is due: the reminder, the warning, or the deadline itself."""
    moments = [warning_at(deadline, seconds), deadline]
    if person is None or person.settings.get("reminders", True):
        moments.insert(0, reminder_at(deadline, seconds, person))
    return next((at for at in moments if at > now), deadline)


def reminder_at(deadline: datetime, seconds: int, person: Person | None) -> datetime:
    """Return when the only reminder is due: with a quarter of the time left, before the person's quiet hours."""
    at = deadline - timedelta(seconds=seconds / 4)
    return at if person is None else avoid_quiet_hours(at, person.settings)


def warning_at(deadline: datetime, seconds: int) -> datetime:
    """Return when the second and last warning is due: with a twelfth of the time left."""
    return deadline - timedelta(seconds=seconds / 12)


def alarm_stage(row: GameRow, now: datetime) -> Stage:
    """Return the kind of a game's current alarm: the reminder, or the warning."""
    seconds = row.terms.clock
    if row.deadline is None or not seconds:
        return Stage.NONE
    return Stage.WARNING if now >= warning_at(row.deadline, seconds) else Stage.REMINDER


def avoid_quiet_hours(at: datetime, settings: Mapping[str, Any]) -> datetime:
    """Return the time, or the beginning of the quiet hours that it falls into."""
    quiet = settings.get("quiet")
    if not quiet:
        return at
    begins, ends = time(int(quiet[0])), time(int(quiet[1]))
    local = at.astimezone(timezone_of(settings))
    inside = begins <= local.time() < ends if begins <= ends else local.time() >= begins or local.time() < ends
    if not inside:
        return at
    start = local.replace(hour=begins.hour, minute=0, second=0, microsecond=0)
    if start > local:
        start -= timedelta(days=1)
    return start.astimezone(at.tzinfo)


def timezone_of(settings: Mapping[str, Any]) -> tzinfo:
    """Return the time zone that a person has set, UTC if none."""
    return load_time_zone(settings.get("timezone"))


def _clock_start(person: Person | None, now: datetime) -> datetime:
    """Return when a person's clock starts: now, or when their holiday ends."""
    until = person.settings.get("holiday_until") if person else None
    return max(now, datetime.fromisoformat(until)) if until else now
