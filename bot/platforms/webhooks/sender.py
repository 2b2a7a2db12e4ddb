"""Sending signed messages to addresses that people have added: https only, never into private networks.

The format is Standard Webhooks (standardwebhooks.com): `webhook-id`, `webhook-timestamp` and `webhook-signature`, an
HMAC-SHA256 over id, timestamp and body. The connection goes to the checked IP address, even through a proxy: our own
resolver refuses private addresses, and redirects are not followed.
"""

import asyncio
import base64
import hashlib
import hmac
import ipaddress
import secrets
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar, TCPConnector
from aiohttp.abc import ResolveResult
from aiohttp.resolver import ThreadedResolver

from bot.competitions.cups.service import CUPS
from bot.kernel.context import Context
from bot.kernel.operations.settings import find_proxy, split_url
from bot.kernel.permissions import find_page_id, is_hidden
from bot.kernel.table import Table
from bot.platforms.public.views import game_summary, turn_view
from bot.table.replaying import turns_of
from engine import games
from engine.record import FORGOTTEN_NAME
from storage import Json, StoredWebhook, WebhookCursor

MAX_ADDRESS_LENGTH: Final = 500
SEND_TIMEOUT_SECONDS: Final = 8.0
MAX_CONCURRENT_REQUESTS: Final = 64
SECRET_BYTES: Final = 24
SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - what every secret begins with
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_GONE_STATUS: Final = 410

IsAllowed = Callable[[str], bool]


class InvalidAddress(Exception):
    """An address that is not allowed; `code` says why: `not-https`, `inner`, `unknown-host`."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class NotDelivered(Exception):
    """A message was not accepted; `reason` says why. `for_good`: True if retrying is useless."""

    def __init__(self, reason: str, *, for_good: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.for_good = for_good


def is_public_ip(text: str) -> bool:
    """Return True if an IP address is public: not in a private network, and without another address embedded in it."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public_ip(str(address.ipv4_mapped))
        if address.sixtofour is not None or address.teredo is not None or address in _NAT64 or address.is_site_local:
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def new_secret() -> str:
    """Return a new signing secret."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def sign(secret: str, delivery: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a delivery; ValueError for a damaged secret."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = f"{delivery}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def read_address(text: str) -> str:
    """Return an address in the form to be stored; InvalidAddress if it is no https address of a host."""
    address = text.strip()
    try:
        parts = split_url(address)
    except ValueError:
        raise InvalidAddress("unknown-host" if address.startswith("https://") else "not-https") from None
    printable = address.isascii() and address.isprintable() and " " not in address
    if parts.scheme != "https" or not parts.hostname or not printable or len(address) > MAX_ADDRESS_LENGTH:
        raise InvalidAddress("not-https")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise InvalidAddress("not-https")
    return address


class CheckedResolver(ThreadedResolver):
    """Resolves host names; refuses a name if any of its addresses is not allowed."""

    def __init__(self, is_allowed: IsAllowed) -> None:
        super().__init__()
        self._is_allowed = is_allowed

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the addresses of a host; OSError if one of them is not allowed."""
        found = await super().resolve(host, port, family)
        if not found or not all(self._is_allowed(each["host"]) for each in found):
            raise OSError("an inner address")
        return found


class Sender:
    """Sends signed messages; `is_allowed` checks IP addresses, `context` contains the trusted certificates."""

    def __init__(self, is_allowed: IsAllowed = is_public_ip, context: ssl.SSLContext | None = None) -> None:
        self._is_allowed = is_allowed
        self._context = context
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_REQUESTS)

    async def check(self, text: str) -> str:
        """Return an address in the form to be stored; InvalidAddress if it is none, inner, or of an unknown host."""
        address = read_address(text)
        await self._find_ip(split_url(address).hostname or "")
        return address

    async def _find_ip(self, host: str) -> str:
        """Return an IP address of a host; InvalidAddress if it has none, or one that is not allowed."""
        resolver, family = ThreadedResolver(), socket.AF_UNSPEC  # both families, as when a message is sent
        try:
            found = [host] if _is_ip(host) else [each["host"] for each in await resolver.resolve(host, 443, family)]
        except OSError:
            raise InvalidAddress("unknown-host") from None
        if not found or not all(map(self._is_allowed, found)):
            raise InvalidAddress("inner")
        return found[0]

    async def send(self, address: str, secret: str, delivery: str, timestamp: int, body: bytes) -> None:
        """Send a message; NotDelivered unless it was accepted."""
        try:
            host = split_url(read_address(address)).hostname or ""
        except InvalidAddress:
            raise NotDelivered("unreachable") from None
        try:
            signature = sign(secret, delivery, timestamp, body)
        except ValueError:
            raise NotDelivered("secret unreadable", for_good=True) from None
        # The resolver is not called for a literal IP address.
        if _is_ip(host) and not self._is_allowed(host):
            raise NotDelivered("inner")
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Tavoliere",
            "webhook-id": delivery,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signature,
        }
        proxy, target, name = find_proxy(address), address, None
        if proxy is not None:
            # The proxy may resolve names differently: pass the checked IP address instead of the name.
            target, name = await self._find_target(address, host), host
            headers["Host"] = split_url(address).netloc
        connector = TCPConnector(
            resolver=CheckedResolver(self._is_allowed) if proxy is None else None,
            use_dns_cache=False,
            force_close=True,
            ssl=self._context if self._context is not None else True,
        )
        timeout = ClientTimeout(total=SEND_TIMEOUT_SECONDS)
        try:
            async with (
                self._slots,
                ClientSession(
                    connector=connector, timeout=timeout, cookie_jar=DummyCookieJar(), trust_env=False
                ) as session,
                session.post(
                    target, data=body, headers=headers, allow_redirects=False, proxy=proxy, server_hostname=name
                ) as response,
            ):
                status = response.status
        except TimeoutError:
            raise NotDelivered("timeout") from None
        except (ClientError, OSError, ValueError):
            raise NotDelivered("unreachable") from None
        if status == _GONE_STATUS:
            raise NotDelivered("gone", for_good=True)
        if not 200 <= status < 300:
            raise NotDelivered(f"status {status}")

    async def _find_target(self, address: str, host: str) -> str:
        """Return an address with its host name replaced by the checked IP address; NotDelivered."""
        parts = split_url(address)
        try:
            found = await self._find_ip(host)
        except InvalidAddress:
            raise NotDelivered("unreachable") from None
        literal = f"[{found}]" if ":" in found else found
        return parts._replace(netloc=literal if parts.port is None else f"{literal}:{parts.port}").geturl()


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Message:
    """A message: its kind, its data, and the cursor after it; `revision` makes ids of different states unique."""

    kind: str
    data: Json
    cursor: WebhookCursor
    revision: int

    @property
    def id(self) -> str:
        """The unique id of the message, the same on each retry."""
        subject = (self.data.get("game") or self.data["cup"])["id"]
        return f"msg_{self.cursor.webhook}_{subject}_{self.revision}_{self.cursor.turn}_{self.kind.replace('.', '-')}"


async def next_message(
    context: Context, hook: StoredWebhook, subject: str, cursor: WebhookCursor | None
) -> Message | WebhookCursor:
    """Return the next message of a game or a competition, or the new cursor if there is none."""
    kind, _, code = subject.partition(":")
    if kind == "game":
        return await _game_payload(context, hook, subject, code, cursor)
    return await _competition_payload(context, hook, subject, code, cursor)


async def _game_payload(
    context: Context, hook: StoredWebhook, subject: str, code: str, cursor: WebhookCursor | None
) -> Message | WebhookCursor:
    table = await context.table_as_stored(code)
    row = table.row
    if row.game not in games or row.is_lobby:
        return WebhookCursor(hook.id, subject, row.revision, 0, over=False)
    # For a game that began before the webhook was added, begin with its newest turn.
    older = row.started_at is not None and row.started_at < hook.made_at
    first = max(0, row.turn - 1) if older else -1
    sent = cursor or WebhookCursor(hook.id, subject, 0, first, over=False)
    done = replace(sent, revision=row.revision, turn=row.turn)
    if sent.turn < 0:
        return Message("game.started", {"game": await _game_json(context, table)}, replace(sent, turn=0), 0)
    if row.turn != sent.turn:
        table = await context.table(code)
        turns = await turns_of(context, table)
        numbered = enumerate(turns[: row.turn], start=1)
        new = [turn_view(turn, number, row.turn).model_dump() for number, turn in numbered if number > sent.turn]
        kind = "game.turn" if row.turn > sent.turn else "game.takeback"
        done = replace(done, revision=row.revision - row.is_over, over=False)
        return Message(kind, {"game": await _game_json(context, table), "turns": new}, done, row.revision)
    if row.is_over and not sent.over:
        data = {"game": await _game_json(context, table)}
        return Message("game.over", data, replace(done, over=True), row.revision)
    return done


async def _game_json(context: Context, table: Table) -> Json:
    """Return a game as JSON, without the code for joining; `url` is None if the game is not public."""
    row = table.row
    ids = await context.store.public.create_ids("game", [row.id], context.clock())
    page = await find_page_id(context, "game", row.id)
    shown = {"id", "game", "status", "to_move", "turns", "outcome"}
    summary = game_summary(context.web_address, table, ids[row.id], {}).model_dump(include=shown)
    return {
        **summary,
        "url": None if page is None else f"{context.web_address}/g/{page}",
        "players": [_name(table.in_language(None), seat) for seat in range(row.seat_count)],
    }


def _name(table: Table, seat: int) -> str:
    person = table.people.get(table.person_at(seat) or 0)
    return FORGOTTEN_NAME if person is not None and is_hidden(person) else table.name_span(seat).text


async def _competition_payload(
    context: Context, hook: StoredWebhook, subject: str, code: str, cursor: WebhookCursor | None
) -> Message | WebhookCursor:
    row = await context.store.competitions.get(code)
    if row is None or row.game_key not in games:
        return WebhookCursor(hook.id, subject, 1_000_000_000, 0, over=True)
    cup = await CUPS.read(context, row)
    state = cup.state
    first = max(0, len(state.rounds) - 1) if row.created_at < hook.made_at else 0
    sent = cursor or WebhookCursor(hook.id, subject, 0, first, over=False)
    ids = await context.store.public.create_ids("competition", [code], context.clock())

    def name(entrant: int) -> str:
        person = cup.person_of(entrant)
        return FORGOTTEN_NAME if person is None or is_hidden(person) else person.name

    head = {"id": ids[code], "game": row.game_key, "format": str(state.terms.format), "status": row.status}
    if len(state.rounds) > sent.turn:
        newest = state.rounds[sent.turn]
        pairings = [[name(each) for each in board.last.seats] for board in newest.boards]
        done = replace(sent, turn=newest.number, over=False)
        return Message("cup.round", {"cup": head, "round": newest.number, "pairings": pairings}, done, 0)
    if row.is_over and not sent.over:
        return Message("cup.over", {"cup": head}, replace(sent, revision=row.revision, over=True), row.revision)
    return replace(sent, revision=row.revision)
