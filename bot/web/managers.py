"""Who manages the room: the browsers in which the page was opened through the manager's link.

Each of them keeps a mark that is made of the secret and of the browser's own, so a new secret ends all of them.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from typing import Final

from aiohttp import web

from bot.web.request_guard import Rejected
from bot.web.sessions import BrowserSession, keep_cookie, session_of

MANAGER_COOKIE: Final = "tavoliere-manager"
"""The cookie with a browser's mark."""

Secret = Callable[[], str | None]
"""Returns the secret of the manager's link as it is now; None where nobody can be the manager."""


def no_secret() -> None:
    """Stand for the secret of a page that has no manager."""


class Managers:
    """Knows the browsers that manage the room, and lets new ones in."""

    def __init__(self, secret: Secret) -> None:
        self._secret = secret

    def is_manager(self, request: web.Request) -> bool:
        """Say whether a request comes from a browser that manages the room."""
        mark, session = request.cookies.get(MANAGER_COOKIE), session_of(request)
        secret = self._secret() if mark and session is not None else None
        if mark is None or session is None or secret is None:
            return False
        return _is_same_text(mark, _mark(secret, session))

    def renew_cookie(self, request: web.Request, response: web.Response, *, encrypted: bool) -> None:
        """Have a browser that manages the room keep its mark for as long again."""
        if self.is_manager(request):
            keep_cookie(response, MANAGER_COOKIE, request.cookies[MANAGER_COOKIE], encrypted=encrypted)

    def admit(self, session: BrowserSession, given: object) -> str:
        """Return the mark of a browser that has the right secret; Rejected with a wrong one.

        Tries are not counted: nobody guesses 256 bits, and many visitors come from one address through a proxy, where
        one of them must not keep the manager out.
        """
        secret = self._secret()
        if secret is None or not isinstance(given, str) or not _is_same_text(given, secret):
            raise Rejected(403, "old-link")
        return _mark(secret, session)


def _mark(secret: str, session: BrowserSession) -> str:
    return hmac.new(secret.encode(), f"manager:{session.token}".encode(), hashlib.sha256).hexdigest()


def _is_same_text(one: str, other: str) -> bool:
    """Say whether two texts are the same, in a time that tells nothing of where they differ."""
    return hmac.compare_digest(one.encode(errors="replace"), other.encode(errors="replace"))
