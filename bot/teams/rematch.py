"""Rematches of team games: the same voting rules against the same opponent."""

from dataclasses import replace
from typing import Final

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.cards import Card
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.lobby.cards import again_words
from bot.lobby.people import Invited, invite
from bot.play.game_lookup import next_game
from bot.play.service import store_step
from bot.tables.levels import DEFAULT_LEVEL, load_level
from bot.tables.table import Table
from bot.teams.sides import has_role, is_home
from bot.teams.starting import CHANNEL, NamedTeam, TeamGame, join_game, open_game
from storage import NewEvent, Person

EMPTY_REPLY: Final = Reply()


async def play_again(context: Context, asker: RequestContext, table: Table) -> Reply:
    """Open a rematch for the team of the channel where somebody asks, or take the open side of one.

    Refused outside the channels of the teams.
    """
    row, terms = table.row, table.row.terms.team
    here = [team for team in table.teams if await is_home(context, team, asker.place)]
    if not here or terms is None:
        raise Refused("refusal.team-again")
    known = await context.store.teams.side_of(row.id, asker.person.id)
    team = next((each for each in here if each.id == known), here[0])
    again = await next_game(context, table)
    if again is not None:
        return await _take_other_side(context, asker, table, again, here, team)
    if terms.role is not None and team.team_name is None and not await has_role(context, asker, team, terms.role):
        raise Refused("refusal.team-role")
    level = next((load_level(entry.computer) for entry in row.seats if entry.computer is not None), DEFAULT_LEVEL)
    opponent = next((entry.person for entry in row.seats if entry.person and table.team_at(entry.seat) is None), None)
    # The person who takes on everybody and asks for it themselves joins like anybody who is asked.
    own = opponent is not None and opponent == asker.person.id
    invited = Invited(opponent) if own else await invite(context, asker, opponent) if opponent is not None else None
    wanted = TeamGame(row.game, terms, row.options, level, invited, await _named(context, table, team))
    async with context.store.transaction():
        opened = await open_game(context, asker, wanted, EMPTY_REPLY)
        for other in table.teams:
            if other.team_place not in (None, team.team_place):
                await context.store.posts.add(opened.id, other.team_place or 0, context.clock())
        noted = replace(row, course=replace(row.course, rematch=opened.id))
        await store_step(context, table, noted, [NewEvent("rematch", {"game": opened.id}, asker.person.id)])
    context.signals.notify_changed()
    context.signals.wake("teams")
    return replace(EMPTY_REPLY, opens=opened.id)


async def _take_other_side(
    context: Context, asker: RequestContext, table: Table, again: Table, here: list[Person], team: Person
) -> Reply:
    """Take the open side of a rematch for another team of this channel; otherwise say how the rematch stands."""
    inside, against = {each.id for each in again.teams}, again.row.terms.team
    missing = [each for each in (team, *here) if each.id not in inside]
    if again.row.status == "lobby" and against is not None and against.against == CHANNEL and missing:
        row = await join_game(context, asker, again.row.id, await _named(context, table, missing[0]), EMPTY_REPLY)
        return replace(EMPTY_REPLY, opens=row.id)
    return Reply(Card(again_words(again, asker.mine)), private=True, opens=again.row.id)


async def _named(context: Context, table: Table, team: Person) -> NamedTeam | None:
    """Return a named team with those who voted with it in a game, or were asked to; None for a whole channel."""
    if team.team_name is None:
        return None
    asked = [person for asking, person in await context.store.teams.invitations(table.row.id) if asking == team.id]
    admitted = await context.store.teams.admitted(table.row.id, team.id)
    return NamedTeam(team.team_name, frozenset([*admitted, *asked]))
