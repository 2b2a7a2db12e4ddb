"""Rendering and caching shared by all pages except those of games."""

from collections.abc import Awaitable, Callable
from typing import Any

from bot.core.context import Context
from bot.language.texts import Speaker
from bot.public.consent import Consent
from bot.public.pages import BOARD_SIZE, PAGE_LIFETIME_SECONDS
from bot.public.play_links import list_play_links
from bot.public.shared_answers import SharedAnswers
from bot.public.templating import render


class PageMaker:
    """Renders pages, each once for all current readers."""

    def __init__(self, context: Context, consent: Consent) -> None:
        self._context = context
        self._consent = consent
        self._pages = SharedAnswers(PAGE_LIFETIME_SECONDS)

    async def cached_page(self, key: tuple[str, ...], make: Callable[[], Awaitable[bytes]]) -> bytes:
        """Return a cached page, or make it if it is old or what may be shown has changed."""
        if not self._consent.is_current:
            return await make()
        return await self._pages.get((*key, self._consent.changes), make)

    def render(self, template: str, speaker: Speaker, path: str, title: str, about: str, **values: Any) -> bytes:
        """Return a page from its template."""
        head = {
            "title": f"{title} · Tavoliere",
            "description": about,
            "robots": "noarchive",
            "address": self._context.web_address,
            "path": path,
            "query": "",
            "preview": None,
            "preview_alt": "",
            "size": BOARD_SIZE,
            "play_links": list_play_links(self._context, speaker),
        }
        return render(template, speaker, **head | values)
