"""Who manages the room: the browser that has opened the page through the link, as long as its secret stays."""

from typing import Any

from structlog.testing import capture_logs

from bot.kernel.operations.manager_secret import ManagerSecret
from bot.platforms.web.sessions import MANAGER_COOKIE
from tests.support.comparing import missing_from
from tests.web.browser import Browser, Tab, Two
from tests.web.front import FakeFront


async def counts(tab: Tab, front: FakeFront) -> list[bool | None]:
    """Return whether the program takes somebody for a manager: who types, presses and asks what can follow."""
    await tab.say("/close")
    asked = [request.user.manager for _, request in front.done]
    answer = await tab.send("/api/complete", text="/clo", cursor=4)
    return [asked[-1], bool(answer.data["items"])]


def mark_of(browser: Browser) -> str:
    """Return the mark that a browser keeps."""
    return next(cookie.value for cookie in browser.session.cookie_jar if cookie.key == MANAGER_COOKIE)


async def test_managing_the_room_needs_the_link_which_is_for_all_names_here(
    browsers: Two, anna: Tab, bruno: Tab, front: FakeFront, secret: ManagerSecret
) -> None:
    assert (await anna.listen())["manager"] is False
    assert (await browsers[0].manage(secret())).status == 200
    assert (await browsers[0].get("/api/hello")).data["names"] == [anna.me]
    second = await browsers[0].name("Annina")
    assert (await counts(anna, front), await counts(second, front)) == ([True, True], [True, True])
    assert (await anna.listen())["manager"] is True
    assert await counts(bruno, front) == [False, False]


async def test_the_mark_is_kept_from_scripts_and_tells_nothing(browsers: Two, secret: ManagerSecret) -> None:
    answer = await browsers[0].manage(secret())
    assert answer.data == {}
    for header in (answer.headers, (await browsers[0].get("/api/hello")).headers):
        cookies = [value for name, value in header.items() if name == "Set-Cookie" and value.startswith(MANAGER_COOKIE)]
        assert len(cookies) == 1, "and every visit keeps it for as long again"
        assert missing_from(cookies[0], "HttpOnly", "SameSite=Strict") == []
        assert secret.load_or_create() not in cookies[0]


async def test_another_browser_cannot_use_the_mark(
    browsers: Two, anna: Tab, bruno: Tab, front: FakeFront, secret: ManagerSecret
) -> None:
    await browsers[0].manage(secret())
    for mark in (mark_of(browsers[0]), secret.load_or_create(), "0" * 64, "è"):
        browsers[1].session.cookie_jar.update_cookies({MANAGER_COOKIE: mark})
        assert await counts(bruno, front) == [False, False]


async def test_a_new_secret_ends_it_at_once(browsers: Two, front: FakeFront, secret: ManagerSecret) -> None:
    old = secret()
    await browsers[0].manage(old)
    anna = await browsers[0].name("Anna")
    assert (await anna.listen())["manager"] is True
    new = ManagerSecret(secret.path.parent).renew()
    assert await counts(anna, front) == [False, False]
    await anna.say("hello")
    parcel = await anna.hear()
    while "manager" not in parcel:
        parcel = await anna.hear()
    assert parcel["manager"] is False, "the page is told"
    assert (await browsers[0].manage(old)).refusal == "old-link"
    assert ((await browsers[0].manage(new)).status, await counts(anna, front)) == (200, [True, True])


async def test_no_secret_refuses_every_manager_link(browsers: Two, front: FakeFront, secret: ManagerSecret) -> None:
    await browsers[0].manage(secret())
    anna = await browsers[0].name("Anna")
    secret.path.write_bytes(b"")
    assert await counts(anna, front) == [False, False]
    assert (await browsers[0].manage("")).refusal == "old-link"
    secret.path.unlink()
    assert (await browsers[0].manage("")).refusal == "old-link"


async def test_wrong_manager_link_is_refused_and_not_logged(browsers: Two) -> None:
    wrong: tuple[Any, ...] = ("", "x" * 43, "è", "\ud800", None, 7, ["x"], {})
    with capture_logs() as logs:
        for given in wrong:
            answer = await browsers[0].manage(given)
            assert (answer.status, answer.refusal) == (403, "old-link"), given
            assert "Set-Cookie" not in answer.headers
    assert logs == []


async def test_wrong_links_do_not_block_the_right_one(browsers: Two, secret: ManagerSecret) -> None:
    # Behind a proxy everybody comes from one address.
    for _ in range(20):
        assert (await browsers[0].manage("x" * 43)).status == 403
    assert (await browsers[1].manage(secret())).status == 200
