"""Boards for the page: pictures cached by digest, and thumbnails."""

import asyncio
import base64
import hashlib
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any, Final
from urllib.parse import urlencode

from aiohttp import web
from cachetools import LRUCache

from bot.kernel.cards import Picture
from bot.kernel.pictures import THEMES
from bot.kernel.presses import PATH_SEPARATOR, find_press, read_press
from bot.kernel.question_cards import PRIVATE_CHOICE, PUBLIC_CHOICE
from bot.kernel.requests import GameView, Reply, Request
from bot.kernel.texts import Speaker, strip_styles
from bot.platforms.web.assets import PageFront
from bot.platforms.web.present import Json, button_to_json, card_to_json, clocks_to_json, table_to_json
from bot.platforms.web.request_guard import Rejected
from bot.platforms.web.room import card_presses
from engine import games
from render.animation import draw_thumbnail, recode_picture

CACHE_BYTES: Final = 24 * 1024 * 1024
"""Maximum size of the picture cache; enough for about five hundred boards."""


class DrawingCache:
    """LRU cache of the pictures recently announced to readers, by digest.

    A requested picture may have been drawn by another process, or evicted; it is then drawn again.
    """

    def __init__(self, most: int = CACHE_BYTES) -> None:
        self._cache: LRUCache[str, bytes] = LRUCache(most, getsizeof=len)

    def put(self, png: bytes, shown: bytes | None = None) -> str:
        """Store a picture, or `shown` in its place, and return the picture's digest; too large ones are not stored."""
        digest = digest_of(png)
        shown = png if shown is None else shown
        if len(shown) <= self._cache.maxsize:
            self._cache[digest] = shown
        return digest

    def get(self, digest: str) -> bytes | None:
        """Return the picture with a digest; None if it is not cached."""
        return self._cache.get(digest)


def digest_of(png: bytes) -> str:
    """Return the digest that identifies a picture."""
    return hashlib.sha256(png).hexdigest()[:32]


WEBP: Final = "image/webp"
THUMBNAIL_PX: Final = 120
"""Width of a small picture, in pixels: the maximum width at which it is shown."""
MAX_SMALL_PICTURES: Final = 2000
"""Maximum number of small pictures whose digests are remembered."""

_CODE_PATTERN: Final = re.compile(r"[0-9A-Z]{6}")
_NUMBER_PATTERN: Final = re.compile(r"[0-9]{1,4}")
_SEAT_PATTERN: Final = re.compile(r"[0-9]")
_PATH_PATTERN: Final = re.compile(r"[^\x00-\x1f]{1,64}")
_CELL: Final = re.compile(r"[a-z]{1,2}[0-9]{1,2}")
_MAX_PATH: Final = 64


class Boards:
    """Board views for readers, with a cache of their pictures."""

    def __init__(self, front: PageFront, *, inline: bool = False) -> None:
        """Create the views; `inline` embeds pictures in the response, for pages whose URLs cannot name a reader."""
        self._front = front
        self._inline = inline
        self._drawings = DrawingCache()
        self._small_digests: LRUCache[Hashable, str] = LRUCache(MAX_SMALL_PICTURES)

    async def view(self, request: Request, speaker: Speaker, viewer: int, asked: Json) -> Json:
        """Return a game as JSON for the page: `asked` names it, and may have a `turn` or the `path` of a choice."""
        code, path, turn = read_view_request(asked)
        request, theme = turn_to_side(request, asked), read_theme(asked)
        sight = await self._front.view_game(request, code, path=path, turn=turn, theme=theme)
        if isinstance(sight, Reply):
            raise Rejected(404, "no-such-game")
        return await self._to_json(sight, speaker, viewer, request, path, asked)

    async def next_question(
        self, request: Request, speaker: Speaker, viewer: int, press: str, asked: Json
    ) -> Json | None:
        """Return the board with the next question after a press; None if the press is no choice or ends an action."""
        pressed = find_press(press)
        if pressed is None or pressed.deed not in (PUBLIC_CHOICE, PRIVATE_CHOICE) or pressed.game is None:
            return None
        request, theme = turn_to_side(request, asked), read_theme(asked)
        sight = await self._front.view_game(request, pressed.game, path=pressed.path, theme=theme)
        if isinstance(sight, Reply) or not sight.question:
            return None
        return await self._to_json(sight, speaker, viewer, request, pressed.path, asked)

    async def confirmation(
        self, request: Request, speaker: Speaker, viewer: int, press: str, reply: Reply, asked: Json
    ) -> Json | None:
        """Return the board that asks to confirm a press; None if the reply does not ask that.

        The picture does not change; a press on the same cell or on the button confirms.
        """
        yes = f"{PRIVATE_CHOICE}{press.removeprefix(PUBLIC_CHOICE)}"
        card = None if reply.card is None else card_to_json(reply.card)
        if not press.startswith(f"{PUBLIC_CHOICE}:") or card is None or yes not in card_presses(card):
            return None
        pressed = read_press(press)
        request, theme, path = turn_to_side(request, asked), read_theme(asked), pressed.path[:-1]
        sight = await self._front.view_game(request, pressed.game or "", path=path, theme=theme)
        if isinstance(sight, Reply):
            return None
        cells = [cell for cell, each in sight.card.presses.items() if each == press]
        shown = replace(
            sight.card, text=reply.card.text if reply.card else (), rows=reply.card.rows if reply.card else ()
        )
        sight = replace(sight, card=replace(shown, presses={**shown.presses, **dict.fromkeys(cells, yes)}))
        return {**await self._to_json(sight, speaker, viewer, request, path, asked), "path": len(path) + 1}

    async def picture(self, request: Request, digest: str, asked: Json) -> bytes:
        """Return a picture by digest, drawn again if not cached; Rejected if it has a different digest by now."""
        cached = self._drawings.get(digest)
        if cached is None:
            code, path, turn = read_view_request(asked)
            request = turn_to_side(request, asked)
            sight = await self._front.view_game(request, code, path=path, turn=turn, theme=read_theme(asked))
            if isinstance(sight, GameView) and sight.card.picture is not None:
                self._drawings.put(sight.card.picture.png)
            cached = self._drawings.get(digest)
        if cached is None:
            raise Rejected(404, "no-such-game")
        return cached

    async def thumbnail(self, game: str, theme: str) -> bytes:
        """Return the thumbnail of a game; Rejected if there is no such game, or no picture of it."""

        async def draw() -> Picture | None:
            known = game in games and theme in THEMES
            return await self._front.view_thumbnail(game, theme, None) if known else None

        return await self._shrunk((game, theme), draw)

    async def puzzle(self, day: date, theme: str) -> bytes:
        """Return the small picture of the puzzle of a day; Rejected if there is none."""

        async def draw() -> Picture | None:
            return await self._front.view_puzzle(day, theme) if theme in THEMES else None

        return await self._shrunk((day, theme), draw)

    async def small(self, request: Request, viewer: int, asked: Json) -> bytes:
        """Return the small picture of a game as a reader sees it; Rejected if there is no such game."""
        code, _, _ = read_view_request(asked)
        theme, revision = read_theme(asked), str(asked.get("revision"))[:9]

        async def draw() -> Picture | None:
            sight = await self._front.view_game(request, code, theme=theme)
            return sight.card.picture if isinstance(sight, GameView) else None

        return await self._shrunk((viewer, code, revision, theme, request.user.language), draw)

    async def _shrunk(self, key: Hashable, draw: Callable[[], Awaitable[Picture | None]]) -> bytes:
        """Return the small version of a picture with a key, drawn if it is not cached; Rejected if there is none."""
        digest = self._small_digests.get(key)
        cached = self._drawings.get(digest) if digest is not None else None
        if cached is None:
            drawn = await draw()
            if drawn is None:
                raise Rejected(404, "no-such-game")
            cached = await asyncio.to_thread(draw_thumbnail, drawn.png, THUMBNAIL_PX)
            self._small_digests[key] = self._drawings.put(cached)
        return cached

    async def turns(self, request: Request, asked: Json) -> list[Json]:
        """Return the turns of a game, each as a short text."""
        code, _, _ = read_view_request(asked)
        listed = await self._front.list_turns(request, code)
        return [{"seat": each.seat, "text": each.text, "words": each.words} for each in listed]

    async def explained(self, request: Request, card: Json | None, asked: Json) -> str:
        """Return why a cell of the requested board cannot be pressed; empty if no rule forbids it.

        `card` is that of a private board; `asked` has the cell, and on a game's board the path of the choice.
        """
        cell, at = asked.get("cell"), asked.get("at") or ""
        if not isinstance(cell, str) or not _CELL.fullmatch(cell) or not isinstance(at, str) or len(at) > _MAX_PATH:
            raise Rejected(404, "no-such-game")
        path = _path_of(card) if card is not None else tuple(at.split(PATH_SEPARATOR)) if at else ()
        return strip_styles(await self._front.explain_cell(request, cell, path))

    async def inline(self, png: bytes) -> str:
        """Return a data URL of a picture, in a shorter coding."""
        shown = self._drawings.get(digest_of(png))
        if shown is None:
            shown = await asyncio.to_thread(recode_picture, png)
            self._drawings.put(png, shown)
        return data_url(shown, WEBP)

    async def _to_json(
        self,
        sight: GameView,
        speaker: Speaker,
        viewer: int,
        request: Request,
        path: tuple[str, ...],
        asked: Json,
    ) -> Json:
        card, picture, theme = card_to_json(sight.card), sight.card.picture, read_theme(asked)
        table = table_to_json(card["table"], viewer, speaker)
        if picture is not None and self._inline:
            # Pictures that the page already has are not sent again.
            if card["picture"]["digest"] not in str(asked.get("seen")).split(","):
                card["picture"]["url"] = await self.inline(picture.png)
        elif picture is not None:
            again = {"as": request.user.id, "game": table["code"], "language": speaker.language}
            if theme is not None:
                again["theme"] = theme
            if path:
                again["path"] = PATH_SEPARATOR.join(path)
            if request.side is not None:
                again["side"] = str(request.side)
            if sight.turn is not None:
                again["turn"] = str(sight.turn)
            url = f"/boards/{self._drawings.put(picture.png)}.png?{urlencode(again)}"
            card["picture"] = {**card["picture"], "url": url}
        if sight.clocks is not None and sight.clocks.absences:
            table["away"] = sight.clocks.absences
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
            "dice": [list(each) for each in sight.dice],
            "clocks": None if sight.clocks is None else clocks_to_json(sight.clocks),
            "tools": [button_to_json(each) for each in sight.tools],
        }


def _path_of(card: Json) -> tuple[str, ...]:
    """Return the answers so far to a stored card's choice: the most common path prefix of its presses."""
    found: Counter[tuple[str, ...]] = Counter()
    for text in card["presses"].values():
        if (pressed := find_press(text)) is not None:
            found[pressed.path[:-1]] += 1
    return found.most_common(1)[0][0] if found else ()


def read_view_request(asked: Json) -> tuple[str, tuple[str, ...], int | None]:
    """Return game code, path of the choice and turn of a request; Rejected if one is malformed."""
    code, path, turn = asked.get("game"), asked.get("path") or "", asked.get("turn")
    if not isinstance(code, str) or not _CODE_PATTERN.fullmatch(code) or not isinstance(path, str):
        raise Rejected(404, "no-such-game")
    if path and not _PATH_PATTERN.fullmatch(path):
        raise Rejected(404, "no-such-game")
    if turn is not None and not _NUMBER_PATTERN.fullmatch(str(turn)):
        raise Rejected(404, "no-such-game")
    return code, tuple(path.split(PATH_SEPARATOR)) if path else (), None if turn is None else int(turn)


def read_theme(asked: Mapping[str, Any]) -> str | None:
    """Return the theme of the reader's screen; None if the request gives none."""
    theme = asked.get("theme")
    return theme if theme in THEMES else None


def turn_to_side(request: Request, asked: Mapping[str, Any]) -> Request:
    """Return a request with the side to which the reader has turned the board, if any; invalid sides are ignored."""
    side = str(asked.get("side"))
    return replace(request, side=int(side) if _SEAT_PATTERN.fullmatch(side) else None)


def data_url(content: bytes, kind: str) -> str:
    """Return a data URL with a file's content."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def picture_answer(content: bytes, kind: str = "image/png") -> web.Response:
    """Return a picture response that may be cached forever: the picture depends only on its address."""
    headers = {"Cache-Control": "private, max-age=31536000, immutable"}
    return web.Response(body=content, content_type=kind, headers=headers)


def thumbnail_answer(webp: bytes) -> web.Response:
    """Return a thumbnail response, cached for a day only, since another version may draw it differently."""
    return web.Response(body=webp, content_type=WEBP, headers={"Cache-Control": "private, max-age=86400"})
