"""Launches of the Mini App, and what a session may do: what its person may do in the chat, and no more."""

import asyncio
from datetime import timedelta
from typing import Any

from bot.kernel.app_sessions import MAX_SESSION_AGE, SESSION_LIFETIME, AppSigner, load_app_signer
from storage import Store
from tests.apps.hosts import GROUP, TOKEN, Apps
from tests.support.present import present


async def test_a_move_from_the_app_is_that_persons_in_the_same_game(apps: Apps) -> None:
    code = await apps.game("Anna", "Bruno")
    app = {name: await apps.opens(name, await apps.link(code)) for name in ("Anna", "Bruno")}
    boards = {name: await each.board(code) for name, each in app.items()}
    (mover,) = [name for name, board in boards.items() if board["table"]["turn"]]
    other = next(name for name in app if name != mover)
    stream = await app[other].listens(code)
    board = boards[mover]
    assert board["card"]["picture"]["url"].startswith("data:image/webp;base64,")
    # Another person cannot move for the one to move.
    refused = await app[other].post("press", press=next(iter(board["card"]["presses"].values())))
    assert refused.status == 200
    assert "board" not in refused.data
    assert "turn" in "".join(span["text"] for span in refused.data["card"]["text"]).lower()
    assert (await app[mover].board(code))["table"]["revision"] == board["table"]["revision"]
    asked = await app[mover].post("press", press=next(iter(board["card"]["presses"].values())))
    target = _target(asked.data["board"])
    played = await app[mover].post("press", press=target, event="eventplayed")
    assert played.status == 200, played.data
    async with asyncio.timeout(60):
        while (news := await stream.receive_json())["games"][0]["revision"] == board["table"]["revision"]:
            assert news["games"][0]["code"] == code
    after = await app[other].board(code)
    assert after["table"]["revision"] > board["table"]["revision"]
    # The same event again does nothing more.
    assert (await app[mover].post("press", press=target, event="eventplayed")).status == 200
    assert (await app[other].board(code))["table"]["revision"] == after["table"]["revision"]
    # The chat's board follows.
    await apps.front.delivery.run_until_idle()
    assert any(code in str(shown.card.headline) for shown in apps.adapter.messages.values())


async def test_a_picture_that_the_page_has_is_not_sent_again(apps: Apps) -> None:
    code = await apps.game("Anna", "Bruno")
    app = await apps.opens("Anna", await apps.link(code))
    shown = (await app.board(code))["card"]["picture"]
    again = await app.get(f"board?game={code}&seen=other,{shown['digest']}")
    assert again.data["card"]["picture"] == {name: each for name, each in shown.items() if name != "url"}
    other = await app.get(f"board?game={code}&seen=other")
    assert other.data["card"]["picture"] == shown


def _target(board: dict[str, Any]) -> str:
    """Return the press of a target: one that goes on from what was chosen, rather than takes it back."""
    presses: list[str] = list(board["card"]["presses"].values())
    return max(presses, key=lambda press: press.count("."))


async def test_forged_foreign_and_old_launches_are_refused(apps: Apps) -> None:
    good = apps.data("Anna")
    forged = {
        "nothing": None,
        "no text": 7,
        "empty": "",
        "no fields": "hash",
        "another signature": good.replace("hash=", "hash=0"),
        "another person": good.replace(str(apps.number("Anna")), str(apps.number("Bruno"))),
        "another bot's": apps.data("Anna", signed_with="654321:" + "B" * 35),
        "a field twice": f"{good}&auth_date=1",
        "too long": f"{good}&more={'x' * 9000}",
        "from the future": apps.data("Anna", at=apps.clock.now + timedelta(hours=1)),
    }
    for what, data in forged.items():
        answer = await apps.post("session", {"initData": data})
        assert (answer.status, answer.refusal) == (403, "launch-forged"), what
    old = await apps.post("session", {"initData": apps.data("Anna", at=apps.clock.now - MAX_SESSION_AGE * 1.1)})
    assert (old.status, old.refusal) == (403, "launch-old")
    # A reload brings the same launch again.
    for _ in range(2):
        assert (await apps.post("session", {"initData": good})).status == 200
        apps.clock.turn(hours=1)
    launch = {"initData": apps.data("Anna")}
    assert (await apps.post("session", launch, Origin="https://evil.example")).refusal == "cross-site"
    other_name = {"Host": "evil.example", "Origin": "https://evil.example"}
    assert (await apps.post("session", launch, **other_name)).refusal == "wrong-host"


async def test_a_session_ends_and_can_be_renewed_until_its_launch_is_too_old(apps: Apps) -> None:
    app = await apps.opens("Anna")
    begun = apps.clock.now
    while apps.clock.now - begun < MAX_SESSION_AGE - SESSION_LIFETIME:
        apps.clock.now += SESSION_LIFETIME * 0.9
        renewed = await app.post("renew")
        assert renewed.status == 200
        app.token = renewed.data["token"]
    apps.clock.now = begun + MAX_SESSION_AGE + timedelta(seconds=1)
    for path in ("renew", "press", "say"):
        answer = await app.post(path, press="more:ABCDEF:1", text="d5")
        assert (answer.status, answer.refusal) == (401, "session-over")
    assert (await app.get("home")).status == 401


async def test_a_changed_session_is_none(apps: Apps) -> None:
    app = await apps.opens("Anna")
    packed, _, signature = app.token.partition(".")
    session = present((await load_app_signer(apps.store)).read_session(app.token, apps.clock.now))
    other_key = AppSigner(b"x" * 32).sign_session(session)
    for changed in (f"{packed[:-2]}AA.{signature}", f"{packed}.{'0' * 64}", "", other_key):
        app.token = changed
        assert (await app.get("home")).status == 401, changed
        stream = await app.listens(forged=changed or "none")
        async with asyncio.timeout(60):
            assert (await stream.receive()).data == 4001


async def test_game_is_hidden_from_people_of_other_chats_but_a_signed_link_lets_it_be_watched(apps: Apps) -> None:
    code, other = await apps.game("Anna", "Bruno"), await apps.game("Anna", "Carla")
    link = await apps.link(code)
    eve, mallory = await apps.opens("Eve", link), await apps.opens("Mallory")
    for answer in (
        await mallory.get(f"board?game={code}"),
        await mallory.get(f"turns?game={code}"),
        await mallory.post("press", press=f"more:{code}:1"),
        await mallory.post("press", press=f"join:{code}:1"),
        await mallory.post("say", text="d5", open={"game": code}),
        await mallory.post("cell", cell="d5", open={"game": code}),
        await eve.get(f"board?game={other}"),
    ):
        assert (answer.status, answer.refusal) == (404, "no-such-game")
    assert (await mallory.get("home")).data["games"] == []
    assert eve.data["game"] == code
    assert not (await eve.board(code))["table"]["mine"]
    for bad in (link.replace(code, other), code, f"{link}0", link[:-1] + ("0" if link[-1] != "0" else "1")):
        stranger = await apps.opens("Mallory", bad)
        assert stranger.data["game"] is None
        assert (await stranger.get(f"board?game={other}")).status == 404


async def test_group_member_may_watch_and_create_games_in_the_app(apps: Apps) -> None:
    code = await apps.game("Anna", "Bruno")
    await apps.says("Carla", "/help")
    link = await apps.link()
    carla, eve = await apps.opens("Carla", link), await apps.opens("Eve", link)
    assert (carla.data["chat"], eve.data["chat"]) == (True, False)
    assert (await carla.board(code))["table"]["mine"] is False
    put_up = await carla.post("say", text="/play annuvin", where="chat")
    assert put_up.data["open"]
    await apps.front.delivery.run_until_idle()
    assert any(
        shown.card.headline and shown.card.headline.code == put_up.data["open"]
        for shown in apps.adapter.messages.values()
        if shown.place.channel == GROUP.channel
    )
    refused = await eve.post("say", text="/play annuvin", where="chat")
    assert (refused.status, refused.refusal) == (403, "not-in-chat")


async def test_every_process_on_the_database_knows_the_key(store: Store) -> None:
    one, other = await load_app_signer(store), await load_app_signer(store)
    link = one.sign_link("telegram", GROUP, "ABCDEF")
    assert other.read_link("telegram", link) == one.read_link("telegram", link) is not None
    assert other.read_link("discord", link) is None


async def test_pages_may_be_shown_by_their_platform_alone(apps: Apps) -> None:
    page = await apps.get("app/telegram/")
    policy = page.headers["Content-Security-Policy"]
    assert page.status == 200
    assert "frame-ancestors https://web.telegram.org" in policy
    assert "unsafe" not in policy
    assert "X-Frame-Options" not in page.headers
    assert (await apps.get("")).headers["X-Frame-Options"] == "DENY"
    # What is not set up is not there.
    assert (await apps.get("app/discord/")).status == 404
    assert "frame-ancestors 'none'" in (await apps.get("app/discord/")).headers["Content-Security-Policy"]


async def test_the_pages_manager_is_not_reachable_from_an_app_and_what_is_no_line_is_answered(apps: Apps) -> None:
    code, app = await apps.game("Anna", "Bruno"), await apps.opens("Anna")
    for path in ("manage", "names", "key", "messages"):
        assert (await apps.post(path, {})).status in (404, 405)
    answer = await app.post("say", text="/settings for:channel language:it")
    assert answer.status == 200
    assert TOKEN not in str(answer.data)
    for opened in ({"game": code}, None):
        answer = await app.post("say", text="good evening everybody", open=opened)
        assert (answer.status, answer.refusal) == (400, "no-line")
