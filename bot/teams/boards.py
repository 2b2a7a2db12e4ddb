"""What a team's votes add to a game's board where the team plays; elsewhere nobody sees any of it."""

from __future__ import annotations

from bot.core.context import Context
from bot.core.features import BoardExtra
from bot.language.texts import Speaker, join
from bot.tables.changes import last_moved_revision
from bot.tables.table import Table
from bot.teams import cards
from bot.teams.sides import are_together, is_home
from bot.teams.voting import find_winner
from storage import PlaceRow


async def board_extra(context: Context, table: Table, place: PlaceRow, speaker: Speaker) -> BoardExtra:
    """Return the votes on a team's turn, where it plays; nothing anywhere else."""
    team, terms = table.team_at(table.mover), table.row.terms.team
    if team is None or terms is None or table.line is None or not await is_home(context, team, place):
        return BoardExtra()
    voice, now_voting = speaker.of(table.row.game), last_moved_revision(table.row)
    sides = {side.team: side for side in await context.store.teams.sides(table.row.id)}
    side = sides.get(team.id)
    known = await context.store.teams.proposals(table.row.id, now_voting, with_last=True)
    proposals = [each for each in known if each.round == now_voting and each.team == team.id]
    last = [each for each in known if each.round != now_voting and each.team == team.id]
    hidden = await are_together(context, table, team)
    closes_at = side.closes_at if side is not None else None
    parts = [cards.round_words(voice, proposals, closes_at, hidden=hidden, quorum=terms.quorum)]
    if side is not None and side.extended:
        parts.insert(0, voice.say(f"team.extended.{terms.idle}"))
    played = find_winner(last)
    if played is not None:
        parts.insert(0, cards.last_round_words(voice, last, played))
    rows = cards.vote_rows(table, voice, proposals, hidden=hidden)
    return BoardExtra(join(parts), rows, cards.marks(table, proposals, hidden=hidden))
