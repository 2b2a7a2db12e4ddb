"""Who is let in: names, origins, sizes, and what every answer says about itself."""

import re

import pytest

from bot.kernel.texts import Texts
from bot.platforms.public.answers import FOREVER, REVALIDATE
from bot.platforms.web.request_guard import MAX_BODY_BYTES, Rejected, RequestGuard
from bot.platforms.web.room import ChatRoom
from storage import DiskFull, Store, utc_now
from tests.support.faults import full_disk
from tests.web.browser import Browser, Two
from tests.web.front import FakeFront, serve_page


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8080", "localhost", "LOCALHOST:9", "[::1]:80", "192.168.1.7:8080", "a.localhost", "table.lan:1"]
)
def test_this_machine_is_known_by_its_names_and_addresses(host: str) -> None:
    assert RequestGuard(["table.lan"]).is_known_host(host)


@pytest.mark.parametrize(
    "host",
    [
        "", "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example",
        "localhost@evil.example", "[::1", "a b", "notlocalhost", ":80",
    ],
)  # fmt: skip
def test_a_foreign_name_for_this_machine_is_refused(host: str) -> None:
    assert not RequestGuard(["table.lan"]).is_known_host(host)
    with pytest.raises(Rejected, match="wrong-host"):
        RequestGuard().check("GET", {"Host": host})


HOST = {"Host": "127.0.0.1:8080"}
OURS = {**HOST, "Origin": "http://127.0.0.1:8080", "Sec-Fetch-Site": "same-origin"}


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("POST", OURS),
        ("GET", HOST),
        ("GET", {**OURS, "Upgrade": "websocket"}),
        ("GET", {**HOST, "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}),
        ("GET", {**HOST, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}),
        ("POST", {"Host": "table.lan", "Origin": "https://table.lan"}),
    ],
)
def test_the_page_itself_is_let_in(method: str, headers: dict[str, str]) -> None:
    RequestGuard(["table.lan"]).check(method, headers)


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("POST", HOST),
        ("POST", {**OURS, "Origin": "http://evil.example"}),
        ("POST", {**OURS, "Origin": "null"}),
        ("POST", {**OURS, "Origin": "http://127.0.0.1:9090"}),
        ("POST", {**OURS, "Origin": "http://localhost:8080"}),
        ("POST", {**OURS, "Sec-Fetch-Site": "same-site"}),
        ("DELETE", HOST),
        ("GET", {**HOST, "Upgrade": "WebSocket"}),
        ("GET", {**HOST, "Origin": "http://evil.example", "Upgrade": "websocket"}),
        ("GET", {**HOST, "Origin": "http://evil.example"}),
        ("GET", {**HOST, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}),
        ("GET", {**HOST, "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}),
        ("POST", {**OURS, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}),
    ],
)
def test_other_sites_are_not(method: str, headers: dict[str, str]) -> None:
    with pytest.raises(Rejected, match="cross-site"):
        RequestGuard().check(method, headers)


async def test_refusals_share_one_format_and_change_nothing(browsers: Two) -> None:
    browser, _ = browsers
    foreign = await browser.post("/api/names", {"name": "Anna"}, Origin="http://evil.example")
    assert (foreign.status, foreign.refusal) == (403, "cross-site")
    rebound = await browser.get("/api/hello", Host="evil.example")
    assert (rebound.status, rebound.refusal) == (421, "wrong-host")
    assert (await browser.get("/api/hello")).data["names"] == []
    assert "Set-Cookie" not in foreign.headers


async def test_bodies_that_are_too_large_or_no_json_are_refused(browsers: Two) -> None:
    browser, _ = browsers
    large = await browser.post("/api/names", {"name": "A" * MAX_BODY_BYTES})
    assert (large.status, large.refusal) == (413, "too-large")

    async def chunks() -> object:
        for _ in range(40):
            yield b" " * 1024

    async with browser.session.post(
        f"{browser.origin}/api/names",
        data=chunks(),
        headers={"Origin": browser.origin, "Content-Type": "application/json"},
    ) as response:
        assert (response.status, (await response.json())["error"]["code"]) == (413, "too-large")
    for body in (b"{", b"[]", b"\xff\xfe", b"1" * 5000, b"[" * 9000, b""):
        answer = await browser.post("/api/names", body, Content_Type="application/json")
        assert (answer.status, answer.refusal) == (400, "not-json")
    form = await browser.post("/api/names", "name=Anna", Content_Type="application/x-www-form-urlencoded")
    assert (form.status, form.refusal) == (415, "not-json")


async def test_every_answer_keeps_scripts_frames_and_sniffers_out(browsers: Two) -> None:
    browser, _ = browsers
    answers = {"/": 200, "/static/main.js": 200, "/api/hello": 200, "/nowhere": 404, "/api/messages": 403}
    for path, status in answers.items():
        answer = await browser.get(path)
        assert answer.status == status
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert b"<script>" not in (await browser.get("/")).data


async def test_only_the_pages_own_files_can_be_asked_for(browsers: Two) -> None:
    browser, _ = browsers
    for path in ("/static/../server.py", "/static/%2e%2e/server.py", "/static/server.py", "/fonts/OFL.txt", "/static/"):
        assert (await browser.get(path)).status == 404
    script = await browser.get("/static/main.js")
    assert script.headers["Content-Type"].startswith("text/javascript")
    again = await browser.get("/static/main.js", If_None_Match=script.headers["ETag"])
    assert (again.status, again.data) == (304, b"")


async def test_files_are_kept_for_as_long_as_their_version_lasts(browsers: Two) -> None:
    browser, _ = browsers
    (named,) = re.findall(rb'src="(/static-[0-9a-f]+)/main.js"', (await browser.get("/")).data)
    script = await browser.get("/static/main.js")
    for folder, caching in ((named.decode(), FOREVER), ("/static-0", REVALIDATE), ("/static", REVALIDATE)):
        answer = await browser.get(f"{folder}/main.js")
        assert (answer.data, answer.headers["Cache-Control"]) == (script.data, caching)


async def test_healthz_names_lost_platforms(front: FakeFront, store: Store, texts: Texts, room: ChatRoom) -> None:
    failing = dict[str, str]()
    async with (
        serve_page(front, store, texts, room, failing=lambda: failing) as server,
        Browser(server.address) as browser,
    ):
        assert (await browser.get("/healthz")).data == b"ok\n"
        failing["telegram"] = "token-in-use"
        assert (await browser.get("/healthz")).data == b"token-in-use telegram\n"
        failing.clear()
        failing |= dict.fromkeys(("discord", "telegram"), "not-listening")
        ill = await browser.get("/healthz")
        assert (ill.status, ill.data) == (503, b"not-listening discord telegram\n")
        failing.clear()
        assert (await browser.get("/healthz")).status == 200


async def test_healthz_reports_a_full_disk(browsers: Two, store: Store) -> None:
    with full_disk() as disk:
        with pytest.raises(DiskFull):
            await store.room.add_message(utc_now(), text="x" * 100_000, key="k")
        ill = await browsers[0].get("/healthz")
        assert (ill.status, ill.data) == (503, b"disk-full\n")
        disk.has_room = True
        assert (await browsers[0].get("/healthz")).data == b"ok\n"
