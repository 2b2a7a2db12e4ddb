"""Everything that needs a right, as the features say it: the commands with values, and the presses."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from bot.kernel.commandline import Parameter
from bot.kernel.features import Command, commands_on, load_presses
from bot.kernel.forms import get_for
from bot.kernel.permissions import Right
from bot.kernel.preferences import ON
from bot.kernel.presses import FORM_PRESS, RUN_PRESS, SUBMIT_STEP, press
from bot.kernel.requests import Place, Reply, Request, User
from bot.kernel.texts import strip_styles
from bot.lobby.teams.cards import LISTING
from bot.platforms.app import Tavoliere
from bot.platforms.webhooks.commands import REMOVE_PRESS
from storage import CompetitionKind
from tests.support.present import present

LACKS: Final = ("Only those who manage", "Only the person who made it")
"""Sentences for those who lack a right."""
NAMELESS: Final = "while you write anonymously"
WRONG: Final = "went wrong"
SAMPLES: Final = {"number": "9", "text": "x", "people": "@nobody", "game": "annuvin"}

_events = itertools.count(1)


@dataclass
class Replies:
    """The words of all replies that the program has given, the oldest first."""

    said: list[str] = field(default_factory=list)

    @property
    def last(self) -> str:
        return self.said[-1]


def listen_to_replies(monkeypatch: pytest.MonkeyPatch) -> Replies:
    """Note what the program replies to its platforms."""
    replies = Replies()

    def noting(method: Callable[..., Any]) -> Callable[..., Any]:
        async def noted(*arguments: Any, **named: Any) -> Reply:
            reply: Reply = await method(*arguments, **named)
            replies.said.append(strip_styles(reply.card.text) if reply.card is not None else "")
            return reply

        return noted

    for name in ("command", "press", "typed_text"):
        monkeypatch.setattr(Tavoliere, name, noting(getattr(Tavoliere, name)))
    return replies


def managed_lines(platform: str) -> Iterator[tuple[str, dict[str, str], Right]]:
    """Return each command that needs a right with values for which it does, and the right."""
    for name, command in commands_on(platform).items():
        if command.right is None:
            continue
        found = dict(_rights_of(command))
        assert found, f"/{name} says that it may need a right, and never does"
        for values, right in found.items():
            yield name, dict(values), right


def _rights_of(command: Command) -> Iterator[tuple[tuple[tuple[str, str], ...], Right]]:
    if isinstance(command.right, Right):
        yield (), command.right
        return

    def right_for(values: Iterable[tuple[str, str]]) -> Right | None:
        return get_for(command.right, dict(values))

    singles = [((parameter.name, _sample(parameter)),) for parameter in command.parameters]
    found = [(values, right) for values in [(), *singles] if (right := right_for(values)) is not None]
    yield from found
    for values, right in found:
        # What depends on more than one value.
        more = ((*values, *single) for single in singles if values and right is Right.DEPENDS and single != values)
        deeper = next((each for each in more if right_for(each) is Right.MANAGER), None)
        if deeper is not None:
            yield deeper, Right.MANAGER


def _sample(parameter: Parameter) -> str:
    if parameter.name == "for":
        return "channel"
    return parameter.choices[0] if parameter.choices else SAMPLES.get(parameter.kind, "x")


_STORE: Final = ("settings", "1", SUBMIT_STEP, "w:channel")


def typed(name: str, values: Mapping[str, str]) -> str:
    """Return a command as it is typed."""
    return " ".join([f"/{name}", *(f"{key}:{value}" for key, value in values.items())])


async def answer_to(front: Tavoliere, user: User, place: Place, asked: str) -> Reply:
    """Type a line, or press a button, somewhere; return the reply."""
    request = Request(f"rights{next(_events)}", user, place, can_dm="certain")
    reply = await (front.typed_text if asked.startswith("/") else front.press)(request, asked)
    assert not reply.failed, asked
    return reply


async def make_competitions(front: Tavoliere, place: Place, user: User) -> dict[CompetitionKind, str]:
    """Have somebody make a competition of each kind in a place; return the codes."""
    terms: dict[CompetitionKind, str] = {"cup": "players:4", "league": "", "ladder": ""}
    made: dict[CompetitionKind, str] = {}
    stored = await front.context.store.places.get_or_create(place.platform, place.channel, place.thread, place.group)
    for kind, more in terms.items():
        await answer_to(front, user, place, f"/{kind} annuvin clock:1d entry:code {more}")
        made[kind] = (await front.context.store.competitions.list_in_place(stored.id, 1, kind=kind))[0].id
    return made


async def list_managed_presses(front: Tavoliere, place: Place) -> list[str]:
    """Return a press of each kind that needs a right: of things that somebody else has made in a place."""
    store = front.context.store
    somebody = User(place.platform, "7000777", "Zoe", "en")

    codes = await make_competitions(front, place, somebody)
    await answer_to(front, somebody, place, "/play annuvin")
    stored = await store.places.get_or_create(place.platform, place.channel, place.thread, place.group)
    person = (await store.people.find("Zoe", platform=place.platform))[0]
    lobbies = await store.games.list_in_place(stored.id, status="lobby")
    (game,) = [brief for brief in lobbies if brief.starter == person.id]
    hook = present(
        await store.webhooks.create(stored.id, "https://a.example/", "whsec_eA==", person.id, front.context.clock(), 5)
    )
    await store.webhooks.stop(hook.id, "gone")
    given: dict[str, list[str]] = {
        str(kind): [press(kind, None, 0, verb, code) for verb in ("run", "end!")] for kind, code in codes.items()
    }
    given |= {
        FORM_PRESS: [press(FORM_PRESS, None, 0, *_STORE, f"language:{each}") for each in ("it", "en")],
        RUN_PRESS: [press(RUN_PRESS, None, 0, "settings", "for:channel", f"language:{each}") for each in ("it", "en")],
        LISTING: [press(LISTING, None, 0, ON)],
        REMOVE_PRESS: [press(REMOVE_PRESS, None, 0, str(hook.id))],
        "close": [press("close", game.id, game.revision)],
    }
    needing = {name for name, rule in load_presses().items() if rule.right is not None}
    assert set(given) - {RUN_PRESS} == needing, "give an example of every press that needs a right"
    return [each for presses in given.values() for each in presses]


def is_refused(said: str) -> bool:
    """Return True if words say that somebody lacks a right."""
    assert WRONG not in said, said
    return any(words in said for words in LACKS)
