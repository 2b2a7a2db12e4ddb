"""Names that share a browser: where a platform knows browsers, each of several names in one is a person of its own."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.requests import BrowserIdentities
from storage import GameRow, Identity


async def find_browsers(context: Context, people: Collection[int]) -> dict[int, frozenset[tuple[str, str]]]:
    """Return in which browsers each of some people has a name, each as its platform and what the ids there begin with.

    Those without one are left out.
    """
    found: dict[int, set[tuple[str, str]]] = {}
    for identity in await context.store.people.identities_of_many(people):
        browser = _browser(context, identity)
        if browser is not None:
            found.setdefault(identity.person, set()).add((identity.platform, browser))
    return {person: frozenset(browsers) for person, browsers in found.items()}


async def shares_browser(context: Context, people: Collection[int]) -> bool:
    """Say whether two of some people have a name in one browser."""
    known = await find_browsers(context, people) if len(people) > 1 else {}
    browsers = [browser for each in known.values() for browser in each]
    return len(browsers) > len(set(browsers))


async def people_sharing_browser(context: Context, person: int) -> frozenset[int]:
    """Return somebody together with all who have a name in a browser of theirs."""
    beside = {person}
    for platform, beginning in (await find_browsers(context, [person])).get(person, ()):
        beside |= {
            identity.person for identity in await context.store.people.identities_with_prefix(platform, beginning)
        }
    return frozenset(beside)


def browser_of_asker(context: Context, asker: RequestContext) -> tuple[str, str] | None:
    """Return the browser that somebody asks from, None where the platform knows none."""
    user = asker.request.user
    adapter = context.adapters.get(user.platform)
    return (user.platform, adapter.browser_of(user.id)) if isinstance(adapter, BrowserIdentities) else None


def seated_people(row: GameRow, states: Iterable[str] = ("joined", "invited")) -> list[int]:
    """Return the people who sit in a game, or are asked to."""
    wanted = frozenset(states)
    return [entry.person for entry in row.seats if entry.state in wanted and entry.person is not None]


def _browser(context: Context, identity: Identity) -> str | None:
    adapter = context.adapters.get(identity.platform)
    return adapter.browser_of(identity.user) if isinstance(adapter, BrowserIdentities) else None
