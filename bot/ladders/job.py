"""The job of ladders: games of challenges, results, unanswered challenges, inactive people, messages and notices.

Each step is stored only if the ladder still has the revision for which it was decided, so a repeated step changes
nothing.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final

from bot.competitions.events import Left
from bot.competitions.ladder.events import (
    ChallengeAttached,
    ChallengeResult,
    ClimberWarned,
    LadderEvent,
)
from bot.competitions.ladder.ladder import Challenge
from bot.competitions.ladder.rules import due_events, next_due_at
from bot.core.context import Context
from bot.core.notice_routes import NoticeKind
from bot.interface.cards import Card
from bot.ladders.cards import challenge_card, sinking_card
from bot.ladders.service import LADDERS, StoredLadder
from bot.language.texts import Speaker
from bot.matches.games import MatchTerms, open_match, read_match_result
from bot.matches.job import CompetitionWorker, read_competition_notice
from bot.matches.stored import RECHECK_INTERVAL, list_departures
from engine import games
from storage import NewNotice


class LadderWorker(CompetitionWorker[StoredLadder]):
    """Advances ladders and updates their messages."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, LADDERS, _do_next_step, _next_look)


def _write_notice(ladder: StoredLadder, about: str, number: int, speaker: Speaker) -> Card | None:
    return challenge_card(ladder, speaker, number) if about == "challenge" else sinking_card(ladder, speaker, number)


read_ladder_notice: Final = partial(read_competition_notice, LADDERS, _write_notice)


def _next_look(ladder: StoredLadder, now: datetime) -> datetime:
    due = next_due_at(ladder.stands)
    return now + RECHECK_INTERVAL if due is None else max(now, min(due, now + RECHECK_INTERVAL))


async def _do_next_step(context: Context, ladder: StoredLadder) -> bool:
    """Do the first step that is due and return whether there was one; Conflict if another writer was faster."""
    gone = list_departures(ladder, ladder.stands.order)
    if gone:
        await LADDERS.store(context, ladder, [Left(number, why) for number, why in gone])
        return True
    if ladder.row.game_key not in games:
        return False  # the game is not installed: the ladder waits, as its games' clocks do
    for challenge in ladder.stands.open.values():
        if challenge.accepted and await _play(context, ladder, challenge):
            return True
    now = context.clock()
    events = due_events(ladder.stands, now, _holidays(ladder), ladder.blocked)
    if events:
        await LADDERS.store(context, ladder, events, notices=_warnings(ladder, events, now))
    return bool(events)


async def _play(context: Context, ladder: StoredLadder, challenge: Challenge) -> bool:
    """Open the game of an accepted challenge, or record its result; return whether there was anything to do."""
    seats = challenge.seats or (challenge.challenged, challenge.challenger)
    if challenge.game is None:
        terms = ladder.stands.terms
        slot = f"challenge {challenge.number}"
        match = MatchTerms(terms.clock, terms.options, holidays=None, rated=terms.rated)

        async def note(game: str) -> None:
            await LADDERS.store(context, ladder, [ChallengeAttached(challenge.number, game)], opened=[(slot, game)])

        await open_match(context, ladder, slot, seats, match, note)
        return True
    found = await read_match_result(context, challenge.game, len(seats))
    if found is None:
        return False
    places, reason, _ = found
    await LADDERS.store(context, ladder, [ChallengeResult(challenge.number, places, reason)])
    return True


def _holidays(ladder: StoredLadder) -> dict[int, datetime]:
    """Return the end of each climber's current or last holiday."""
    found: dict[int, datetime] = {}
    for number in ladder.stands.order:
        person = ladder.person_of(number)
        until = person.settings.get("holiday_until") if person is not None else None
        if until:
            found[number] = datetime.fromisoformat(until)
    return found


def _warnings(ladder: StoredLadder, events: Sequence[LadderEvent], now: datetime) -> list[NewNotice]:
    """Return the notices for the climbers whom these events warn."""
    found = []
    for event in events:
        person = ladder.person_of(event.entrant) if isinstance(event, ClimberWarned) else None
        if person is not None and isinstance(event, ClimberWarned):
            subject = f"{ladder.row.id}:sinks:{event.entrant}:{ladder.stands.revision}"
            found.append(NewNotice(person.id, NoticeKind.LADDER, subject, now))
    return found
