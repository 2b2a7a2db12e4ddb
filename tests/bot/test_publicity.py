"""Whatever makes something public has an hourly limit: all commands and presses are walked through at the limit."""

import sqlite3
from collections.abc import Hashable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.kernel.cards import Card
from bot.kernel.context import Public
from bot.kernel.features import Command, load_forms, load_presses
from bot.kernel.form_presses import find_rule
from bot.kernel.forms import get_for
from bot.kernel.operations.limits import HourlyRateLimiter
from bot.kernel.presses import FORM_PRESS, SUBMIT_STEP, read_press
from bot.kernel.requests import Place, Reply
from bot.lobby.teams.cards import INVITATION, JOIN
from bot.platforms.app import COMMANDS
from tests.bot.cups import a_cup
from tests.bot.party import Party, button, buttons, card, words
from tests.support.present import present

ENOUGH = ("an hour are the most", "a lot in one hour")
OF_MANAGERS = {"settings", "puzzle", *(name for name, command in COMMANDS.items() if command.managed)}
"""What only managers of a place can make public, and no message shows at once."""
ELSEWHERE = {"c", "begin"}
"""What asks first in games with several questions, and what the page presses by itself."""
ANSWERS = {"cup=stay", "cup=give", "league=stay"}
"""What only those can do who are asked or awaited."""

UNSEEN = (
    "Its feature says that others see something of {!r}, but they see nothing; the answer was {!r}. Return "
    "Reply(card, private=False), or say public=PRIVATE in feature.py, or do it in this walk so that it has an effect."
)

OF_OTHERS = (
    "SELECT id, revision, status FROM games ORDER BY id",
    "SELECT id, revision FROM competitions ORDER BY id",
    "SELECT game, round, team, proposal, person FROM team_votes ORDER BY id",
)
"""What is stored of which others see something."""


class Spent(HourlyRateLimiter):
    """A limit that everybody has reached."""

    def wait_seconds(self, who: Hashable) -> int:
        return 3600


class Walk:
    """A room with games and a competition of all stages, whose doings are tried at the limit and below."""

    def __init__(self, party: Party, stored: sqlite3.Connection) -> None:
        self.party = party
        self.stored = stored
        self.effective: set[str] = set()
        self.seen: dict[str, Card] = {}
        self.offered: dict[str, str] = {}
        """A press of each kind that a button anywhere has carried, by its deed and what it does."""

    def limit(self, *, spent: bool) -> None:
        """Have everybody be at the limit, or far from it."""
        self.party.front.context.rate_limits = {
            kind: (Spent if spent else HourlyRateLimiter)(1000, self.party.clock.monotonic) for kind in Public
        }

    async def opened(self, line: str, *joining: str) -> str:
        """Have Anna open a game that others join, and return its code."""
        await self.party.say("anna", line)
        code = self.party.code
        for other in joining:
            await self.party.press(other, f"join:{code}:1")
        return code

    async def at(self, code: str) -> str:
        """Return a game and its revision, as a press carries them."""
        return f"{code}:{(await self.party.load_row(code)).revision}"

    def public(self) -> object:
        """Return all that others can see."""
        shown = [(each.key, each.card, each.retired, each.removed) for each in self.party.shown]
        # Asked of the file itself: it is asked some hundred times, and what others see is a part of many tables.
        return shown, [self.stored.execute(query).fetchall() for query in OF_OTHERS]

    async def do(self, who: str, deed: str, **where: Place) -> Reply:
        reply = await (self.party.say if deed.startswith("/") else self.party.press)(who, deed, **where)
        changed = {key: shown.card for key, shown in self.party.adapter.messages.items()}
        for key, shown in changed.items():
            if self.seen.get(key) is not shown:
                self.note_buttons(shown)
        self.seen = changed
        if reply.card is not None:
            self.note_buttons(reply.card)
        return reply

    def note_buttons(self, shown: Card) -> None:
        for each in buttons(shown):
            self.offered.setdefault(kind_of(each.press), each.press)

    async def limited(self, who: str, deed: str, game: str = "", **where: Place) -> Reply:
        """Have somebody do a thing at the limit, in vain, and then below it, with effect; below it they stay.

        `game` stands for {} in the deed, with its revision in a press.
        """
        deed = deed.format(game if deed.startswith("/") or not game else await self.at(game))
        before = self.public()
        await self.refused(who, deed, **where)
        self.limit(spent=False)
        reply = await self.do(who, deed, **where)
        assert not reply.private or self.public() != before, UNSEEN.format(deed, words(reply))
        self.effective.add(deed.split()[0] if deed.startswith("/") else kind_of(deed))
        return reply

    async def refused(self, who: str, deed: str, **where: Place) -> None:
        """Have somebody do a thing at the limit, in vain."""
        said = words(await self.quiet(who, deed, **where))
        assert any(each in said for each in ENOUGH), (deed, said)

    async def quiet(self, who: str, deed: str, **where: Place) -> Reply:
        """Have somebody do a thing at the limit, and see that nobody else sees anything of it."""
        before = self.public()
        self.limit(spent=True)
        reply = await self.do(who, deed, **where)
        assert reply.private, deed
        assert self.public() == before, deed
        return reply


def kind_of(carried: str) -> str:
    """Return the deed of a press, with what it does where that decides whether others see it."""
    pressed = read_press(carried)
    if pressed.deed == FORM_PRESS:
        step = ".".join(pressed.path[:3])
        return f"{FORM_PRESS}={step}" if pressed.path[2:3] == (SUBMIT_STEP,) else FORM_PRESS
    rule, _ = find_rule(pressed)
    chosen = isinstance(rule, Command) or (rule is not None and callable(rule.public))
    return f"{pressed.deed}={pressed.path[0]}" if chosen else pressed.deed


def is_public(kind: str) -> bool:
    """Say whether others see what a press of a kind does, by what its feature says."""
    deed = kind.partition("=")[0]
    carried = read_press(kind if kind != deed else f"{deed}:AAAAAA:1")
    if deed == FORM_PRESS:
        # The command that a form fills in is counted.
        return kind != deed and get_for(COMMANDS[load_forms()[carried.path[0]].command].public, {}) is not None
    rule, subject = find_rule(carried)
    return rule is not None and get_for(rule.public, subject) is not None


def submitting(reply: Reply) -> str:
    """Return what the last button of a form carries."""
    return present(card(reply).form).press


@pytest.fixture
def walk(party: Party, tmp_path: Path) -> Iterator[Walk]:
    party.managers.add("dora")
    party.thinking = False
    with closing(sqlite3.connect(tmp_path / "data" / "tavoliere.db")) as stored:
        yield Walk(party, stored)


async def test_every_public_action_is_rate_limited(walk: Walk) -> None:
    for who in ("anna", "bruno", "cora", "dora"):
        await walk.do(who, "/help")
    walk.limit(spent=False)
    games = [await walk.opened("/play annuvin clock:7d @bruno", "bruno") for _ in range(7)]
    one, two, three, four, five, six, seven = games
    lobbies = [await walk.opened("/play vedova-nera seats:3") for _ in range(4)]
    bruno, at, mover = await walk.party.id_of("bruno"), walk.at, walk.party.mover_of
    # Games that begin.
    for who, deed in (
        ("anna", "/play fagocitare"),
        ("cora", f"/join {lobbies[0]}"),
        ("bruno", f"join:{lobbies[0]}:1"),
        ("anna", f"against=annuvin.{bruno}"),
        ("anna", submitting(await walk.quiet("anna", "new=annuvin"))),
        ("anna", "solo=annuvin"),
    ):
        await walk.limited(who, deed)
    # Lobbies.
    await walk.do("bruno", f"join:{lobbies[2]}:1")
    for who, deed, game in (
        ("anna", "robot:{}=1", lobbies[1]),
        ("anna", "start:{}", lobbies[1]),
        ("bruno", "leave:{}", lobbies[2]),
        ("anna", "withdraw:{}", lobbies[2]),
    ):
        await walk.limited(who, deed, game)
    # Games under way.
    first = await mover(one)
    second = "bruno" if first == "anna" else "anna"
    for who, deed, game in (
        (first, "/board {}", one),
        ("anna", "board:{}", two),
        (first, f"/move {await walk.party.legal(one)} game:{{}}", one),
        (first, "undo:{}", one),
        (second, "refuse:{}=undo", one),
        (first, "/undo {}", one),
        ("anna", "/draw {}", two),
        ("bruno", "agree:{}=draw", two),
        ("anna", "/pause {}", three),
        ("anna", "offer:{}=draw", four),
        ("anna", "off:{}=together", four),
    ):
        await walk.limited(who, deed, game)
    shown = [each.press for shown in walk.party.shown for each in buttons(shown.card)]
    newest = await at(four)
    asked = await walk.do(await mover(four), next(each for each in shown if each.startswith(f"c:{newest}")))
    await walk.limited(await mover(four), button(card(asked), "p").press)
    for who, deed, game in (
        ("bruno", "resign!:{}", five),
        ("dora", "/close {}", six),
        ("dora", "close:{}", seven),
        ("anna", "/rematch {}", two),
        ("anna", "rematch:{}", five),
    ):
        await walk.limited(who, deed, game)
    walk.party.clock.turn(hours=30)
    waiting = await mover(three)
    await walk.limited("anna" if waiting == "bruno" else "bruno", "seat:{}=1", three)
    # Competitions.
    await walk.limited("anna", "/cup annuvin clock:1d players:8")
    (code,) = await walk.party.store.competitions.list_ids()
    await walk.limited("anna", submitting(await walk.quiet("anna", "/cup annuvin")))
    (second,) = set(await walk.party.store.competitions.list_ids()) - {code}
    for who in ("anna", "bruno", "cora", "dora"):
        await walk.limited(who, f"/cup join:{code}")
    await walk.limited("dora", f"cup=leave.{code}")
    await walk.limited("anna", f"cup=out!.{code}.1")
    await walk.do("dora", f"cup=join.{code}")
    for deed in ("show", "start", "pause", "resume"):
        await walk.limited("anna", f"cup={deed}.{code}")
    for deed in ("table", "run", "out", "end"):
        await walk.do("anna", f"cup={deed}.{code}.1")
    await walk.limited("anna", f"cup=end!.{code}")
    # Guesses at a game of others.
    watched = await walk.opened("/play annuvin @bruno", "bruno")
    await walk.limited("cora", f"/guess offer game:{watched}")
    # It is not suggested twice for one game, so the press is about another one.
    await walk.limited("cora", f"guessoffer:{await walk.opened('/play annuvin @bruno', 'bruno')}:1")
    for deed in ("table", "month"):
        await walk.limited("cora", f"/guess {deed} game:{watched}")
    for deed in ("agree", "withdraw"):
        await walk.quiet("anna", f"/guess {deed} game:{watched}")
    # Ladders.
    await walk.limited("anna", "/ladder annuvin clock:1d")
    (ladder,) = await walk.party.store.competitions.list_ids(kind="ladder")
    await walk.limited("anna", submitting(await walk.quiet("anna", "/ladder annuvin")))
    for who in ("anna", "bruno", "cora", "dora"):
        await walk.limited(who, f"/ladder join:{ladder}")
    for who, deed, number in (("bruno", "challenge", 0), ("bruno", "withdraw", 0), ("dora", "challenge", 2)):
        await walk.limited(who, f"ladder={deed}.{ladder}.{number}")
    for who, deed in (("cora", "accept.{}.1"), ("anna", "show.{}"), ("dora", "leave!.{}"), ("anna", "out!.{}.1")):
        await walk.limited(who, "ladder=" + deed.format(ladder))
    await walk.do("dora", f"/ladder join:{ladder}")
    await walk.limited("dora", f"ladder=challenge.{ladder}.0")
    concede = [each.press for shown in walk.party.shown for each in buttons(shown.card) if "concede" in each.press]
    await walk.limited("anna", concede[-1])
    for deed in ("mine", "table", "run", "out", "end"):
        await walk.do("anna", f"ladder={deed}.{ladder}.0")
    await walk.limited("anna", f"ladder=end!.{ladder}")
    # A game with a live clock, whose player to move leaves.
    live = await walk.opened("/play annuvin @bruno board:square clock:15+10", "bruno")
    leaver = await walk.party.mover_of(live)
    opponent = walk.party.other()
    await walk.limited(opponent, f"/time {live}")
    await walk.limited(opponent, f"time:{await at(live)}")
    with walk.party.front.context.presence.open(await walk.party.id_of(leaver)):
        pass
    walk.party.clock.turn(minutes=1)
    await walk.limited(opponent, f"claim:{await at(live)}")
    # Channels that play as one.
    walk.party.thinking = True
    await walk.party.settle()
    await walk.limited("anna", "/team annuvin computer 1")
    await walk.limited("bruno", submitting(await walk.quiet("bruno", "form=team.1.-.g:annuvin")))
    (seven, eight) = await walk.party.store.teams.running_in(1)
    board = await walk.quiet("cora", f"suggest:{await at(seven)}")
    for _ in range(2):
        board = await walk.quiet("cora", button(card(board), "t").press)
    await walk.limited("cora", button(card(board), "propose").press)
    await walk.limited("bruno", f"vote:{await at(seven)}=1")
    await walk.limited("dora", f"motion:{await at(eight)}=resign")
    walk.party.thinking = False
    await walk.limited("anna", "/team annuvin against:channel voters:known")
    await walk.limited("bruno", f"/team join:{walk.party.code}", place=Place("web", "hall", title="The hall"))
    await walk.limited("anna", "/team admit:@cora")
    await walk.limited("anna", "/team annuvin computer 1 name:Reds members:@cora")
    asking = walk.party.code
    ((team, _),) = await walk.party.store.teams.invitations(asking)
    await walk.limited("cora", f"{INVITATION}:{await at(asking)}={JOIN}.{team}")
    await walk.quiet("dora", "/team listed:on")
    # Leagues.
    await walk.limited("anna", "/league annuvin clock:1d least:4")
    (league,) = await walk.party.store.competitions.list_ids(kind="league")
    await walk.limited("anna", submitting(await walk.quiet("anna", "/league annuvin")))
    for who in ("anna", "bruno", "cora"):
        await walk.limited(who, f"/league join:{league}")
    for who, deed in (("anna", "start.{}"), ("bruno", "limit.{}.1"), ("anna", "show.{}"), ("cora", "leave!.{}")):
        await walk.limited(who, "league=" + deed.format(league))
    for deed in ("mine", "table", "leave", "run", "out", "end"):
        await walk.do("anna", f"league={deed}.{league}.0")
    for deed in ("out!.{}.1", "end!.{}"):
        await walk.limited("anna", "league=" + deed.format(league))
    for deed in ANSWERS:
        await walk.refused("anna", f"{deed}.{league if deed.startswith('league') else second}")
    # What is looked at.
    await walk.limited("anna", "leaders=annuvin")
    # Public commands that are not in this walk are given without values.
    named = {f"/{name}" for name, command in COMMANDS.items() if command.public and name not in OF_MANAGERS}
    for line in sorted(named - walk.effective):
        await walk.limited("anna", line)

    # Of the rest nobody else sees anything, at the limit or not.
    for deed in private_deeds(one, second, ladder):
        await walk.quiet("anna", deed)
    named |= {name for name, rule in load_presses().items() if rule.public and not callable(rule.public)}
    offered = {kind for kind in walk.offered if is_public(kind)}
    left_out = (named | offered) - ELSEWHERE - ANSWERS - walk.effective
    assert not left_out, f"do these in this walk so that they have an effect, or say PRIVATE in feature.py: {left_out}"
    assert all(kind.startswith("/") or is_public(kind) for kind in walk.effective)
    private = {kind: carried for kind, carried in walk.offered.items() if kind not in offered | {"forget!"}}
    assert len(private) > 30
    for carried in private.values():
        await walk.quiet("anna", carried)


def private_deeds(game: str, cup: str, ladder: str) -> Iterator[str]:
    yield from (f"/{name}" for name, command in COMMANDS.items() if not command.public)
    yield from ("/cup", "/cup annuvin", "/puzzle", "/settings", "/rules annuvin", "/learn annuvin", "/mute", "/ban")
    yield from (f"/{name} {game}" for name in ("resign", "try", "hint", "export", "replay", "analyse"))
    yield from (f"{name}:{game}:1" for name, rule in load_presses().items() if not rule.public and name != "forget!")
    yield from ("/ladder", "/ladder annuvin", "/league", "/league annuvin")
    yield from (f"ladder={verb}.{ladder}" for verb in ("mine", "table", "export", "json", "run", "end"))
    yield from (f"cup={verb}.{cup}" for verb in ("table", "ties", "export", "json", "run", "end"))


async def test_competitions_made_and_ended_have_a_limit_and_others_are_not_hurt(party: Party) -> None:
    context = party.front.context
    context.rate_limits = {**context.rate_limits, Public.BEGIN: HourlyRateLimiter(5, party.clock.monotonic)}
    for _ in range(5):
        await party.press("anna", f"cup=end!.{await a_cup(party)}")
        party.clock.turn(minutes=1)
    for line in ("/cup annuvin clock:1d", "/play annuvin"):
        assert "5 games an hour are the most" in words(await party.say("anna", line))
    assert "The competition is made" in words(await party.say("bruno", "/cup annuvin clock:1d"))
    party.clock.turn(hours=1)
    await a_cup(party)


async def test_rate_limit_counts_accepted_actions_once(party: Party) -> None:
    party.front.context.rate_limits = {kind: HourlyRateLimiter(3, party.clock.monotonic) for kind in Public}
    for _ in range(4):
        assert "a lot in one hour" not in words(await party.say("anna", "/draw"))
    request = party.request("anna", event="again")
    for _ in range(4):
        assert "a lot in one hour" not in words(await party.front.typed_text(request, "/leaderboard"))
    for times in range(4):
        assert ("a lot in one hour" in words(await party.say("anna", "/leaderboard"))) == (times >= 2)
    party.languages["anna"] = "it"
    assert "Si può di nuovo tra 60 min" in words(await party.say("anna", "/leaderboard"))
