"""Creating a competition of any kind: the checks, and what is stored."""

from collections.abc import Callable

from bot.competitions.events import CommonTerms
from bot.core.allowed_games import check_start
from bot.core.context import Context, Public
from bot.core.request_context import RequestContext, note_public
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.lobby.service import check_limit
from engine import fair
from storage import CodeTaken, CompetitionKind, CompetitionRow, CompetitionStatus, NewEvent
from storage.codes import generate_code


async def check_may_make(
    context: Context, asker: RequestContext, terms: CommonTerms, kind: CompetitionKind, most: int
) -> None:
    """Raise Refused if the place cannot have a competition, or the asker has made `most` unfinished ones."""
    check_start(asker.place, terms.game, asker.mine)
    if asker.request.nonmember:
        raise Refused("refusal.alone")
    if asker.place.kind == "private" and terms.entry != "code":
        raise Refused("refusal.cup-private")
    await check_limit(context, asker)
    made = await context.store.competitions.list_made_by(asker.person.id, kind=kind)
    if sum(row.status != "over" for row in made) >= most:
        raise Refused(f"refusal.{kind}-too-many", most=most)


async def create_competition(
    context: Context,
    asker: RequestContext,
    terms: CommonTerms,
    kind: CompetitionKind,
    status: CompetitionStatus,
    first_event: Callable[[CompetitionRow], NewEvent],
    reply: Reply,
) -> str:
    """Store a competition with its first event and the asker's place, and return its code."""
    seed, now = context.entropy().hex(), context.clock()
    while True:
        row = CompetitionRow(
            id=generate_code(),
            status=status,
            game_key=terms.game,
            place=asker.place.id,
            maker=asker.person.id,
            seed=seed,
            seed_hash=fair.hash_seed(seed),
            revision=0,
            due_at=now,
            created_at=now,
            ended_at=None,
            kind=kind,
        )
        try:
            await context.store.competitions.create(row, [first_event(row)], now, asker.receipt(reply))
        except CodeTaken:
            continue
        note_public(context, asker, Public.BEGIN)
        context.signals.wake("competition")
        return row.id
