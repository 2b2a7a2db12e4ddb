"""Games that a channel plays as one: how they are put up, and how another channel takes the other side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from bot.core.allowed_games import check_start
from bot.core.context import Context, Public
from bot.core.request_context import RequestContext, note_public
from bot.delivery.notices import whole_channel
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.names import clean_name
from bot.lobby import service as lobby
from bot.lobby.beginning import start_row
from bot.play.clocks import INVITATION_LIFETIME, SECONDS_PER_HOUR
from bot.play.service import store_step
from bot.tables.chance import SeedContributions, joining_id
from bot.tables.changes import final_results
from bot.tables.table import Table, joined_seats
from bot.teams.sides import LISTED
from engine import fair, games
from storage import GameRow, NewEvent, NewGame, Person, PlaceRow, Seat, TeamTerms, Terms

ROUND_TIMES: Final[Mapping[str, int]] = {
    "1h": SECONDS_PER_HOUR,
    "3h": 3 * SECONDS_PER_HOUR,
    "6h": 6 * SECONDS_PER_HOUR,
    "12h": 12 * SECONDS_PER_HOUR,
    "1d": 24 * SECONDS_PER_HOUR,
    "2d": 48 * SECONDS_PER_HOUR,
}
"""How long a round of votes may take, by the names that are chosen from."""
DEFAULT_TIME: Final = "1d"
MAX_QUORUM: Final = 999
MAX_TEAM_GAMES: Final = 5
"""So many games the teams of one place may have at once."""
COMPUTER: Final = "computer"
"""Whom a team may play against."""
HASH_PLATFORMS: Final = frozenset({"discord"})
"""Where channels are called by a hash and their names."""


@dataclass(frozen=True, slots=True)
class TeamGame:
    """What somebody wants their channel to play: the game, how it votes, and how strong the computer is."""

    game: str
    terms: TeamTerms
    options: Mapping[str, str | int] = field(default_factory=dict)
    level: int = 2


async def open_game(context: Context, asker: RequestContext, wanted: TeamGame, reply: Reply) -> GameRow:
    """Make a game in which the channel has a seat, and begin it where nobody else has to join; Refused."""
    place = await _home(context, asker)
    check_start(asker.place, wanted.game, asker.mine)
    await lobby.check_limit(context, asker)
    await lobby.check_computers(context, asker)
    if len(await context.store.teams.running_in(place.id)) >= MAX_TEAM_GAMES:
        raise Refused("refusal.team-too-many", most=MAX_TEAM_GAMES)
    now, seed, joined = context.clock(), context.entropy().hex(), joining_id(asker.request)
    terms = Terms(rated=False, hints=False, team=wanted.terms)
    async with context.store.transaction():
        team = await team_of(context, asker, place)
        entries = (Seat(0, "joined", person=team.id, joined_by=joined), lobby.computer_seat(wanted.level))
        new = NewGame(
            game=wanted.game,
            place=asker.place.id,
            starter=asker.person.id,
            rules_version=games[wanted.game].rules_version,
            seat_count=len(entries),
            seats=lobby.arrange_seats(entries),
            options=dict(wanted.options),
            seed=seed,
            seed_hash=fair.commitment(seed),
            terms=terms,
            alarm_at=now + INVITATION_LIFETIME,
            chance=SeedContributions().after_joining(team.id, joined, anew=True).to_json(),
        )
        happened = [NewEvent("opened", {"seats": len(entries), "options": dict(wanted.options)}, asker.person.id)]
        row = await context.store.games.create(new, now, happened=happened, processed=asker.receipt(reply))
        await _add_side(context, row, team)
        if len(joined_seats(row)) == row.seat_count:
            row = await _begin(context, asker, row, [team])
        await context.store.surfaces.add(row.id, asker.place.id, now)
    note_public(context, asker, Public.BEGIN)
    context.signals.notify_changed()
    context.signals.wake("teams")
    return row


async def team_of(context: Context, asker: RequestContext, place: PlaceRow) -> Person:
    """Return the team that a place is, called as the place is now."""
    title = clean_name(place.title or asker.request.place.title, "")
    title = f"#{title}" if title and place.platform in HASH_PLATFORMS else title or asker.ours.line("team.name")
    return await context.store.teams.get_or_create(place.id, "", title, context.clock())


async def _begin(context: Context, asker: RequestContext, row: GameRow, teams: list[Person]) -> GameRow:
    changed, begun, line = start_row(context, row, 0, (), at_once=True)
    people = {asker.person.id: asker.person, **{team.id: team for team in teams}}
    table = Table(brief=row, row=row, people=people, line=None)
    return await store_step(context, table, changed, begun, line=line, results=final_results(changed, line))


async def _add_side(context: Context, row: GameRow, team: Person) -> None:
    terms = row.terms.team
    if terms is not None:
        known = team.team_place if terms.voters == LISTED else None
        await context.store.teams.add_side(row.id, team.id, terms.seconds, known_in=known)


async def _home(context: Context, asker: RequestContext) -> PlaceRow:
    """Return the channel that plays; Refused where there is none that could: in private, or as a guest."""
    request = asker.request
    if asker.place.kind != "group" or request.nonmember or request.place.guest or context.edits_alone(asker.place):
        raise Refused("refusal.team-private")
    return await whole_channel(context, asker.place)
