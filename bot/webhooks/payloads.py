"""Payloads of webhooks: the next event of a game or a competition after the last one sent."""

from dataclasses import dataclass
from typing import Any

from bot.core.context import Context
from bot.cups.service import CUPS
from bot.play.records import turns_of
from bot.public.consent import find_game_page, is_hidden
from bot.public.views import turn_view
from bot.tables.table import Table
from engine import games
from engine.record_fields import FORGOTTEN_NAME
from storage import StoredWebhook, WebhookCursor

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """A message: its kind, its data, and the cursor after it; `revision` distinguishes states."""

    kind: str
    data: Json
    cursor: WebhookCursor
    revision: int

    @property
    def id(self) -> str:
        """The unique id of the message, equal on each retry."""
        subject = (self.data.get("game") or self.data["cup"])["id"]
        return f"msg_{self.cursor.webhook}_{subject}_{self.revision}_{self.cursor.turn}_{self.kind.replace('.', '-')}"


async def next_message(
    context: Context, hook: StoredWebhook, subject: str, cursor: WebhookCursor | None
) -> Message | WebhookCursor:
    """Return the next message of a game or a competition, or the new cursor if there is none."""
    kind, _, code = subject.partition(":")
    if kind == "game":
        return await _game_payload(context, hook, subject, code, cursor)
    return await _competition_payload(context, hook, subject, code, cursor)


async def _game_payload(
    context: Context, hook: StoredWebhook, subject: str, code: str, cursor: WebhookCursor | None
) -> Message | WebhookCursor:
    table = await context.table_as_stored(code)
    row = table.row
    if row.game not in games or row.status == "lobby":
        return WebhookCursor(hook.id, subject, row.revision, 0, over=False)
    # For a game that began before the webhook was added, begin with its newest turn.
    older = row.started_at is not None and row.started_at < hook.made_at
    first = max(0, row.turn - 1) if older else -1
    sent = cursor or WebhookCursor(hook.id, subject, 0, first, over=False)
    if sent.turn < 0:
        begun = WebhookCursor(hook.id, subject, 0, 0, over=False)
        return Message("game.started", {"game": await _game_json(context, table)}, begun, 0)
    if row.turn != sent.turn:
        table = await context.table(code)
        turns = await turns_of(context, table)
        numbered = enumerate(turns[: row.turn], start=1)
        new = [turn_view(turn, number, row.turn).model_dump() for number, turn in numbered if number > sent.turn]
        kind = "game.turn" if row.turn > sent.turn else "game.takeback"
        done = WebhookCursor(
            hook.id, subject, row.revision if row.status != "over" else row.revision - 1, row.turn, over=False
        )
        return Message(kind, {"game": await _game_json(context, table), "turns": new}, done, row.revision)
    if row.status == "over" and not sent.over:
        ended = WebhookCursor(hook.id, subject, row.revision, row.turn, over=True)
        return Message("game.over", {"game": await _game_json(context, table)}, ended, row.revision)
    return WebhookCursor(hook.id, subject, row.revision, row.turn, over=sent.over)


async def _game_json(context: Context, table: Table) -> Json:
    """Return a game without the code by which people join; `url` is None if it is not public."""
    row, table = table.row, table.in_language(None)
    ids = await context.store.public.create_ids("game", [row.id], context.clock())
    page = await find_game_page(context, row.id)
    outcome = row.outcome if row.status == "over" else None
    seats = range(row.seat_count)
    mover = next((seat for seat in seats if row.to_move is not None and table.person_at(seat) == row.to_move), None)
    return {
        "id": ids[row.id],
        "url": None if page is None else f"{context.web_address}/g/{page}",
        "game": row.game,
        "status": row.status,
        "players": [_name(table, seat) for seat in seats],
        "to_move": mover,
        "turns": row.turn,
        "outcome": outcome and {"reason": outcome["reason"], "places": outcome.get("places")},
    }


def _name(table: Table, seat: int) -> str:
    person = table.people.get(table.person_at(seat) or 0)
    return FORGOTTEN_NAME if person is not None and is_hidden(person) else table.name(seat)


async def _competition_payload(
    context: Context, hook: StoredWebhook, subject: str, code: str, cursor: WebhookCursor | None
) -> Message | WebhookCursor:
    row = await context.store.competitions.get(code)
    if row is None or row.game_key not in games:
        return WebhookCursor(hook.id, subject, 1_000_000_000, 0, over=True)
    cup = await CUPS.read(context, row)
    stands = cup.stands
    first = max(0, len(stands.rounds) - 1) if row.created_at < hook.made_at else 0
    sent = cursor or WebhookCursor(hook.id, subject, 0, first, over=False)
    ids = await context.store.public.create_ids("competition", [code], context.clock())

    def name(entrant: int) -> str:
        person = cup.person_of(entrant)
        return FORGOTTEN_NAME if person is None or is_hidden(person) else person.name

    head = {"id": ids[code], "game": row.game_key, "format": str(stands.terms.format), "status": row.status}
    if len(stands.rounds) > sent.turn:
        newest = stands.rounds[sent.turn]
        pairings = [[name(each) for each in board.last.seats] for board in newest.boards]
        done = WebhookCursor(hook.id, subject, sent.revision, newest.number, over=False)
        return Message("cup.round", {"cup": head, "round": newest.number, "pairings": pairings}, done, 0)
    if row.status == "over" and not sent.over:
        ended = WebhookCursor(hook.id, subject, row.revision, sent.turn, over=True)
        return Message("cup.over", {"cup": head}, ended, row.revision)
    return WebhookCursor(hook.id, subject, row.revision, sent.turn, over=sent.over)
