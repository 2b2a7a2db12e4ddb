"""Starting team games, and joining them with another channel."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from bot.core.allowed_games import check_start
from bot.core.context import Context, Public
from bot.core.request_context import RequestContext, note_public
from bot.delivery.notices import whole_channel
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.names import name_player
from bot.lobby import service as lobby
from bot.lobby.beginning import start_row
from bot.lobby.people import Invited, check_may_challenge
from bot.notices.rules import challenge_notices
from bot.play.clocks import INVITATION_LIFETIME, SECONDS_PER_HOUR
from bot.play.game_lookup import load_table_by_code
from bot.play.service import store_step
from bot.tables.chance import SeedContributions, joining_id, stored_contributions, with_contributions
from bot.tables.changes import final_results
from bot.tables.line import Line
from bot.tables.table import Table, list_joined_seats
from bot.teams.sides import are_voters_listed
from engine import fair, games
from storage import GameRow, NewEvent, NewGame, Person, PlaceRow, Seat, TeamTerms, Terms
from storage.plain_text import make_plain

ROUND_TIMES: Final[Mapping[str, int]] = {
    "1h": SECONDS_PER_HOUR,
    "3h": 3 * SECONDS_PER_HOUR,
    "6h": 6 * SECONDS_PER_HOUR,
    "12h": 12 * SECONDS_PER_HOUR,
    "1d": 24 * SECONDS_PER_HOUR,
    "2d": 48 * SECONDS_PER_HOUR,
}
"""Seconds of a round, by the values of the parameter `time`."""
DEFAULT_TIME: Final = "1d"
MAX_QUORUM: Final = 999
MAX_MEMBERS: Final = 50
"""Maximum number of members of a named team at the start."""
MAX_TEAM_GAMES: Final = 5
"""Maximum number of unfinished games of a channel's teams."""
COMPUTER: Final = "computer"
PERSON: Final = "person"
CHANNEL: Final = "channel"
OPPONENTS: Final = (COMPUTER, PERSON, CHANNEL)
"""Kinds of opponents."""
HASH_PLATFORMS: Final = frozenset({"discord"})
"""Platforms that write channel names with a hash."""


@dataclass(frozen=True, slots=True)
class NamedTeam:
    """Some people of a channel who play under a name."""

    name: str
    members: frozenset[int]


@dataclass(frozen=True, slots=True)
class TeamGame:
    """A game to start: its key and options, the voting rules, and the opponent."""

    game: str
    terms: TeamTerms
    options: Mapping[str, str | int] = field(default_factory=dict)
    level: int = 2
    invited: Invited | None = None
    named: NamedTeam | None = None


async def open_game(context: Context, asker: RequestContext, wanted: TeamGame, reply: Reply) -> GameRow:
    """Open a game in which the channel has a seat, and start it if nobody else has to join; Refused."""
    place = await _home(context, asker)
    check_start(asker.place, wanted.game, asker.mine)
    await lobby.check_limit(context, asker)
    if wanted.terms.against == COMPUTER:
        await lobby.check_computers(context, asker)
    if len(await context.store.teams.running_in(place.id)) >= MAX_TEAM_GAMES:
        raise Refused("refusal.team-too-many", most=MAX_TEAM_GAMES)
    now, seed, joined = context.clock(), context.entropy().hex(), joining_id(asker.request)
    clock = wanted.terms.seconds if wanted.terms.against == PERSON else None
    terms = Terms(rated=False, hints=False, clock=clock, team=wanted.terms)
    async with context.store.transaction():
        team = await team_of(context, asker, place, wanted.named)
        entries = (Seat(0, "joined", person=team.id, joined_by=joined), _other_seat(wanted))
        new = NewGame(
            game=wanted.game,
            place=asker.place.id,
            starter=asker.person.id,
            rules_version=games[wanted.game].rules_version,
            seat_count=len(entries),
            seats=lobby.arrange_seats(entries),
            options=dict(wanted.options),
            seed=seed,
            seed_hash=fair.hash_seed(seed),
            terms=terms,
            alarm_at=now + INVITATION_LIFETIME,
            chance=SeedContributions().after_joining(team.id, joined, anew=True).to_json(),
        )
        happened = [NewEvent("opened", {"seats": len(entries), "options": dict(wanted.options)}, asker.person.id)]
        row = await context.store.games.create(new, now, happened=happened, processed=asker.receipt(reply))
        await _add_side(context, asker, row, team, place, wanted.named)
        opponent = wanted.invited.person if wanted.invited is not None else None
        if opponent is not None and opponent != asker.person.id:
            # It was checked before, but perhaps with cached data.
            await check_may_challenge(context, asker, opponent)
            asked = await context.store.people.get_many([opponent])
            await context.store.notices.promise(row.id, (), challenge_notices(row, asked, now), now)
        if len(list_joined_seats(row)) == row.seat_count:
            changed, begun, line = start_row(context, row, 0, (), at_once=True)
            row = await _store_start(context, asker, row, changed, begun, line, team)
        await context.store.posts.add(row.id, asker.place.id, now)
    note_public(context, asker, Public.BEGIN)
    context.signals.notify_changed()
    context.signals.wake("teams")
    context.signals.wake("notices")
    return row


async def join_game(
    context: Context, asker: RequestContext, code: str, named: NamedTeam | None, reply: Reply
) -> GameRow:
    """Take the open side of a game for the channel where somebody asks; Refused."""
    place = await _home(context, asker)
    await lobby.check_limit(context, asker)
    table = await load_table_by_code(context, asker, code, joining=True)
    row, terms = table.row, table.row.terms.team
    if terms is None or terms.against != CHANNEL:
        raise Refused("refusal.team-no-channel", code=row.id)
    if row.status != "lobby":
        raise lobby.no_lobby_refusal(row, asker)
    check_start(asker.place, row.game, asker.mine)
    mine = make_plain(named.name) if named is not None else None
    if any((team.team_place, team.team_name) == (place.id, mine) for team in table.teams):
        raise Refused("refusal.team-own")
    if len(await context.store.teams.running_in(place.id)) >= MAX_TEAM_GAMES:
        raise Refused("refusal.team-too-many", most=MAX_TEAM_GAMES)
    by = joining_id(asker.request, frozenset(entry.joined_by or "" for entry in row.seats))
    async with context.store.transaction():
        team = await team_of(context, asker, place, named)
        rest = [entry for entry in row.seats if entry.state == "joined"]
        taken = Seat(0, "joined", person=team.id, joined_by=by)
        given = stored_contributions(row).after_joining(team.id, by, anew=True)
        full = with_contributions(replace(row, seats=lobby.arrange_seats([*rest, taken])), given)
        changed, begun, line = start_row(context, full, 1, ())
        await _add_side(context, asker, full, team, place, named)
        happened = [NewEvent("joined", {"by": by}, asker.person.id), *begun]
        row = await _store_start(context, asker, row, changed, happened, line, team, *table.teams, reply=reply)
        await context.store.posts.add(row.id, asker.place.id, context.clock())
    note_public(context, asker, Public.BEGIN)
    context.signals.notify_changed()
    context.signals.wake("teams")
    return row


def _other_seat(wanted: TeamGame) -> Seat:
    """Return the opponent's seat: a computer, an invited person, or an open seat."""
    if wanted.terms.against == COMPUTER:
        return lobby.computer_seat(wanted.level)
    if wanted.invited is not None:
        return Seat(0, "invited", person=wanted.invited.person, name=wanted.invited.name)
    return Seat(0, "open")


async def team_of(context: Context, asker: RequestContext, place: PlaceRow, named: NamedTeam | None) -> Person:
    """Return a channel's team under the channel's current name, or one of its named teams."""
    if named is not None:
        return await context.store.teams.get_or_create(place.id, make_plain(named.name), named.name, context.clock())
    title = name_player(place.title or asker.request.place.title, "")
    title = f"#{title}" if title and place.platform in HASH_PLATFORMS else title or asker.ours.line("team.name")
    return await context.store.teams.get_or_create(place.id, "", title, context.clock())


async def _store_start(
    context: Context,
    asker: RequestContext,
    row: GameRow,
    changed: GameRow,
    events: Sequence[NewEvent],
    line: Line,
    *teams: Person,
    reply: Reply | None = None,
) -> GameRow:
    people = {asker.person.id: asker.person, **{team.id: team for team in teams}}
    table, receipt = Table(brief=row, row=row, people=people, line=None), asker.receipt(reply) if reply else None
    results = final_results(changed, line)
    return await store_step(context, table, changed, events, line=line, processed=receipt, results=results)


async def _add_side(
    context: Context, asker: RequestContext, row: GameRow, team: Person, place: PlaceRow, named: NamedTeam | None
) -> None:
    """Have a team play; those who were named for it are asked first, but for the person who names them."""
    terms = row.terms.team
    if terms is None:
        return
    if named is not None:
        if any([await context.store.teams.side_of(row.id, member, by_choice=True) for member in sorted(named.members)]):
            raise Refused("refusal.team-member-elsewhere")
        own = named.members & {asker.person.id}
        await context.store.teams.add_side(row.id, team.id, terms.seconds, admitted=sorted(own))
        await context.store.teams.invite(row.id, team.id, named.members - own, context.clock())
        return
    known = place.id if are_voters_listed(terms, place.platform) else None
    await context.store.teams.add_side(row.id, team.id, terms.seconds, known_in=known)


async def _home(context: Context, asker: RequestContext) -> PlaceRow:
    """Return the channel where somebody asks; Refused in private, and where the bot is a guest."""
    request = asker.request
    if asker.place.kind != "group" or request.nonmember or request.place.guest or context.edits_alone(asker.place):
        raise Refused("refusal.team-private")
    return await whole_channel(context, asker.place)
