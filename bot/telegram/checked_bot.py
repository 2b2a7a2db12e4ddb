"""A Bot whose calls fail in one way where Telegram's answer is not as its API describes it.

python-telegram-bot reads answers without checking them: a missing field is a TypeError, another type of value an
AttributeError or an OverflowError somewhere in the library, or a wrong id in a message.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, Final

import structlog
from telegram import Bot, ChatMember, Message, SentGuestMessage
from telegram.constants import ChatMemberStatus
from telegram.error import ChatMigrated, NetworkError, RetryAfter

from bot.operations.listening import summarize_error
from bot.telegram.decode import PLATFORM

READING_ERRORS: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What reading a value of another type, or one that is missing, raises."""

_MEMBER_STATUSES: Final = frozenset(ChatMemberStatus)

log = structlog.get_logger(__name__)


class UnreadableAnswer(NetworkError):
    """Telegram, or what stands between, has answered something else than the API describes; the call may be done."""


class CheckedBot(Bot):
    """A Bot that raises UnreadableAnswer, after one line in the log, where an answer cannot be read."""


def _checked(method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    # Only edits may be answered by True, in place of an inline message; the library takes that from all.
    returns_message = method.__annotations__.get("return") is Message

    @wraps(method)
    async def call(self: CheckedBot, *arguments: Any, **named: Any) -> Any:
        try:
            answer = await method(self, *arguments, **named)
            if returns_message and not isinstance(answer, Message):
                raise TypeError
            _check_used_values(answer)
        except (ChatMigrated, RetryAfter) as error:
            if _has_usable_value(error):
                raise
            raise _unreadable(method.__name__, error) from error
        except READING_ERRORS as error:
            raise _unreadable(method.__name__, error) from error
        except UnreadableAnswer as error:
            _log_unreadable(method.__name__, error)
            raise
        return answer

    return call


def _check_used_values(answer: object) -> None:
    """Raise TypeError if a value that the program goes on with is of another type: the library takes any."""
    if isinstance(answer, Message):
        right = type(answer.message_id) is int and type(answer.chat.id) is int
        right = right and all(isinstance(each.file_id, str) for each in answer.photo)
    elif isinstance(answer, SentGuestMessage):
        right = isinstance(answer.inline_message_id, str)
    elif isinstance(answer, ChatMember):
        right = answer.status in _MEMBER_STATUSES
    else:
        return
    if not right:
        raise TypeError


def _has_usable_value(error: ChatMigrated | RetryAfter) -> bool:
    if isinstance(error, ChatMigrated):
        return type(error.new_chat_id) is int
    return isinstance(error.retry_after, (int, float, timedelta))


def _unreadable(method: str, error: Exception) -> UnreadableAnswer:
    _log_unreadable(method, error)
    return UnreadableAnswer(f"unreadable answer to {method}")


def _log_unreadable(method: str, error: Exception) -> None:
    log.warning("answer-not-readable", platform=PLATFORM, call=method, reason=summarize_error(error))


for _name, _method in vars(Bot).items():
    if iscoroutinefunction(_method) and not _name.startswith("_"):
        setattr(CheckedBot, _name, _checked(_method))
