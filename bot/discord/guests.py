"""Boards where the bot is no member: sent and edited with the tokens of people's presses."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar, cast

import discord
import structlog

from bot.discord.errors import INVALID_TOKEN, NO_FOLLOWUP_LEFT, UNKNOWN_MESSAGE, UNKNOWN_WEBHOOK
from bot.discord.layout import MessageParts
from bot.interface.requests import Place, TryLater, Undeliverable, UndeliverableReason
from storage import InteractionPass, Store

ORIGINAL_MESSAGE: Final = cast("int", "@original")
"""Placeholder for the id of the message that was pressed, or of its first response."""
ANSWER_TIMEOUT: Final = timedelta(seconds=60)
"""After this time an unanswered press stays unanswered: the process that handled it has died."""

Done = TypeVar("Done")

log = structlog.get_logger(__name__)


class GuestWriter:
    """Writes with interaction tokens; `client` returns the client that is logged in."""

    def __init__(self, store: Store, client: Callable[[], discord.Client], clock: Callable[[], datetime]) -> None:
        self._store = store
        self._client = client
        self._clock = clock
        self._answering: Counter[tuple[str, str | None]] = Counter()
        self._quiet = asyncio.Condition()

    @asynccontextmanager
    async def hold_boards(self, place: Place) -> AsyncIterator[None]:
        """Hold back boards while a press in a place is being answered: the first message would replace the reply."""
        key = (place.channel, place.thread)
        self._answering[key] += 1
        try:
            yield
        finally:
            async with self._quiet:
                self._answering[key] -= 1
                if not self._answering[key]:
                    del self._answering[key]
                self._quiet.notify_all()

    async def send(
        self, place: Place, made: MessageParts, allowed: discord.AllowedMentions, quiet: MessageParts
    ) -> discord.Message:
        """Send a new message with the newest token that allows one; Undeliverable if there is none.

        If only the person who pressed sees it, it is replaced by the reason.
        """

        async def send(brought: InteractionPass) -> discord.WebhookMessage:
            webhook = self._webhook(brought)
            if not brought.answered and brought.message is None:
                await _delete_leftover_response(webhook)
            sent = await webhook.send(
                view=made.view, files=made.files, allowed_mentions=allowed, wait=True, suppress_embeds=True
            )
            await self._store.passes.record_sent(brought.id, str(sent.id))
            if sent.flags.ephemeral:
                # The server allows external apps only private replies, and did not say so.
                log.info("answer-made-private", channel=place.channel)
                await webhook.edit_message(sent.id, view=quiet.view, attachments=[])
                raise Undeliverable("forbidden")
            return sent

        return await self._use_newest_token(place, lambda brought: brought.can_send, send, "forbidden")

    async def edit(self, place: Place, message: str, made: MessageParts) -> discord.Message:
        """Edit a message with the token of a press on it, or the one it was sent with; Undeliverable without either."""

        async def edit(brought: InteractionPass) -> discord.Message:
            return await self._webhook(brought).edit_message(
                _message_id(brought, message),
                view=made.view,
                attachments=made.attachments,
                allowed_mentions=discord.AllowedMentions.none(),
            )

        return await self._use_newest_token(place, lambda brought: brought.can_edit(message), edit)

    async def fetch(self, place: Place, message: str) -> discord.Message:
        """Return a message as it is; Undeliverable if no token allows that."""

        async def fetch(brought: InteractionPass) -> discord.Message:
            return await self._webhook(brought).fetch_message(_message_id(brought, message))

        return await self._use_newest_token(place, lambda brought: brought.can_edit(message), fetch)

    async def delete(self, place: Place, message: str) -> None:
        """Delete a message; Undeliverable if no token allows that."""

        async def delete(brought: InteractionPass) -> None:
            await self._webhook(brought).delete_message(_message_id(brought, message))

        await self._use_newest_token(place, lambda brought: brought.can_edit(message), delete)

    async def _use_newest_token(
        self,
        place: Place,
        good: Callable[[InteractionPass], bool],
        work: Callable[[InteractionPass], Awaitable[Done]],
        without: UndeliverableReason = "message-gone",
    ) -> Done:
        """Do something with the newest token that allows it; Undeliverable if there is none, TryLater."""
        key = (place.channel, place.thread)
        async with self._quiet:
            await self._quiet.wait_for(lambda: not self._answering[key])
        now, held = self._clock(), None
        for brought in await self._store.passes.list_usable(place.platform, place.channel, place.thread, now):
            if not good(brought):
                continue
            if not brought.answered and now - brought.made_at < ANSWER_TIMEOUT:
                held = brought.made_at + ANSWER_TIMEOUT - now
                continue
            try:
                return await work(brought)
            except discord.HTTPException as error:
                if error.code not in (INVALID_TOKEN, UNKNOWN_WEBHOOK, NO_FOLLOWUP_LEFT):
                    raise
                log.info("interaction-token-expired", channel=place.channel, code=error.code)
                if error.code == NO_FOLLOWUP_LEFT:
                    await self._store.passes.record_spent(brought.id)
                else:
                    await self._store.passes.delete(brought.id)
                # The files of a request can be sent only once: they are created anew for the next token.
                raise TryLater(0.0) from error
        if held is not None:
            raise TryLater(held.total_seconds())
        raise Undeliverable(without)

    def _webhook(self, brought: InteractionPass) -> discord.Webhook:
        client = self._client()
        data: Any = {"id": client.application_id, "type": 3, "token": brought.secret}
        return discord.Webhook.from_state(data, client._connection)  # noqa: SLF001 - as discord.py's own follow-ups


def _message_id(brought: InteractionPass, message: str) -> int:
    return ORIGINAL_MESSAGE if message == brought.message else int(message)


async def _delete_leftover_response(webhook: discord.Webhook) -> None:
    """Delete the "thinking" message left by a process that died: it would swallow the first message."""
    try:
        await webhook.delete_message(ORIGINAL_MESSAGE)
    except discord.NotFound as error:
        if error.code != UNKNOWN_MESSAGE:
            raise
