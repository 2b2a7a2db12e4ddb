"""Parsing of the page's requests; the browser's data is untrusted."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.interface.forms import MAX_FORM_TEXT_LENGTH
from bot.interface.requests import ClientEntropy, OpenBoard, Request, User
from bot.web.boards import read_theme
from bot.web.request_guard import Rejected
from bot.web.room import ROOM_PLACE
from bot.web.sessions import PLATFORM
from storage import Identity

MAX_TEXT_LENGTH: Final = 2000
_HASH_PATTERN: Final = re.compile(r"[0-9a-f]{64}")
_CODE_PATTERN: Final = re.compile(r"[0-9A-Z]{6}")
MAX_FIELDS: Final = 100
_EVENT_PATTERN: Final = re.compile(r"[0-9A-Za-z]{8,64}")


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A parsed request of the page: the speaker, their language, the body, and whether they manage the room."""

    speaker: Identity
    language: str
    body: Mapping[str, Any]
    manager: bool

    @property
    def event(self) -> str:
        """The page's id for the action; Rejected if there is none."""
        return read_event(self.body)

    @property
    def game(self) -> str:
        """The code of the requested game; Rejected if it is malformed."""
        code = self.text("game")
        if not _CODE_PATTERN.fullmatch(code):
            raise Rejected(404, "no-such-game")
        return code

    def text(self, name: str, longest: int = MAX_TEXT_LENGTH) -> str:
        """Return a text field of the body; Rejected if it is missing or too long."""
        return read_text(self.body, name, longest)

    def request(self, event: str, message: str | None = None, board: OpenBoard | None = None) -> Request:
        """Return the Request for the services; event ids are unique per speaker.

        `board` is the board open before the reader.
        """
        user = User(PLATFORM, self.speaker.user_id, self.speaker.name, self.language, manager=self.manager)
        return Request(
            f"{self.speaker.user_id}:{event}",
            user,
            ROOM_PLACE,
            message,
            theme=read_theme(self.body),
            ids="chosen",
            pledge=self._client_entropy(),
            board=board,
        )

    def _client_entropy(self) -> ClientEntropy | None:
        """Return the browser's entropy for chance events; malformed hashes or game codes count as missing."""
        given = self.body.get("chance")
        if not isinstance(given, dict):
            return None
        chain, game, link = (
            value if isinstance(value, str) and form.fullmatch(value) else None
            for value, form in (
                (given.get("chain"), _HASH_PATTERN),
                (given.get("game"), _CODE_PATTERN),
                (given.get("link"), _HASH_PATTERN),
            )
        )
        # A malformed link must not pass for a lost chain.
        return ClientEntropy(chain, game, link) if (given.get("link") is None) == (link is None) else None


def read_event(body: Mapping[str, Any]) -> str:
    """Return the page's id for an action; Rejected if there is none."""
    event = body.get("event")
    if not isinstance(event, str) or not _EVENT_PATTERN.fullmatch(event):
        raise Rejected(400, "not-json")
    return event


def read_text(body: Mapping[str, Any], name: str, longest: int) -> str:
    """Return a text field of a body; Rejected if it is missing or too long."""
    text = body.get(name)
    if not isinstance(text, str):
        raise Rejected(400, "not-json")
    if len(text) > longest:
        raise Rejected(413, "text-too-long", most=longest)
    return text


def read_values(body: Mapping[str, Any]) -> dict[str, str]:
    """Return the values of a form's fields in a body; Rejected if they are none, or too many or too long."""
    values = body.get("values")
    if not isinstance(values, dict) or not all(isinstance(each, str) for each in values.values()):
        raise Rejected(400, "not-json")
    if len(values) > MAX_FIELDS or any(len(each) > MAX_FORM_TEXT_LENGTH for each in values.values()):
        raise Rejected(413, "text-too-long", most=MAX_FORM_TEXT_LENGTH)
    return values
