"""Storing proposals and votes."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from string import ascii_uppercase
from typing import Final

from bot.boards.tries import TrialBoard
from bot.kernel.context import Context
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.table import Table, last_moved_revision
from bot.kernel.tree import position_digest
from engine import State
from storage import (
    Ballot,
    NewProposal,
    NotCounted,
    OfferKind,
    Person,
    PlaceRow,
    ProcessedEvent,
    Proposal,
    RoundClosed,
    TeamTerms,
    TooManyProposals,
)

ROLE: Final = "role"
LISTED: Final = "known"
EVERYONE: Final = "everyone"
BY_PLATFORM: Final = "auto"
"""Everyone on platforms with accounts; on other platforms those who were known at the start."""
VOTERS: Final = (BY_PLATFORM, EVERYONE, LISTED)
"""The voters to choose from, the default first."""
PLATFORMS_WITHOUT_ACCOUNTS: Final = frozenset({"web"})
"""Platforms on which a person can have any number of names."""


async def is_home(context: Context, team: Person, place: PlaceRow) -> bool:
    """Return True if a place is a team's channel, or a thread of it."""
    home = await _home_of(context, team)
    return home is not None and (home.platform, home.channel) == (place.platform, place.channel)


async def _home_of(context: Context, team: Person) -> PlaceRow | None:
    return await context.store.places.get(team.team_place or 0)


async def _is_member(context: Context, requester: RequestContext, team: Person) -> bool:
    home = await _home_of(context, team)
    return home is not None and await context.memberships.is_member(home, requester.id)


async def own_team(context: Context, requester: RequestContext, table: Table) -> Person:
    """Return the team that a person plays for in a game; Refused if there is none.

    It is a team of the requester's channel, otherwise of a channel where they are a member; MembershipUnknown if that
    cannot be asked. If both sides are in one channel, prefer the one that admitted them or on which they voted, then
    the one to move.
    """
    if table.row.is_lobby:
        raise Refused("refusal.not-started", code=table.id)
    if table.entry_of(requester.id) is not None:
        raise Refused("refusal.team-opponent")
    own = [team for team in table.teams if await is_home(context, team, requester.place)]
    own = own or [team for team in table.teams if await _is_member(context, requester, team)]
    if not own:
        raise Refused("refusal.team-elsewhere")
    if len(own) == 1:
        return own[0]
    known = await context.store.teams.side_of(table.id, requester.id)
    moving = table.voting_team
    # A named team has only its named members; everybody else belongs to the channel.
    return min(own, key=lambda team: (team.id != known, team.team_name is not None, team != moving))


async def moving_team(context: Context, requester: RequestContext, table: Table) -> Person:
    """Return the team that a person plays for, if it is to move; otherwise Refused."""
    table.check_unfinished()
    team = await own_team(context, requester, table)
    if table.voting_team != team:
        raise Refused("refusal.not-your-turn", who=table.in_language(requester.speaker).name_span(table.mover))
    return team


def are_voters_listed(terms: TeamTerms | None, platform: str) -> bool:
    """Return True if the voters of a whole channel are the people known at the start, or admitted since."""
    if terms is None or terms.voters != BY_PLATFORM:
        return terms is not None and terms.voters == LISTED
    return platform in PLATFORMS_WITHOUT_ACCOUNTS


async def is_listed(context: Context, table: Table, team: Person) -> bool:
    """Return True if only admitted people vote for a team: named, known at the start, or admitted since."""
    home = await _home_of(context, team)
    platform = home.platform if home is not None else ""
    return team.team_name is not None or are_voters_listed(table.row.terms.team, platform)


async def has_role(context: Context, requester: RequestContext, team: Person, role: str | None) -> bool:
    """Return True if a person has a role on the server of a team's channel."""
    sent, home = requester.request.user.roles, await _home_of(context, team)
    # A request has the person's roles on its server; requests from apps have no roles.
    if home is None or (sent and await is_home(context, team, requester.place)):
        return role in sent
    found = await context.memberships.find(home, requester.id)
    return found is not None and role in found.roles


async def ballot_of(
    context: Context, requester: RequestContext, table: Table, team: Person, proposal: int = 0
) -> Ballot:
    """Return a person's ballot for a proposal of the current round; Refused without the required role."""
    terms = table.row.terms.team
    limited = terms is not None and team.team_name is None and terms.voters == ROLE
    if terms is not None and limited and not await has_role(context, requester, team, terms.role):
        raise Refused("refusal.team-role")
    return Ballot(
        table.id,
        team.id,
        last_moved_revision(table.row),
        requester.id,
        proposal,
        requester.browser[1] if requester.browser else None,
        listed=await is_listed(context, table, team),
    )


async def are_together(context: Context, table: Table, team: Person) -> bool:
    """Return True if the other side reads a team's channel: then votes stay hidden."""
    others = [entry.person for entry in table.row.seats if entry.person is not None and entry.person != team.id]
    teams = {other.id: other for other in table.teams}
    home = await _home_of(context, team)
    if home is None:
        return False
    for other in others:
        if other in teams:
            if await is_home(context, teams[other], home):
                return True
        elif await context.store.places.filter_seen(home.id, [other]):
            return True
    return False


MAX_PROPOSALS: Final = len(ascii_uppercase)
"""Maximum number of proposals in a round: each has a letter."""
MAX_PROPOSALS_EACH: Final = 3
"""Maximum number of proposals per person and round."""


class ProposalKind(StrEnum):
    """Kinds of proposals: a turn, or a motion."""

    TURN = "turn"
    DRAW = "draw"
    UNDO = "undo"
    RESIGN = "resign"


MOTIONS: Final = (ProposalKind.DRAW, ProposalKind.UNDO, ProposalKind.RESIGN)
"""Proposals that need two thirds of the votes."""


def letter(number: int) -> str:
    """Return the letter of a proposal by its number, from 1."""
    return ascii_uppercase[number - 1]


def ranked(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return proposals by votes, most first; ties in the order of proposing."""
    return sorted(proposals, key=lambda each: (-each.votes, each.number))


def count_votes(proposals: Sequence[Proposal]) -> int:
    """Return the number of votes."""
    return sum(each.votes for each in proposals)


def find_winner(proposals: Sequence[Proposal]) -> Proposal | None:
    """Return the winning proposal of a round, None if no proposal that could win has votes.

    A motion needs two thirds of all votes; otherwise the turn with most votes wins.
    """
    total, order = count_votes(proposals), ranked(proposals)
    motion = next((each for each in order if each.kind in MOTIONS and each.votes and 3 * each.votes >= 2 * total), None)
    return motion or next((each for each in order if each.kind == ProposalKind.TURN and each.votes), None)


async def vote(context: Context, requester: RequestContext, table: Table, number: int, reply: Reply) -> None:
    """Vote for a proposal of the current round; Refused for non-voters, and once the round is over."""
    team = await moving_team(context, requester, table)
    ballot = await ballot_of(context, requester, table, team, number)
    count = partial(context.store.teams.vote, ballot, context.clock(), requester.receipt(reply))
    with _refusing_uncounted():
        try:
            await count()
        except NotCounted:
            if not await join_if_invited(context, ballot):
                raise
            await count()


async def join_if_invited(context: Context, ballot: Ballot) -> bool:
    """Let a voter join the side that has invited them; False without an invitation."""
    try:
        return await context.store.teams.answer_invitation(
            ballot.game, ballot.team, ballot.person, None, context.clock(), agrees=True
        )
    except NotCounted:
        return False


async def answer_invitation(
    context: Context, requester: RequestContext, table: Table, team: int, reply: Reply, *, agrees: bool
) -> None:
    """Store if the requester joins a team that asked them; Refused for others, or if they vote with the other side."""
    table.check_unfinished()
    code, person, now = table.id, requester.id, context.clock()
    invitations = await context.store.teams.invitations(code)
    if (team, person) not in invitations:
        raise Refused("refusal.team-not-asked" if invitations else "refusal.stale")
    with _refusing_uncounted():
        await context.store.teams.answer_invitation(code, team, person, requester.receipt(reply), now, agrees=agrees)


async def propose(
    context: Context,
    requester: RequestContext,
    table: Table,
    kind: ProposalKind,
    actions: Sequence[str],
    answer: Callable[[int], Reply],
) -> Reply:
    """Propose a turn or a motion, with the proposer's vote; an existing proposal only gets the vote.

    `answer` makes the reply from the number of the proposal. Refused like `vote`, or with too many proposals.
    """
    team = await moving_team(context, requester, table)
    ballot = await ballot_of(context, requester, table, team)
    known = await context.store.teams.proposals(table.id, ballot.round)
    wanted = NewProposal(str(kind), tuple(actions))
    same = (each.number for each in known if (each.kind, each.actions) == (wanted.kind, wanted.actions))
    number = next(same, len(known) + 1)
    reply = answer(min(number, MAX_PROPOSALS))
    with _refusing_uncounted():
        async with context.store.transaction():
            stored = await context.store.teams.propose(
                ballot,
                wanted,
                context.clock(),
                most=MAX_PROPOSALS,
                most_each=MAX_PROPOSALS_EACH,
                processed=requester.receipt(reply),
            )
            if stored != number:
                # Another person was faster: the reply would name the wrong proposal.
                raise Refused("refusal.moved-on")
    return reply


@contextmanager
def _refusing_uncounted() -> Iterator[None]:
    """Raise Refused, with the storage's reason, for a vote or a proposal that is not counted inside."""
    try:
        yield
    except (RoundClosed, NotCounted, TooManyProposals) as error:
        raise Refused(f"refusal.{error.code}", **error.params) from error


def proposed_actions(trial: TrialBoard) -> tuple[str, ...] | None:
    """Return the turn of the team to move that follows the game's position on a person's board.

    The turn ends before actions of chance. None if the line on the board does not pass the game's position, or the
    turn is incomplete.
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
    """Return the first actions of a line that make a whole turn of the seat to move; None if the line ends before."""
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
    is_asked = table.row.offers.offer_of_kind(OfferKind.UNDO) is not None
    has_turn = table.mover is not None and bool(table.playing.turn_count(table.mover))
    may_undo = table.playing.finished is not None and (is_asked or has_turn)
    return [kind for kind in MOTIONS if may_undo or kind != ProposalKind.UNDO]


async def set_called(
    context: Context, requester: RequestContext, table: Table, team: Person, reply: Reply, *, called: bool
) -> None:
    """Store whether a person wants a private notice of each turn of their team."""
    receipt, now = requester.receipt(reply), context.clock()
    with _refusing_uncounted():
        await context.store.teams.set_called(table.id, team.id, requester.id, receipt, now, called=called)


async def admit(
    context: Context,
    requester: RequestContext,
    sides: Sequence[tuple[Table, Person]],
    people: Sequence[Person],
    reply: Reply,
) -> None:
    """Ask people to vote with a side in some games, and admit the requester; Refused if one is on the other side."""
    receipt: ProcessedEvent | None = requester.receipt(reply)
    async with context.store.transaction():
        for table, team in sides:
            await enter_members(context, requester, table.id, team, {person.id for person in people}, receipt)
            receipt = None
            await context.store.teams.show_again(table.id, team.id, context.clock())


async def enter_members(
    context: Context,
    requester: RequestContext,
    game: str,
    team: Person,
    members: Collection[int],
    receipt: ProcessedEvent | None = None,
) -> None:
    """Admit the requester to a side, if they are among its members, and ask the others to join it.

    Call it in a transaction. Refused if one of them is on the other side.
    """
    teams = context.store.teams
    for member in sorted(members):
        if await teams.side_of(game, member, by_choice=True) not in (None, team.id):
            raise Refused("refusal.team-member-elsewhere")
    if requester.id in members:
        await teams.admit(game, team.id, requester.id)
    await teams.invite(game, team.id, members, context.clock(), receipt)
