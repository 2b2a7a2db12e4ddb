"""Responses to public requests: ETags, caching headers, and errors."""

import hashlib
from collections.abc import Mapping
from typing import Final

from aiohttp import web

from bot.language.texts import Texts

REVALIDATE: Final = "no-cache"
"""Caches may store the response but must revalidate it each time, because pages can be withdrawn."""
WITHDRAWN: Final = "no-store"


class NothingToShow(Exception):
    """Nothing can be shown; `code` says why: unknown, gone, busy, limited, wrong."""

    STATUS: Final[Mapping[str, int]] = {"unknown": 404, "gone": 410, "busy": 503, "limited": 429, "wrong": 400}

    def __init__(self, code: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.headers = dict(headers or {})

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.STATUS[self.code]


def choose_language(request: web.Request, texts: Texts, usual: str) -> str:
    """Return the language of a response: the requested one, or the browser's first supported one."""
    wanted = texts.supported(request.query.get("lang"))
    if wanted is not None:
        return wanted
    accepted = [each.partition(";")[0].strip() for each in request.headers.get("Accept-Language", "").split(",")]
    return next((known for each in accepted if (known := texts.supported(each)) is not None), usual)


def answer(
    request: web.Request,
    data: bytes,
    content_type: str,
    *,
    tag: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """Return the response, or a 304 if the client has the current version."""
    tag = tag or hashlib.sha256(data).hexdigest()[:24]
    about = {"ETag": f'"{tag}"', "Cache-Control": REVALIDATE, **(headers or {})}
    known = request.headers.get("If-None-Match", "")
    if known.strip() == "*" or f'"{tag}"' in known:
        return web.Response(status=304, headers=about)
    charset = "utf-8" if content_type.startswith("text/") else None
    return web.Response(body=data, content_type=content_type, charset=charset, headers=about)
