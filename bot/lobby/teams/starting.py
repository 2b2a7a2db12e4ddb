"""Starting team games, and joining them with another channel."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from bot.kernel.cards import Card
from bot.kernel.context import Context, Public
from bot.kernel.line import joining_id, read_contributions, with_contributions
from bot.kernel.names import name_player
from bot.kernel.preferences import check_start
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext, note_public
from bot.kernel.requests import Reply
from bot.kernel.table import DEFAULT_LEVEL, Table, load_level
from bot.lobby import service as lobby
from bot.lobby.cards import again_words
from bot.lobby.service import invite
from bot.lobby.teams.service import are_voters_listed, enter_members, has_role, is_home
from bot.table.clocks import SECONDS_PER_HOUR
from bot.table.game_lookup import load_table_by_code, next_game
from bot.table.notices import whole_channel
from storage import GameRow, NewEvent, Person, PlaceRow, Seat, TeamTerms, Terms
from storage.addresses import make_plain

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


async def open_game(
    context: Context,
    requester: RequestContext,
    game: str,
    options: Mapping[str, str | int],
    rules: TeamTerms,
    *,
    level: int,
    invited: Seat | None,
    named_team: NamedTeam | None,
) -> GameRow:
    """Open a game in which the channel has a seat, and start it if no one else has to join; Refused.

    The opponent is a computer of a level, the invited person, or else the first who takes the open seat.
    """
    place = await _home(context, requester)
    check_start(requester.place, game, requester.speaker)
    other = invited or Seat(0, "open")
    if rules.against == COMPUTER:
        await lobby.check_computers(context, requester)
        other = lobby.computer_seat(level)
    clock = rules.seconds if rules.against == PERSON else None
    terms = Terms(rated=False, hints=False, clock=clock, team=rules)
    async with context.store.transaction():
        team = await team_of(context, requester, place, named_team)
        own = Seat(0, "joined", person=team.id, joined_by=joining_id(requester.request))
        row = await lobby.create_game(context, requester, game, options, terms, (own, other), requester.place, Reply())
        await _add_side(context, requester, row, team, place, named_team)
        row = await lobby.begin_if_full(context, row, requester.person, team)
        await context.store.posts.add(row.id, requester.place.id, context.clock())
    note_public(context, requester, Public.BEGIN)
    return row


async def join_game(context: Context, requester: RequestContext, code: str, named: NamedTeam | None) -> GameRow:
    """Take the open side of a game for the requester's channel; Refused if that is not possible."""
    place = await _home(context, requester)
    table = await load_table_by_code(context, requester, code, joining=True)
    row, terms = table.row, table.row.terms.team
    if terms is None or terms.against != CHANNEL:
        raise Refused("refusal.team-no-channel", code=row.id)
    if not row.is_lobby:
        raise lobby.no_lobby_refusal(row, requester)
    check_start(requester.place, row.game, requester.speaker)
    own = make_plain(named.name) if named is not None else None
    if any((team.team_place, team.team_name) == (place.id, own) for team in table.teams):
        raise Refused("refusal.team-own")
    by = joining_id(requester.request, frozenset(entry.joined_by or "" for entry in row.seats))
    async with context.store.transaction():
        team = await team_of(context, requester, place, named)
        taken = Seat(0, "joined", person=team.id, joined_by=by)
        given = read_contributions(row.chance).after_joining(team.id, by, is_new=True)
        full = with_contributions(lobby.with_seat(row, lobby.find_open_seat(row), taken), given)
        await _add_side(context, requester, full, team, place, named)
        table = replace(table, people={**table.people, requester.id: requester.person, team.id: team})
        joined, receipt = NewEvent("joined", {"by": by}, requester.id), requester.receipt(Reply())
        row = await lobby.begin_game(context, table, full, [joined], processed=receipt)
        await context.store.posts.add(row.id, requester.place.id, context.clock())
    note_public(context, requester, Public.BEGIN)
    return row


async def team_of(context: Context, requester: RequestContext, place: PlaceRow, named: NamedTeam | None) -> Person:
    """Return a channel's team under the channel's current name, or one of its named teams."""
    if named is not None:
        return await context.store.teams.get_or_create(place.id, make_plain(named.name), named.name, context.clock())
    title = name_player(place.title or requester.request.place.title, "")
    title = (
        f"#{title}"
        if title and place.platform in HASH_PLATFORMS
        else title or requester.place_speaker.line("team.name")
    )
    return await context.store.teams.get_or_create(place.id, "", title, context.clock())


async def _add_side(
    context: Context, requester: RequestContext, row: GameRow, team: Person, place: PlaceRow, named: NamedTeam | None
) -> None:
    """Add a team to a game; its named members are invited, except the requester, who is admitted at once."""
    terms = row.terms.team
    if terms is None:
        return
    known = place.id if named is None and are_voters_listed(terms, place.platform) else None
    await context.store.teams.add_side(row.id, team.id, terms.seconds, known_in=known)
    if named is not None:
        await enter_members(context, requester, row.id, team, named.members)


async def _home(context: Context, requester: RequestContext) -> PlaceRow:
    """Return the requester's channel; Refused in private places, where the bot is a guest, and with too many games."""
    request = requester.request
    if (
        requester.place.kind != "group"
        or request.nonmember
        or request.place.guest
        or context.edits_alone(requester.place)
    ):
        raise Refused("refusal.team-private")
    home = await whole_channel(context, requester.place)
    await lobby.check_limit(context, requester)
    if len(await context.store.teams.running_in(home.id)) >= MAX_TEAM_GAMES:
        raise Refused("refusal.team-too-many", most=MAX_TEAM_GAMES)
    return home


async def play_again(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Open a rematch for the team of the requester's channel, or take the open side of one.

    Refused outside the channels of the teams.
    """
    row, terms = table.row, table.row.terms.team
    here = [team for team in table.teams if await is_home(context, team, requester.place)]
    if not here or terms is None:
        raise Refused("refusal.team-again")
    known = await context.store.teams.side_of(row.id, requester.id)
    here.sort(key=lambda each: each.id != known)
    team, again = here[0], await next_game(context, table)
    if again is not None:
        return await _take_other_side(context, requester, table, again, here)
    if terms.role is not None and team.team_name is None and not await has_role(context, requester, team, terms.role):
        raise Refused("refusal.team-role")
    level = next((load_level(entry.computer) for entry in row.seats if entry.computer is not None), DEFAULT_LEVEL)
    sides = [each.id for each in table.teams]
    opponent = next((entry.person for entry in row.seats if entry.person and entry.person not in sides), None)
    # If the requester is the opponent of the team, invite them without the checks for challenges.
    invited = Seat(0, "invited", person=opponent) if opponent is not None else None
    if opponent is not None and opponent != requester.id:
        invited = await invite(context, requester, opponent)
    voters = await _named(context, table, team)
    async with context.store.transaction():
        opened = await open_game(
            context, requester, row.game, row.options, terms, level=level, invited=invited, named_team=voters
        )
        for other in table.teams:
            if other.team_place not in (None, team.team_place):
                await context.store.posts.add(opened.id, other.team_place or 0, context.clock())
        await lobby.note_rematch(context, requester, table, opened)
    return Reply(opens=opened.id)


async def _take_other_side(
    context: Context, requester: RequestContext, table: Table, again: Table, here: list[Person]
) -> Reply:
    """Take the open side of a rematch for another team of this channel; otherwise return the state of the rematch."""
    inside, rules = {each.id for each in again.teams}, again.row.terms.team
    missing = [each for each in here if each.id not in inside]
    if again.row.is_lobby and rules is not None and rules.against == CHANNEL and missing:
        row = await join_game(context, requester, again.row.id, await _named(context, table, missing[0]))
        return Reply(opens=row.id)
    return Reply(Card(again_words(again, requester.speaker)), opens=again.row.id)


async def _named(context: Context, table: Table, team: Person) -> NamedTeam | None:
    """Return a named team with the people who voted with it in a game, or were asked to; None for a whole channel."""
    if team.team_name is None:
        return None
    asked = [person for asking, person in await context.store.teams.invitations(table.id) if asking == team.id]
    admitted = await context.store.teams.admitted(table.id, team.id)
    return NamedTeam(team.team_name, frozenset([*admitted, *asked]))
