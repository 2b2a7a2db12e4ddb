"""The side of a person in a game, and their right to vote by the rules set at its start."""

from typing import Final

from bot.core.browsers import browser_of_user
from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused
from bot.tables.changes import last_moved_revision
from bot.tables.table import Table
from storage import Ballot, Person, PlaceRow, TeamTerms

ROLE: Final = "role"
LISTED: Final = "known"
EVERYONE: Final = "everyone"
BY_PLATFORM: Final = "auto"
"""Everyone where a platform knows its people by accounts, otherwise those who were known at the start."""
VOTERS: Final = (BY_PLATFORM, EVERYONE, LISTED)
"""The voters to choose from, the default first."""
PLATFORMS_WITHOUT_ACCOUNTS: Final = frozenset({"web"})
"""Where anybody may come under any number of names."""


async def is_home(context: Context, team: Person, place: PlaceRow) -> bool:
    """Return True if a place is a team's channel, or a thread of it."""
    if place.id == team.team_place:
        return True
    home = await context.store.places.get(team.team_place or 0)
    return home is not None and (home.platform, home.channel) == (place.platform, place.channel)


async def teams_of(context: Context, asker: RequestContext, table: Table) -> list[Person]:
    """Return the teams of the channel where somebody asks, else those of the channels that they are a member of."""
    here = [team for team in table.teams if team.team_place == asker.place.id]
    here = here or [team for team in table.teams if await is_home(context, team, asker.place)]
    return here or [team for team in table.teams if await is_member(context, asker, team)]


async def is_member(context: Context, asker: RequestContext, team: Person) -> bool:
    """Return True if somebody who asks from elsewhere is in a team's channel now; MembershipUnknown."""
    home = await context.store.places.get(team.team_place or 0)
    return home is not None and await context.memberships.is_member(home, asker.person.id)


async def own_team(context: Context, asker: RequestContext, table: Table) -> Person:
    """Return the team that somebody plays for in a game; Refused if there is none.

    If both sides are in one channel, it is the one that they were admitted to or voted on, else the one to move.
    """
    if table.row.status == "lobby":
        raise Refused("refusal.not-started", code=table.row.id)
    if table.entry_of(asker.person.id) is not None:
        raise Refused("refusal.team-opponent")
    mine = await teams_of(context, asker, table)
    if not mine:
        raise Refused("refusal.team-elsewhere")
    if len(mine) == 1:
        return mine[0]
    known = await context.store.teams.side_of(table.row.id, asker.person.id)
    moving = table.team_at(table.mover)
    # Only its named members belong to a named team; everybody else belongs to the channel.
    mine = sorted(mine, key=lambda team: (team.team_name is not None, team != moving))
    return next((team for team in mine if team.id == known), mine[0])


async def moving_team(context: Context, asker: RequestContext, table: Table) -> Person:
    """Return the team that somebody plays for, if it is to move; otherwise Refused."""
    if table.row.status == "over":
        raise Refused("refusal.is-over")
    team = await own_team(context, asker, table)
    if table.team_at(table.mover) != team:
        who = table.in_language(asker.mine).name_span(table.mover) if table.mover is not None else "?"
        raise Refused("refusal.not-your-turn", who=who)
    return team


def are_voters_listed(terms: TeamTerms | None, platform: str) -> bool:
    """Return True if only those vote for a whole place of a platform who were known at the start, or admitted since."""
    if terms is None or terms.voters != BY_PLATFORM:
        return terms is not None and terms.voters == LISTED
    return platform in PLATFORMS_WITHOUT_ACCOUNTS


def admits_only(terms: TeamTerms | None, team: Person, platform: str) -> bool:
    """Return True if only admitted people vote for a team: those named, or known at the start, or admitted since."""
    return team.team_name is not None or are_voters_listed(terms, platform)


async def is_listed(context: Context, asker: RequestContext, table: Table, team: Person) -> bool:
    """Return True if only admitted people vote for a team, wherever its channel is."""
    here = team.team_place == asker.place.id
    home = asker.place if here else await context.store.places.get(team.team_place or 0)
    return admits_only(table.row.terms.team, team, home.platform if home is not None else "")


async def has_role(context: Context, asker: RequestContext, team: Person, role: str | None) -> bool:
    """Return True if somebody has a role on the server of a team's channel."""
    sent, home = asker.request.user.roles, await context.store.places.get(team.team_place or 0)
    # A request tells the roles on the server it comes from, an app none.
    if home is None or (sent and await is_home(context, team, asker.place)):
        return role in sent
    found = await context.memberships.find(home, asker.person.id)
    return found is not None and role in found.roles


async def ballot_of(context: Context, asker: RequestContext, table: Table, team: Person, proposal: int = 0) -> Ballot:
    """Return somebody's ballot for a proposal of the current round; Refused without the required role."""
    terms = table.row.terms.team
    limited = terms is not None and team.team_name is None and terms.voters == ROLE
    if terms is not None and limited and not await has_role(context, asker, team, terms.role):
        raise Refused("refusal.team-role")
    known = browser_of_user(context, asker.request.user)
    return Ballot(
        table.row.id,
        team.id,
        last_moved_revision(table.row),
        asker.person.id,
        proposal,
        known[1] if known is not None else None,
        listed=await is_listed(context, asker, table, team),
    )


async def are_together(context: Context, table: Table, team: Person) -> bool:
    """Return True if the other side reads a team's channel: then votes stay hidden."""
    others = [entry.person for entry in table.row.seats if entry.person is not None and entry.person != team.id]
    teams = {other.id: other for other in table.teams}
    home = await context.store.places.get(team.team_place or 0)
    if home is None:
        return False
    for other in others:
        if other in teams:
            if await is_home(context, teams[other], home):
                return True
        elif await context.store.places.filter_seen(home.id, [other]):
            return True
    return False
