"""Names of one browser: what is decided between them counts for nobody, be it a game, a title, a puzzle or a guess."""

from collections import Counter
from collections.abc import Collection

from bot.core.context import Context
from bot.interface.requests import User


async def find_browsers(context: Context, people: Collection[int]) -> dict[int, frozenset[tuple[str, str]]]:
    """Return the browsers of some people, each as its platform and the prefix of its ids.

    People without one are left out.
    """
    found: dict[int, set[tuple[str, str]]] = {}
    for identity in await context.store.people.identities(*people):
        browser = _browser(context, identity.platform, identity.user_id)
        if browser is not None:
            found.setdefault(identity.person, set()).add(browser)
    return {person: frozenset(browsers) for person, browsers in found.items()}


async def find_sharers(context: Context, people: Collection[int]) -> frozenset[int]:
    """Return those of some people who have used the same browser as another of them."""
    known = await find_browsers(context, people) if len(people) > 1 else {}
    used = Counter(browser for browsers in known.values() for browser in browsers)
    return frozenset(person for person, browsers in known.items() if any(used[each] > 1 for each in browsers))


async def people_sharing_browser(context: Context, person: int) -> frozenset[int]:
    """Return a person together with everybody who has used one of their browsers."""
    beside = {person}
    for platform, beginning in (await find_browsers(context, [person])).get(person, ()):
        beside |= {
            identity.person for identity in await context.store.people.identities_with_prefix(platform, beginning)
        }
    return frozenset(beside)


def browser_of_user(context: Context, user: User) -> tuple[str, str] | None:
    """Return the browser of a platform's user, None if the platform knows none."""
    return _browser(context, user.platform, user.id)


def _browser(context: Context, platform: str, user: str) -> tuple[str, str] | None:
    adapter = context.adapters.get(platform)
    browser = adapter.browser_of(user) if adapter is not None else None
    return None if browser is None else (platform, browser)
