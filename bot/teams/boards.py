"""Additions to a game's board in the channel of a team: proposals and votes; boards elsewhere get none."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from bot.core.context import Context
from bot.core.features import BoardExtra
from bot.language.texts import Speaker, Text, join
from bot.tables.changes import last_moved_revision
from bot.tables.table import Table
from bot.teams import cards
from bot.teams.sides import admits_only, are_together, is_home
from bot.teams.voting import find_winner
from storage import Person, PlaceRow, Proposal, Side


async def board_extra(context: Context, table: Table, place: PlaceRow, speaker: Speaker) -> BoardExtra:
    """Return the votes on a team's turn, the result of its last vote, and whom a team of the place asks to join it.

    Elsewhere than in a team's own channel there is nothing to add.
    """
    if table.row.terms.team is None or table.line is None:
        return BoardExtra()
    here = [each for each in table.teams if await is_home(context, each, place)]
    if not here:
        return BoardExtra()
    votes = await _votes_extra(context, table, {each.id for each in here}, speaker.of(table.row.game))
    terms, platform = table.row.terms.team, place.platform
    if table.row.status == "over" or not any(admits_only(terms, each, platform) for each in here):
        return votes
    return await _with_invitations(context, table, here, speaker.of(table.row.game), votes)


async def _with_invitations(
    context: Context, table: Table, here: Sequence[Person], voice: Speaker, votes: BoardExtra
) -> BoardExtra:
    """Return the additions together with whom the teams of a place ask to vote with them."""
    invitations = await context.store.teams.invitations(table.row.id)
    people = await context.store.people.get_many({person for _, person in invitations}) if invitations else {}
    parts, rows = [votes.text], list(votes.rows)
    for team in here:
        asked = [people[person] for asking, person in invitations if asking == team.id and person in people]
        if asked:
            parts.append(cards.invitation_words(voice, team, asked))
            rows.append(cards.invitation_row(table, voice, team, asked))
    stamp = ".".join([votes.stamp, *(f"{team}-{person}" for team, person in invitations)])
    return replace(votes, text=join(parts), rows=tuple(rows), stamp=stamp)


async def _votes_extra(context: Context, table: Table, here: Collection[int], voice: Speaker) -> BoardExtra:
    team, terms = table.team_at(table.mover), table.row.terms.team
    if team is None or terms is None:
        return BoardExtra()
    now_voting = last_moved_revision(table.row)
    if team.id not in here:
        # The other side votes elsewhere: what is said here is how the vote on the turn before that went.
        before = await context.store.teams.proposals(table.row.id, now_voting, with_last=True)
        return BoardExtra(_last_words(voice, before, now_voting, here))
    sides = {side.team: side for side in await context.store.teams.sides(table.row.id)}
    side = sides.get(team.id)
    known = await context.store.teams.proposals(table.row.id, now_voting, with_last=True)
    proposals = [each for each in known if each.round == now_voting and each.team == team.id]
    hidden = await are_together(context, table, team)
    closes_at = side.closes_at if side is not None else None
    parts = [cards.round_words(voice, proposals, closes_at, hidden=hidden, quorum=terms.quorum)]
    if side is not None and side.extended:
        parts.insert(0, voice.say(f"team.extended.{terms.idle}"))
    parts.insert(0, _last_words(voice, known, now_voting, here))
    rows = cards.vote_rows(table, voice, proposals, hidden=hidden)
    marked = cards.marks(table, proposals, hidden=hidden)
    return BoardExtra(join(parts), rows, marked, _stamp(proposals, side, hidden=hidden))


def _stamp(proposals: Sequence[Proposal], side: Side | None, *, hidden: bool) -> str:
    """Return a text that changes with the proposals and votes shown; it reveals no hidden votes."""
    votes = [0 if hidden else each.votes for each in proposals]
    return ".".join(map(str, [int(side is not None and side.extended), *votes]))


def _last_words(voice: Speaker, known: Sequence[Proposal], now_voting: int, here: Collection[int]) -> Text:
    """Return the result of the last vote if it was by a team of this channel."""
    last = [each for each in known if each.round != now_voting and each.team in here]
    played = find_winner(last)
    return cards.last_round_words(voice, last, played) if played is not None else ()
