"""Names that share a browser: where a platform knows browsers, each of several names in one is a person of its own."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bot.context.asker import Asker
from bot.context.context import Context
from bot.interface.requests import KnowsBrowsers
from storage import GameRow, Identity


async def browsers_of(context: Context, people: Collection[int]) -> dict[int, frozenset[tuple[str, str]]]:
    """Return in which browsers each of some people has a name, each as its platform and what the ids there begin with.

    Whoever has none is left out.
    """
    found: dict[int, set[tuple[str, str]]] = {}
    for identity in await context.store.identities_of(people):
        browser = _browser(context, identity)
        if browser is not None:
            found.setdefault(identity.person, set()).add((identity.platform, browser))
    return {person: frozenset(browsers) for person, browsers in found.items()}


async def share_a_browser(context: Context, people: Collection[int]) -> bool:
    """Say whether two of some people have a name in one browser."""
    known = await browsers_of(context, people) if len(people) > 1 else {}
    browsers = [browser for each in known.values() for browser in each]
    return len(browsers) > len(set(browsers))


async def names_beside(context: Context, person: int) -> frozenset[int]:
    """Return somebody together with all who have a name in a browser of theirs."""
    beside = {person}
    for platform, beginning in (await browsers_of(context, [person])).get(person, ()):
        beside |= {identity.person for identity in await context.store.identities_like(platform, beginning)}
    return frozenset(beside)


def own_browser(context: Context, asker: Asker) -> tuple[str, str] | None:
    """Return the browser that somebody asks from, None where the platform knows none."""
    user = asker.request.user
    adapter = context.adapters.get(user.platform)
    return (user.platform, adapter.browser_of(user.id)) if isinstance(adapter, KnowsBrowsers) else None


def people_of(row: GameRow, states: Iterable[str] = ("joined", "invited")) -> list[int]:
    """Return the people who sit in a game, or are asked to."""
    wanted = frozenset(states)
    return [entry.person for entry in row.seats if entry.state in wanted and entry.person is not None]


def _browser(context: Context, identity: Identity) -> str | None:
    adapter = context.adapters.get(identity.platform)
    return adapter.browser_of(identity.user) if isinstance(adapter, KnowsBrowsers) else None
