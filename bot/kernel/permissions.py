"""Rights: what a person may do in a place, checked when needed; and what a public page may show."""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Final, Literal

from bot.kernel.context import Context, MembershipUnknown
from bot.kernel.preferences import PROFILE, PROFILE_HIDDEN, PROFILE_PUBLIC, PUBLIC
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.texts import Span
from storage import GameConsent, Person, PlaceRow, Terms


class Right(StrEnum):
    """The rights that commands and presses need.

    `MANAGER`: only those who manage the place may do it; this is checked before the handler is called. `DEPENDS`: the
    handler itself checks the right where needed, since it depends on stored data. Both are actions for the place, so an
    anonymous administrator may do them, too; an action without a right needs an identified person.
    """

    MANAGER = "manager"
    DEPENDS = "depends"


async def check_right(context: Context, requester: RequestContext, right: Right | None) -> None:
    """Raise Refused if the requester lacks the right, or if no right is needed and the requester is anonymous."""
    if right is Right.MANAGER:
        await check_may_manage(context, requester)
    elif right is None and requester.request.user.anonymous:
        raise Refused("refusal.anonymous")


async def may_manage(context: Context, requester: RequestContext) -> bool:
    """Return True if the requester may change what applies to everybody in a place; False if that is unknown."""
    try:
        return await is_manager(context, requester)
    except MembershipUnknown:
        return False


async def check_may_manage(context: Context, requester: RequestContext) -> None:
    """Raise Refused unless the requester may change what applies to everybody; the refusal says how to get the right.

    Raises MembershipUnknown if the platform cannot be asked.
    """
    if await is_manager(context, requester):
        return
    key = "refusal.not-manager"
    here = f"{key}.{requester.request.place.platform}"
    raise Refused(here if requester.speaker.has(here) else key)


async def is_manager(context: Context, requester: RequestContext) -> bool:
    """Return True if the requester manages the place, according to the event or else the platform.

    Raises MembershipUnknown if the platform cannot be asked.
    """
    if requester.request.place.kind == "private":
        return True
    brought = requester.request.user.manager
    if brought is not None:
        return brought
    if requester.request.place.guest:
        return False
    found = await context.memberships.find(requester.place, requester.id)
    return found is not None and found.manager


async def is_here(context: Context, requester: RequestContext, home: PlaceRow) -> bool:
    """Return True if the requester asks from a place's channel or is a member; may raise MembershipUnknown."""
    return _asks_from(requester, home) or await context.memberships.is_member(home, requester.id)


def _asks_from(requester: RequestContext, home: PlaceRow) -> bool:
    return (requester.place.platform, requester.place.channel) == (home.platform, home.channel)


async def check_not_departed(context: Context, requester: RequestContext, places: Collection[PlaceRow]) -> None:
    """Raise Refused if the requester was in one of the groups that show a game or post, and is in none of them now.

    A person who was never there may have received the code; where the bot is a guest, members are always unknown.
    Raises MembershipUnknown if the platform cannot be asked now.
    """
    if any(_asks_from(requester, place) for place in places):
        return
    unknown: MembershipUnknown | None = None
    departed = False
    for place in places:
        is_unknown = place.kind != "group" or context.memberships.is_guest(place)
        if is_unknown or not await context.store.places.filter_seen(place.id, [requester.id]):
            continue
        try:
            if await context.memberships.was_member_lately(place, requester.id):
                return
            departed = True
        except MembershipUnknown as error:
            unknown = error
    if unknown is not None:
        raise unknown
    if departed:
        raise Refused("refusal.left-chat")


def needs_private_notices(context: Context, requester: RequestContext) -> bool:
    """Return True if no message in the place can notify the person of their turn at any time."""
    return requester.request.place.guest or requester.request.nonmember or context.edits_alone(requester.place)


async def may_have_clock(context: Context, requester: RequestContext) -> bool:
    """Return True if reminders of a clock can reach the person in a game in this place."""
    if not needs_private_notices(context, requester):
        return True
    return any(each.can_dm for each in await context.store.people.identities(requester.id))


async def check_clock(context: Context, requester: RequestContext, terms: Terms, game: str | None = None) -> None:
    """Raise Refused for a live game where boards arrive late, and for a clock if no reminder would reach the person.

    The latter refusal says how to change that.

    `game` is the code of the game they want to join, None for a new one.
    """
    if terms.is_live and needs_private_notices(context, requester):
        raise Refused("refusal.live-slow-boards")
    if not terms.has_clock or await may_have_clock(context, requester):
        return
    user = requester.request.user
    adapter = context.adapters.get(user.platform)
    way = adapter.game_link(game or "") if adapter is not None else None
    if way is None:
        raise Refused("refusal.unreachable")
    if not way.typed:
        key = "refusal.unreachable.open" if game is not None else "refusal.unreachable.begin"
        raise Refused(key, address=Span(way.address, code=True))
    identities = await context.store.people.identities(requester.id)
    if any(each.can_dm is False for each in identities if (each.platform, each.user_id) == (user.platform, user.id)):
        raise Refused("refusal.unreachable.refused", typed=Span("/help", code=True))
    link = Span(requester.speaker.line("button.install"), link=way.address)
    if game is None:
        raise Refused("refusal.unreachable.install", link=link)
    raise Refused("refusal.unreachable.join", link=link, typed=Span(f"/join {game}", code=True))


PageKind = Literal["game", "cup", "league", "ladder", "person"]
"""The kinds of subjects that can have a public page."""
_FOLDERS: Final[Mapping[PageKind, str]] = {"game": "g", "person": "p"}
"""First part of a page's path, for kinds whose name is not the path."""


def allows_pages(place: PlaceRow) -> bool:
    """Return True if a place allows public pages of its games and competitions."""
    return place.effective.get(PUBLIC) is True


def is_hidden(person: Person) -> bool:
    """Return True if a person is hidden, by choice or because their data was deleted."""
    return not person.name or person.settings.get(PROFILE) == PROFILE_HIDDEN


def has_profile(person: Person) -> bool:
    """Return True if a person wants a public profile."""
    return bool(person.name) and person.settings.get(PROFILE) == PROFILE_PUBLIC


def may_show_game(consent: GameConsent) -> bool:
    """Return True if a game may be shown: every place that shows it allows that, and none of its players is hidden."""
    shown = consent.status != "lobby" and bool(consent.places) and all(map(allows_pages, consent.places))
    return shown and not any(map(is_hidden, consent.people))


async def may_show_competition(context: Context, competition: str) -> bool:
    """Return True if a competition may be shown: every place that shows it allows that."""
    places = await context.store.public.competition_places(competition)
    return bool(places) and all(map(allows_pages, places))


async def find_page_id(context: Context, kind: PageKind, subject: str) -> str | None:
    """Return the id of the public page of a game or competition (by code) or of a person (by id).

    The id is created if needed; None if the page may not be shown.
    """
    store = context.store
    if kind == "game":
        consent = await store.public.game_consent(subject)
        is_shown = consent is not None and may_show_game(consent)
    elif kind == "person":
        person = await store.people.get(int(subject))
        is_shown = person is not None and has_profile(person)
    else:
        is_shown = await may_show_competition(context, subject)
    if not is_shown:
        return None
    stored = kind if kind in ("game", "person") else "competition"
    key = int(subject) if kind == "person" else subject
    return (await store.public.create_ids(stored, [key], context.clock()))[key]


async def find_page(context: Context, kind: PageKind, subject: str) -> str | None:
    """Return the address of the public page of `find_page_id`; None also if the program has no public address."""
    page = await find_page_id(context, kind, subject) if context.web_address else None
    return None if page is None else f"{context.web_address}/{_FOLDERS.get(kind, kind)}/{page}"
