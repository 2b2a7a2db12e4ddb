"""Managers of the room: the browsers in which the page was opened through the manager's link.

Each keeps a mark made from the secret and from its own token, so a new secret invalidates all marks.
"""

import hashlib
import hmac
from collections.abc import Callable
from typing import Final

from aiohttp import web

from bot.web.request_guard import Rejected
from bot.web.sessions import BrowserSession, keep_cookie, session_of

MANAGER_COOKIE: Final = "tavoliere-manager"
"""Name of the cookie with a browser's mark."""

Secret = Callable[[], str | None]
"""Callback that returns the current secret of the manager's link; None if there can be no manager."""


def without_secret() -> None:
    """Return None, as the secret of a page without a manager."""


class Managers:
    """Check and admission of managers' browsers."""

    def __init__(self, secret: Secret) -> None:
        self._secret = secret

    def is_manager(self, request: web.Request) -> bool:
        """True if a request comes from a manager's browser."""
        mark, session = request.cookies.get(MANAGER_COOKIE), session_of(request)
        secret = self._secret() if mark and session is not None else None
        if mark is None or session is None or secret is None:
            return False
        return _is_same_text(mark, _mark(secret, session))

    def renew_cookie(self, request: web.Request, response: web.Response, *, encrypted: bool) -> None:
        """Renew the manager cookie's lifetime if the browser is a manager's."""
        if self.is_manager(request):
            keep_cookie(response, MANAGER_COOKIE, request.cookies[MANAGER_COOKIE], encrypted=encrypted)

    def admit(self, session: BrowserSession, given: object) -> str:
        """Return the mark of a browser that gives the right secret; Rejected with a wrong one.

        Attempts are not limited: 256 bits cannot be guessed, and many visitors share one address behind a proxy, where
        one
        of them must not lock the manager out.
        """
        secret = self._secret()
        if secret is None or not isinstance(given, str) or not _is_same_text(given, secret):
            raise Rejected(403, "old-link")
        return _mark(secret, session)


def _mark(secret: str, session: BrowserSession) -> str:
    return hmac.new(secret.encode(), f"manager:{session.token}".encode(), hashlib.sha256).hexdigest()


def _is_same_text(one: str, other: str) -> bool:
    """Compare two texts in constant time."""
    return hmac.compare_digest(one.encode(errors="replace"), other.encode(errors="replace"))
