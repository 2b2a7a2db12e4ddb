"""What a step of a game promises people to be told, and what of it is past: stored with the step, or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from bot.core.notice_routes import NoticeKind, is_default
from bot.tables.consent import asked_people
from bot.tables.line import Line
from bot.tables.lobby import starting_by_hand
from bot.tables.table import Table
from storage import GameRow, NewEvent, NewNotice, Notice, Offer, PastNotice, Person

TIMEOUT_REASON: Final = "time"
"""Why a seat is taken out of a game by nobody's doing."""


@dataclass(frozen=True, slots=True)
class NoticeChanges:
    """What a step promises, and what earlier ones promised that is of no matter any more."""

    past: tuple[PastNotice, ...] = ()
    new: tuple[NewNotice, ...] = ()


def notice_changes(
    before: Table, row: GameRow, line: Line | None, events: Sequence[NewEvent], now: datetime
) -> NoticeChanges:
    """Return what a step from a table to a changed row promises."""
    revision = before.row.revision + len(events)
    after = replace(before, brief=row, row=row, line=line if line is not None else before.line)
    past: list[PastNotice] = []
    promised: list[tuple[NoticeKind, str, int | None]] = []
    if (before.row.status, before.row.to_move, before.row.turn) != (row.status, row.to_move, row.turn):
        past += [PastNotice(NoticeKind.TURN), PastNotice(NoticeKind.TIME)]
        if row.status == "playing":
            promised.append((NoticeKind.TURN, f"{row.id}:{revision}", row.to_move))
    if row.status == "playing" and row.reminder is not None and row.reminder != before.row.reminder:
        promised.append((NoticeKind.TIME, f"{row.id}:{revision}", row.to_move))
    _offer_notices(before, after, past, promised)
    _challenge_notices(before.row, row, past, promised)
    if row.status == "over" and before.row.status == "playing":
        promised += [(NoticeKind.OVER, row.id, person) for person in _left_to_tell(before, events)]
    people = before.people
    new = [_make_notice(people, person, kind, subject, now) for kind, subject, person in promised if person is not None]
    return NoticeChanges(tuple(past), tuple(new))


def challenge_notices(row: GameRow, people: Mapping[int, Person], now: datetime) -> tuple[NewNotice, ...]:
    """Return what a new game promises: a challenge to everybody whom it asks."""
    asked = [entry.person for entry in row.seats if entry.state == "invited" and entry.person is not None]
    return tuple(_make_notice(people, person, NoticeKind.CHALLENGE, row.id, now) for person in asked)


def offer_subject(game: str, offer: Offer) -> str:
    """Return what stands for an offer: another one of the same kind is another subject."""
    return f"{game}:{offer.kind}:{offer.revision}"


def promised_revision(notice: Notice) -> int:
    """Return the revision of the game with which a turn, or a reminder of it, was promised."""
    revision = notice.subject.rpartition(":")[2]
    return int(revision) if revision.isdecimal() else 0


def _offer_notices(
    before: Table, after: Table, past: list[PastNotice], promised: list[tuple[NoticeKind, str, int | None]]
) -> None:
    game = after.row.id
    known = {offer_subject(game, offer): offer for offer in before.row.offers.pending}
    going = {offer_subject(game, offer): offer for offer in after.row.offers.pending}
    past += [PastNotice(NoticeKind.OFFER, subject) for subject in known if subject not in going]
    if after.line is None or after.row.status != "playing":
        return
    for subject, offer in going.items():
        asked = asked_people(after, offer)
        if subject not in known:
            promised += [(NoticeKind.OFFER, subject, person) for person in asked]
        elif offer != known[subject]:
            answered = set(asked_people(before, known[subject])) - set(asked)
            past += [PastNotice(NoticeKind.OFFER, subject, person) for person in answered]


def _challenge_notices(
    before: GameRow, row: GameRow, past: list[PastNotice], promised: list[tuple[NoticeKind, str, int | None]]
) -> None:
    if before.status != "lobby":
        return
    if row.status != "lobby":
        past.append(PastNotice(NoticeKind.CHALLENGE))
        return
    known, asked = _invited_people(before), _invited_people(row)
    past += [PastNotice(NoticeKind.CHALLENGE, person=person) for person in known - asked]
    promised += [(NoticeKind.CHALLENGE, row.id, person) for person in sorted(asked - known)]


def _invited_people(row: GameRow) -> set[int]:
    """Return the people whom a lobby asks for something: those invited, and those who are to begin it by hand."""
    invited = {entry.person for entry in row.seats if entry.state == "invited" and entry.person is not None}
    return invited | set(starting_by_hand(row))


def _left_to_tell(before: Table, events: Sequence[NewEvent]) -> list[int]:
    """Return the players who did not end a game by what they did, and had not left it before."""
    dropped = (before.row.position or {}).get("dropped", ())
    doers = {event.person for event in events if event.data.get("why") != TIMEOUT_REASON}
    seated = {entry.seat: entry.person for entry in before.row.seats if entry.seat not in dropped}
    return [person for person in seated.values() if person is not None and person not in doers]


def _make_notice(people: Mapping[int, Person], person: int, kind: NoticeKind, subject: str, now: datetime) -> NewNotice:
    known = people.get(person)
    settings: Mapping[str, Any] = known.settings if known is not None else {}
    # A board that is shown anyway notifies its readers; for others a message becomes due.
    return NewNotice(person, kind, subject, None if is_default(settings) else now)
