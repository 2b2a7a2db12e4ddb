"""The outbox: a new kind of post is a few lines, whatever goes wrong, and nothing else sends what stays in a place."""

import ast
import asyncio
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from structlog.testing import capture_logs

import bot
from bot.kernel.cards import Button, Card, row_buttons
from bot.kernel.context import Context
from bot.kernel.post_kinds import PostKind, PutOff, Rendering, Showing
from bot.kernel.requests import Place, TryLater, Undeliverable
from bot.kernel.texts import Span
from storage import NewNotice, NewPost, PlaceRow, Post, Store
from tests.bot.party import Party, Recorder, fail_next_calls
from tests.support.present import present
from tests.support.stores import list_posts_in, open_copy, some_people

BULLETIN: Final = "bulletin"
NEWS: Final = "news"


class Bulletin(PostKind):
    """A kind that only the tests have: the newest text about a subject, or news, which come once.

    `readers` are the people to be notified of some subjects. What is after a bar in a text is not in its button.
    """

    def __init__(self, context: Context, *, once: bool = False) -> None:
        super().__init__(context)
        self._once = once
        self.texts: dict[str, str] = {}
        self.readers: dict[str, int] = {}

    async def render(self, showing: Showing) -> Rendering | None:
        """Return the text of a subject; an empty one is put off, and one that is there no more ends the post."""
        text = self.texts.get(showing.post.subject)
        if text == "":
            raise PutOff(self._context.clock() + timedelta(minutes=1))
        if text is None:
            return None
        rows = ((Button("Read", f"read:{showing.post.subject}:{text.partition('|')[0]}"),),)
        card = Card((Span(text),), rows=rows)
        reader = self.readers.get(showing.post.subject)
        notice = None if reader is None else await self._context.store.notices.find(reader, NEWS, showing.post.subject)
        if notice is None or notice.delivered_at is not None:
            return Rendering(card, content=text, last=self._once)
        calling = replace(card, calls=(notice.person,))
        return Rendering(calling, edited=card, content=text, last=self._once, notices=(notice,))


@dataclass
class Lossy(Recorder):
    """A chat that may lose its answers; `keys`: it recognises repeated messages, `history`: it can be read."""

    keys: bool = False
    history: bool = False
    lost: list[bool] = field(default_factory=list)
    """Whether the answers to the next messages sent are lost."""

    async def send(self, place: Place, card: Card, key: str) -> str:
        message = await super().send(place, card, key if self.keys else f"{key} {self.sent}")
        if self.lost and self.lost.pop(0):
            raise TimeoutError
        return message

    async def find_sent(self, place: Place, presses: Collection[str], since: object) -> str | None:
        """Return the message whose buttons carry all presses, if the history can be read."""
        mine = [
            message
            for message, shown in self.messages.items()
            if shown.place.channel == place.channel
            and {each.press for row in shown.card.rows for each in row_buttons(row)}.issuperset(presses)
        ]
        return mine[-1] if mine and self.history else None


def kind_of(party: Party, name: str = BULLETIN) -> Bulletin:
    """Return the tests' kind as the party's program knows it."""
    kinds = party.front.delivery.kinds
    if name not in kinds:
        kinds[name] = Bulletin(party.front.context, once=name == NEWS)
    found = kinds[name]
    assert isinstance(found, Bulletin)
    return found


async def promise(party: Party, subject: str, text: str, place: PlaceRow, name: str = BULLETIN) -> None:
    """Have a text be shown in a place later."""
    kind_of(party, name).texts[subject] = text
    await party.store.posts.promise(NewPost(name, subject, place.id, party.clock()))


async def show(party: Party, text: str, place: PlaceRow, name: str = BULLETIN) -> None:
    """Have a text about one subject be shown in a place."""
    await promise(party, "a", text, place, name)
    await party.settle()


async def find_post(party: Party, subject: str, place: PlaceRow, name: str = BULLETIN) -> Post:
    """Return the one post about a subject in a place."""
    (post,) = [each for each in await list_posts_in(party.store, place.id, name) if each.subject == subject]
    return post


async def change(party: Party, subject: str, text: str) -> None:
    """Change the text of a subject, and have what shows it looked at later."""
    kind_of(party).texts[subject] = text
    await party.store.posts.mark_due(party.clock(), kind=BULLETIN, subject=subject)


@pytest.fixture
async def room(party: Party) -> PlaceRow:
    return await party.store.places.get_or_create("web", "room", None, "house")


async def test_a_kind_of_the_tests_alone_is_kept_true(party: Party, room: PlaceRow) -> None:
    await show(party, "one", room)
    (shown,) = party.shown
    seen = []
    for text in ("two", "two", "", "three"):
        await change(party, "a", text)
        await party.settle()
        seen.append((shown.text, shown.edits))
    assert seen == [("two", 1), ("two", 1), ("two", 1), ("three", 2)], "what is there is not written again"
    party.adapter.messages.clear()
    await change(party, "a", "four")
    await party.settle()
    assert [each.text for each in party.shown] == ["four"], "a message that was deleted is sent again"
    await change(party, "a", "five")
    kind_of(party).texts.clear()
    with capture_logs() as logs:
        await party.settle()
    ended = await find_post(party, "a", room)
    assert (ended.gone, ended.due_at, logs) == (True, None, [])


async def test_news_come_once_each_in_their_order(party: Party, room: PlaceRow) -> None:
    with fail_next_calls(party.adapter, TryLater(30)):
        for number in range(4):
            await promise(party, str(number), f"news {number}", room, NEWS)
        await party.settle()
    await party.wait(minutes=1)
    assert sorted(each.text for each in party.shown) == [f"news {number}" for number in range(4)]
    assert all(each.gone for each in await list_posts_in(party.store, room.id, NEWS))
    for number in range(4):
        await promise(party, str(number), f"again {number}", room, NEWS)
    await party.settle()
    assert len(party.shown) == 4


async def test_a_refusal_that_was_on_its_way_when_a_place_was_opened_closes_nothing(
    party: Party, room: PlaceRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = asyncio.Event()

    async def slow(*_: object, **__: object) -> str:
        refused.set()
        await party.front.is_reopened("web", "house")
        raise Undeliverable("forbidden")

    with monkeypatch.context() as patch:
        patch.setattr(party.adapter, "send", slow)
        await show(party, "one", room)
    assert refused.is_set()
    waiting = await find_post(party, "a", room)
    assert (waiting.waiting, waiting.attempts) == (False, 1)
    await party.wait(seconds=5)
    assert [each.text for each in party.shown] == ["one"]


@pytest.mark.parametrize(("keys", "history", "copies"), [(True, False, 1), (False, True, 1), (False, False, 2)])
async def test_a_message_whose_answer_was_lost_comes_once_where_the_platform_can_tell(
    party: Party, room: PlaceRow, keys: bool, history: bool, copies: int
) -> None:
    party.front.context.adapters["web"] = chat = Lossy(keys=keys, history=history, lost=[True])
    await show(party, "one", room)
    await party.wait(seconds=5)
    assert len(chat.messages) == copies
    shown = await find_post(party, "a", room)
    assert (shown.message, shown.due_at) == (f"m{copies}", None)


async def test_a_message_whose_answer_was_lost_is_brought_up_to_date_where_it_is_found(
    party: Party, room: PlaceRow
) -> None:
    party.front.context.adapters["web"] = chat = Lossy(history=True, lost=[True])
    await show(party, "one|early", room)
    await change(party, "a", "one|late")
    await party.wait(seconds=5)
    assert [each.text for each in chat.messages.values()] == ["one|late"]


async def test_the_message_of_another_post_with_the_same_buttons_is_not_taken_for_a_lost_one(
    party: Party, room: PlaceRow
) -> None:
    party.front.context.adapters["web"] = chat = Lossy(history=True)
    await show(party, "one|bulletin", room)
    chat.faults.append(TryLater())
    await show(party, "one|news", room, NEWS)
    await party.wait(seconds=5)
    assert [each.text for each in chat.messages.values()] == ["one|bulletin", "one|news"]


Step = tuple[str, int, int]
EVENTS: Final = ("post", "news", "change", "fault", "lost", "forbid", "open", "kick", "end")
EVENTS_AROUND: Final = ("die", "wait", "clock", "deliver")
STEPS: Final = st.lists(
    st.tuples(st.sampled_from([*EVENTS, *EVENTS_AROUND]), st.integers(0, 2), st.integers(0, 3)),
    min_size=3,
    max_size=25,
)
FAULTS: Final = (TryLater(), TryLater(40.0), TimeoutError(), RuntimeError("unforeseen"))


@given(steps=STEPS, keys=st.booleans(), history=st.booleans())
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_whatever_happens_everything_is_shown_in_the_end(
    steps: list[Step], keys: bool, history: bool, tmp_path_factory: pytest.TempPathFactory, empty_database: Path
) -> None:
    path = tmp_path_factory.mktemp("outbox") / "data" / "x.db"
    asyncio.run(_live_through(steps, partial(open_copy, empty_database, path), keys=keys, history=history))


async def _live_through(steps: list[Step], begin: Callable[[], Store], *, keys: bool, history: bool) -> None:
    async with begin() as store:
        party = Party(store)
        chat = Lossy(keys=keys, history=history)
        party.front.context.adapters["web"] = party.adapter = chat
        places = [await store.places.get_or_create("web", f"room{at}", None, f"house{at}") for at in range(3)]
        people = [person.id for person in await some_people(store, "Ada", "Bob", "Eve")]
        texts: dict[str, dict[str, str]] = {BULLETIN: {}, NEWS: {}}
        readers: dict[str, int] = {}
        shown: set[tuple[str, str, int]] = set()
        ended: set[int] = set()
        unsure = 0

        def take_up() -> None:
            for name, known in texts.items():
                kind_of(party, name).texts = known
            kind_of(party, NEWS).readers = readers

        for number, (what, at, choice) in enumerate(steps):
            take_up()
            if what in ("post", "news"):
                name = BULLETIN if what == "post" else NEWS
                subject = f"{choice}" if what == "post" else f"n{number}"
                if what == "news":
                    readers[subject] = people[choice % len(people)]
                    await store.notices.promise(None, (), [NewNotice(readers[subject], NEWS, subject)], party.clock())
                await promise(party, subject, f"{what} {number}", places[at], name)
                shown.add((name, subject, at))
            elif what == "change" and str(choice) in texts[BULLETIN]:
                await change(party, str(choice), f"change {number}")
            elif what == "fault":
                chat.faults.append(FAULTS[choice])
            elif what == "lost":
                chat.lost.append(True)
                unsure += 1
            elif what == "forbid":
                chat.faults.append(Undeliverable("forbidden"))
            elif what == "open":
                await party.front.is_reopened("web", f"house{at}" if choice else None)
            elif what == "kick":
                await party.front.is_closed("web", "forbidden", group_id=f"house{at}")
            elif what == "end":
                await party.front.is_closed("web", "channel-gone", channel=f"room{at}")
                ended.add(at)
            elif what == "die":
                party.restarted()
                party.front.context.adapters["web"] = chat
            elif what == "wait":
                party.clock.turn(minutes=choice)
            elif what == "clock":
                party.clock.set(hours=choice - 1)
                await party.front.alarms.beat()
            elif what == "deliver":
                await party.front.delivery.run_until_idle()
        chat.faults.clear()
        chat.lost.clear()
        take_up()
        await party.front.is_reopened("web")
        for _ in range(3):
            party.clock.turn(hours=1)
            await party.front.delivery.run_until_idle()
        assert await store.posts.next_due_at() is None
        again = 0
        for name, subject, at in shown:
            found = await find_post(party, subject, places[at], name)
            if found.gone and found.message is None and at in ended:
                continue
            message = chat.messages[present(found.message)]
            assert message.text == texts[name][subject], (name, subject)
            if subject in readers:
                alike = [each for each in chat.messages.values() if each.text == message.text]
                assert {each.calls for each in alike} == {(readers[subject],)}, "everybody is called"
                again += len(alike) - 1
                assert present(await store.notices.find(readers[subject], NEWS, subject)).delivered_at is not None
        assert again <= (0 if keys or history else unsure), "nobody twice"


SENDERS: Final = {"send", "edit", "retire", "redraw", "open_thread", "find_sent"}
PERMITTED: Final = ("outbox/", "outbox/boards.py", "platforms/discord/", "platforms/telegram/", "platforms/web/")


def find_senders() -> Iterator[str]:
    """Yield where something is sent, edited or retired through an adapter."""
    root = Path(present(bot.__file__)).parent
    for path in sorted(root.rglob("*.py")):
        name, source = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
        # To parse all modules takes seconds.
        for node in ast.walk(ast.parse(source)) if "adapter" in source.lower() else ():
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SENDERS):
                continue
            if "adapter" in ast.unparse(node.func.value).lower() and not name.startswith(PERMITTED):
                yield f"{name}:{node.lineno}"


def test_only_the_outbox_sends_what_stays_in_a_place() -> None:
    assert list(find_senders()) == []
