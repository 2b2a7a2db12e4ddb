"""Boards for the page: pictures by digest, cached, and thumbnails."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlencode

from aiohttp import web
from cachetools import LRUCache

from bot.core.question_cards import PRIVATE_CHOICE, PUBLIC_CHOICE
from bot.interface.presses import PATH_SEPARATOR, BrokenPress, read_press
from bot.interface.requests import GameView, ReaderFront, Reply, Request
from bot.language.texts import Speaker, plain
from bot.pictures.artist import THEMES
from bot.web.present import Json, card_to_json, table_to_json
from bot.web.request_guard import Rejected
from bot.web.room_index import card_presses
from engine import games
from render.shrink import shrunk

CACHE_BYTES: Final = 24 * 1024 * 1024
"""Some five hundred boards."""


class DrawingCache:
    """The pictures that readers were told of lately, by the digest of their content.

    Another process may have made the picture that is asked for here, or it may be gone: it is drawn again then.
    """

    def __init__(self, most: int = CACHE_BYTES) -> None:
        self._cache: LRUCache[str, bytes] = LRUCache(most, getsizeof=len)

    def put(self, png: bytes) -> str:
        """Keep a picture and return its digest; one larger than all that may be kept is not."""
        digest = hashlib.sha256(png).hexdigest()[:32]
        if len(png) <= self._cache.maxsize:
            self._cache[digest] = png
        return digest

    def get(self, digest: str) -> bytes | None:
        """Return the picture with a digest, None if it is not here."""
        return self._cache.get(digest)


THUMBNAIL_PX: Final = 360
"""How wide the picture of a game is for those who do not know it."""

_CODE_PATTERN: Final = re.compile(r"[0-9A-Z]{6}")
_NUMBER_PATTERN: Final = re.compile(r"[0-9]{1,4}")
_PATH_PATTERN: Final = re.compile(r"[^\x00-\x1f]{1,64}")
_CELL: Final = re.compile(r"[a-z]{1,2}[0-9]{1,2}")
_MAX_PATH: Final = 64


class Boards:
    """Looks at games for readers, and keeps the pictures for as long as they are asked for."""

    def __init__(self, front: ReaderFront, *, inline: bool = False) -> None:
        """Prepare; `inline` pictures stand in the answer itself, for pages whose pictures can say nobody's name."""
        self._front = front
        self._inline = inline
        self._drawings = DrawingCache()
        self._glimpses: dict[tuple[str, str], str] = {}

    async def view(self, request: Request, speaker: Speaker, viewer: int, asked: Json) -> Json:
        """Return a game as the page draws it: `asked` names it, and perhaps a `turn` or the `path` of a choice."""
        code, path, turn = read_view_request(asked)
        theme = read_theme(asked)
        sight = await self._front.view_game(request, code, path=path, turn=turn, theme=theme)
        if isinstance(sight, Reply):
            raise Rejected(404, "no-such-game")
        return self._to_json(sight, speaker, viewer, request.user.id, path, theme)

    async def next_question(
        self, request: Request, speaker: Speaker, viewer: int, press: str, asked: Json
    ) -> Json | None:
        """Return what is asked next after a press on a board; None where it settles an action, or is something else."""
        try:
            pressed = read_press(press)
        except BrokenPress:
            return None
        if pressed.deed not in (PUBLIC_CHOICE, PRIVATE_CHOICE) or pressed.game is None:
            return None
        theme = read_theme(asked)
        sight = await self._front.view_game(request, pressed.game, path=pressed.path, theme=theme)
        if isinstance(sight, Reply) or not sight.question:
            return None
        return self._to_json(sight, speaker, viewer, request.user.id, pressed.path, theme)

    async def confirmation(
        self, request: Request, speaker: Speaker, viewer: int, press: str, reply: Reply, asked: Json
    ) -> Json | None:
        """Return the board that asks whether a press is meant, where that is the answer to it; None for any other.

        The picture stays; the same cell pressed again, or the button, says yes.
        """
        yes = f"{PRIVATE_CHOICE}{press.removeprefix(PUBLIC_CHOICE)}"
        card = None if reply.card is None else card_to_json(reply.card)
        if not press.startswith(f"{PUBLIC_CHOICE}:") or card is None or yes not in card_presses(card):
            return None
        pressed = read_press(press)
        theme, path = read_theme(asked), pressed.path[:-1]
        sight = await self._front.view_game(request, pressed.game or "", path=path, theme=theme)
        if isinstance(sight, Reply):
            return None
        cells = [cell for cell, each in sight.card.presses.items() if each == press]
        shown = replace(
            sight.card, text=reply.card.text if reply.card else (), rows=reply.card.rows if reply.card else ()
        )
        sight = replace(sight, card=replace(shown, presses={**shown.presses, **dict.fromkeys(cells, yes)}))
        return {**self._to_json(sight, speaker, viewer, request.user.id, path, theme), "path": len(path) + 1}

    async def picture(self, request: Request, digest: str, asked: Json) -> bytes:
        """Return a picture by its digest; drawn again if it is not kept here. Rejected if it looks otherwise by now."""
        cached = self._drawings.get(digest)
        if cached is None:
            code, path, turn = read_view_request(asked)
            sight = await self._front.view_game(request, code, path=path, turn=turn, theme=read_theme(asked))
            if isinstance(sight, GameView) and sight.card.picture is not None:
                self._drawings.put(sight.card.picture.png)
            cached = self._drawings.get(digest)
        if cached is None:
            raise Rejected(404, "no-such-game")
        return cached

    def keep(self, png: bytes) -> str:
        """Keep a picture for a while and return its digest."""
        return self._drawings.put(png)

    async def thumbnail(self, game: str, theme: str) -> bytes:
        """Return what a game looks like, small; Rejected where there is no such, or no picture."""
        digest = self._glimpses.get((game, theme))
        cached = self._drawings.get(digest) if digest is not None else None
        if cached is None:
            drawn = await self._front.view_thumbnail(game, theme, None) if game in games and theme in THEMES else None
            if drawn is None:
                raise Rejected(404, "no-such-game")
            cached = await asyncio.to_thread(shrunk, drawn.png, THUMBNAIL_PX)
            self._glimpses[game, theme] = self._drawings.put(cached)
        return cached

    async def turns(self, request: Request, asked: Json) -> list[Json]:
        """Return the turns of a game, in few words each."""
        code, _, _ = read_view_request(asked)
        return [{"seat": each.seat, "text": each.text} for each in await self._front.list_turns(request, code)]

    async def explained(self, request: Request, card: Json | None, asked: Json) -> str:
        """Return why a cell of the board that a request is made at cannot be pressed, empty where no rule forbids it.

        `card` is that of a private board; `asked` has the cell, and on a game's board the path of the choice.
        """
        cell, at = asked.get("cell"), asked.get("at") or ""
        if not isinstance(cell, str) or not _CELL.fullmatch(cell) or not isinstance(at, str) or len(at) > _MAX_PATH:
            raise Rejected(404, "no-such-game")
        path = _path_of(card) if card is not None else tuple(at.split(PATH_SEPARATOR)) if at else ()
        return plain(await self._front.explain_cell(request, cell, path))

    def _to_json(
        self, sight: GameView, speaker: Speaker, viewer: int, user: str, path: tuple[str, ...], theme: str | None
    ) -> Json:
        card, picture = card_to_json(sight.card), sight.card.picture
        table = table_to_json(card["table"], viewer, speaker)
        if picture is not None and self._inline:
            card["picture"] = {**card["picture"], "url": data_url(picture.png, "image/png")}
        elif picture is not None:
            again = {"as": user, "game": table["code"], "language": speaker.language}
            if theme is not None:
                again["theme"] = theme
            if path:
                again["path"] = PATH_SEPARATOR.join(path)
            if sight.turn is not None:
                again["turn"] = str(sight.turn)
            url = f"/boards/{self._drawings.put(picture.png)}.png?{urlencode(again)}"
            card["picture"] = {**card["picture"], "url": url}
        shown = {name: card[name] for name in ("text", "picture", "presses", "rows", "calls")}
        return {
            "card": shown,
            "table": table,
            "steps": [list(step) for step in sight.steps],
            "turns": sight.turns,
            "turn": sight.turn,
            "path": len(path),
            "at": PATH_SEPARATOR.join(path),
            "asks": sight.question,
        }


def _path_of(card: Json) -> tuple[str, ...]:
    """Return the answers that have led to what a kept card asks: what stands before the last one in most presses."""
    found: Counter[tuple[str, ...]] = Counter()
    for text in card["presses"].values():
        with suppress(BrokenPress):
            found[read_press(text).path[:-1]] += 1
    return found.most_common(1)[0][0] if found else ()


def read_view_request(asked: Json) -> tuple[str, tuple[str, ...], int | None]:
    """Return which game is asked for, the path of a choice and the turn; Rejected where they are none."""
    code, path, turn = asked.get("game"), asked.get("path") or "", asked.get("turn")
    if not isinstance(code, str) or not _CODE_PATTERN.fullmatch(code) or not isinstance(path, str):
        raise Rejected(404, "no-such-game")
    if path and not _PATH_PATTERN.fullmatch(path):
        raise Rejected(404, "no-such-game")
    if turn is not None and not _NUMBER_PATTERN.fullmatch(str(turn)):
        raise Rejected(404, "no-such-game")
    return code, tuple(path.split(PATH_SEPARATOR)) if path else (), None if turn is None else int(turn)


def read_theme(asked: Mapping[str, Any]) -> str | None:
    """Return the theme of the reader's screen, None if nothing is said of it."""
    theme = asked.get("theme")
    return theme if theme in THEMES else None


def data_url(content: bytes, kind: str) -> str:
    """Return an address that holds a file itself."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def png_answer(png: bytes) -> web.Response:
    """Return a picture whose address holds its digest: what is kept under it never changes."""
    headers = {"Cache-Control": "private, max-age=31536000, immutable"}
    return web.Response(body=png, content_type="image/png", headers=headers)
