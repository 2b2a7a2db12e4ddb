"""The gateway: identify, resume, heartbeats, and everything that is dispatched."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aiohttp import WSCloseCode, WSMsgType, web

from tests.fakes.discord.schema import Json
from tests.support.present import present

if TYPE_CHECKING:
    from tests.fakes.discord.server import FakeDiscord

DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID, HELLO, ACK = 0, 1, 2, 6, 7, 9, 10, 11


GUILDS, GUILD_MEMBERS = 1 << 0, 1 << 1
OF_MEMBERS = ("GUILD_MEMBER_ADD", "GUILD_MEMBER_UPDATE", "GUILD_MEMBER_REMOVE")


@dataclass
class Session:
    """What one client was told since it identified; it outlives its connections."""

    id: str
    intents: int
    shard: int = 0
    who: str = ""
    """What followed the gateway's address: tests tell processes apart by it."""
    sent: list[Json] = field(default_factory=list)
    socket: web.WebSocketResponse | None = None


class Gateway:
    """Connections of the one bot."""

    def __init__(self, discord: FakeDiscord) -> None:
        self._discord = discord
        self.sessions: dict[str, Session] = {}
        self.identified: list[Json] = []
        self.mistaken: list[tuple[int, int]] = []
        """The parts that somebody wanted to listen to and that do not exist."""
        self.resumed = 0
        self.shards = 1
        """The number of shards; every IDENTIFY must say the same number."""

    @property
    def session(self) -> Session | None:
        """The newest session."""
        return next(reversed(self.sessions.values()), None)

    def session_of(self, shard: int) -> Session | None:
        """Return the newest session of a part of the servers."""
        return next((each for each in reversed(self.sessions.values()) if each.shard == shard), None)

    def shard_of(self, guild: str | None) -> int:
        """Return which part a server belongs to; what is said in private belongs to the first."""
        return 0 if guild is None else (int(guild) >> 22) % self.shards

    @property
    def connected(self) -> bool:
        """Whether a bot is listening, to all parts."""
        return all(self.listening(shard) for shard in range(self.shards))

    def listening(self, shard: int) -> bool:
        """Whether a bot is listening to a part."""
        session = self.session_of(shard)
        return session is not None and session.socket is not None

    async def dispatch(self, event: str, data: Json) -> None:
        """Tell the bot of something; while it is away it is kept for its resuming."""
        guild = data.get("id") if event.startswith("GUILD_") else data.get("guild_id")
        session = self.session_of(self.shard_of(guild))
        assert session is not None, "no bot has identified"
        if self._is_told(session, event, data):
            await self._tell(session, event, data)

    def _is_told(self, session: Session, event: str, data: Json) -> bool:
        """Say whether a session has asked for an event (page Gateway, Gateway Intents).

        Of itself as a member the bot is told whatever it has asked for.
        """
        if event in OF_MEMBERS:
            own = event == "GUILD_MEMBER_UPDATE" and data["user"]["id"] == self._discord.bot.id
            return own or bool(session.intents & GUILD_MEMBERS)
        if event.startswith(("GUILD_", "CHANNEL_", "THREAD_")):
            return bool(session.intents & GUILDS)
        return True

    async def mumble(self, event: str, data: Any) -> None:
        """Tell the bot of something that it may not be able to read."""
        await self._tell(present(self.session_of(0)), event, data)

    async def garble(self, text: str) -> None:
        """Send the bot something that is nothing of the gateway's."""
        await present(present(self.session).socket).send_str(text)

    async def _tell(self, session: Session, event: str, data: Json) -> None:
        payload = {"op": DISPATCH, "t": event, "s": len(session.sent) + 1, "d": data}
        session.sent.append(payload)
        if session.socket is not None:
            await self._send(session.socket, payload)

    async def repeat(self) -> None:
        """Tell the bot once more what it was told last."""
        session = present(self.session)
        await self._send(present(session.socket), session.sent[-1])

    async def drop(self, code: int = 4000) -> None:
        """Break the connection."""
        await self._let_go().close(code=code)

    async def ask_to_reconnect(self) -> None:
        """Ask the bot to connect anew."""
        await self._send(self._let_go(), {"op": RECONNECT, "d": None})

    def _let_go(self) -> web.WebSocketResponse:
        """Return the socket of the newest session, which has none from now on."""
        session = present(self.session)
        socket, session.socket = present(session.socket), None
        return socket

    async def handle(self, request: web.Request) -> web.WebSocketResponse:
        """Serve one connection."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self._discord.sockets.add(socket)
        await self._send(socket, {"op": HELLO, "d": {"heartbeat_interval": 600_000}})
        try:
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    await self._take(socket, json.loads(message.data), request.match_info["who"])
        finally:
            self._discord.sockets.discard(socket)
            for session in self.sessions.values():
                if session.socket is socket:
                    session.socket = None
            await self._discord.tell()
        return socket

    async def close(self) -> None:
        """Break all connections."""
        for socket in list(self._discord.sockets):
            await socket.close(code=WSCloseCode.GOING_AWAY)

    async def _take(self, socket: web.WebSocketResponse, payload: Json, who: str) -> None:
        if payload["op"] == HEARTBEAT:
            await self._send(socket, {"op": ACK, "d": None})
        elif payload["op"] == IDENTIFY:
            await self._identify(socket, payload["d"], who)
        elif payload["op"] == RESUME:
            await self._resume(socket, payload["d"])
        await self._discord.tell()

    async def _identify(self, socket: web.WebSocketResponse, data: Json, who: str) -> None:
        if data["token"] != self._discord.token:
            await socket.close(code=4004, message=b"Authentication failed.")
            return
        shard, count = data.get("shard", (0, 1))
        if count != self.shards or not 0 <= shard < count:
            self.mistaken.append((shard, count))
            await socket.close(code=4010, message=b"Invalid shard.")
            return
        self.identified.append(data)
        session = Session(f"session{len(self.sessions) + 1}", data["intents"], shard, who, socket=socket)
        self.sessions[session.id] = session
        guilds = [guild for guild in self._discord.guilds if guild.has_bot and self.shard_of(guild.id) == shard]
        ready = {
            "v": 10,
            "user": self._discord.bot.to_json(),
            "guilds": [{"id": guild.id, "unavailable": True} for guild in guilds],
            "session_id": session.id,
            "resume_gateway_url": self._discord.gateway_url + who,
            "application": {"id": self._discord.application_id, "flags": 0},
        }
        if "shard" in data:
            ready["shard"] = [shard, count]
        await self._tell(session, "READY", ready)
        if data["intents"] & 1:
            for guild in guilds:
                await self._tell(session, "GUILD_CREATE", guild.to_json())

    async def _resume(self, socket: web.WebSocketResponse, data: Json) -> None:
        session = self.sessions.get(data["session_id"])
        if session is None or data["token"] != self._discord.token:
            await self._send(socket, {"op": INVALID, "d": False})
            return
        self.resumed += 1
        for payload in session.sent[data["seq"] :]:
            await self._send(socket, payload)
        session.socket = socket
        await self._tell(session, "RESUMED", {})

    async def _send(self, socket: web.WebSocketResponse, payload: Any) -> None:
        await socket.send_str(json.dumps(payload))
