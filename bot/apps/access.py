"""Access rights of an app session: it may see and do what its person may see and do in the chat."""

from typing import Final

from cachetools import LRUCache

from bot.core.app_sessions import AppSession
from bot.core.context import Context
from bot.core.interaction_passes import private_channel_name
from bot.core.request_context import RequestContext, resolve_request_cached
from bot.delivery.boards import place_of
from bot.interface.refusals import Refused
from bot.interface.requests import Place, Request, User
from bot.tables.table import Table
from bot.teams.membership import find_current_roles
from bot.web.request_guard import Rejected
from engine import EngineError
from storage import News, PlaceRow

PLACE_CACHE_SIZE: Final = 1000
MEMBERSHIP_LIFETIME_SECONDS: Final = 60.0
"""For how long somebody of whom a platform said that they are in a group is not asked about again."""


class AppAccess:
    """Decides which games a session may see, and the place of its requests."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._places: LRUCache[int, PlaceRow] = LRUCache(PLACE_CACHE_SIZE)
        self._members: LRUCache[tuple[int, int], float] = LRUCache(PLACE_CACHE_SIZE)
        """When a platform last said that somebody is in a place, by place and person."""
        context.store.add_listener(self._on_store_change, {"place", "people", "elsewhere"})

    def _on_store_change(self, news: News) -> None:
        kind, what = news
        if kind == "elsewhere":
            kind = "people" if what is None else what[0]
        if kind in ("place", "people"):
            self._places.clear()

    async def _place(self, number: int) -> PlaceRow | None:
        """Return a place, from the cache if possible: a press costs no more statements than in the chat."""
        known = self._places.get(number)
        if known is None and (known := await self._context.store.places.get(number)) is not None:
            self._places[number] = known
        return known

    async def asker(self, session: AppSession) -> RequestContext:
        """Return the person of a session, from the cache if possible."""
        return await resolve_request_cached(self._context, self.request(session, "looking", None))

    def request(
        self, session: AppSession, event: str, place: Place | None, theme: str | None = None, message: str | None = None
    ) -> Request:
        """Return a request of a session's person from a place, or from their private chat without one.

        What they do gives nothing to chance: its id is of the app's own making, like the number of a typed message.
        """
        user = User(session.platform, session.user, session.name, session.language, handle=session.handle)
        alone = place is None
        where = self._private_place(session) if place is None else place
        nonmember = alone and where.platform == "discord" and not where.channel.isdecimal()
        return Request(
            f"app.{session.user}.{event}",
            user,
            where,
            message,
            nonmember=nonmember,
            undrawn=True,
            theme=theme,
            ids="counted",
        )

    def _private_place(self, session: AppSession) -> Place:
        if session.platform == "telegram":
            # There a private chat has the number of its person.
            return Place("telegram", session.user, kind="private")
        if session.kind == "private" and session.present and session.place is not None:
            return session.place
        return Place(session.platform, private_channel_name(session.user), kind="private")

    async def table(self, session: AppSession, code: str) -> tuple[Table, RequestContext]:
        """Return a game and the person of a session; Rejected if they may not see it."""
        asker = await self.asker(session)
        try:
            table = await self._context.table(code)
        except (Refused, EngineError) as error:
            raise Rejected(404, "no-such-game") from error
        if not await self._may_watch(session, asker.person.id, table):
            raise Rejected(404, "no-such-game")
        return table, asker

    async def _may_watch(self, session: AppSession, person: int, table: Table) -> bool:
        """Return True if a person plays in a game, followed a link to it, or is in a place that shows it."""
        if table.entry_of(person) is not None or session.game == table.row.id:
            return True
        store = self._context.store
        shown = {surface.place.id: surface.place for surface in await store.surfaces.list_for_game(table.row.id)}
        for place in shown.values():
            if self._is_present(session, place) or await store.places.filter_seen(place.id, [person]):
                return True
        return bool(await store.places.filter_seen(table.row.place, [person]))

    def _is_present(self, session: AppSession, place: PlaceRow) -> bool:
        where = session.place
        return (
            session.present
            and where is not None
            and place.platform == session.platform
            and place.channel == where.channel
            and place.thread in (None, where.thread)
        )

    async def place_for_game(self, session: AppSession, table: Table, person: int) -> Place | None:
        """Return the group in which a game is played as the place of what is done to it, None where that is no group.

        There somebody is known, or sits at the table. Where teams play it is the place of one to which they belong.
        """
        homes = [await self._place(place) for place in dict.fromkeys([table.row.place, *_homes_of_teams(table)])]
        groups = [
            row
            for row in homes
            if row is not None and row.platform == session.platform and row.kind == "group" and not row.guest
        ]
        groups.sort(key=lambda row: not self._is_present(session, row))
        for row in groups:
            if await self._is_known_in(session, row, table, person):
                return place_of(row)
        return None

    async def _is_known_in(self, session: AppSession, row: PlaceRow, table: Table, person: int) -> bool:
        if not table.teams:
            seated = table.entry_of(person) is not None or self._is_present(session, row)
            return seated or bool(await self._context.store.places.filter_seen(row.id, [person]))
        # What a team proposes is for those who are in its channel now.
        checked, now = self._members.get((row.id, person)), self._context.clock.monotonic()
        if checked is not None and now < checked + MEMBERSHIP_LIFETIME_SECONDS:
            return True
        asker = await self.asker(session)
        found = await find_current_roles(self._context, row, asker.person, present=self._is_present(session, row))
        if found is not None:
            self._members[row.id, person] = now
        return found is not None

    async def place_for_new_games(self, session: AppSession, person: int) -> Place | None:
        """Return the chat in which the app was opened if its person is a known member, else None."""
        where = session.place
        if where is None or where.kind != "group":
            return None
        row = await self._context.store.places.get_or_create(
            where.platform, where.channel, where.thread, where.group, where.kind, at=self._context.clock()
        )
        if row.guest:
            return None
        if session.present or await self._context.store.places.filter_seen(row.id, [person]):
            return place_of(row)
        return None


def _homes_of_teams(table: Table) -> list[int]:
    """Return the places of the teams at a table."""
    return [team.team_place for team in table.teams if team.team_place is not None]
