"""Closing rounds: play the winning turn, or carry out the winning motion; and the record of past rounds."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Final

import structlog

from bot.kernel.context import Context
from bot.kernel.explanations import capitalise
from bot.kernel.line import read_actions
from bot.kernel.names import tell_all_apart
from bot.kernel.operations.listening import describe_outage
from bot.kernel.post_kinds import DueWorker
from bot.kernel.preferences import VOTES, VOTES_HIDDEN
from bot.kernel.refusals import Refused
from bot.kernel.table import MOVED_KEY, Table, start_state
from bot.kernel.texts import Span, Speaker, Text, join
from bot.kernel.words.describe import turn_number
from bot.lobby.teams.cards import proposal_words
from bot.lobby.teams.service import ProposalKind, count_votes, find_winner, letter, ranked
from bot.table import offers, service as play
from bot.table.offers import plan_takeback
from bot.thinking.analysis import Alternative, JudgedAlternative
from bot.thinking.thinkers import ThinkingFailed
from engine import EngineError, State, Turn
from storage import Event, Json, NewEvent, Offer, OfferKind, Person, Proposal, Side, StorageError

SHOW_PAUSE: Final = timedelta(seconds=5)
"""Minimum time between two edits that show new votes: platforms allow about twenty messages a minute in a chat."""
RETRY_PAUSE_SECONDS: Final = 60.0
"""Seconds before retrying a round that could not be closed, or that another process is closing."""
MAX_SIDES: Final = 100
IDLE_LEVEL: Final = 1
"""Level of the computer that plays if no one has voted even in the extension."""
CAUSE: Final = "team"
VOTES_KEY: Final = "votes"
"""Key of an event's data: the votes for the played turn, and for all proposals."""

log = structlog.get_logger(__name__)


class TeamRounds(DueWorker):
    """The worker that closes rounds, and updates boards after new votes."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, context.signals.event("teams"), "teams")
        self._resting: dict[tuple[str, int], float] = {}

    async def _next_due_at(self) -> datetime | None:
        return await self._store.teams.next_due_at(SHOW_PAUSE)

    async def _run_due(self) -> bool:
        store, now, done = self._store, self._clock(), False
        seconds = self._clock.monotonic()
        self._resting = {side: until for side, until in self._resting.items() if until > seconds}
        for side in await store.teams.list_due(now, now - SHOW_PAUSE, MAX_SIDES + len(self._resting)):
            if (side.game, side.team) not in self._resting:
                done = await self._serve(side) or done
        return done

    async def _serve(self, side: Side) -> bool:
        try:
            async with self._store.lock(f"team {side.game}") as ours:
                if ours:
                    await serve_round(self._context, side)
                    return True
        except Refused as refused:
            if refused.key == "refusal.moved-on":
                return True  # read the due rounds again
            log.error("round-not-closed", game=side.game, reason=refused.key)
        except (EngineError, ThinkingFailed) as error:
            log.error("round-not-closed", game=side.game, reason=describe_outage(error))
        except StorageError:
            raise
        except Exception:
            log.exception("round-failed", game=side.game)
        self._resting[side.game, side.team] = self._clock.monotonic() + RETRY_PAUSE_SECONDS
        return False


async def serve_round(context: Context, side: Side) -> None:
    """Close a round that is over or has a quorum; otherwise show the new votes on the boards."""
    store, now = context.store, context.clock()
    table = await context.table(side.game)
    terms = table.row.terms.team
    if side.closes_at is None or terms is None:
        await store.teams.show_votes(side, now)
        return
    winner = find_winner(await store.teams.proposals(side.game, side.round))
    is_quorate = terms.quorum is not None and winner is not None and winner.votes >= terms.quorum
    if side.closes_at > now and not is_quorate:
        await store.teams.show_votes(side, now)
        return
    # After the freeze no vote is accepted: the result has all earlier votes.
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
            # The motion is not possible (any more): play the best turn instead.
            winner = find_winner([each for each in proposals if each.kind == ProposalKind.TURN])
    if winner is not None:
        await _play(context, table, side, winner.actions, (winner.votes, count_votes(proposals)))
    elif not side.extended:
        await context.store.teams.extend(side, context.clock())
    else:
        await _play_idle(context, table, side)


async def _play_idle(context: Context, table: Table, side: Side) -> None:
    """Carry out the agreed rule for a team that has not voted."""
    terms, seat = table.row.terms.team, table.mover
    if seat is None or terms is None:
        return
    if terms.idle == "loss":
        await play.drop_seat(context, table, seat, "time")
    else:
        await _play(context, table, side, await play.search_turn(context, table.row, IDLE_LEVEL), (0, 0))


async def _play(context: Context, table: Table, side: Side, texts: Sequence[str], votes: tuple[int, int]) -> None:
    """Play a team's turn with all its effects in one transaction; Refused if the game has moved on."""
    actions = read_actions(table.playing.state, texts)
    noted: Json = {VOTES_KEY: list(votes)}
    table, step = await play.play_on(context, table, actions, **noted)
    first, *rest = step.events
    events = (replace(first, cause=f"{CAUSE}:{side.team}:{side.round}"), *rest)
    await play.commit_line(context, table, replace(step, events=events), None)


async def _carry_motion(context: Context, table: Table, motion: Proposal) -> None:
    """Carry out a motion; Refused if that is impossible."""
    seat = table.mover
    if seat is None:
        return
    if motion.kind == ProposalKind.RESIGN:
        await play.drop_seat(context, table, seat, "resigned")
        return
    kind = OfferKind(motion.kind)
    known = table.row.offers.offer_of_kind(kind)
    if known is not None and seat in known.agreed:
        raise Refused("refusal.agreed-already")
    # A new round follows, possibly at the same position: its buttons need a new revision.
    again = {**(table.row.last_turn or {}), MOVED_KEY: table.row.revision + 1}
    table = replace(table, row=replace(table.row, last_turn=again))
    if known is not None:
        await offers.agree_for(context, table, known, [seat])
        return
    to = (await plan_takeback(context, table, seat))[0] if kind == OfferKind.UNDO else None
    offer = Offer(kind=kind, by=seat, agreed=(seat,), revision=table.row.revision + 1, to=to)
    await offers.store_offer(context, table, offer, NewEvent("offer", {"what": kind, **offer.details()}))


MIN_GAIN: Final = 0.01
"""Minimum gain in expected value for a proposal to count as better than the turn played."""
MAX_PROPOSALS_SHOWN: Final = 3
MAX_VOTERS_SHOWN: Final = 8
"""Maximum number of names per proposal shown with a turn; the record of a game has all."""


@dataclass(frozen=True, slots=True)
class PastRound:
    """A finished round: its team, its turn counted from 1, the proposals, and their voters.

    `round` is the revision of the event that led to the position; `voters` has the voters by the number of the
    proposal, with None for each forgotten person.
    """

    team: int
    round: int
    turn: int
    proposals: tuple[Proposal, ...]
    voters: Mapping[int, Sequence[int | None]]


@dataclass(frozen=True)
class PastVotes:
    """All rounds of a game in order, and the people who proposed or voted."""

    rounds: tuple[PastRound, ...] = ()
    people: Mapping[int, Person] = field(default_factory=dict)

    def person_text(self, person: int | None) -> Text:
        """Return a voter's name; empty for people who were forgotten or hide their votes."""
        known = self.people.get(person or 0)
        if known is None or not known.name or known.settings.get(VOTES) == VOTES_HIDDEN:
            return ()
        return (Span(self._names[known.id]),)

    @cached_property
    def _names(self) -> Mapping[int, str]:
        """The names of all people; no two names look alike."""
        return tell_all_apart({each: found.name for each, found in self.people.items()})


async def read_past_votes(context: Context, table: Table) -> PastVotes:
    """Return all rounds of a finished game; empty for an unfinished game, or one without a team."""
    row = table.row
    if row.terms.team is None or not row.is_over or row.position is None:
        return PastVotes()
    events = await context.store.games.events(row.id)
    proposals, votes = await context.store.teams.proposals(row.id), await context.store.teams.votes(row.id)
    turns = _turns_by_revision(start_state(row), events)
    of_round: dict[tuple[int, int], list[Proposal]] = defaultdict(list)
    for proposal in proposals:
        of_round[proposal.round, proposal.team].append(proposal)
    voters: dict[int, dict[int, list[int | None]]] = defaultdict(lambda: defaultdict(list))
    for vote in votes:
        voters[vote.round][vote.proposal].append(vote.person)
    rounds = [
        PastRound(team, number, turns.get(number, 1), tuple(found), voters[number])
        for (number, team), found in sorted(of_round.items())
    ]
    wanted = {each.person or 0 for each in proposals} | {each.person or 0 for each in votes}
    return PastVotes(tuple(rounds), await context.store.people.get_many(wanted))


def _turns_by_revision(start: State, events: Iterable[Event]) -> dict[int, int]:
    """Return, by event number, the turn to play after the event, counted from 1."""
    state, after = start, {0: start}
    for event in events:
        if event.kind == "undo":
            state = after[event.data["to"]]
        elif event.kind == "action":
            state = state.advance(state.read(str(event.data["action"])))
        after[event.number] = state
    return {number: state.turn + 1 for number, state in after.items()}


def turn_vote_words(past: PastVotes, voice: Speaker, turn: int) -> Text:
    """Return a short summary of the votes on a turn; empty if nothing was proposed."""
    parts = []
    for each in past.rounds:
        if each.turn == turn:
            parts.append(voice.say("team.past"))
            best = ranked(each.proposals)
            parts += [_proposal_line(past, voice, each, one, MAX_VOTERS_SHOWN) for one in best[:MAX_PROPOSALS_SHOWN]]
            parts.append(voice.left_out("team.more", len(best), MAX_PROPOSALS_SHOWN))
    return join(parts)


def vote_record(past: PastVotes, table: Table, voice: Speaker) -> list[Text]:
    """Return all rounds of a game as lines of its record, one line per proposal."""
    lines: list[Text] = []
    for each in past.rounds:
        team, game = table.in_language(voice).person_span(each.team), table.game
        turn, total = capitalise(turn_number(voice, game, each.turn)), count_votes(each.proposals)
        lines.append(voice.say("team.past.round", turn=turn, who=team, n=total))
        lines += [_proposal_line(past, voice, each, one, None) for one in each.proposals]
    return lines


def _proposal_line(past: PastVotes, voice: Speaker, of: PastRound, proposal: Proposal, most: int | None) -> Text:
    voters = of.voters.get(proposal.number, ())
    named = [name for name in map(past.person_text, voters) if name]
    others = len(voters) - len(named[:most])
    if others:
        named = [*named[:most], voice.say("team.past.others" if named[:most] else "team.past.unnamed", n=others)]
    said = voice.say(
        "team.proposal", letter=letter(proposal.number), what=proposal_words(voice, proposal), n=len(voters)
    )
    return voice.say("team.past.line", proposal=said, who=voice.listing(named)) if named else said


def proposed_alternatives(past: PastVotes, turns: Sequence[Turn], events: Sequence[Event]) -> list[Alternative]:
    """Return the proposals that were not played, for the analysis.

    `events` are the actions of the line of play, in the order of the turns' actions.
    """
    at = [(number, begun) for number, turn in enumerate(turns, 1) for begun in range(len(turn.actions))]
    rounds, found = {each.round: each for each in past.rounds}, []
    for (number, begun), event in zip(at, events, strict=False):
        cause, _, round_number = (event.cause or "").rpartition(":")
        known = rounds.get(int(round_number)) if cause.startswith("team:") and round_number.isdecimal() else None
        if known is None or not any(each.votes for each in known.proposals):
            continue
        played = tuple(action.text for action in turns[number - 1].actions[begun:])
        for each in known.proposals:
            if each.kind == ProposalKind.TURN and each.actions != played[: len(each.actions)]:
                found.append(Alternative(number, begun, each.actions, (each.round, each.number)))
    return found


def passed_over_words(past: PastVotes, voice: Speaker, table: Table, found: JudgedAlternative | None) -> Text:
    """Return the line that compares the best proposal not played with the turn that was played."""
    if found is None:
        return ()
    about, better = found.alternative, found.value - found.played >= MIN_GAIN
    known = next((each for each in past.rounds if each.round == about.key[0]), None)
    proposal = next((each for each in known.proposals if each.number == about.key[1]), None) if known else None
    if known is None or proposal is None:
        return ()
    return voice.say(
        "team.passed-over.better" if better else "team.passed-over.worse",
        turn=turn_number(voice, table.game, about.turn),
        what=proposal_words(voice, proposal),
        who=past.person_text(proposal.person) or voice.say("team.somebody"),
        votes=proposal.votes,
        n=count_votes(known.proposals),
        value=round(100 * found.value),
        played=round(100 * found.played),
    )
