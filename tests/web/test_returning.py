"""A name that comes back by a key of its owner's own."""

import hashlib
import json

from playwright import async_api
from playwright.async_api import expect

from bot.kernel.requests import Reply
from bot.platforms.web.server import WebServer
from bot.platforms.web.sessions import KEY_SETTING, MAX_ATTEMPTS
from storage import Store
from tests.support.present import present
from tests.web.browser import Tab, Two
from tests.web.chromium import enter_name, open_page
from tests.web.front import FakeFront, make_card


async def test_key_transfers_a_name_to_another_browser(browsers: Two, anna: Tab, bruno: Tab, store: Store) -> None:
    first = (await anna.send("/api/key")).data["key"]
    key = (await anna.send("/api/key")).data["key"]
    stored = present(await store.people.get(anna.person))
    assert key.split("-", 1)[1] not in json.dumps(stored.settings), "what is kept of a secret is its hash"
    assert (await browsers[1].post("/api/return", {"key": first})).refusal == "wrong-key", "a new key ends the old one"
    back = Tab(browsers[1], (await browsers[1].post("/api/return", {"key": key})).data["name"])
    assert (back.person, back.me["name"]) == (anna.person, "Anna")
    assert (await browsers[1].post("/api/return", {"key": key})).data["name"] == back.me, "once is enough"
    assert [name["name"] for name in (await browsers[1].get("/api/hello")).data["names"]] == ["Bruno", "Anna"]
    await back.say("It is me")
    (said,) = await anna.sees()
    assert said["author"]["person"] == anna.person
    # Nobody asks for somebody else's, and both browsers go on.
    assert (await Tab(browsers[0], bruno.me).send("/api/key")).refusal == "not-yours"
    assert (await anna.say("and me")).status == 200


async def test_keys_cannot_be_guessed(browsers: Two, anna: Tab) -> None:
    key = (await anna.send("/api/key")).data["key"]
    wrong = (None, 7, "", "1-", f"{anna.person}-{'A' * 32}", f"999-{'A' * 32}", key[:-1], f"{key}x")
    for tried in wrong:
        assert (await browsers[1].post("/api/return", {"key": tried})).refusal == "wrong-key"
    for _ in range(MAX_ATTEMPTS - len(wrong)):
        await browsers[1].post("/api/return", {"key": "no"})
    answer = await browsers[1].post("/api/return", {"key": key})
    assert (answer.status, answer.refusal) == (429, "too-many-tries")
    assert (await browsers[1].get("/api/hello")).data["names"] == []


async def test_personal_link_restores_a_name_in_another_browser(
    server: WebServer, front: FakeFront, browser: async_api.Browser
) -> None:
    # A link to a challenge joins it.
    front.replies["/join ABC123"] = Reply(make_card("You are in."))
    page = await open_page(browser, f"{server.address}#join=ABC123")
    await enter_name(page, "Anna")
    await expect(page.locator(".secret")).to_contain_text("You are in.")
    assert (page.url, front.asked) == (server.address, ["/join ABC123"])
    await page.locator("#speaker").click()
    await page.get_by_role("button", name="Bring Anna back in another browser").click()
    link = await page.get_by_label("Your own link").input_value()
    other = await (await browser.new_context(locale="it-IT")).new_page()
    await other.goto(link)
    await expect(other.locator("#app[data-ready]")).to_be_visible()
    await expect(other.locator("#speaker")).to_have_attribute("title", "Sei Anna. Cambia chi parla in questa scheda")
    assert other.url == server.address, "the secret has left the address"


async def test_a_key_is_read_as_phones_write_it(browsers: Two, anna: Tab, store: Store) -> None:
    for key in ("1-" + "a--b" * 8, "1-" + "abcd" * 8):
        digest = hashlib.sha256(key.split("-", 1)[1].encode()).hexdigest()
        key = key.replace("1-", f"{anna.person}-", 1)
        await store.people.change_settings(anna.person, {KEY_SETTING: digest})
        for written in (key.replace("--", "\u2014"), key.replace("-", "\u2011"), f"\u200e{key}\u00a0"):
            assert (await browsers[1].post("/api/return", {"key": written})).data["name"]["name"] == "Anna"
