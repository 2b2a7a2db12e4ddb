"""Closing rounds: the winning turn is played, or the winning motion carried out."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.core.context import Context
from bot.core.due_worker import DueWorker
from bot.interface.refusals import Refused
from bot.operations.outages import describe_outage
from bot.play import offers
from bot.play import service as play
from bot.play.offers import plan_takeback
from bot.play.service import contributions_of, load_draws, turn_seed
from bot.tables.chance import with_contributions
from bot.tables.changes import MOVED_KEY, step_events
from bot.tables.line import play_line
from bot.tables.table import Table
from bot.teams.voting import ProposalKind, count_votes, find_winner, is_quorate
from bot.thinking.thinkers import TURN_SECONDS, ThinkingFailed
from engine import EngineError
from storage import NewEvent, Offer, OfferKind, Proposal, Side, StorageError

SHOW_PAUSE: Final = timedelta(seconds=5)
"""Minimum time between two edits that show new votes: platforms allow about twenty messages a minute in a chat."""
RETRY_PAUSE_SECONDS: Final = 60.0
"""Seconds before retrying a round that could not be closed, or that another process is closing."""
MAX_SIDES: Final = 100
IDLE_LEVEL: Final = 1
"""Level of the computer that plays if nobody has voted even in the extension."""
CAUSE: Final = "team"
VOTES_KEY: Final = "votes"
"""Key of an event's data: the votes of the turn played, and of all proposals."""

log = structlog.get_logger(__name__)


class TeamRounds(DueWorker):
    """Worker that closes rounds, and has boards show new votes."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, context.signals.event("teams"), "teams")
        self._resting: dict[tuple[str, int], float] = {}

    async def _next_due_at(self) -> datetime | None:
        return await self._context.store.teams.next_due_at(SHOW_PAUSE)

    async def _run_due(self) -> bool:
        store, now, done = self._context.store, self._context.clock(), False
        seconds = self._context.clock.monotonic()
        self._resting = {side: until for side, until in self._resting.items() if until > seconds}
        for side in await store.teams.list_due(now, now - SHOW_PAUSE, MAX_SIDES + len(self._resting)):
            if (side.game, side.team) not in self._resting:
                done = await self._serve(side) or done
        return done

    async def _serve(self, side: Side) -> bool:
        try:
            async with self._context.store.lock(f"team {side.game}") as ours:
                if ours:
                    await serve_round(self._context, side)
                    return True
        except Refused as refused:
            if refused.key == "refusal.moved-on":
                return True  # what is due now is looked at anew
            log.error("round-not-closed", game=side.game, reason=refused.key)
        except (EngineError, ThinkingFailed) as error:
            log.error("round-not-closed", game=side.game, reason=describe_outage(error))
        except StorageError:
            raise
        except Exception:
            log.exception("round-failed", game=side.game)
        self._resting[side.game, side.team] = self._context.clock.monotonic() + RETRY_PAUSE_SECONDS
        return False


async def serve_round(context: Context, side: Side) -> None:
    """Close a round that is over or has a quorum; otherwise have the boards show new votes."""
    store, now = context.store, context.clock()
    table = await context.table(side.game)
    terms = table.row.terms.team
    if side.closes_at is None or terms is None:
        await store.teams.clear_changed(side)
        return
    proposals = await store.teams.proposals(side.game, side.round)
    if side.closes_at > now and not is_quorate(proposals, terms.quorum):
        async with store.transaction():
            await store.teams.clear_changed(side)
            await store.teams.show_again(side.game, side.team, now)
        return
    # From here on no vote is taken: all who voted before are counted.
    if await store.teams.freeze(side, now):
        await _close(context, table, side, await store.teams.proposals(side.game, side.round))


async def _close(context: Context, table: Table, side: Side, proposals: Sequence[Proposal]) -> None:
    winner = find_winner(proposals)
    if winner is not None and winner.kind != ProposalKind.TURN:
        try:
            await _carry_motion(context, table, winner)
            return
        except Refused as refused:
            if refused.key == "refusal.moved-on":
                raise
            # It cannot be done (any more): the best turn is played instead.
            winner = find_winner([each for each in proposals if each.kind == ProposalKind.TURN])
    if winner is not None:
        await _play(context, table, side, winner.actions, (winner.votes, count_votes(proposals)))
    elif not side.extended:
        async with context.store.transaction():
            await context.store.teams.extend(side, context.clock() + timedelta(seconds=side.seconds))
            await context.store.teams.show_again(side.game, side.team, context.clock())
    else:
        await _play_idle(context, table, side)


async def _play_idle(context: Context, table: Table, side: Side) -> None:
    """Carry out the agreed rule for a team that has not voted."""
    terms, seat, row = table.row.terms.team, table.mover, table.row
    if seat is None or row.position is None or terms is None:
        return
    if terms.idle == "loss":
        await play.drop_seat(context, table, seat, "time")
        return
    texts = await context.thinkers.turn(
        row.position, IDLE_LEVEL, turn_seed(row), TURN_SECONDS, whose=row.starter, about=row.id
    )
    await _play(context, table, side, texts, (0, 0))


async def _play(context: Context, table: Table, side: Side, texts: Sequence[str], votes: tuple[int, int]) -> None:
    """Play a team's turn with all its consequences in one transaction; Refused if the game has moved on."""
    seat, state, actions = table.mover, table.playing.state, []
    for text in texts:
        actions.append(state.read(text))
        state = state.advance(actions[-1])
    given = contributions_of(table, seat, None)
    draws = await load_draws(context, table, given)
    line, steps = play_line(table.playing, actions, draws)
    first, *rest = step_events(steps, table.row, draws, **{VOTES_KEY: list(votes)})
    table = replace(table, row=with_contributions(table.row, given, line))
    events = (replace(first, cause=f"{CAUSE}:{side.team}:{side.round}"), *rest)
    await play.commit_line(context, table, line, events, None)


async def _carry_motion(context: Context, table: Table, motion: Proposal) -> None:
    """Carry out a motion; Refused if that is impossible."""
    seat = table.mover
    if seat is None:
        return
    if motion.kind == ProposalKind.RESIGN:
        await play.drop_seat(context, table, seat, "resigned")
        return
    kind = OfferKind.DRAW if motion.kind == ProposalKind.DRAW else OfferKind.UNDO
    known = table.row.offers.offer_of_kind(kind)
    if known is not None and seat in known.agreed:
        raise Refused("refusal.agreed-already")
    # What follows is another round, though the position may be the same: its buttons are others.
    again = {**(table.row.last_turn or {}), MOVED_KEY: table.row.revision + 1}
    table = replace(table, row=replace(table.row, last_turn=again))
    if known is not None:
        offer, event = known.agreed_by(seat), NewEvent("agree", {"what": kind, "seats": [seat]})
    else:
        to = (await plan_takeback(context, table, seat)).to if kind == OfferKind.UNDO else None
        offer = Offer(kind=kind, by=seat, agreed=(seat,), revision=table.row.revision + 1, to=to)
        event = NewEvent("offer", {"what": kind, **offer.details()})
    await offers.store_offer(context, table, offer, event, None)
