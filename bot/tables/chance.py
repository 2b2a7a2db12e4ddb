"""Chance at a table: draws follow from the secret seed and from what the players contributed.

The contributions to a draw are in the data of its event, and fixed when it is first drawn: taken back and played again,
by anybody and in any way, the draw is the same.

A person who knows the secret seed must not be able to choose anything here. Nobody chooses an id that a platform has
drawn. A browser's link was fixed by the commitment to its chain; so only the first of a person's links counts until
somebody else has acted, and a new chain only after somebody else has contributed since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from bot.interface.requests import Request
from bot.tables.line import Line
from engine import fair
from engine.core import Random
from engine.fair import CHAIN_PREFIX, MAX_CHAINS, UNKNOWN_ID, is_hex, next_hash
from storage import Event, GameBrief, GameRow

MAX_ID_LENGTH: Final = 100


@dataclass(frozen=True, slots=True)
class SeedContributions:
    """All contributions, by seat once a game has started, by person before.

    `ids` are the newest ones, `heads` is what each next link has to open, `new` the chains that do not count yet;
    `chains` are all that were begun after joining: whose, before which draw, and the hash. `spent` is the one whose
    link has counted while nobody else has acted since. `done` are those who need not contribute any more before the
    start, and `drawn` is the highest draw so far, -1 before the lot.
    """

    ids: Mapping[int, str] = field(default_factory=dict)
    heads: Mapping[int, str] = field(default_factory=dict)
    new: Mapping[int, str] = field(default_factory=dict)
    chains: tuple[tuple[int, int, str], ...] = ()
    spent: int | None = None
    done: frozenset[int] = frozenset()
    drawn: int = -1

    def after_action(self, who: int, request: Request, game: str) -> SeedContributions:
        """Return the contributions after an action in a game."""
        pledge = request.pledge if request.ids == "chosen" else None
        mine = pledge if pledge is not None and pledge.game == game else None
        heads, new, chains = dict(self.heads), dict(self.new), self.chains
        each = event_id(request) if request.ids == "drawn" else None
        if mine is not None and self._opens_link(who, mine.link):
            each, heads[who] = f"{CHAIN_PREFIX}{mine.link}", str(mine.link)
        elif mine is not None and mine.link is None and self.accepts_new_chain(who, mine.chain):
            new[who] = str(mine.chain)
            chains = (*chains, (who, self.drawn + 1, new[who]))
        if each is not None:
            for other in [other for other in new if other != who]:
                heads[other] = new.pop(other)
        spent = who if each is not None or self.spent == who else None
        ids = self.ids if each is None else {**self.ids, who: each}
        return replace(self, ids=ids, heads=heads, new=new, chains=chains, spent=spent)

    def after_no_contribution(self, who: int) -> SeedContributions:
        """Return the contributions after a seat has acted without one: a computer, or a player out of time."""
        return self if self.spent == who else replace(self, spent=None)

    def accepts_link(self, who: int) -> bool:
        """Return True if a link would count now, or a new chain be accepted."""
        return self.spent != who and who not in self.new

    def accepts_new_chain(self, who: int, chain: str | None) -> bool:
        """Return True if a new chain with this top hash may be begun."""
        known = {*self.heads.values(), *self.new.values(), *(top for _, _, top in self.chains)}
        return is_hex(chain) and chain not in known and self.accepts_link(who) and len(self.chains) < MAX_CHAINS

    def _opens_link(self, who: int, link: str | None) -> bool:
        return link is not None and is_hex(link) and self.accepts_link(who) and next_hash(link) == self.heads.get(who)

    def after_joining(self, who: int, commitment: str, *, anew: bool) -> SeedContributions:
        """Return the contributions after a person has joined by an id; `anew`: they have never been in before.

        The newcomer knew the others' opened links before committing to anything, so those count no more.
        """
        chain = commitment.removeprefix(CHAIN_PREFIX)
        heads = {**self.heads, who: chain} if is_hex(chain) and who not in self.heads else self.heads
        spent = None if self.spent != who else who
        if not anew:
            return replace(self, heads=heads, spent=spent)
        return replace(self, ids={}, heads=heads, spent=spent, done=frozenset())

    def by_seat(self, seats: Mapping[int, int]) -> SeedContributions:
        """Return the contributions by seat instead of by person, as the game begins."""

        def by_seat(known: Mapping[int, str]) -> dict[int, str]:
            return {seats[who]: each for who, each in known.items() if who in seats}

        chains = tuple((seats[who], draw, top) for who, draw, top in self.chains if who in seats)
        return SeedContributions(by_seat(self.ids), by_seat(self.heads), by_seat(self.new), chains)

    def to_json(self) -> dict[str, Any]:
        """Return the contributions as they are stored."""
        by_number = {
            name: {str(who): each for who, each in known.items()}
            for name, known in (("ids", self.ids), ("heads", self.heads), ("new", self.new))
            if known
        }
        rest: dict[str, Any] = {
            "chains": [list(chain) for chain in self.chains] or None,
            "spent": self.spent,
            "done": sorted(self.done) or None,
            "drawn": self.drawn,
        }
        return by_number | {name: value for name, value in rest.items() if value is not None}


def read_contributions(stored: Any) -> SeedContributions:
    """Return the stored contributions; invalid parts are left out, so that a game goes on with the rest."""
    if not isinstance(stored, dict):
        return SeedContributions()
    spent, drawn = stored.get("spent"), stored.get("drawn")
    chains = [tuple(each) for each in _filter_list(stored, "chains", lambda each: _is_chain(each))]
    return SeedContributions(
        ids=_map_by_number(stored.get("ids")),
        heads=_map_by_number(stored.get("heads")),
        new=_map_by_number(stored.get("new")),
        chains=tuple(chains),
        spent=spent if isinstance(spent, int) else None,
        done=frozenset(_filter_list(stored, "done", lambda each: isinstance(each, int))),
        drawn=drawn if isinstance(drawn, int) else -1,
    )


def event_id(request: Request) -> str:
    """Return the id of an event as draws and records contain it."""
    text = f"{request.user.platform}:{request.event}"
    return "".join(each for each in text if "!" <= each <= "~" and each != ";")[:MAX_ID_LENGTH]


def joining_id(request: Request, taken: frozenset[str] = frozenset()) -> str:
    """Return the id by which a person joins, without one that they could have chosen at will.

    A browser's id is the top hash of its chain, unless it sends none, or one that somebody else at the table has used.
    """
    if request.ids == "drawn":
        return event_id(request)
    chain = request.pledge.chain if request.ids == "chosen" and request.pledge is not None else None
    if chain is not None and is_hex(chain) and f"{CHAIN_PREFIX}{chain}" not in taken:
        return f"{CHAIN_PREFIX}{chain}"
    return f"{CHAIN_PREFIX}{UNKNOWN_ID}" if request.ids == "chosen" else f"{request.user.platform}:{UNKNOWN_ID}"


def _filter_list(stored: Mapping[str, Any], name: str, fits: Callable[[Any], bool]) -> list[Any]:
    known = stored.get(name)
    return [each for each in known if fits(each)] if isinstance(known, list) else []


def _is_chain(stored: Any) -> bool:
    return (
        isinstance(stored, list)
        and len(stored) == 3
        and all(isinstance(each, int) for each in stored[:2])
        and is_hex(stored[2])
    )


def _map_by_number(stored: Any) -> dict[int, str]:
    if not isinstance(stored, dict):
        return {}
    return {int(who): each for who, each in stored.items() if who.isdecimal() and isinstance(each, str)}


IDS_KEY: Final = "ids"
"""The key, in the data of an event, of its draw's contributions: a list of pairs of a seat and an id."""

Ids = tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class TableDraws:
    """The draws of a game whose seats are assigned: a new one uses `ids`, one of `earlier` the same ids as then."""

    row: GameRow
    ids: Ids = ()
    earlier: Mapping[int, Ids] = field(default_factory=dict)

    def __call__(self, number: int) -> Random:
        """Return the random source of a draw."""
        taken = [each for _, each in self.ids_for_draw(number)]
        return fair.Draw(self.row.seed, public_parts(self.row), number, taken if self.row.chance is not None else None)

    def ids_for_draw(self, number: int) -> Ids:
        """Return the contributions to a draw besides the seed."""
        return self.earlier.get(number, self.ids)

    def data(self, number: int | None) -> dict[str, Any]:
        """Return the contributions for the data of a draw's event, empty for other events."""
        taken = self.ids_for_draw(number) if number is not None and self.row.chance is not None else ()
        return {IDS_KEY: [list(pair) for pair in taken]} if taken else {}


def is_drawn(row: GameRow, line: Line | None) -> bool:
    """Return True if chance decides anything in a game: its seats, unless they rotate, its dice or its deal."""
    if not row.seed or line is None:
        return False
    return not row.terms.rotated or line.draws > 0 or line.state.game.has_chance(row.seat_count, row.options)


def draws_for(row: GameRow, given: SeedContributions | None = None, earlier: Iterable[Event] = ()) -> TableDraws:
    """Return the draws of a game; `earlier` are its events, if draws may be repeated.

    `given` are the contributions, by default those in its row.
    """
    known = stored_contributions(row) if given is None else given
    before: dict[int, Ids] = {}
    for event in earlier:
        number = event.data.get("draw")
        if number is not None:
            before.setdefault(int(number), read_ids(event.data))
    return TableDraws(row, tuple(sorted(known.ids.items())), before)


def read_ids(data: Mapping[str, Any]) -> Ids:
    """Return the contributions in the data of a draw's event."""
    return tuple((int(seat), str(each)) for seat, each in data.get(IDS_KEY, ()))


def stored_contributions(row: GameRow) -> SeedContributions:
    """Return the stored contributions to the chance of a game."""
    return read_contributions(row.chance)


def with_contributions(row: GameRow, given: SeedContributions, line: Line | None = None) -> GameRow:
    """Return a game's row with the contributions, and with the number of draws of its line."""
    if row.chance is None:
        return row
    drawn = given.drawn if line is None else max(given.drawn, line.draws)
    return replace(row, chance=replace(given, drawn=drawn).to_json())


def draw_seats(row: GameRow, ids: Sequence[str] = ()) -> tuple[int, ...]:
    """Return the seat of everybody who joined, in the order of joining."""
    return fair.draw_seats(row.seed, public_parts(row), len(row.seats), ids if row.chance is not None else None)


def public_parts(brief: GameBrief) -> str:
    """Return the public part of a game's chance: its id, and the joining events in order."""
    return fair.public_text(brief.id, [entry.joined_by or "" for entry in brief.seats])
