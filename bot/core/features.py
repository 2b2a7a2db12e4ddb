"""Features: each is a package in `bot`, at whatever depth, with a module `feature`: found here, named nowhere else."""

import importlib
import pkgutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import Literal, Protocol

import bot
from bot.core.commands import Command, PressRule
from bot.core.context import Context
from bot.core.forms import Form
from bot.core.permissions import may_manage
from bot.core.post_kinds import PostKind
from bot.core.request_context import RequestContext
from bot.interface.cards import Card, Row
from bot.language.texts import Speaker, Text, join
from bot.tables.table import Table
from render.marks import Hint
from storage import Notice, PlaceRow, Post

_MODULE_NAME = "feature"
"""The module of a package that defines its feature, as `FEATURE`."""
PageKind = Literal["game", "cup", "league", "ladder", "person"]
"""What can have a public page."""


class Job(Protocol):
    """A feature's job that runs by itself when something is due."""

    def start(self) -> None:
        """Start, first with what was due when the program last stopped."""

    async def close(self) -> None:
        """Stop; unfinished work is done at the next start."""

    async def run_until_idle(self) -> None:
        """Handle everything that is due now, as far as possible."""


@dataclass(frozen=True, slots=True)
class NoticeContent:
    """The subject of a notice that belongs to no game: where it is shown, and how it is written.

    `write` returns None if there is nothing left to report.
    """

    shown: Sequence[Post]
    write: Callable[[Speaker], Card | None]


@dataclass(frozen=True, slots=True)
class BoardExtra:
    """Additions of a feature to a board in a place: text and buttons below it, marks in its picture.

    `stamp` differs whenever they do, in every language alike: by it pages know that a board is to be looked at again.
    """

    text: Text = ()
    rows: tuple[Row, ...] = ()
    hint: Hint | None = None
    stamp: str = ""

    def added_to(self, card: Card) -> Card:
        """Return a board's card with the additions."""
        line = card.headline and replace(card.headline, votes=self.stamp)
        return replace(card, text=join([card.text, self.text]), rows=(*self.rows, *card.rows), headline=line)


@dataclass(frozen=True, slots=True)
class Feature:
    """Contributions of a feature.

    `presses` are keyed by the first word of a button's payload. `job` does what is due. `posts` are its kinds of what
    is shown in places. `find_page` returns the address of the public page of a game or a competition (by its code) or
    of a person (by their id), or None. `notices` return the contents of notices of a kind that belong to no game, None
    if there is nothing left to report. `board_extra` returns the additions to the board, in a place, of a game in which
    a team has a seat.
    """

    commands: tuple[Command, ...] = ()
    presses: Mapping[str, PressRule] = field(default_factory=dict)
    job: Callable[[Context], Job] | None = None
    posts: Mapping[str, Callable[[Context], PostKind]] = field(default_factory=dict)
    find_page: Callable[[Context, PageKind, str], Awaitable[str | None]] | None = None
    notices: Mapping[str, Callable[[Context, Notice], Awaitable[NoticeContent | None]]] = field(default_factory=dict)
    board_extra: Callable[[Context, Table, PlaceRow, Speaker], Awaitable[BoardExtra]] | None = None


@cache
def load_features() -> Mapping[str, Feature]:
    """Return all features by package name."""
    found: dict[str, Feature] = {}
    for module in pkgutil.walk_packages(bot.__path__, f"{bot.__name__}."):
        *_, package, name = module.name.split(".")
        if name == _MODULE_NAME:
            found[package] = importlib.import_module(module.name).FEATURE
    return MappingProxyType(found)


@cache
def load_commands() -> Mapping[str, Command]:
    """Return all commands by name, in the order in which they are listed."""
    found = [command for feature in load_features().values() for command in feature.commands]
    found.sort(key=lambda command: (command.rank, command.name))
    return MappingProxyType({command.name: command for command in found})


@cache
def load_forms() -> Mapping[str, Form]:
    """Return the forms of all commands by name."""
    found = [form for command in load_commands().values() for form in command.forms]
    return MappingProxyType({form.name: form for form in found})


@cache
def load_presses() -> Mapping[str, PressRule]:
    """Return the press rules of all features, by the first word of a button's payload."""
    return MappingProxyType(
        {name: rule for feature in load_features().values() for name, rule in feature.presses.items()}
    )


def load_post_kinds(context: Context) -> dict[str, PostKind]:
    """Return the kinds of posts of all features by name."""
    return {name: kind(context) for feature in load_features().values() for name, kind in feature.posts.items()}


async def find_page(context: Context, kind: PageKind, subject: str) -> str | None:
    """Return the address of the public page of a game or a competition (by its code) or of a person (by their id).

    None if there is none.
    """
    for feature in load_features().values():
        if feature.find_page is not None and (address := await feature.find_page(context, kind, subject)) is not None:
            return address
    return None


def commands_on(platform: str) -> dict[str, Command]:
    """Return the commands of a platform."""
    return {name: command for name, command in load_commands().items() if command.only in (None, platform)}


async def commands_open_to(context: Context, asker: RequestContext) -> dict[str, Command]:
    """Return the commands that the asker may give in this place."""
    known, manages = commands_on(asker.request.user.platform), await may_manage(context, asker)
    return {name: command for name, command in known.items() if manages or not command.managed}


async def read_notice_content(context: Context, notice: Notice) -> NoticeContent | None:
    """Return the content of a notice that belongs to no game, None if there is nothing left to report."""
    for feature in load_features().values():
        if notice.kind in feature.notices:
            return await feature.notices[notice.kind](context, notice)
    return None


async def load_board_extra(context: Context, table: Table, place: PlaceRow, speaker: Speaker) -> BoardExtra:
    """Return the features' additions to the board of a game in a place; empty if no team has a seat."""
    if table.row.terms.team is not None:
        for feature in load_features().values():
            if feature.board_extra is not None:
                return await feature.board_extra(context, table, place, speaker)
    return BoardExtra()
