"""HTTP API of the page: handlers decode requests, identify the speaker, call the application and encode the reply."""

import math
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, Final
from urllib.parse import quote

from aiohttp import web
from cachetools import LRUCache

from bot.kernel.commandline import is_command_line
from bot.kernel.operations.limits import MAX_CONNECTIONS_PER_ADDRESS, HourlyRateLimiter, is_websocket, limits_for
from bot.kernel.operations.listening import TOO_MANY_CLOSE_CODE, StreamHub, TooManyStreams
from bot.kernel.operations.process import read_version
from bot.kernel.presses import press, private_board, read_number
from bot.kernel.question_cards import PRIVATE_CHOICE
from bot.kernel.requests import Reply
from bot.people.help.commands import menu_buttons
from bot.platforms.app import Tavoliere
from bot.platforms.web.assets import Assets, PageWords
from bot.platforms.web.boards import WEBP, Boards, picture_answer
from bot.platforms.web.completing import Completer
from bot.platforms.web.live import BroadcastHub, LiveFeed
from bot.platforms.web.lobby import read_day
from bot.platforms.web.new_games import (
    PageRequest,
    choices_to_json,
    games_to_json,
    invitation_to_json,
    read_opened,
)
from bot.platforms.web.plain_sheet import PlainSheet
from bot.platforms.web.present import (
    card_to_json,
    find_stored_part,
    message_to_json,
    name_to_json,
    quote_to_json,
)
from bot.platforms.web.request_guard import ClientAddresses, Rejected, check_carried_out, json_route, read_body
from bot.platforms.web.room import ChatRoom, card_presses
from bot.platforms.web.sessions import (
    COOKIE_LIFETIME_SECONDS,
    COOKIE_NAME,
    MANAGER_COOKIE,
    Managers,
    Names,
    new_session,
    session_of,
)
from render.pool import SharedResults
from storage import Ban, Identity, Json, News, RoomMessage, Store
from storage.addresses import make_plain
from storage.places import BAN, KICK, MUTE


class AccessControl:
    """Bans, kicks and mutes of the room, shared until the store reports a change."""

    def __init__(self, store: Store, room: ChatRoom, managers: Managers) -> None:
        self._store = store
        self._room = room
        self._managers = managers
        self._bans = SharedResults[list[Ban]](LRUCache(1))
        self._changes = 0
        store.add_listener(self._on_store_change, {"bans", "people"})

    def _on_store_change(self, _: News) -> None:
        self._changes += 1

    async def check_admitted(self, request: web.Request, *people: int) -> None:
        """Raise Rejected if a browser, or one of some people in it, is banned or kicked."""
        if (refused := await self.find_refusal(request, *people)) is not None:
            raise refused

    async def find_refusal(
        self, request: web.Request, *people: int, kinds: Sequence[str] = (BAN, KICK)
    ) -> Rejected | None:
        """Return the refusal for a browser or for one of the people in it; None if no ban of these kinds applies."""
        if self._managers.is_manager(request):
            return None
        now, session = self._room.clock(), session_of(request)
        known = await self._bans.get(self._changes, self._read_bans)
        browsers = () if session is None else (session.id_prefix,)
        for kind in kinds:
            for bar in known:
                if bar.kind != kind or not any(bar.holds_for(person, browsers) for person in (None, *people)):
                    continue
                if bar.until is None:
                    return Rejected(403, kind)
                if bar.until > now:
                    return Rejected(403, kind, minutes=math.ceil((bar.until - now) / timedelta(minutes=1)))
        return None

    async def _read_bans(self) -> list[Ban]:
        return await self._store.bans.list_in_place((await self._room.place()).id, self._room.clock())


LINES_PER_MINUTE: Final = 20
LINES_PER_HOUR: Final = 300


class TalkPace:
    """Rate limiter of chat lines, per browser and per person."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Create the limiter; `clock` returns monotonic seconds."""
        self._limits = (
            HourlyRateLimiter(LINES_PER_MINUTE, clock, timedelta(minutes=1)),
            HourlyRateLimiter(LINES_PER_HOUR, clock),
        )

    def take(self, *speakers: Hashable) -> None:
        """Count a line for each speaker; if one of them has reached a limit, raise Rejected and count none."""
        seconds = max(limit.wait_seconds(speaker) for limit in self._limits for speaker in speakers)
        if seconds:
            raise Rejected(429, "too-much-talk", seconds=seconds)
        for limit in self._limits:
            for speaker in speakers:
                limit.record(speaker)


MAX_STREAMS_PER_BROWSER: Final = 32
"""Maximum number of streams per browser, one per tab."""
_MOVE_PATTERN: Final = re.compile(r"\w{1,12}|(?=.*\d).{1,80}")
"""Pattern of chat lines that may be moves; other lines are not passed to the games."""


class Api:
    """Request handlers of the page."""

    def __init__(
        self,
        front: Tavoliere,
        room: ChatRoom,
        assets: Assets,
        managers: Managers,
        callers: ClientAddresses,
        newcomers_per_hour: int,
    ) -> None:
        store = front.context.store
        self._front = front
        self._store = store
        self._editions = BroadcastHub(front, room)
        self.streams = StreamHub()
        self._room = room
        self._assets = assets
        self._managers = managers
        self._callers = callers
        self._names = Names(store, room.clock.monotonic, newcomers_per_hour)
        self._words = PageWords(front.context.texts)
        self._completer = Completer(front, room)
        self._boards = Boards(front)
        self._access = AccessControl(store, room, managers)
        self._talk_pace = TalkPace(room.clock.monotonic)
        self._plain = PlainSheet(front, room, self._words, self._viewers, self._parse)

    def routes(self) -> list[web.RouteDef]:
        """Return the routes and their handlers."""
        reading, acting = partial(json_route, "GET", self._parse), partial(json_route, "POST", self._parse)
        return [
            *self._plain.routes(),
            web.get("/api/hello", self.hello),
            web.post("/api/names", self.add_name),
            web.post("/api/manage", self.manage),
            acting("/api/key", self.key),
            web.post("/api/return", self.come_back),
            web.get("/api/live", self.live),
            reading("/api/messages", self.messages),
            reading("/api/words", self.words),
            acting("/api/say", self.say),
            acting("/api/press", self.press),
            acting("/api/form", self.fill),
            acting("/api/begin", self.begin),
            acting("/api/dismiss", self.dismiss),
            acting("/api/complete", self.complete),
            web.get("/pictures/{message}/{digest}.{kind:png|gif}", self.picture),
            web.get("/files/{message}/{name}", self.file),
            reading("/api/board", self.board),
            reading("/api/turns", self.turns),
            acting("/api/cell", self.cell),
            web.get("/glimpses/{game}-{theme:[a-z]+}.webp", self._boards.glimpse),
            web.get("/puzzles/{day}-{theme:[a-z]+}.webp", self.puzzle),
            web.get("/small/{game}.webp", self.small),
            web.get("/boards/{digest:[0-9a-f]{32}}.png", self.drawing),
        ]

    async def hello(self, request: web.Request) -> web.Response:
        """Answer a starting page with the names of this browser, and with the page's texts."""
        session, reader = session_of(request), self._words.speaker(request.query.get("language"))
        names = await self._names.names_in(session)
        out = await self._access.find_refusal(request)
        response = web.json_response(
            {
                "names": [name_to_json(name) for name in names],
                "language": reader.language,
                "languages": self._words.languages,
                "words": self._words.for_language(reader.language),
                "games": games_to_json(reader),
                "choices": choices_to_json(reader),
                "commands": self._completer.command_names(reader),
                "menu": [[each.label, each.press] for each in menu_buttons(reader)],
                "version": self._assets.version,
                "release": read_version(),
                "invitation": await invitation_to_json(self._store, reader, request.query.get("join", "")),
                "out": None if out is None else out.to_json(),
            }
        )
        response.enable_compression()
        if session is not None and names:
            self._keep_cookie(request, response, COOKIE_NAME, session.token)
        if self._managers.is_manager(request):
            self._keep_cookie(request, response, MANAGER_COOKIE, request.cookies[MANAGER_COOKIE])
        return response

    async def add_name(self, request: web.Request) -> web.Response:
        """Give this browser a new name; the first one also creates its session cookie."""
        body = await read_body(request)
        known = session_of(request)
        # A browser without names, or with an invented token, counts as new.
        new = known is None or not await self._names.names_in(known)
        session = new_session() if known is None else known
        reader = self._words.speaker(body.get("language"))
        await self._access.check_admitted(request)
        newcomer_from = self._callers.address(request) if new else None
        name = await self._names.add(session, body.get("name"), reader.language, newcomer_from=newcomer_from)
        await self._room.choose_language(self._words.supported(body.get("language")))
        await self._store.places.record_seen((await self._room.place()).id, name.person, self._room.clock())
        response = web.json_response({"name": name_to_json(name)})
        self._keep_cookie(request, response, COOKIE_NAME, session.token)
        return response

    async def manage(self, request: web.Request) -> web.Response:
        """Make this browser a manager of the room if the page was opened through the manager's link."""
        body = await read_body(request)
        session = session_of(request) or new_session()
        mark = self._managers.admit(session, body.get("secret"))
        response = web.json_response({})
        self._keep_cookie(request, response, COOKIE_NAME, session.token)
        self._keep_cookie(request, response, MANAGER_COOKIE, mark)
        return response

    async def key(self, said: PageRequest) -> Json:
        """Return a new return key for a name, which is shown only once."""
        return {"key": await self._names.new_key(said.speaker)}

    async def come_back(self, request: web.Request) -> web.Response:
        """Give this browser the name that a return key belongs to."""
        body = await read_body(request)
        session = session_of(request) or new_session()
        see = partial(self._access.check_admitted, request)
        name = await self._names.redeem_key(session, body.get("key"), self._callers.address(request), see)
        response = web.json_response({"name": name_to_json(name)})
        self._keep_cookie(request, response, COOKIE_NAME, session.token)
        return response

    async def live(self, request: web.Request) -> web.StreamResponse:
        """Open the WebSocket stream of changes for one name or a guest, or answer a poll with the same data."""
        if not is_websocket(request):
            return web.json_response(text=await (await self._feed(request)).poll())
        session, address = session_of(request), limits_for(self._callers.address(request))
        bounds = [] if address is None else [(f"address {address}", MAX_CONNECTIONS_PER_ADDRESS)]
        bounds += [] if session is None else [(f"browser {session.fingerprint}", MAX_STREAMS_PER_BROWSER)]
        try:
            feed = await self._feed(request)
            with self.streams.open(bounds) as stream:
                async with self.streams.open_socket(request) as socket:
                    await feed.stream(socket, stream)
                return socket
        except Rejected:
            return await self.streams.refuse(request)
        except TooManyStreams:
            return await self.streams.refuse(request, TOO_MANY_CLOSE_CODE)

    async def _feed(self, request: web.Request) -> LiveFeed:
        """Return the data for a name or a guest; Rejected if the name is not this browser's, or is not admitted."""
        query, viewer = request.query, None
        if "as" in query:
            viewer = await self._check_speaker(request, query["as"])
        else:
            await self._access.check_admitted(request)
        return LiveFeed(
            self._editions,
            self._words.speaker(query.get("language")),
            viewer,
            read_number(query.get("since", "")),
            self._assets.version,
            partial(self._managers.is_manager, request),
            partial(self._access.find_refusal, request, *([] if viewer is None else [viewer.person])),
        )

    async def messages(self, said: PageRequest) -> Json:
        """Return the messages before a given one."""
        before = read_number(said.body.get("before", ""))
        if before is None:
            raise Rejected(404, "no-such-message")
        found, more = await self._room.page(said.speaker, before)
        page = [message_to_json(message, said.speaker.person, said.reader) for message in found]
        return {"messages": page, "more": more}

    async def words(self, said: PageRequest) -> Json:
        """Return a public message's text and buttons in the reader's language; null if it needs no translation."""
        number = said.body.get("message", "")
        found = await self._room.message(said.speaker, read_number(number))
        if found is None or found.author is not None or found.recipient is not None:
            raise Rejected(404, "no-such-message")
        card = await self._front.translate_post(said.request("looking"), number)
        shown = None if card is None else card_to_json(card)
        return {"card": shown and {name: shown[name] for name in ("text", "rows")}}

    async def picture(self, request: web.Request) -> web.Response:
        """Answer with a message's picture or animation, if this browser has a name that may see it.

        A message's picture cannot be guessed by the message's number: the address contains the picture's digest.
        """
        viewer, message = await self._find_message(request)
        moving = request.match_info["kind"] == "gif"
        part = find_stored_part(message, request.match_info["digest"], moving=moving)
        found = None if part is None else await self._room.picture(message.id, viewer.person, part)
        if found is None:
            raise Rejected(404, "no-such-message")
        return picture_answer(found, "image/gif" if moving else "image/png")

    async def file(self, request: web.Request) -> web.Response:
        """Answer with a message's file, if this browser has a name that may see the message."""
        file = await self._room.file(*await self._find_message(request))
        if file is None or file.name != request.match_info["name"]:
            raise Rejected(404, "no-such-message")
        # Make the browser save the file rather than show it as a page of this origin.
        headers = {
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.name)}",
            "Cache-Control": "private, no-store",
        }
        return web.Response(body=file.content, content_type="application/octet-stream", headers=headers)

    async def _find_message(self, request: web.Request) -> tuple[Identity, RoomMessage]:
        """Return the message in an address, and the name of this browser that may see it; Rejected if there is none."""
        number = read_number(request.match_info["message"])
        for viewer in await self._viewers(request):
            message = await self._room.message(viewer, number)
            if message is not None:
                return viewer, message
        raise Rejected(404, "no-such-message")

    async def say(self, said: PageRequest) -> Json:
        """Handle a typed line: a command, a move, an answer to a board, or a chat message."""
        event, text = said.event, said.text("text").strip()
        answered = await self._message(said, "answers") if said.body.get("answers") is not None else None
        if not text:
            raise Rejected(400, "nothing-said")
        silenced = await self._access.find_refusal(said.http, said.speaker.person, kinds=[MUTE])
        opened = await read_opened(self._room, said)
        is_command = is_command_line(text)
        if not is_command and answered is not None and answered.card is not None and answered.author is None:
            own = private_board(card_presses(answered.card))
            asking = said.request(event, str(answered.id if own else self._board_of(answered)), own)
            reply = check_carried_out(await self._front.typed_text(asking, text))
            return _action_to_json(await self._room.reply(said.speaker, event, reply, to=answered, used=text))
        is_move = answered is None and said.body.get("talk") is not True and _MOVE_PATTERN.fullmatch(make_plain(text))
        if is_command or is_move:
            reply = check_carried_out(await self._front.typed_text(said.request(event, board=opened.board), text))
            if is_command or not reply.talk:
                to = opened.place_of(reply, typed_move=not is_command)
                # The line of a muted person is not shown in public.
                hidden = is_command and silenced is not None and not reply.private
                found = await self._room.reply(said.speaker, event, reply, to=to, used=None if hidden else text)
                return _action_to_json(found, on_board=to is not None, played=not is_command)
        if silenced is not None:
            raise silenced
        session = session_of(said.http)
        self._talk_pace.take(said.speaker.person, *([] if session is None else [session.id_prefix]))
        await self._room.say(said.speaker, event, text, quote_to_json(answered))
        return {}

    async def press(self, said: PageRequest) -> Json:
        """Handle the press of a button, the choice of an option or a click on a cell."""
        event, press = said.event, said.press
        # A press on an open board may belong to no message here.
        message = await self._message(said, "message") if said.body.get("message") is not None else None
        reply = await self._boards.press(said.query(event, None if message is None else str(message.id)), press)
        if not isinstance(reply, Reply):
            return {"board": reply}
        if press.startswith(f"{PRIVATE_CHOICE}:") and (message is None or message.recipient is None) and reply.update:
            return {}  # the board itself shows the move
        return _action_to_json(await self._room.reply(said.speaker, event, reply, to=message))

    async def fill(self, said: PageRequest) -> Json:
        """Handle a submitted form."""
        event, press, values = said.event, said.press, said.values
        message = await self._message(said, "message")
        reply = check_carried_out(await self._front.fill(said.request(event, str(message.id)), press, values))
        return _action_to_json(await self._room.reply(said.speaker, event, reply, to=message))

    async def begin(self, said: PageRequest) -> Json:
        """Handle the entropy that a browser sends automatically for a waiting game; the game shows the result."""
        part = press("cup", None, 0, "give", said.game) if said.body.get("cup") is True else press("begin", said.game)
        await self._front.press(said.request(said.event), part)
        return {}

    async def board(self, said: PageRequest) -> Json:
        """Return a game as the reader sees it, now or after an earlier turn."""
        return await self._boards.view(said.query())

    async def cell(self, said: PageRequest) -> Json:
        """Return the reason why a cell of the open board cannot be pressed."""
        opened = await read_opened(self._room, said)
        private = opened.board is not None and opened.board.kind != "game"
        card = opened.message.card if private and opened.message is not None else None
        return {"why": await self._boards.explained(said.query(board=opened.board), card)}

    async def turns(self, said: PageRequest) -> Json:
        """Return the turns of a game."""
        return {"turns": await self._boards.turns(said.query())}

    async def drawing(self, request: web.Request) -> web.Response:
        """Answer with a picture drawn for a reader; its address contains the parameters for drawing it again."""
        said = await self._parse(request, request.query)
        return picture_answer(await self._boards.picture(said.query(), request.match_info["digest"]))

    def _keep_cookie(self, request: web.Request, response: web.Response, name: str, value: str) -> None:
        """Set a cookie that only the browser and this server see; if the page was opened by https, only by https."""
        response.set_cookie(
            name,
            value,
            max_age=COOKIE_LIFETIME_SECONDS,
            httponly=True,
            secure=self._callers.is_encrypted(request),
            samesite="Strict",
            path="/",
        )

    async def puzzle(self, request: web.Request) -> web.Response:
        """Answer with the small picture of a day's puzzle; not of days after today."""
        day = read_day(request.match_info["day"], await self._room.place(), self._room.clock())
        return picture_answer(await self._boards.puzzle(day, request.match_info["theme"]), WEBP)

    async def small(self, request: web.Request) -> web.Response:
        """Answer with the small picture of a game as the reader sees it; its address contains the revision."""
        said = await self._parse(request, {**request.query, "game": request.match_info["game"]})
        return picture_answer(await self._boards.small(said.query()), WEBP)

    async def _check_speaker(self, request: web.Request, user: object) -> Identity:
        """Return the name that speaks; Rejected if it is not this browser's, or is not admitted."""
        speaker = await self._names.speaker(session_of(request), user)
        await self._access.check_admitted(request, speaker.person)
        return speaker

    async def _viewers(self, request: web.Request) -> list[Identity]:
        """Return the names of this browser; Rejected if the browser is not admitted."""
        await self._access.check_admitted(request)
        return await self._names.names_in(session_of(request))

    async def dismiss(self, said: PageRequest) -> Json:
        """Delete a private answer that its reader has dismissed."""
        await self._room.dismiss(said.speaker, await self._message(said, "message"))
        return {}

    async def complete(self, said: PageRequest) -> Json:
        """Return completions of the text being typed."""
        text = said.text("text")
        cursor = said.body.get("cursor")
        end = cursor if isinstance(cursor, int) and 0 <= cursor <= len(text) else len(text)
        opened = await read_opened(self._room, said)
        items = await self._completer.items(said.request("typing", board=opened.board), text[:end], text[end:])
        return {"items": items}

    async def _parse(self, request: web.Request, sent: Mapping[str, Any]) -> PageRequest:
        """Return the request of a name of this browser; Rejected if it is not this browser's, or is not admitted."""
        speaker, reader = await self._check_speaker(request, sent.get("as")), self._words.speaker(sent.get("language"))
        return PageRequest(sent, speaker, reader, self._managers.is_manager(request), request)

    async def _message(self, said: PageRequest, name: str) -> RoomMessage:
        message = await self._room.message(said.speaker, said.body.get(name))
        if message is None:
            raise Rejected(404, "no-such-message")
        return message

    def _board_of(self, message: RoomMessage) -> int:
        """Return the id of the public message to which a message is attached, or its own id."""
        parent = (message.card or {}).get("parent")
        return parent if isinstance(parent, int) else message.id


def _action_to_json(opened: str | None, *, on_board: bool = False, played: bool = False) -> Json:
    """Return the answer to an action: the game to open, if any.

    `on_board`: True if the reply is shown on or below the open board. `played`: True if the line was a move.
    """
    answer: Json = {"played": played, "onBoard": on_board, "open": opened}
    return {name: value for name, value in answer.items() if value}
