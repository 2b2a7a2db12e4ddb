"""A request of the page, taken apart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.interface.requests import Request, User
from bot.web.boards import theme_asked
from bot.web.guard import Rejected
from bot.web.room import PLACE
from bot.web.sessions import PLATFORM
from storage import Identity

LONGEST_TEXT: Final = 2000
_EVENT: Final = re.compile(r"[0-9A-Za-z]{8,64}")


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request of the page, taken apart: who speaks, in which language, the rest, and whether they manage the room."""

    speaker: Identity
    language: str
    body: Mapping[str, Any]
    manager: bool

    @property
    def event(self) -> str:
        """The page's id for what was done; Rejected if there is none."""
        event = self.body.get("event")
        if not isinstance(event, str) or not _EVENT.fullmatch(event):
            raise Rejected(400, "not-json")
        return event

    def text(self, name: str, longest: int = LONGEST_TEXT) -> str:
        """Return a text of the request; Rejected if it is none or too long."""
        text = self.body.get(name)
        if not isinstance(text, str):
            raise Rejected(400, "not-json")
        if len(text) > longest:
            raise Rejected(413, "text-too-long", most=longest)
        return text

    def request(self, event: str, message: str | None = None) -> Request:
        """Return the request as the services know it; ids of events are told apart by who made them."""
        user = User(PLATFORM, self.speaker.user, self.speaker.name, self.language, manager=self.manager)
        return Request(f"{self.speaker.user}:{event}", user, PLACE, message, theme=theme_asked(self.body))
