"""Access rights of an app session: it may see and do what its person may see and do in the chat."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from cachetools import LRUCache

from bot.kernel.app_sessions import AppSession, AppSigner
from bot.kernel.cards import Card
from bot.kernel.context import Context, MembershipUnknown
from bot.kernel.preferences import place_of
from bot.kernel.presses import reopening_press
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext, private_channel_name, resolve_request_cached
from bot.kernel.requests import Place, Reply, Request, User
from bot.kernel.table import Table
from bot.platforms.web.boards import BoardQuery, data_url, read_side, read_theme
from bot.platforms.web.present import card_to_json, locate_picture, show_card
from bot.platforms.web.request_guard import Rejected
from bot.platforms.web.room import card_presses, find_opened_game
from engine import EngineError
from storage import Json, News, PlaceRow

PLACE_CACHE_SIZE: Final = 1000


class AppAccess:
    """Decides which games a session may see, and the place of its requests.

    Actions in a group require that the person is a member of it now. A player may finish a game even after leaving the
    group.
    """

    def __init__(self, context: Context, signer: AppSigner) -> None:
        self._context = context
        self._signer = signer
        self._places: LRUCache[int, PlaceRow] = LRUCache(PLACE_CACHE_SIZE)
        context.store.add_listener(self._forget_places, {"place", "people"})

    def _forget_places(self, _: News) -> None:
        self._places = LRUCache(PLACE_CACHE_SIZE)

    async def _place(self, number: int) -> PlaceRow | None:
        """Return a place, cached if possible: a press needs no more SQL statements than in the chat."""
        places = self._places
        known = places.get(number)
        if known is None and (known := await self._context.store.places.get(number)) is not None:
            # What changed meanwhile has replaced the cache.
            places[number] = known
        return known

    def read_session(self, token: object, platform: str) -> AppSession | None:
        """Return the session of a token; None if it is of another platform, or over."""
        session = self._signer.read_session(token, self._context.clock())
        return session if session is not None and session.platform == platform else None

    def session_to_json(self, session: AppSession) -> Json:
        """Return the token with which a page continues a session, and the seconds until it expires."""
        seconds = session.expires - self._context.clock().timestamp()
        return {"token": self._signer.sign_session(session), "seconds": max(0, math.floor(seconds))}

    async def requester(self, session: AppSession) -> RequestContext:
        """Return the person of a session, from the cache if possible."""
        return await resolve_request_cached(self._context, self.request(session))

    def request(
        self,
        session: AppSession,
        event: str = "looking",
        place: Place | None = None,
        sent: Mapping[str, Any] = MappingProxyType({}),
    ) -> Request:
        """Return a request of a session's person from a place, or from their private chat if `place` is None.

        `sent` has the theme and side of the app's board. The event id adds no entropy to chance events: the app chooses
        it, like the number of a typed message.
        """
        user = User(session.platform, session.user, session.name, session.language, handle=session.handle)
        alone = place is None
        where = self._private_place(session) if place is None else place
        nonmember = alone and where.platform == "discord" and not where.channel.isdecimal()
        return Request(
            f"app.{session.user}.{event}",
            user,
            where,
            nonmember=nonmember,
            undrawn=True,
            theme=read_theme(sent),
            side=read_side(sent),
            ids="counted",
            on_screen=True,
        )

    def _private_place(self, session: AppSession) -> Place:
        if session.platform == "telegram":
            # On Telegram a private chat has the id of its person.
            return Place("telegram", session.user, kind="private")
        if session.kind == "private" and session.present and session.place is not None:
            return session.place
        return Place(session.platform, private_channel_name(session.user), kind="private")

    async def table(self, session: AppSession, code: str) -> tuple[Table, RequestContext]:
        """Return a game and the person of a session; Rejected if they may not see it."""
        requester = await self.requester(session)
        try:
            table = await self._context.table(code)
        except (Refused, EngineError) as error:
            raise Rejected(404, "no-such-game") from error
        if table.entry_of(requester.id) is None:
            await self._check_may_watch(session, requester.id, table)
        return table, requester

    async def _check_may_watch(self, session: AppSession, person: int, table: Table) -> None:
        """Raise Rejected unless a person is now a member of a place that shows a game.

        If the membership of such a place cannot be determined, the game and the place of the launch count.
        """
        store, memberships = self._context.store, self._context.memberships
        shown = {post.place.id: post.place for post in await store.posts.list_for_game(table.id)}
        home = shown.get(table.row.place) or await self._place(table.row.place)
        places = [*shown.values(), *([home] if home is not None and home.id not in shown else [])]
        brought = session.game == table.id
        unknown: MembershipUnknown | None = None
        for place in sorted(places, key=lambda place: not self._is_opened_in(session, place)):
            if memberships.can_tell(place):
                brought = brought and place.platform != session.platform
            try:
                if await self._is_member(session, place, person):
                    return
            except MembershipUnknown as error:
                unknown = error
        if brought:
            return
        if unknown is not None:
            raise _rejected(unknown) from unknown
        for place in places:
            # A person who was seen there is told the reason.
            if place.kind == "group" and await store.places.filter_seen(place.id, [person]):
                raise Rejected(403, "left-chat")
        raise Rejected(404, "no-such-game")

    async def _is_member(self, session: AppSession, place: PlaceRow, person: int) -> bool:
        """Return True if a person is a member of a place; MembershipUnknown.

        If the platform cannot tell, it is enough that it has confirmed that they opened the app there.
        """
        opened = session.present and self._is_opened_in(session, place)
        memberships = self._context.memberships
        return (opened and not memberships.can_tell(place)) or await memberships.was_member_lately(place, person)

    def _is_opened_in(self, session: AppSession, place: PlaceRow) -> bool:
        """Return True if the app was opened in a place, or by a link there."""
        where = session.place
        return (
            where is not None
            and place.platform == session.platform
            and place.channel == where.channel
            and place.thread in (None, where.thread)
        )

    async def place_for_game(self, session: AppSession, table: Table, person: int, *, plays: bool) -> Place | None:
        """Return the group of a game as the place for actions in it, None if there is no such group.

        The person must be a member of it now; otherwise they act from their private chat. In a team game it is the
        place of a team to which they belong. `plays`: they only look at the game or move in it; with a seat that needs
        no membership.
        """
        of_teams = [team.team_place for team in table.teams if team.team_place is not None]
        homes = [await self._place(place) for place in dict.fromkeys([table.row.place, *of_teams])]
        groups = [
            row
            for row in homes
            if row is not None and row.platform == session.platform and row.kind == "group" and not row.guest
        ]
        if len(groups) > 1:
            # A member of both groups acts where they have acted before.
            filter_seen = self._context.store.places.filter_seen
            seen = {row.id for row in groups if await filter_seen(row.id, [person])}
            groups.sort(key=lambda row: (not self._is_opened_in(session, row), row.id not in seen))
        seated = not table.teams and table.entry_of(person) is not None
        for row in groups:
            try:
                if (plays and seated) or await self._is_member(session, row, person):
                    return place_of(row)
            except MembershipUnknown:
                continue
        return None

    async def place_for_new_games(self, session: AppSession, person: int) -> PlaceRow:
        """Return the chat in which the app was opened; Rejected unless its person is a member of it now."""
        where = session.place
        if where is None or where.kind != "group":
            raise Rejected(403, "not-in-chat")
        row = await self._context.store.places.get_or_create(
            where.platform, where.channel, where.thread, where.group, where.kind, at=self._context.clock()
        )
        try:
            if row.guest or not await self._is_member(session, row, person):
                raise Rejected(403, "not-in-chat")
        except MembershipUnknown as error:
            raise _rejected(error) from error
        return row

    async def may_start_games(self, session: AppSession, person: int) -> bool:
        """Return True if a person may start games in the chat where they opened the app."""
        try:
            await self.place_for_new_games(session, person)
        except Rejected:
            return False
        return True


def _rejected(unknown: MembershipUnknown) -> Rejected:
    """Return the error for an unknown membership."""
    code = unknown.key.removeprefix("refusal.")
    return Rejected(503 if unknown.is_temporary else 403, code)


def reply_to_json(reply: Reply, query: BoardQuery, picture: str) -> Json:
    """Return a reply as JSON: a game to open, or a card and the card that it replaces.

    `picture` is the address of its picture, if it has one.
    """
    card = reply.card
    if card is not None and reply.private and (game := find_opened_game(card)) is not None:
        return {"open": game}
    answer: Json = {"update": reply.update, "apart": reply.apart, "public": not reply.private}
    if reply.opens is not None:
        answer["open"] = reply.opens
    return answer if card is None else answer | {"card": shown_card(card, query, picture)}


def shown_card(card: Card, query: BoardQuery, picture: str) -> Json:
    """Return a card as JSON, with the address of its picture."""
    stored = card_to_json(card)
    shown = show_card(stored, query.viewer, query.speaker)
    if card.picture is not None:
        moving = card.picture.animation
        film = "" if moving is None else data_url(moving.gif, "image/gif")
        shown["picture"] = locate_picture(stored["picture"], picture, film)
    if (again := reopening_press(card_presses(stored))) is not None:
        shown["again"] = again
    if card.file is not None:
        shown["file"] = {"name": card.file.name, "url": data_url(card.file.content, "application/octet-stream")}
    return shown
