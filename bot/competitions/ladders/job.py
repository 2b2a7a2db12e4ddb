"""The job of ladders: games of challenges, results, unanswered challenges, inactive people, messages and notices.

Each step is stored only if the ladder still has the revision for which it was decided, so a repeated step changes
nothing.
"""

from datetime import datetime
from functools import partial

from bot.competitions.competition import CupGame
from bot.competitions.games import CompetitionWorker, open_match
from bot.competitions.keeper import RECHECK_INTERVAL
from bot.competitions.ladder import (
    Challenge,
    ChallengeAttached,
    ChallengeResult,
    ClimberWarned,
    due_events,
    next_due_at,
)
from bot.competitions.ladders.service import LADDERS, StoredLadder


class LadderWorker(CompetitionWorker[StoredLadder]):
    """A worker that advances ladders."""

    keeper = LADDERS
    asks_the_silent = False

    def next_look(self, found: StoredLadder, now: datetime) -> datetime:
        """Return when a ladder that is not over is looked at again."""
        due = next_due_at(found.state)
        return now + RECHECK_INTERVAL if due is None else max(now, min(due, now + RECHECK_INTERVAL))

    async def take_step(self, found: StoredLadder) -> bool:
        """Do the first step that is due and return whether there was one; Conflict if another writer was faster."""
        context = self._context
        for challenge in found.state.open.values():
            if challenge.accepted and await self._play(found, challenge):
                return True
        now = context.clock()
        events = due_events(found.state, now, _holidays(found), found.refusals)
        if events:
            notices = LADDERS.make_notices(context, found, "sinks", events, ClimberWarned)
            await LADDERS.store(context, found, events, notices=notices)
        return bool(events)

    async def _play(self, found: StoredLadder, challenge: Challenge) -> bool:
        """Open the game of an accepted challenge, or record its result; return whether there was anything to do."""
        number, seats = challenge.number, challenge.seats or (challenge.challenged, challenge.challenger)
        if challenge.game is None:
            attached = partial(ChallengeAttached, number)
            await open_match(self._context, LADDERS, found, f"challenge {number}", seats, attached)
            return True
        running = CupGame(seats, challenge.game)
        ended = await self.read_results([(running, lambda places, why, _: ChallengeResult(number, places, why))], found)
        if ended:
            await LADDERS.store(self._context, found, ended)
        return bool(ended)


def _holidays(ladder: StoredLadder) -> dict[int, datetime]:
    """Return the end of each climber's current or last holiday."""
    found: dict[int, datetime] = {}
    for number in ladder.state.order:
        person = ladder.person_of(number)
        until = person.settings.get("holiday_until") if person is not None else None
        if until:
            found[number] = datetime.fromisoformat(until)
    return found
