"""Translation of Discord's errors to Undeliverable or TryLater; refused answers, and edits that lost their pictures."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import aiohttp
import discord
import structlog

from bot.kernel.operations.listening import READING_ERRORS, summarize_error
from bot.kernel.requests import BAD_REQUEST_BACKOFF_SECONDS, RateLimited, TryLater, Undeliverable
from bot.platforms.discord.decode import PLATFORM, Interaction
from bot.platforms.discord.layout import MessageParts, lacks_files

UNKNOWN_CHANNEL: Final = 10003
UNKNOWN_GUILD: Final = 10004
UNKNOWN_MESSAGE: Final = 10008
UNKNOWN_INTERACTION: Final = 10062
UNKNOWN_WEBHOOK: Final = 10015
NO_PRIVATE_MESSAGES: Final = 50007
NO_SERVER_SHARED: Final = 50278
"""We may not write to a user who shares no server with us and has not installed us (page Opcodes and Status Codes)."""
INVALID_TOKEN: Final = 50027
NO_FOLLOWUP_LEFT: Final = 40094
"""The interaction has used up its new messages: five where the bot is no member."""
ALREADY_ANSWERED: Final = 40060
TOO_MANY_OLD_EDITS: Final = 30046
"""Messages older than an hour may be edited only rarely: the error means the rate, not the request."""
ARCHIVED_THREAD_CODE: Final = 50083
THREAD_EXISTS: Final = 160004

# Errors when the machine or Discord is offline.
CONNECTION_ERRORS: Final = (aiohttp.ClientError, OSError, TimeoutError, discord.GatewayNotFound)

log = structlog.get_logger(__name__)


class UnreadableResponse(discord.HTTPException):
    """Discord, or a proxy, has sent an answer that the API does not describe; the request may have been carried out."""

    def __init__(self, reason: str) -> None:
        discord.DiscordException.__init__(self, reason)
        self.status = 0
        self.code = 0
        self.text = reason


@contextmanager
def read_responses() -> Iterator[None]:
    """Raise UnreadableResponse, after logging one line, if an answer is not as Discord describes it."""
    try:
        yield
    except UnreadableResponse:
        raise
    except discord.HTTPException as error:
        if is_described(error):
            raise
        # An answer from a proxy says nothing about a channel or the token, whatever its status.
        raise _unreadable(f"status {error.status}") from error
    except READING_ERRORS as error:
        raise _unreadable(summarize_error(error)) from error


def _unreadable(reason: str) -> UnreadableResponse:
    log.warning("answer-not-readable", platform=PLATFORM, reason=reason)
    return UnreadableResponse(reason)


def is_described(error: discord.HTTPException) -> bool:
    """Return True if Discord has said why it refuses a request: a code and a message (page Opcodes, JSON)."""
    is_json = error.response.headers.get("Content-Type", "").startswith("application/json")
    return is_json and type(error.code) is int and isinstance(error.text, str) and bool(error.text)


def guard_responses(client: discord.Client) -> None:
    """Make a client's requests raise UnreadableResponse; call this before it logs in.

    This covers neither the creation of objects from answers nor requests with an interaction's token: use
    `read_responses` for both.
    """
    http = client.http
    request = http.request

    async def guarded(*arguments: Any, **named: Any) -> Any:
        try:
            with read_responses():
                return await request(*arguments, **named)
        except UnreadableResponse:
            # discord.py would block all requests forever after a global rate limit whose duration it could not read.
            http._global_over.set()  # noqa: SLF001 - discord.py has no other way to it
            raise

    http.request = guarded  # type: ignore[method-assign] # it has no other place for this, either


@contextmanager
def translate_discord_errors() -> Iterator[None]:
    """Translate discord.py's errors to Undeliverable and TryLater."""
    try:
        with read_responses():
            yield
    except discord.RateLimited as error:
        raise RateLimited(error.retry_after) from error
    except discord.HTTPException as error:
        raise _translate_http_error(error) from error
    except CONNECTION_ERRORS as error:
        raise TryLater from error


def is_invalid_request(error: discord.HTTPException) -> bool:
    """Return True if Discord rejects the content of a request.

    Discord has also rejected valid edits with files like this (discord-api-docs issue 7529).
    """
    return (
        error.status == 400
        and is_described(error)
        and error.code not in (ARCHIVED_THREAD_CODE, TOO_MANY_OLD_EDITS, ALREADY_ANSWERED)
    )


def _translate_http_error(error: discord.HTTPException) -> Undeliverable | TryLater:
    if isinstance(error, UnreadableResponse):
        return TryLater()
    if error.code in (UNKNOWN_CHANNEL, UNKNOWN_GUILD):
        return Undeliverable("channel-gone")
    if error.code == UNKNOWN_MESSAGE:
        return Undeliverable("message-gone")
    if error.code in (ARCHIVED_THREAD_CODE, NO_PRIVATE_MESSAGES, NO_SERVER_SHARED) or isinstance(
        error, discord.Forbidden
    ):
        return Undeliverable("forbidden")
    if isinstance(error, discord.NotFound):
        return Undeliverable("channel-gone")
    if error.status == 429 or error.status >= 500 or error.code == TOO_MANY_OLD_EDITS:
        return TryLater()
    log.error("discord-refused", status=error.status, code=error.code, reason=error.text)
    return TryLater(BAD_REQUEST_BACKOFF_SECONDS)


async def acknowledge(interaction: Interaction) -> bool:
    """Acknowledge an interaction unless it was answered before; return False if it cannot be answered any more."""
    if not interaction.response.is_done():
        await is_settled(interaction, interaction.response.defer(ephemeral=True), "interaction-not-answered")
    return interaction.response.is_done()


async def show_answer(interaction: Interaction, showing: Awaitable[object]) -> None:
    """Show the answer to an interaction; log a failure, since the action itself is done."""
    if not await is_settled(interaction, showing, "answer-not-shown"):
        # Without a response, Discord would show that the press has failed.
        await acknowledge(interaction)


async def is_settled(interaction: Interaction, answer: Awaitable[object], event: str) -> bool:
    """Return True if an answer succeeds, or if another process has answered or the interaction has expired.

    Otherwise one line is logged as `event`.
    """
    try:
        with read_responses():
            await answer
    except discord.HTTPException as error:
        if error.code in (UNKNOWN_INTERACTION, ALREADY_ANSWERED):
            log.info("interaction-expired", interaction=interaction.id, code=error.code)
            return True
        log.warning(event, interaction=interaction.id, code=error.code, reason=error.text)
        return False
    except (*CONNECTION_ERRORS, discord.RateLimited) as error:
        log.warning(event, interaction=interaction.id, reason=repr(error))
        return False
    return True


async def edit_until_shown(
    edit: Callable[[MessageParts], Awaitable[discord.Message]], make: Callable[[], MessageParts]
) -> discord.Message:
    """Edit a message until it shows its pictures and files, at most twice; raises the error of the last edit."""
    made = make()
    try:
        message = await edit(made)
        if not made.files or not lacks_files(message, made):
            return message
        log.info("picture-uploaded-again", message=message.id)
    except discord.HTTPException as error:
        if not made.files or not is_invalid_request(error):
            raise
        log.info("picture-uploaded-again", code=error.code, reason=error.text)
    made = make()
    message = await edit(made)
    if lacks_files(message, made):
        log.warning("picture-lost", message=message.id)
    return message
