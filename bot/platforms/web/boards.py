"""Boards for the page and the apps: pictures cached by digest, and thumbnails."""

import asyncio
import base64
import hashlib
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import partial
from typing import Any, Final, TypeGuard
from urllib.parse import urlencode

from aiohttp import web
from cachetools import LRUCache

from bot.kernel.cards import Picture
from bot.kernel.pictures import THEMES
from bot.kernel.presses import PATH_SEPARATOR, find_press, read_number, read_press
from bot.kernel.question_cards import PRIVATE_CHOICE, PUBLIC_CHOICE
from bot.kernel.requests import GameView, Reply, Request
from bot.kernel.texts import Speaker, strip_styles
from bot.platforms.app import Tavoliere
from bot.platforms.web.present import button_to_json, card_to_json, clocks_to_json, table_to_json
from bot.platforms.web.request_guard import Rejected, check_carried_out
from bot.platforms.web.room import card_presses
from engine import games
from render.animation import draw_thumbnail, recode_picture
from storage import Json

CACHE_BYTES: Final = 24 * 1024 * 1024
"""Maximum size of the picture cache; enough for about five hundred boards."""
WEBP: Final = "image/webp"
THUMBNAIL_PX: Final = 120
"""Width of a small picture, in pixels: the maximum width at which it is shown."""
_CODE_PATTERN: Final = re.compile(r"[0-9A-Z]{6}")
_PATH_PATTERN: Final = re.compile(r"[^\x00-\x1f]{1,64}")
_CELL: Final = re.compile(r"[a-z]{1,2}[0-9]{1,2}")
_MAX_PATH: Final = 64
_MAX_TURN_DIGITS: Final = 4


def digest_of(png: bytes) -> str:
    """Return the digest that identifies a picture."""
    return hashlib.sha256(png).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class BoardQuery:
    """A question about a board: the reader's Request, language and person, and the parameters that their page sent."""

    request: Request
    speaker: Speaker
    viewer: int
    asked: Mapping[str, Any]


class Boards:
    """Board views for readers, with a cache of their pictures."""

    def __init__(self, front: Tavoliere, *, inline: bool = False) -> None:
        """Create the views; `inline` embeds pictures in the response, for pages whose URLs cannot name a reader."""
        self._front = front
        self._inline = inline
        self._drawings: LRUCache[Hashable, bytes] = LRUCache(CACHE_BYTES, getsizeof=len)
        """The pictures recently announced to readers, by digest, and the small ones, by what they show."""

    async def view(self, query: BoardQuery) -> Json:
        """Return a game as JSON for the page: the query names it, and may have a `turn` or the `path` of a choice."""
        code, path, turn = read_view_request(query.asked)
        sight = await self._front.view_game(query.request, code, path=path, turn=turn)
        if isinstance(sight, Reply):
            raise Rejected(404, "no-such-game")
        return await self._to_json(query, sight, path)

    async def press(self, query: BoardQuery, press: str) -> Json | Reply:
        """Carry out a press and return the reply; for a choice that is not complete, the board with its next question.

        Raises Rejected if the press could not be carried out.
        """
        chosen = await self._next_question(query, press)
        if chosen is not None:
            return chosen
        reply = check_carried_out(await self._front.press(query.request, press))
        return await self._confirmation(query, press, reply) or reply

    async def _next_question(self, query: BoardQuery, press: str) -> Json | None:
        """Return the board with the next question after a press; None if the press is no choice or ends an action."""
        pressed = find_press(press)
        if pressed is None or pressed.deed not in (PUBLIC_CHOICE, PRIVATE_CHOICE) or not pressed.game:
            return None
        sight = await self._front.view_game(query.request, pressed.game, path=pressed.path)
        if isinstance(sight, Reply) or not sight.question:
            return None
        return await self._to_json(query, sight, pressed.path)

    async def _confirmation(self, query: BoardQuery, press: str, reply: Reply) -> Json | None:
        """Return the board that asks to confirm a press; None if the reply does not ask that.

        The picture does not change; a press on the same cell or on the button confirms.
        """
        yes, card = f"{PRIVATE_CHOICE}{press.removeprefix(PUBLIC_CHOICE)}", reply.card
        if not press.startswith(f"{PUBLIC_CHOICE}:") or card is None or yes not in card_presses(card_to_json(card)):
            return None
        pressed = read_press(press)
        path = pressed.path[:-1]
        sight = await self._front.view_game(query.request, pressed.game, path=path)
        if isinstance(sight, Reply):
            return None
        presses = {cell: yes if each == press else each for cell, each in sight.card.presses.items()}
        shown = replace(sight.card, text=card.text, rows=card.rows, presses=presses)
        return {**await self._to_json(query, replace(sight, card=shown), path), "path": len(path) + 1}

    async def picture(self, query: BoardQuery, digest: str) -> bytes:
        """Return a picture by digest, drawn again if not cached; Rejected if it has a different digest by now."""
        if digest not in self._drawings:
            # It may have been drawn by another process, or evicted.
            code, path, turn = read_view_request(query.asked)
            sight = await self._front.view_game(query.request, code, path=path, turn=turn)
            if isinstance(sight, GameView) and sight.card.picture is not None:
                self._remember(sight.card.picture.png)
        cached = self._drawings.get(digest)
        if cached is None:
            raise Rejected(404, "no-such-game")
        return cached

    async def glimpse(self, request: web.Request) -> web.Response:
        """Answer with the thumbnail of a game; Rejected if there is no such game, or no picture of it."""
        game, theme = request.match_info["game"], request.match_info["theme"]
        if game not in games or theme not in THEMES:
            raise Rejected(404, "no-such-game")
        shown = await self._shrunk((game, theme), partial(self._front.view_thumbnail, game, theme))
        # It is cached for a day only, since another version may draw it differently.
        return web.Response(body=shown, content_type=WEBP, headers={"Cache-Control": "private, max-age=86400"})

    async def puzzle(self, day: date, theme: str) -> bytes:
        """Return the small picture of the puzzle of a day; Rejected if there is none."""
        if theme not in THEMES:
            raise Rejected(404, "no-such-game")
        return await self._shrunk((day, theme), partial(self._front.view_puzzle, day, theme))

    async def small(self, query: BoardQuery) -> bytes:
        """Return the small picture of a game as a reader sees it; Rejected if there is no such game."""
        code, _, _ = read_view_request(query.asked)
        request, revision = query.request, str(query.asked.get("revision"))[:9]

        async def draw() -> Picture | None:
            sight = await self._front.view_game(request, code)
            return sight.card.picture if isinstance(sight, GameView) else None

        return await self._shrunk((query.viewer, code, revision, request.theme, request.user.language), draw)

    async def _shrunk(self, key: Hashable, draw: Callable[[], Awaitable[Picture | None]]) -> bytes:
        """Return the small version of a picture with a key, drawn if it is not cached; Rejected if there is none."""
        cached = self._drawings.get(key)
        if cached is None:
            drawn = await draw()
            if drawn is None:
                raise Rejected(404, "no-such-game")
            cached = self._drawings[key] = await asyncio.to_thread(draw_thumbnail, drawn.png, THUMBNAIL_PX)
        return cached

    def _remember(self, png: bytes) -> str:
        """Cache a picture; return its digest."""
        digest = digest_of(png)
        self._drawings[digest] = png
        return digest

    async def turns(self, query: BoardQuery) -> list[Json]:
        """Return the turns of a game, each as a short text."""
        code, _, _ = read_view_request(query.asked)
        return [asdict(each) for each in await self._front.list_turns(query.request, code)]

    async def explained(self, query: BoardQuery, card: Json | None) -> str:
        """Return why a cell of the requested board cannot be pressed; empty if no rule forbids it.

        `card` is that of a private board; the query has the cell, and on a game's board the path of the choice.
        """
        cell, at = query.asked.get("cell"), query.asked.get("at") or ""
        if not isinstance(cell, str) or not _CELL.fullmatch(cell) or not isinstance(at, str) or len(at) > _MAX_PATH:
            raise Rejected(404, "no-such-game")
        path = _path_of(card) if card is not None else tuple(at.split(PATH_SEPARATOR)) if at else ()
        return strip_styles(await self._front.explain_cell(query.request, cell, path))

    async def inline(self, png: bytes) -> str:
        """Return a data URL of a picture, in a shorter coding."""
        digest = digest_of(png)
        shown = self._drawings.get(digest)
        if shown is None:
            shown = self._drawings[digest] = await asyncio.to_thread(recode_picture, png)
        return data_url(shown, WEBP)

    async def _to_json(self, query: BoardQuery, sight: GameView, path: tuple[str, ...]) -> Json:
        request, speaker = query.request, query.speaker
        card, picture = card_to_json(sight.card), sight.card.picture
        table = table_to_json(card["table"], query.viewer, speaker)
        if picture is not None and self._inline:
            # Pictures that the page already has are not sent again.
            if card["picture"]["digest"] not in str(query.asked.get("seen")).split(","):
                card["picture"]["url"] = await self.inline(picture.png)
        elif picture is not None:
            again = {
                "as": request.user.id,
                "game": table["code"],
                "language": speaker.language,
                "theme": request.theme,
                "path": PATH_SEPARATOR.join(path) or None,
                "side": request.side,
                "turn": sight.turn,
            }
            known = urlencode({name: value for name, value in again.items() if value is not None})
            card["picture"]["url"] = f"/boards/{self._remember(picture.png)}.png?{known}"
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


def is_code(sent: object) -> TypeGuard[str]:
    """Return True if what a page sends is a game's code."""
    return isinstance(sent, str) and _CODE_PATTERN.fullmatch(sent) is not None


def read_view_request(asked: Mapping[str, Any]) -> tuple[str, tuple[str, ...], int | None]:
    """Return game code, path of the choice and turn of a request; Rejected if one is malformed."""
    code, path, turn = asked.get("game"), asked.get("path") or "", asked.get("turn")
    number = read_number(str(turn), _MAX_TURN_DIGITS)
    if not is_code(code) or not isinstance(path, str) or (path and not _PATH_PATTERN.fullmatch(path)):
        raise Rejected(404, "no-such-game")
    if turn is not None and number is None:
        raise Rejected(404, "no-such-game")
    return code, tuple(path.split(PATH_SEPARATOR)) if path else (), number


def read_theme(asked: Mapping[str, Any]) -> str | None:
    """Return the theme of the reader's screen; None if the request gives none."""
    theme = asked.get("theme")
    return theme if theme in THEMES else None


def read_side(asked: Mapping[str, Any]) -> int | None:
    """Return the side to which the reader has turned the board; None if there is none, or it is invalid."""
    return read_number(str(asked.get("side")), 1)


def data_url(content: bytes, kind: str) -> str:
    """Return a data URL with a file's content."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def picture_answer(content: bytes, kind: str = "image/png") -> web.Response:
    """Return a picture response that may be cached forever: the picture depends only on its address."""
    headers = {"Cache-Control": "private, max-age=31536000, immutable"}
    return web.Response(body=content, content_type=kind, headers=headers)
