"""Clocks: deadlines, reminders and quiet hours."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta, tzinfo
from typing import Any, Final, Literal

from bot.kernel.refusals import Refused
from bot.kernel.time_zones import load_time_zone
from storage import GameBrief, GameRow, Person, Stage, Terms

SECONDS_PER_MINUTE: Final = 60
SECONDS_PER_HOUR: Final = 3600
SECONDS_PER_DAY: Final = 86_400
NO_CLOCK: Final = "none"
ClockKind = Literal["none", "evening", "minutes", "days", "reserve"]
"""No clock, a time per player, minutes per turn, hours or days per turn, days with a reserve."""
CLOCK_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "none": (NO_CLOCK,),
    "evening": ("5+5", "15+10", "30+20"),
    "minutes": ("1m", "3m", "5m", "10m", "30m"),
    "days": ("1h", "12h", "1d", "3d", "7d"),
    "reserve": ("7d+12h", "30d+1d"),
}
"""The time controls offered for choice, by kind; others can be typed."""
MAX_RESERVE_MINUTES: Final = 180
MAX_INCREMENT_SECONDS: Final = 60
MAX_RESERVE_DAYS: Final = 90

CLOCK_PATTERN: Final = r"(?i)\d{1,4}[mhd+][\ddhm+]{0,8}"
"""The pattern of texts that are meant as a time control, valid or not."""
_UNITS: Final = {"m": SECONDS_PER_MINUTE, "h": SECONDS_PER_HOUR, "d": SECONDS_PER_DAY}
_NUMBER: Final = r"(0|[1-9]\d{0,3})"
_EVENING_PATTERN: Final = re.compile(rf"{_NUMBER}\+{_NUMBER}", re.ASCII)
_TURN_PATTERN: Final = re.compile(rf"(?:{_NUMBER}d\+)?{_NUMBER}([mhd])", re.ASCII)
_MAX_OF_UNIT: Final = {"m": 30, "h": 23, "d": 14}
"""The longest turn in minutes, in hours and in days."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """A time control: free seconds for each `turn`, a `reserve` of seconds for the game, or both.

    `increment` seconds are added to the reserve after each turn. With neither there is no clock.
    """

    turn: int | None = None
    reserve: int | None = None
    increment: int = 0

    @classmethod
    def of(cls, terms: Terms) -> "TimeControl":
        """Return the time control of agreed terms."""
        return cls(terms.clock, terms.reserve, terms.increment)

    def apply(self, terms: Terms) -> Terms:
        """Return terms with this time control."""
        return replace(terms, clock=self.turn, reserve=self.reserve, increment=self.increment)

    @property
    def kind(self) -> ClockKind:
        """The kind of clock."""
        if not self.turn:
            return "evening" if self.reserve else "none"
        if self.reserve:
            return "reserve"
        return "minutes" if self.turn < SECONDS_PER_HOUR else "days"

    @property
    def name(self) -> str:
        """The name that `parse_time_control` reads, such as 15+10, 5m, 1d or 30d+1d."""
        if not self.turn:
            minutes = (self.reserve or 0) // SECONDS_PER_MINUTE
            return f"{minutes}+{self.increment}" if self.reserve else NO_CLOCK
        unit = next((unit for unit in ("d", "h", "m") if self.turn % _UNITS[unit] == 0), "s")
        free = f"{self.turn // _UNITS.get(unit, 1)}{unit}"
        return f"{self.reserve // SECONDS_PER_DAY}d+{free}" if self.reserve else free


def parse_time_control(text: str) -> TimeControl:
    """Return the time control of a name: `none`, 15+10, 5m, 12h, 1d or 30d+1d; Refused for anything else.

    15+10 is minutes for the game plus seconds for each turn, 30d+1d a reserve of days plus the time of a turn.
    """
    name = re.sub(r"\s", "", text).lower()
    if name in ("", NO_CLOCK):
        return TimeControl()
    if evening := _EVENING_PATTERN.fullmatch(name):
        minutes, increment = int(evening[1]), int(evening[2])
        if not 1 <= minutes <= MAX_RESERVE_MINUTES or increment > MAX_INCREMENT_SECONDS:
            raise Refused(
                "refusal.clock-evening", field="clock", clock=name, minutes=MAX_RESERVE_MINUTES, n=MAX_INCREMENT_SECONDS
            )
        return TimeControl(reserve=minutes * SECONDS_PER_MINUTE, increment=increment)
    match = _TURN_PATTERN.fullmatch(name)
    if match is None:
        raise Refused("refusal.clock", field="clock", clock=text.strip()[:MAX_NAME_LENGTH])
    days, count, unit = match[1], int(match[2]), match[3]
    if unit == "m" and days is not None:
        raise Refused("refusal.clock", field="clock", clock=name)
    if not 1 <= count <= _MAX_OF_UNIT[unit]:
        raise Refused(f"refusal.clock-{unit}", field="clock", clock=name, n=_MAX_OF_UNIT[unit])
    if days is not None and not 1 <= int(days) <= MAX_RESERVE_DAYS:
        raise Refused("refusal.clock-reserve", field="clock", clock=name, n=MAX_RESERVE_DAYS)
    return TimeControl(count * _UNITS[unit], None if days is None else int(days) * SECONDS_PER_DAY)


MAX_NAME_LENGTH: Final = 20
"""Maximum length of a typed time control quoted in a reply."""
TIME_GIVEN: Final = "time"
"""The kind of event by which a player gives a `seat` more `seconds`."""
TIME_IMPORTED: Final = "used"
"""The kind of event with the time that a seat has `used`, in an imported game."""
INVITATION_LIFETIME: Final = timedelta(days=3)
"""How long an invitation can be answered."""
MIN_WARNED_TURN: Final = timedelta(minutes=3)
"""Minimum time of a turn of a live game for a warning before its end."""
MAX_LIVE_WARNING: Final = timedelta(minutes=2)
"""Maximum time between the only warning of a live turn and its end."""
SCREEN_DELAY: Final = timedelta(seconds=1)
"""Time after a turn in which the next board appears on a page or in an app; it is charged to no one."""
DELIVERY_DELAY: Final = timedelta(seconds=60)
"""The same on platforms, unless the board appears earlier."""
MILLISECOND: Final = timedelta(milliseconds=1)
LOW_TIME_SHARE: Final = 8
"""Time is low in the last eighth of a player's time, within the limits below."""
MIN_LOW_TIME: Final = timedelta(seconds=10)
MAX_LOW_TIME: Final = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class ClockReading:
    """The clocks of a game at a point in time, in milliseconds.

    `name` is the name of the time control. `left` is the time left by seat, for people who have not left: for a turn
    that has not begun, the whole time of the turn. `running` is the seat whose clock is on, None if none is; the clock
    starts in `waits` milliseconds. Time is low at `low` milliseconds or less.
    """

    name: str
    is_live: bool
    left: Mapping[int, int]
    running: int | None
    waits: int
    low: int


def read_clock(row: GameBrief, now: datetime) -> ClockReading | None:
    """Return the clocks of a game, None for a game without a clock."""
    if not row.terms.has_clock:
        return None
    held = [entry.seat for entry in row.seats if entry.person is not None and entry.seat is not None]
    free = timedelta(seconds=row.terms.clock or 0)
    left = {seat: free + get_reserve(row, seat) for seat in sorted(held) if seat not in row.progress.left}
    mover, waits, running = get_moving_seat(row), timedelta(), None
    if mover in left and row.deadline is not None and row.is_playing:
        running = mover
        waits = max(row.deadline - left[mover] - now, timedelta())
        left[mover] = max(row.deadline - waits - now, timedelta())
    whole = free + timedelta(seconds=row.terms.reserve or 0)
    low = min(max(whole / LOW_TIME_SHARE, MIN_LOW_TIME), MAX_LOW_TIME)
    shown = {seat: time_left // MILLISECOND for seat, time_left in left.items()}
    return ClockReading(
        TimeControl.of(row.terms).name, row.terms.is_live, shown, running, waits // MILLISECOND, low // MILLISECOND
    )


def get_moving_seat(row: GameBrief) -> int | None:
    """Return the seat of the person for whom a game waits, None if it waits for no person."""
    if row.to_move is None:
        return None
    return next((entry.seat for entry in row.seats if entry.person == row.to_move and entry.seat is not None), None)


def get_reserve(row: GameBrief, seat: int) -> timedelta:
    """Return a seat's reserve at the beginning of its turn; if it is not to move, its current reserve."""
    left = row.progress.reserves.get(seat)
    return timedelta(seconds=row.terms.reserve or 0) if left is None else left * MILLISECOND


def get_allowance(row: GameBrief) -> timedelta:
    """Return the whole time of the turn: the free time of each turn, and the reserve of the seat to move."""
    free, seat = timedelta(seconds=row.terms.clock or 0), get_moving_seat(row)
    return free if seat is None else free + get_reserve(row, seat)


def add_time(row: GameRow, seat: int, by: timedelta) -> GameRow:
    """Return a row with more time for a seat, added to its reserve and, if its clock runs, to its deadline."""
    reserves = {**row.progress.reserves, seat: (get_reserve(row, seat) + by) // MILLISECOND}
    deadline = row.deadline + by if row.deadline is not None and get_moving_seat(row) == seat else row.deadline
    return replace(row, progress=replace(row.progress, reserves=reserves), deadline=deadline)


def read_used_time(row: GameBrief, at: datetime) -> timedelta | None:
    """Return how long the turn has taken at a time; None if no clock runs."""
    if row.deadline is None or get_moving_seat(row) is None:
        return None
    return max(at - (row.deadline - get_allowance(row)), timedelta())


def _charge(before: GameRow, row: GameRow, at: datetime) -> GameRow:
    """Return the changed row after charging the player whose clock ran until `at`, and adding the increment."""
    seat, used = get_moving_seat(before), read_used_time(before, at)
    has_reserve = before.terms.reserve or before.progress.reserves
    if seat is None or used is None or row.turn < before.turn or not has_reserve:
        return row
    # At most the reserve is charged, in whole milliseconds rounded down.
    over = max(used - timedelta(seconds=before.terms.clock or 0), timedelta()) // MILLISECOND
    left = max(get_reserve(row, seat) // MILLISECOND - over, 0)
    if row.turn > before.turn and seat not in row.progress.left:
        left += before.terms.increment * 1000
    return replace(row, progress=replace(row.progress, reserves={**row.progress.reserves, seat: left}))


def with_deadline(
    before: GameRow,
    row: GameRow,
    people: Mapping[int, Person],
    now: datetime,
    *,
    acted_at: datetime,
    delay: timedelta,
) -> GameRow:
    """Return a game with a clock, with its deadline and alarm; the deadline is new if another player or turn is due.

    The player whose clock ran is charged until `acted_at`; the next player's clock starts after `delay`. A game that is
    paused, over, or waiting for a computer or a team has no deadline. A holiday extends the deadline at most as agreed,
    and never in a live game. An unfinished turn that is taken back is not charged.
    """
    handed_on = is_handed_on(before, row)
    if before.is_playing and stops_clock(before, row):
        row = _charge(before, row, acted_at)
    if not row.is_playing or row.progress.paused or row.to_move is None:
        return without_deadline(row)
    person = people.get(row.to_move)
    if person is not None and person.team_place is not None:
        # The team's round of votes has a separate deadline.
        return without_deadline(row)
    deadline = row.deadline
    if deadline is None or handed_on:
        row = replace(row, progress=replace(row.progress, moved_seconds=0))
        begins = now + delay
        if not row.terms.is_live:
            holiday = person.settings.get("holiday_until") if person is not None else None
            begins = max(now, datetime.fromisoformat(holiday)) if holiday else now
        deadline = min(begins + get_allowance(row), _latest_deadline(row, now + delay))
    elif before.deadline is not None and deadline > before.deadline:
        deadline = min(deadline, max(before.deadline, _latest_deadline(row, before.waiting_since + delay)))
    return replace(row, deadline=deadline, alarm_at=next_alarm_at(row, deadline, person, now))


def is_handed_on(before: GameRow, row: GameRow) -> bool:
    """Return True if another player, or a new turn, is due after a step."""
    return (before.status, before.to_move, before.turn) != (row.status, row.to_move, row.turn)


def stops_clock(before: GameRow, row: GameRow) -> bool:
    """Return True if a step ends the charging of the clock that ran before: the turn is over, or the clock stops."""
    return row.deadline is None or row.progress.paused or is_handed_on(before, row)


def waits_for_board(row: GameRow, now: datetime) -> bool:
    """Return True if the clock of a live game is on but does not run yet, because it waits for the board."""
    if not row.terms.is_live or row.deadline is None or not row.is_playing:
        return False
    return now < row.deadline - get_allowance(row)


def start_clock(row: GameRow, people: Mapping[int, Person], begins: datetime, now: datetime) -> GameRow:
    """Return a live game's row whose clock starts at a time: the board has appeared, or comes late."""
    deadline = begins + get_allowance(row)
    return replace(row, deadline=deadline, alarm_at=next_alarm_at(row, deadline, people.get(row.to_move or 0), now))


def _latest_deadline(row: GameRow, since: datetime) -> datetime:
    """Return the latest end of a turn that began at `since`, including the agreed holidays."""
    if row.terms.holidays is None:
        return datetime.max.replace(tzinfo=since.tzinfo)
    moved = timedelta(seconds=row.progress.moved_seconds, days=row.terms.holidays)
    return since + get_allowance(row) + moved


def without_deadline(row: GameRow) -> GameRow:
    """Return a row that has no deadline."""
    return replace(row, deadline=None, alarm_at=None, progress=replace(row.progress, moved_seconds=0))


def next_alarm_at(row: GameRow, deadline: datetime, person: Person | None, now: datetime) -> datetime:
    """Return when the next alarm is due: the reminder, the warning, or the deadline itself."""
    moments = [warning_at(row, deadline), deadline]
    if row.terms.is_live:
        moments = moments[get_allowance(row) < MIN_WARNED_TURN :]
    elif person is None or person.settings.get("reminders", True):
        moments.insert(0, reminder_at(row, deadline, person))
    return next((at for at in moments if at > now), deadline)


def reminder_at(row: GameRow, deadline: datetime, person: Person | None) -> datetime:
    """Return when the only reminder is due: with a quarter of the time left, before the person's quiet hours.

    With a reserve it is due with a quarter of the turn's free time left, before the reserve is used.
    """
    free = timedelta(seconds=row.terms.clock or 0)
    at = deadline - get_allowance(row) + free * 3 / 4
    return at if person is None else avoid_quiet_hours(at, person.settings)


def warning_at(row: GameRow, deadline: datetime) -> datetime:
    """Return when the last warning is due: with a twelfth of the turn's free time left.

    In a live game it is the only one, due with a quarter of the player's time left, at most two minutes.
    """
    if row.terms.is_live:
        return deadline - min(get_allowance(row) / 4, MAX_LIVE_WARNING)
    return deadline - timedelta(seconds=(row.terms.clock or 0) / 12)


def alarm_stage(row: GameRow, now: datetime) -> Stage:
    """Return the kind of a game's current alarm: the reminder, or the warning."""
    if row.deadline is None or not row.terms.has_clock:
        return Stage.NONE
    return Stage.WARNING if now >= warning_at(row, row.deadline) else Stage.REMINDER


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
