"""Which side somebody is on, and whether they may vote there: as was agreed at the start of the game."""

from __future__ import annotations

from typing import Final

from bot.core.context import Context
from bot.core.request_context import RequestContext, browser_of_asker
from bot.interface.refusals import Refused
from bot.tables.changes import last_moved_revision
from bot.tables.table import Table
from bot.teams.membership import find_current_roles
from storage import Ballot, Person, PlaceRow

ROLE: Final = "role"
LISTED: Final = "known"
EVERYONE: Final = "everyone"


async def is_home(context: Context, team: Person, place: PlaceRow) -> bool:
    """Say whether a place is the one that a team plays for, or a thread of it."""
    if place.id == team.team_place:
        return True
    home = await context.store.places.get(team.team_place or 0)
    return home is not None and (home.platform, home.channel) == (place.platform, place.channel)


async def teams_of(context: Context, asker: RequestContext, table: Table) -> list[Person]:
    """Return the teams for which somebody may play: those of where they ask, else those where they are a member."""
    here = [team for team in table.teams if team.team_place == asker.place.id]
    here = here or [team for team in table.teams if await is_home(context, team, asker.place)]
    return here or [team for team in table.teams if await is_member(context, asker, team)]


async def is_member(context: Context, asker: RequestContext, team: Person) -> bool:
    """Say whether somebody who asks from elsewhere was seen where a team plays, and is still in there."""
    home = await context.store.places.get(team.team_place or 0)
    return home is not None and await find_current_roles(context, home, asker.person) is not None


async def own_team(context: Context, asker: RequestContext, table: Table) -> Person:
    """Return the team on whose side somebody is in a game; Refused for those who are on none.

    Where both sides are in one place, it is the one that they have entered or voted on, else the one to move.
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
    # Of a team with a name are only those whom it has named: all others are the channel.
    mine = sorted(mine, key=lambda team: (team.team_name is not None, team != moving))
    return next((team for team in mine if team.id == known), mine[0])


async def moving_team(context: Context, asker: RequestContext, table: Table) -> Person:
    """Return the team on whose turn somebody has a say; Refused for all others, and while it is not its turn."""
    if table.row.status == "over":
        raise Refused("refusal.is-over")
    team = await own_team(context, asker, table)
    if table.team_at(table.mover) != team:
        who = table.in_language(asker.mine).name_span(table.mover) if table.mover is not None else "?"
        raise Refused("refusal.not-your-turn", who=who)
    return team


def is_listed(table: Table, team: Person) -> bool:
    """Say whether only those vote for a team who were named at the start, or let in since."""
    terms = table.row.terms.team
    return team.team_name is not None or (terms is not None and terms.voters == LISTED)


async def has_role(context: Context, asker: RequestContext, team: Person, role: str | None) -> bool:
    """Say whether somebody has a role where a team plays."""
    sent, home = asker.request.user.roles, await context.store.places.get(team.team_place or 0)
    # A request tells the roles on the server it comes from, an app none.
    if home is None or (sent and await is_home(context, team, asker.place)):
        return role in sent
    return role in (await find_current_roles(context, home, asker.person) or ())


async def ballot_of(context: Context, asker: RequestContext, table: Table, team: Person, proposal: int = 0) -> Ballot:
    """Return the vote of somebody for a proposal of the round under way; Refused to those without the role."""
    terms = table.row.terms.team
    limited = terms is not None and team.team_name is None and terms.voters == ROLE
    if terms is not None and limited and not await has_role(context, asker, team, terms.role):
        raise Refused("refusal.team-role")
    known = browser_of_asker(context, asker)
    return Ballot(
        table.row.id,
        team.id,
        last_moved_revision(table.row),
        asker.person.id,
        proposal,
        known[1] if known is not None else None,
        listed=is_listed(table, team),
    )


async def are_together(context: Context, table: Table, team: Person) -> bool:
    """Say whether those on the other side read what is shown where a team plays."""
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
