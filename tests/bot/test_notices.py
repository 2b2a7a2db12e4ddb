"""Notices: where each person receives them, once for each subject, also after a restart."""

import ast
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.kernel.cards import Card
from bot.kernel.preferences import NoticeKind, Route, RouteDecision, VisiblePost, choose_route, next_digest_at
from bot.kernel.presses import read_press
from bot.kernel.requests import Place, Request, TryLater, User
from bot.kernel.texts import Span, Texts, strip_styles
from bot.table.notices import with_mentions
from storage.notices import DIGEST_KIND
from tests.bot.party import SQUARE, Party, Shown, button, buttons, fail_next_calls, missing, words
from tests.support.present import present

TEXTS = Texts()
HALL = Place("web", "hall", title="The hall")


def private(party: Party, who: str) -> list[Shown]:
    """Return what somebody was sent in private."""
    return [shown for shown in party.shown if shown.place.channel == f"@{who}"]


def pings(party: Party) -> list[tuple[str, int]]:
    """Return where people were called, and who."""
    return [(shown.place.channel, person) for shown in party.shown for person in shown.calls]


async def tick(party: Party, **parts: float) -> None:
    """Have so much time pass, and alarms be handled and shown."""
    party.clock.turn(**parts)
    await party.front.alarms.tick()
    await party.settle()


@pytest.mark.parametrize(
    ("language", "one", "two"),
    [
        ("en", "Elena, this is for you.", "Elena and Dario, this is for you."),
        ("it", "Elena, è per te.", "Elena e Dario, è per voi."),
    ],
)
def test_whom_a_message_calls_without_naming_them_is_told_why(language: str, one: str, two: str) -> None:
    speaker, named = TEXTS.speaker(language), Span("Anna", person=1)
    elena, dario = {2: Span("Elena", person=2)}, {3: Span("Dario", person=3)}
    for calls, said in (({1: named}, ""), ({1: named} | elena, one), (elena | dario, two)):
        card = with_mentions(Card((named,)), calls, speaker=speaker)
        assert strip_styles(card.text) == "\n".join(filter(None, ["Anna", said]))
        assert card.calls == tuple(calls)


async def test_a_reminder_calls_in_one_of_the_places_where_the_game_is_shown(party: Party) -> None:
    code = await party.started(f"{SQUARE} clock:1d")
    await party.say("anna", f"/board {code}", place=HALL)
    before = len(party.shown)
    await tick(party, hours=19)
    assert [shown.place.channel for shown in party.shown[before:]] == ["room"]


async def test_private_notices_replace_mentions_on_boards(party: Party) -> None:
    await party.say("bruno", "/settings notices:private")
    code = await party.started(f"{SQUARE} clock:1d")
    assert "Annuvin" in private(party, "bruno")[0].text
    assert {read_press(each.press).deed for each in buttons(private(party, "bruno")[0].card)} >= {"join", "leave"}
    if party.mover == "anna":
        await party.say("anna", "a1-a2")
    turn = private(party, "bruno")[-1]
    assert turn.text.startswith(f"Annuvin with Anna ({code})")
    assert "It is your turn." in turn.text
    assert button(turn.card, "show")
    await party.say("anna", f"/draw {code}")
    offer = private(party, "bruno")[-1]
    assert "Anna offers a draw" in offer.text
    # In public it can be seen and answered, but calls nobody.
    beside = next(shown for shown in party.shown if ":draw:" in shown.key)
    assert beside.calls == ()
    assert button(beside.card, "agree")
    await party.press("bruno", button(offer.card, "agree"), place=Place("web", "@bruno", kind="private"))
    found = await party.load_row(code)
    assert found.status == "over"
    assert {person for channel, person in pings(party) if channel == "room"} == {found.starter}
    assert len(private(party, "bruno")) == 3  # challenge, turn, offer: who agreed ended the game


async def test_none_is_none_and_an_own_choice_for_a_channel_counts_there(party: Party) -> None:
    for who in ("anna", "bruno"):
        await party.say(who, "/settings notices:none")
    shown = await party.say("bruno", "/settings notices:private for:me-here", place=HALL)
    assert missing(words(shown), "for this channel alone", "in private") == []
    code = await party.started(f"{SQUARE} clock:1d")
    for line in ("a1-a2", "/draw"):
        await party.say(party.mover, line)
    await tick(party, hours=19)
    await party.resign(party.other(), code)
    assert pings(party) == []
    await party.say("anna", SQUARE, place=HALL)
    assert [channel for channel, _ in pings(party)] == ["@bruno"]
    refused = await party.say("bruno", "/settings notices:none for:me-here", place=Place("web", "@b", kind="private"))
    assert "private chat" in words(refused)


@pytest.mark.parametrize("linked", [False, True])
async def test_undeliverable_private_notice_falls_back_to_the_channel(party: Party, linked: bool) -> None:
    """That somebody also has an account where this program does not run changes nothing."""
    party.adapter.closed.add("bruno")
    await party.say("bruno", "/settings notices:private")
    if linked:
        assert await party.store.people.add_identity(await party.id_of("bruno"), "discord", "77", "Bruno", None)
    await party.say("anna", SQUARE)
    (channel, _), *rest = pings(party)
    assert (channel, rest) == ("room", [])
    assert "Bruno" in party.newest.text
    assert button(party.newest.card, "join")


async def test_promised_notice_survives_a_restart_and_is_sent_once(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    await party.say("bruno", "/settings notices:private")
    with fail_next_calls(party.adapter, None, TryLater(30)):
        await party.say("anna", SQUARE)
    assert private(party, "bruno") == []
    # Another process, to which the same is told after the message was sent and before that was noted.
    party.restarted()

    async def killed(*_: object, **__: object) -> None:
        raise RuntimeError("the program dies here")

    with monkeypatch.context() as patched:
        patched.setattr(party.store.posts, "record_shown", killed)
        await party.wait(seconds=40)
    party.restarted()
    await party.wait(minutes=10)
    assert len(private(party, "bruno")) == 1
    (notice,) = await party.store.notices.list_for_game(party.code)
    assert notice.delivered_at is not None


async def test_a_private_message_is_kept_true_until_its_subject_is_settled(party: Party) -> None:
    for who in ("anna", "bruno"):
        await party.say(who, "/settings notices:private")
    await party.say("anna", SQUARE)
    (asked,) = private(party, "bruno")
    assert (asked.retired, asked.edits) == (False, 0)
    code = party.code
    await party.press("bruno", f"join:{code}:1")
    assert asked.retired
    mover = await party.mover_of(code)
    turn = private(party, mover)[-1]
    assert ("It is your turn." in turn.text, turn.retired) == (True, False)
    await party.play_first(code)
    assert turn.retired
    await party.resign(await party.mover_of(code), code)
    assert not private(party, mover)[-1].retired, "what has ended stays as it is"
    assert await party.store.posts.next_due_at() is None


async def test_what_told_of_a_game_is_forgotten_some_days_after_its_end(party: Party) -> None:
    await party.say("bruno", "/settings notices:private")
    ended, other = await party.started(), await party.started()
    await party.resign(party.other(), ended)
    bruno = await party.id_of("bruno")

    async def notified() -> list[str | None]:
        posts = [await party.store.posts.get(number) for number in range(1, 40)]
        return [post.game for post in posts if post is not None and post.subject.startswith(f"{bruno}-")]

    before = await notified()
    assert set(before) == {ended, other}
    await tick(party, days=13)
    assert await notified() == before
    await tick(party, days=2)
    assert await notified() == [game for game in before if game == other], "the other game goes on"


async def test_who_becomes_one_with_another_is_told_all_the_same(party: Party) -> None:
    await party.meet("carla")
    await party.say("bruno", "/settings notices:private")
    with fail_next_calls(party.adapter, None, TryLater(30)):
        await party.say("anna", SQUARE)
    assert (private(party, "bruno"), private(party, "carla")) == ([], [])
    await party.store.links.merge_people(await party.id_of("carla"), await party.id_of("bruno"))
    await party.wait(minutes=2)
    assert len([*private(party, "bruno"), *private(party, "carla")]) == 1
    assert await party.store.posts.next_due_at() is None


async def test_a_digest_lists_once_a_day_all_that_waits(party: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.outbox.notice_posts.MAX_GAMES_IN_DIGEST", 3)
    await party.say("bruno", "/settings notices:digest digest:18 timezone:Europe/Rome")
    codes = []
    for _ in range(5):
        await party.say("anna", SQUARE)
        codes.append(party.code)
    for code in codes[:2]:
        await party.press("bruno", f"join:{code}:1")
    assert private(party, "bruno") == []
    assert "18:00" in words(await party.say("bruno", "/settings"))
    bruno = await party.id_of("bruno")
    (due,) = [row for row in await party.store.notices.list_for_person(bruno, Route.DIGEST) if row.kind == DIGEST_KIND]
    party.clock.now = present(due.due_at)
    assert party.clock.now.hour == 17, "in Rome 18, in winter"
    party.restarted()
    await party.settle()
    (digest,) = private(party, "bruno")
    assert digest.text.count("Annuvin") == 3
    assert "… and" in digest.text
    assert len(digest.calls) == 1
    await party.settle()
    assert len(private(party, "bruno")) == 1
    # What waits still is in the next one; what is settled is not.
    for code in codes[2:]:
        await party.press("bruno", f"leave:{code}:{(await party.load_row(code)).revision}")
    await party.wait(days=1)
    assert private(party, "bruno")[1].text.count("Annuvin") <= 2


async def test_deadline_warning_is_sent_at_once_despite_a_digest(party: Party) -> None:
    for who in ("anna", "bruno"):
        await party.say(who, "/settings notices:digest")
    await party.started(f"{SQUARE} clock:1h")
    mover = party.mover
    await tick(party, minutes=46)
    (message,) = private(party, mover)
    assert "It is your turn." in message.text
    assert [channel for channel, _ in pings(party)] == [f"@{mover}"]


async def test_changed_notice_setting_applies_to_pending_notices(party: Party) -> None:
    await party.say("bruno", "/settings notices:digest")
    await party.say("anna", SQUARE)
    assert pings(party) == []
    form = await party.say("bruno", "/settings")
    await party.follow("bruno", form, "Notifications: once a day", "in private")
    assert len(private(party, "bruno")) == 1
    assert "from 0 to 23" in words(await party.say("bruno", "/settings digest:24"))


NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
ROOM, DM, ABROAD = (
    VisiblePost(1, "discord", seen=NOW),
    VisiblePost(2, "discord", private=True, own=True),
    VisiblePost(3, "telegram"),
)


@pytest.mark.parametrize(
    ("kind", "settings", "shown", "found"),
    [
        ("turn", {}, [ROOM], RouteDecision(Route.HERE, 1)),
        ("turn", {}, [ABROAD, ROOM], RouteDecision(Route.HERE, 1)),
        ("turn", {}, [ABROAD], RouteDecision(Route.HERE)),
        ("turn", {"notices": "private"}, [ROOM], RouteDecision(Route.PRIVATE)),
        ("turn", {"notices": "private"}, [ROOM, DM], RouteDecision(Route.HERE, 2)),
        ("turn", {"notices": "none"}, [ROOM, DM], RouteDecision(Route.NONE)),
        ("offer", {"notices": "digest"}, [ROOM], RouteDecision(Route.DIGEST)),
        ("time", {"notices": "digest"}, [ROOM], RouteDecision(Route.PRIVATE)),
        ("time", {"notices": "of old"}, [ROOM], RouteDecision(Route.HERE, 1)),
        ("turn", {"notices": "none"}, [VisiblePost(1, "discord", choice="digest")], RouteDecision(Route.DIGEST)),
        ("turn", {}, [VisiblePost(4, "discord", private=True)], RouteDecision(Route.HERE)),
    ],
)
def test_each_notice_has_one_route(
    kind: str, settings: dict[str, str], shown: list[VisiblePost], found: RouteDecision
) -> None:
    assert choose_route(NoticeKind(kind), settings, {"discord"}, shown) == found


def test_digests_come_at_one_s_hour_and_not_all_at_once() -> None:
    settings = {"timezone": "America/New_York", "digest_hour": 7}
    due = [next_digest_at(person, settings, NOW) for person in range(1, 51)]
    assert all(timedelta(0) < when - NOW <= timedelta(days=1) for when in due)
    assert {when.hour for when in due} == {12}
    assert len({when.minute for when in due}) == 50
    assert next_digest_at(1, settings, due[0]) == due[0] + timedelta(days=1)


def test_only_the_notice_rules_decide_whom_a_card_mentions() -> None:
    found = set()
    for path in sorted(Path("bot").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        # To parse all modules takes seconds.
        for node in ast.walk(ast.parse(source)) if "calls=" in source or "named=" in source else ():
            names = {keyword.arg for keyword in node.keywords} if isinstance(node, ast.Call) else set()
            if names & {"calls", "named"}:
                found.add(path.as_posix())
    assert found == {"bot/table/notices.py"}
    for what, where in {
        "card.calls": {"bot/kernel/preferences.py"},
        "read_called_users(": {
            "bot/kernel/preferences.py",
            "bot/platforms/discord/adapter.py",
            "bot/platforms/telegram/adapter.py",
        },
    }.items():
        assert {path.as_posix() for path in Path("bot").rglob("*.py") if what in path.read_text("utf-8")} == where


async def test_board_counts_as_read_by_nobody_whom_it_cannot_mention(party: Party) -> None:
    await party.say("anna", SQUARE.replace(" @bruno", ""))
    code, group = party.code, Place("telegram", "group")
    user = User("telegram", "bruno", "Bruno", "en")
    await party.front.typed_text(Request("group-1", user, group), f"/join {code}")
    here, there = await party.store.posts.list_for_game(code)
    assert (here.place.platform, there.place.platform) == ("web", "telegram")
    # The group is gone: what is left is a board on a platform where Bruno is not.
    await party.store.posts.close(there.id)
    await party.settle()
    if (await party.mover_of(code)) == "anna":
        await party.play_first(code)
    (notice,) = [each for each in await party.store.notices.list_for_game(code) if each.kind == NoticeKind.TURN]
    assert (await party.mover_of(code), party.board.calls, notice.delivered_at) == ("bruno", (), None)
