"""Storing proposals and votes."""

from collections.abc import Callable, Sequence

from bot.boards.tries import TrialBoard
from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.tables.table import Table
from bot.tables.tree import position_digest
from bot.teams.sides import ballot_of, moving_team
from bot.teams.voting import MAX_PROPOSALS, MAX_PROPOSALS_EACH, MOTIONS, ProposalKind
from engine import State
from storage import Ballot, NewProposal, NotCounted, OfferKind, Person, ProcessedEvent, RoundClosed, TooManyProposals


async def vote(context: Context, asker: RequestContext, table: Table, number: int, reply: Reply) -> None:
    """Vote for a proposal of the current round; Refused to non-voters, and once the round is over."""
    team = await moving_team(context, asker, table)
    ballot = await ballot_of(context, asker, table, team, number)
    try:
        try:
            await context.store.teams.vote(ballot, context.clock(), asker.receipt(reply))
        except NotCounted:
            if not await join_if_invited(context, ballot):
                raise
            await context.store.teams.vote(ballot, context.clock(), asker.receipt(reply))
    except RoundClosed as error:
        raise Refused("refusal.team-closed") from error
    except NotCounted as error:
        raise await _uncounted_vote_refusal(context, ballot) from error
    context.signals.wake("teams")


async def join_if_invited(context: Context, ballot: Ballot) -> bool:
    """Have somebody who votes with the side that has asked them join it; False if it has not."""
    try:
        joined = await context.store.teams.answer_invitation(
            ballot.game, ballot.team, ballot.person, None, context.clock(), agrees=True
        )
    except NotCounted:
        return False
    if joined:
        await context.store.teams.show_again(ballot.game, ballot.team, context.clock())
    return joined


async def answer_invitation(
    context: Context, asker: RequestContext, table: Table, team: int, reply: Reply, *, agrees: bool
) -> None:
    """Store whether the asker votes with a team that has asked them; Refused to others, and to who votes elsewhere."""
    if table.row.status == "over":
        raise Refused("refusal.is-over")
    code, person, now = table.row.id, asker.person.id, context.clock()
    invitations = await context.store.teams.invitations(code)
    if (team, person) not in invitations:
        raise Refused("refusal.team-not-asked" if invitations else "refusal.stale")
    try:
        await context.store.teams.answer_invitation(code, team, person, asker.receipt(reply), now, agrees=agrees)
    except NotCounted as error:
        raise Refused("refusal.team-other-side") from error
    await context.store.teams.show_again(code, team, now)
    context.signals.wake("teams")


async def propose(
    context: Context,
    asker: RequestContext,
    table: Table,
    kind: ProposalKind,
    actions: Sequence[str],
    answer: Callable[[int], Reply],
) -> Reply:
    """Propose a turn or a motion, with the proposer's vote; an existing proposal only gets the vote.

    `answer` makes the reply from the number of the proposal. Refused as `vote`, or where there are too many.
    """
    team = await moving_team(context, asker, table)
    ballot = await ballot_of(context, asker, table, team)
    known = await context.store.teams.proposals(table.row.id, ballot.round)
    wanted = (str(kind), tuple(actions))
    number = next((each.number for each in known if (each.kind, each.actions) == wanted), len(known) + 1)
    reply = answer(min(number, MAX_PROPOSALS))
    try:
        async with context.store.transaction():
            stored = await context.store.teams.propose(
                ballot,
                NewProposal(str(kind), tuple(actions)),
                context.clock(),
                most=MAX_PROPOSALS,
                most_each=MAX_PROPOSALS_EACH,
                processed=asker.receipt(reply),
            )
            if stored != number:
                # Somebody was faster: what is said of it would name another proposal.
                raise Refused("refusal.moved-on")
    except RoundClosed as error:
        raise Refused("refusal.team-closed") from error
    except TooManyProposals as error:
        own = bool(error.params.get("own"))
        key = "refusal.team-many-own" if own else "refusal.team-many"
        raise Refused(key, most=MAX_PROPOSALS_EACH if own else MAX_PROPOSALS) from error
    except NotCounted as error:
        raise await _uncounted_vote_refusal(context, ballot) from error
    context.signals.wake("teams")
    return reply


async def _uncounted_vote_refusal(context: Context, ballot: Ballot) -> Refused:
    """Return the refusal that explains why a vote does not count."""
    side = await context.store.teams.side_of(ballot.game, ballot.person)
    if side is not None and side != ballot.team:
        return Refused("refusal.team-other-side")
    if not await context.store.teams.may_vote(ballot):
        return Refused("refusal.team-not-listed")
    if await context.store.teams.has_voted_as_part(ballot):
        return Refused("refusal.team-voted")
    known = await context.store.teams.proposals(ballot.game, ballot.round)
    if ballot.proposal and all(each.number != ballot.proposal for each in known):
        return Refused("refusal.stale")
    return Refused("refusal.team-browser")


def proposed_actions(trial: TrialBoard) -> tuple[str, ...] | None:
    """Return the turn of the team to move that a line on somebody's board begins with where the game stands.

    What chance decides within a turn is none of it: the turn is proposed up to there. None where the line does not
    come by the position of the game, or the turn is not whole.
    """
    table, tree = trial.table, trial.tree
    state = table.playing.state
    wanted, way = position_digest(state), tree.path_to(tree.here)
    for number, up in zip([*way, None], [tree.root_of(tree.here), *way], strict=True):
        if position_digest(tree.line_to(table.game, up).state) == wanted:
            texts = tree.nodes[number].play if number is not None else [text for each in tree.begun for text in each]
            return whole_turn(state, texts)
    return None


def whole_turn(state: State, texts: Sequence[str]) -> tuple[str, ...] | None:
    """Return the beginning of a line that is a turn of the seat to move, None where it ends before that does."""
    found: list[str] = []
    after = state
    for text in texts:
        if after.to_move != state.to_move or after.turn != state.turn:
            break
        after = after.advance(after.read(text))
        found.append(text)
    return tuple(found) if found and (after.to_move != state.to_move or after.turn != state.turn) else None


def offered_motions(table: Table) -> list[ProposalKind]:
    """Return the motions that are possible in the current position."""
    found = list(MOTIONS)
    if table.playing.finished is None or not _is_undo_possible(table):
        found.remove(ProposalKind.UNDO)
    return found


def _is_undo_possible(table: Table) -> bool:
    """Return True if a team has a turn to take back, or is asked to agree to a takeback."""
    mover = table.mover
    if table.row.offers.offer_of_kind(OfferKind.UNDO) is not None:
        return True
    return mover is not None and bool(table.playing.turn_count(mover))


async def set_called(
    context: Context, asker: RequestContext, table: Table, team: Person, reply: Reply, *, called: bool
) -> None:
    """Store whether somebody wants a private notice of each turn of their team."""
    receipt, now = asker.receipt(reply), context.clock()
    try:
        await context.store.teams.set_called(table.row.id, team.id, asker.person.id, receipt, now, called=called)
    except NotCounted as error:
        raise Refused("refusal.team-other-side") from error


async def admit(
    context: Context,
    asker: RequestContext,
    sides: Sequence[tuple[Table, Person]],
    people: Sequence[Person],
    reply: Reply,
) -> None:
    """Ask people to vote with a side in some games, and admit the asker; Refused if somebody is on the other side."""
    receipt: ProcessedEvent | None = asker.receipt(reply)
    async with context.store.transaction():
        for table, team in sides:
            for person in people:
                if await context.store.teams.side_of(table.row.id, person.id, by_choice=True) not in (None, team.id):
                    raise Refused("refusal.team-member-elsewhere")
            others = [person.id for person in people if person.id != asker.person.id]
            await context.store.teams.invite(table.row.id, team.id, others, context.clock(), receipt)
            receipt = None
            if len(others) < len(people):
                await context.store.teams.admit(table.row.id, team.id, asker.person.id, None, context.clock())
            await context.store.teams.show_again(table.row.id, team.id, context.clock())
