"""Telegram's errors as Undeliverable or TryLater."""

from datetime import timedelta
from typing import Final

import structlog
from telegram.error import BadRequest, Forbidden, NetworkError, RetryAfter, TelegramError

from bot.interface.requests import TryLater, Undeliverable, UndeliverableReason, limit_wait

BAD_REQUEST_BACKOFF_SECONDS: Final = 300.0
"""Seconds to wait after a response that calls the request itself invalid."""

_REASONS: Final[tuple[tuple[str, UndeliverableReason], ...]] = (
    ("message to edit not found", "message-gone"),
    ("message to delete not found", "message-gone"),
    ("message can't be edited", "message-gone"),
    ("message can't be deleted", "message-gone"),
    ("message_id_invalid", "message-gone"),
    ("message identifier is not specified", "message-gone"),
    ("chat not found", "channel-gone"),
    ("message thread not found", "channel-gone"),
    ("topic_deleted", "channel-gone"),
    ("topic_closed", "forbidden"),
    ("peer_id_invalid", "channel-gone"),
    ("not enough rights", "forbidden"),
    ("have no rights", "forbidden"),
    ("chat_write_forbidden", "forbidden"),
    ("chat_restricted", "forbidden"),
    ("need administrator rights", "forbidden"),
    ("bot was kicked", "forbidden"),
    ("user is deactivated", "forbidden"),
    ("reaction_invalid", "forbidden"),
    ("reactions_too_many", "forbidden"),
    ("message to react not found", "message-gone"),
)
NOT_MODIFIED: Final = "message is not modified"
NO_TEXT: Final = "there is no text in the message to edit"
NO_ANIMATIONS: Final = "not enough rights to send animations"
NO_PHOTOS: Final = "not enough rights to send photos"
LOST_FILE: Final = "file identifier"
OLD_QUERY: Final = "query is too old"

log = structlog.get_logger(__name__)


def mentions(error: TelegramError, words: str) -> bool:
    """Return True if an error's message contains some words."""
    return words in error.message.lower()


def retry_after(error: RetryAfter) -> float:
    """Return the seconds that Telegram asks us to wait."""
    wait = error.retry_after
    return limit_wait(wait.total_seconds() if isinstance(wait, timedelta) else float(wait))


def translate_telegram_error(error: TelegramError) -> Undeliverable | TryLater:
    """Return the error for delivery."""
    if isinstance(error, RetryAfter):
        return TryLater(retry_after(error))
    for words, reason in _REASONS:
        if mentions(error, words):
            return Undeliverable(reason)
    if isinstance(error, Forbidden):
        return Undeliverable("forbidden")
    if isinstance(error, BadRequest) or not isinstance(error, NetworkError):
        log.error("telegram-refused", reason=error.message)
        return TryLater(BAD_REQUEST_BACKOFF_SECONDS)
    return TryLater()
