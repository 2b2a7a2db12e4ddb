"""The line of play: actions, with the chance actions and forced actions that follow them.

Chance at a table: draws are computed from the secret seed and the players' contributions.

The contributions to a draw are stored in the data of its event, and fixed at the first draw: if a turn is taken back
and played again, in any way, the draw is the same.

A person who knows the secret seed must not be able to choose any contribution. Ids drawn by a platform cannot be
chosen. A browser's link is fixed by the commitment to its chain, so only the first of a person's links counts until
another person has acted, and a new chain counts only after another person has contributed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, Final

from pydantic import StrictInt, StrictStr, StringConstraints

from bot.kernel.choices import Question, first_question, follow
from bot.kernel.requests import Request
from engine import CHANCE, Action, Game, State, Turn, fair, turn_from_json
from engine.core import Actions, Random
from engine.fair import CHAIN_PREFIX, MAX_CHAINS, UNKNOWN_ID, is_hex, next_hash
from engine.turn import Turns, begin_turn, extend_turn, turns_from_json, turns_to_json
from storage import Event, GameBrief, GameRow, Json
from storage.agreements import SeatSet, dump_fields, take_fields

MAX_ROUNDS_KEPT: Final = 4
"""Maximum number of kept turns per seat, however unevenly seats come to move."""

EARLIER_KEY: Final = "earlier"
"""The key, in the data of a line, of the turns before the last one."""

TURNS_KEY: Final = "turns"
"""The key, in the data of a line, of the number of turns that each seat has finished."""

Draws = Callable[[int], Random]
"""Returns the random source of the n-th draw of a game; n counts from 1, and draw 0 is the lot for the seats."""


@dataclass(frozen=True, slots=True)
class Step:
    """One action of the line: by a player, by chance (its `draw`), or by the table for the player (`auto`)."""

    action: Action
    seat: int | None = None
    draw: int | None = None
    auto: bool = False

    def to_json(self) -> Json:
        """Return the step as the data of an event."""
        data: Json = {"action": self.action.text}
        if self.seat is not None:
            data["seat"] = self.seat
        if self.draw is not None:
            data["draw"] = self.draw
        if self.auto:
            data["auto"] = True
        return data


@dataclass(frozen=True)
class Line:
    """The progress of a game: its state, the last finished turn, the turn in progress, and the number of draws.

    `begun` is None at the start of a turn; it may hold only the dice that the turn starts with. `earlier` are the turns
    before the last finished one, oldest first, back to the last turn but one of every seat. `turns` counts the finished
    turns of each seat, 0 for seats beyond its end; None if unknown, in games of an older version.
    """

    state: State
    finished: Turn | None = None
    begun: Turn | None = None
    draws: int = 0
    earlier: Turns = ()
    turns: tuple[int, ...] | None = ()

    @cached_property
    def position(self) -> Json:
        """The state as plain data, made once and shared by the table and its turns; it must not be changed."""
        last = self.begun or self.finished
        return last.json_after if last is not None and last.leads_to(self.state) else self.state.to_json()

    @cached_property
    def legal_actions(self) -> Actions:
        """All legal actions of the state, listed once for the table, the board and each press."""
        return tuple(self.state.legal_actions())

    @cached_property
    def first_question(self) -> Question:
        """The question before any choice, made once for the board, its selectable cells and each partial choice."""
        return first_question(self.state, self.legal_actions)

    def ask(self, path: Sequence[str] = ()) -> Question | Action:
        """Return the question after the answers of a path, or the action that they settle; may raise NoSuchChoice."""
        return follow(self.first_question, path)

    @property
    def shown_turn(self) -> Turn | None:
        """The turn to show: the turn in progress if its player has acted, otherwise the last one."""
        if self.begun is not None and (self.finished is None or self.has_acted):
            return self.begun
        return self.finished

    @property
    def has_acted(self) -> bool:
        """True if the player to move has already acted in this turn."""
        return self.begun is not None and bool(self.begun.own)

    @property
    def finished_turn_count(self) -> int:
        """The number of finished turns, including one in which a person who is not to move leaves and ends the game."""
        if self.state.outcome is None or self.finished is None:
            return self.state.turn
        return max(self.state.turn, self.finished.number)

    def turn_count(self, seat: int) -> int | None:
        """Return how many turns a seat has finished, None if unknown."""
        if self.turns is None:
            return None
        return self.turns[seat] if seat < len(self.turns) else 0

    @property
    def newest_turns(self) -> Turns:
        """The newest finished turns, oldest first."""
        return self.earlier if self.finished is None else (*self.earlier, self.finished)

    def turns_since(self, seat: int, back: int = 1) -> Turns:
        """Return the finished turns since the last one of a seat, or since its `back`-th last one."""
        turns = self.newest_turns
        own = [at for at, turn in enumerate(turns) if turn.seat == seat]
        return turns[own[-back] + 1 :] if len(own) >= back else turns

    def to_json(self) -> Json:
        """Return the data that `read_line` needs besides the position."""
        counted = {} if self.turns is None else {TURNS_KEY: list(self.turns)}
        # Further play depends only on the history of the position itself, which is stored with it.
        is_over = self.state.outcome is not None
        data: Json = {
            "finished": self.finished.to_json(history=is_over) if self.finished else None,
            "begun": self.begun.to_json(history=is_over) if self.begun else None,
            "draws": self.draws,
            **counted,
        }
        return data | ({EARLIER_KEY: turns_to_json(self.earlier)} if self.earlier else {})


PlayedLine = tuple[Line, tuple[Step, ...]]
"""A line after some steps, and these steps."""


def position_without_history(state: State) -> Json:
    """Return a position as plain data, without what is stored of its past."""
    return {name: value for name, value in state.to_json().items() if name != "extra"}


def join_kinds(game: Game, actions: Iterable[Action]) -> str:
    """Return the kind of some actions, `several` if they differ."""
    kinds = set(map(game.facts.kind_of, actions))
    return kinds.pop() if len(kinds) == 1 else "several"


def read_line(game: Game, position: Json, rest: Json | None) -> Line:
    """Return the line of a stored game; raises InvalidPosition if it is broken."""
    stored = rest or {}
    finished, begun = (
        None if (data := stored.get(name)) is None else turn_from_json(game, data) for name in ("finished", "begun")
    )
    # An older version stored only the last turn, and no counts.
    earlier = turns_from_json(game, stored[EARLIER_KEY]) if EARLIER_KEY in stored else ()
    counted = tuple(map(int, stored[TURNS_KEY])) if TURNS_KEY in stored else None
    return Line(game.load(position), finished, begun, int(stored.get("draws", 0)), earlier, counted)


def opening_line(state: State, draws: Draws) -> PlayedLine:
    """Return the opening line of a game, with the chance actions before the first player can act."""
    return _run_forced(Line(state), [], draws)


def play_line(line: Line, actions: Iterable[Action], draws: Draws | None) -> PlayedLine:
    """Return the line after some actions, and all steps; raises IllegalAction or GameOver as `State.play` does.

    Chance acts as soon as it is due; without draws it waits, and its actions are given like a player's. The table plays
    forced actions: the only legal action in the middle of a turn, and at its beginning one that touches no cell, such
    as the last remaining colour.
    """
    steps: list[Step] = []
    for action in actions:
        line = _run_forced(line, steps, draws, forced=False)[0]
        seat = action.value if action.is_drop else line.state.to_move
        line = _after_action(line, action)
        steps.append(Step(action, seat))
    return _run_forced(line, steps, draws)


def replay_line(start: State, texts: Iterable[str]) -> Line:
    """Return the line after canonical texts, chance included; raises the errors of `State.read`."""
    return follow_actions(Line(start), texts)


def follow_actions(line: Line, texts: Iterable[str]) -> Line:
    """Return the line after canonical texts; raises the errors of `State.read`."""
    for text in texts:
        line = follow_action(line, text)
    return line


def follow_action(line: Line, text: str) -> Line:
    """Return the line after one canonical text; raises the errors of `State.read`."""
    action = line.state.read(text)
    chance = line.state.to_move == CHANCE and not action.is_drop
    line = _after_action(line, action)
    return replace(line, draws=line.draws + 1) if chance else line


def read_actions(state: State, texts: Iterable[str]) -> Actions:
    """Return the actions with these canonical texts, in order; raises the errors of `State.read`."""
    found: list[Action] = []
    for text in texts:
        found.append(state.read(text))
        state = state.advance(found[-1])
    return tuple(found)


def _run_forced(line: Line, steps: list[Step], draws: Draws | None, *, forced: bool = True) -> PlayedLine:
    while True:
        if line.state.to_move == CHANCE:
            if draws is None:
                return line, tuple(steps)
            number = line.draws + 1
            action = line.state.sample_chance(draws(number))
            line = replace(_after_action(line, action), draws=number)
            steps.append(Step(action, draw=number))
            continue
        # A move on the board that begins a turn is never automatic, even if it is the only one: making it has the
        # player look at the board.
        only = line.legal_actions[0] if len(line.legal_actions) == 1 and line.state.to_move is not None else None
        if not forced or only is None or not (line.has_acted or (only.source is None and only.target is None)):
            return line, tuple(steps)
        steps.append(Step(only, line.state.to_move, auto=True))
        line = _after_action(line, only)


def is_forced_turn(turn: Turn) -> bool:
    """Return True if a turn had no choice: the table played all of it."""
    state, first = turn.before, next(iter(turn.own), None)
    if first is None or first.source is not None or first.target is not None:
        return False
    for action in turn.actions:
        if action == first:
            return len(state.legal_actions()) == 1
        state = state.advance(action)
    return False


def _after_action(line: Line, action: Action) -> Line:
    before = line.state
    state = before.play(action)
    turn = extend_turn(line.begun or begin_turn(before, line.__dict__.get("position")), before, action, state)
    if state.to_move is not None and state.turn == before.turn:
        return replace(line, state=state, begun=turn)
    counted = line.turns
    if counted is not None and turn.seat != CHANCE:
        finished = [*counted, *[0] * (turn.seat + 1 - len(counted))]
        finished[turn.seat] += 1
        counted = tuple(finished)
    earlier = _recent_turns(line.newest_turns, turn, state)
    return replace(line, state=state, finished=turn, begun=None, earlier=earlier, turns=counted)


def _recent_turns(before: Turns, last: Turn, state: State) -> Turns:
    """Return the earlier turns that must still be shown to a person.

    A board that shows the turns since a player's last one keeps showing them together with that player's next turn.
    """
    turns, begin = (*before, last), len(before)
    for seat in range(state.seats):
        if seat not in state.dropped:
            own = [at for at, turn in enumerate(turns) if turn.seat == seat]
            begin = min(begin, own[-2] + 1 if len(own) > 1 else 0)
    return before[max(begin, len(turns) - MAX_ROUNDS_KEPT * state.seats) :]


MAX_ID_LENGTH: Final = 100
Hash = Annotated[str, StringConstraints(strict=True, pattern=r"^[0-9a-f]{64}$")]


@dataclass(frozen=True, slots=True)
class SeedContributions:
    """All contributions to a game's draws, by person before the game has started, then by seat.

    `ids` are the newest ids. `heads` are the hashes that the next links have to open, `new` the chains that do not
    count yet. `chains` are all chains begun after joining: owner, next draw, and hash. `spent` is the player whose link
    has counted while no other has acted since. `done` are those who need not contribute again before the start. `drawn`
    is the highest draw so far, -1 before the lot.
    """

    ids: Mapping[int, StrictStr] = field(default_factory=dict)
    heads: Mapping[int, StrictStr] = field(default_factory=dict)
    new: Mapping[int, StrictStr] = field(default_factory=dict)
    chains: tuple[tuple[StrictInt, StrictInt, Hash], ...] = ()
    spent: StrictInt | None = None
    done: SeatSet = frozenset()
    drawn: StrictInt = -1

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
        """Return the contributions after an action without a contribution, by a computer or a player out of time."""
        return self if self.spent == who else replace(self, spent=None)

    def accepts_link(self, who: int) -> bool:
        """Return True if a link would count now, or a new chain be accepted."""
        return self.spent != who and who not in self.new

    def accepts_new_chain(self, who: int, chain: str | None) -> bool:
        """Return True if a person may begin a new chain with this top hash."""
        known = {*self.heads.values(), *self.new.values(), *(top for _, _, top in self.chains)}
        return is_hex(chain) and chain not in known and self.accepts_link(who) and len(self.chains) < MAX_CHAINS

    def _opens_link(self, who: int, link: str | None) -> bool:
        return link is not None and is_hex(link) and self.accepts_link(who) and next_hash(link) == self.heads.get(who)

    def after_joining(self, who: int, commitment: str, *, is_new: bool) -> SeedContributions:
        """Return the contributions after a person has joined by an id; `is_new`: they have never been in before.

        The newcomer knew the others' opened links before committing to anything, so those links do not count any more.
        """
        chain = commitment.removeprefix(CHAIN_PREFIX)
        heads = {**self.heads, who: chain} if is_hex(chain) and who not in self.heads else self.heads
        spent = None if self.spent != who else who
        if not is_new:
            return replace(self, heads=heads, spent=spent)
        return replace(self, ids={}, heads=heads, spent=spent, done=frozenset())

    def by_seat(self, seats: Mapping[int, int]) -> SeedContributions:
        """Return the contributions by seat instead of by person, for the start of the game."""

        def by_seat(known: Mapping[int, str]) -> dict[int, str]:
            return {seats[who]: each for who, each in known.items() if who in seats}

        chains = tuple((seats[who], draw, top) for who, draw, top in self.chains if who in seats)
        return SeedContributions(by_seat(self.ids), by_seat(self.heads), by_seat(self.new), chains)


def read_contributions(stored: Any) -> SeedContributions:
    """Return the stored contributions; invalid parts are left out, so that a game continues with the rest."""
    known = take_fields(SeedContributions, dict(stored)) if isinstance(stored, dict) else None
    return known or SeedContributions()


def event_id(request: Request) -> str:
    """Return the id of an event as draws and records contain it."""
    text = f"{request.user.platform}:{request.event}"
    return "".join(each for each in text if "!" <= each <= "~" and each != ";")[:MAX_ID_LENGTH]


def joining_id(request: Request, taken: frozenset[str] = frozenset()) -> str:
    """Return the id by which a person joins, never one that they could have chosen at will.

    A browser's id is the top hash of its chain, unless it sends none, or one that another person at the table has used.
    """
    if request.ids == "drawn":
        return event_id(request)
    chain = request.pledge.chain if request.ids == "chosen" and request.pledge is not None else None
    if chain is not None and is_hex(chain) and f"{CHAIN_PREFIX}{chain}" not in taken:
        return f"{CHAIN_PREFIX}{chain}"
    return f"{CHAIN_PREFIX}{UNKNOWN_ID}" if request.ids == "chosen" else f"{request.user.platform}:{UNKNOWN_ID}"


IDS_KEY: Final = "ids"
"""The key, in the data of an event, of its draw's contributions: a list of pairs of a seat and an id."""

Ids = tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class TableDraws:
    """The draws of a game whose seats are assigned: a new draw uses `ids`, a repeated one its ids in `earlier`."""

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

    def data(self, number: int) -> Json:
        """Return the contributions for the data of a draw's event."""
        return dump_ids(self.ids_for_draw(number) if self.row.chance is not None else ())


def is_drawn(row: GameRow, line: Line | None) -> bool:
    """Return True if a game involves chance: for its seats, unless they rotate, its dice or its deal."""
    if not row.seed or line is None:
        return False
    return not row.terms.rotated or line.draws > 0 or line.state.game.has_chance(row.seat_count, row.options)


def draws_for(row: GameRow, given: SeedContributions | None = None, earlier: Iterable[Event] = ()) -> TableDraws:
    """Return the draws of a game; `earlier` are its past events, needed if draws may be repeated.

    `given` are the contributions, by default those in its row.
    """
    known = read_contributions(row.chance) if given is None else given
    before: dict[int, Ids] = {}
    for event in earlier:
        number = event.data.get("draw")
        if number is not None:
            before.setdefault(int(number), read_ids(event.data))
    return TableDraws(row, tuple(sorted(known.ids.items())), before)


def dump_ids(ids: Ids) -> Json:
    """Return contributions for the data of a draw's event; empty if there are none."""
    return {IDS_KEY: [list(pair) for pair in ids]} if ids else {}


def read_ids(data: Json) -> Ids:
    """Return the contributions in the data of a draw's event."""
    return tuple((int(seat), str(each)) for seat, each in data.get(IDS_KEY, ()))


def with_contributions(row: GameRow, given: SeedContributions, line: Line | None = None) -> GameRow:
    """Return a game's row with the contributions, and with the number of draws of its line."""
    if row.chance is None:
        return row
    drawn = given.drawn if line is None else max(given.drawn, line.draws)
    return replace(row, chance=dump_fields(replace(given, drawn=drawn)))


def draw_seats(row: GameRow, ids: Sequence[str] = ()) -> tuple[int, ...]:
    """Return the seats of the joined players, in the order of joining."""
    return fair.draw_seats(row.seed, public_parts(row), len(row.seats), ids if row.chance is not None else None)


def public_parts(brief: GameBrief) -> str:
    """Return the public part of a game's chance: its id, and the joining events in order."""
    return fair.public_text(brief.id, [entry.joined_by or "" for entry in brief.seats])
