"""Names that log events had before 0.2.0: logged beside the current ones until 0.3.0, so that filters still match."""

from typing import Any, Final

from structlog.typing import EventDict

FORMER_EVENTS: Final = {
    "activity-launch-not-stored": "launch-not-kept",
    "advice-failed": "no-advice",
    "alarm-failed": "alarm-stumbled",
    "alarm-loop-failed": "alarms-stumbled",
    "analysis-board-unreadable": "try-not-readable",
    "post-delivery-failed": "delivery-stumbled",
    "post-not-retired": "not-retired",
    "post-undeliverable": "undeliverable",
    "boards-retried": "tried-again",
    "bot-membership-changed": "membership",
    "clock-moved": "time-put-off",
    "competition-failed": "competition-stumbled",
    "computer-loop-failed": "computers-stumbled",
    "computer-search-failed": "thinking-failed",
    "daily-scheduled": "daily-promised",
    "delivery-loop-failed": "delivery-stumbled",
    "delivery-without-chat-lock": "delivery-without-a-claim",
    "discord-shutdown-timed-out": "discord-left-unanswered",
    "ephemeral-message-failed": "ephemeral-message-stumbled",
    "ephemeral-message-gone": "passing-message-gone",
    "ephemeral-message-loop-failed": "ephemeral-messages-stumbled",
    "ephemeral-message-not-noted": "passing-message-not-noted",
    "game-package-missing": "games-wait",
    "interaction-expired": "interaction-passed",
    "interaction-token-expired": "token-spent",
    "interaction-token-not-used": "pass-not-used",
    "job-failed": "job-stumbled",
    "lesson-reply-failed": "no-thought",
    "lesson-suggestion-failed": "no-suggestion",
    "listener-failed": "listening-stumbled",
    "message-not-sent": "not-shown",
    "outbox-failed": "outbox-stumbled",
    "places-not-reopened": "not-reopened",
    "private-answer-already-gone": "note-gone",
    "private-answer-not-deleted": "note-kept",
    "private-answer-refused": "not-in-private",
    "private-message-refused": "not-in-private",
    "reaction-not-set": "no-reaction",
    "room-broadcast-failed": "room-not-told",
    "search-worker-died": "thinker-died",
    "search-worker-not-started": "thinker-not-started",
    "shard-claimed": "shard-taken",
    "shard-released": "shard-given-up",
    "shard-shutdown-timed-out": "shard-left-unanswered",
    "shutdown-timed-out": "left-unfinished",
    "telegram-shutdown-timed-out": "telegram-left-unanswered",
    "thread-not-created": "no-thread",
    "welcome-not-sent": "no-welcome",
}
"""The current name of every renamed event, and its former name."""


def add_former_event(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Add an event's former name as `former_event` (a structlog processor)."""
    former = FORMER_EVENTS.get(event.get("event", ""))
    return event if former is None else {**event, "former_event": former}
