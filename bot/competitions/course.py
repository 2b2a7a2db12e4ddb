"""The automatic steps of a cup: its start, rounds, replayed games, lots, and its end."""

from collections.abc import Iterable, Mapping
from typing import Final

from bot.competitions import knockout, roundrobin, swiss, tables
from bot.competitions.boards import CupBoard
from bot.competitions.competition import MAX_REPLAYS, Competition
from bot.competitions.events import (
    MIN_ENTRANTS,
    BoardDecided,
    CupClosed,
    CupEnded,
    CupEvent,
    CupStarted,
    Ending,
    Format,
    GameReplayed,
    InvalidCompetition,
    RoundPaired,
)
from bot.competitions.history import NO_BLOCKS, Blocked
from engine.fair import CHAIN_PREFIX, Draw, draw_seats, is_hex, public_text

_LOTS_PER_ROUND: Final = 64
"""More than any round has, so that each lot has a unique number."""


def public_parts(stands: Competition) -> str:
    """Return the public inputs of a competition's lots: its code, and the id of each entrant's joining event."""
    return public_text(stands.code, [stands.entrants[number].cause for number in _drawn_among(stands)])


def ids_of_lot(stands: Competition) -> list[str] | None:
    """Return the other inputs of the lot: the id of the closing press, then what browsers revealed, by entrant.

    None if entering was never closed, as in older versions.
    """
    if stands.closed is None:
        return None
    opened = [f"{CHAIN_PREFIX}{link}" for _, link in sorted(stands.given.items())]
    return [stands.closed.cause, *opened] if stands.closed.cause else opened


def _drawn_among(stands: Competition) -> list[int]:
    return sorted(stands.lots or stands.drawn_among or stands.present)


def draw_order(stands: Competition, seed: str) -> tuple[int, ...]:
    """Return the entrants in the order of the lot (draw 0)."""
    people = _drawn_among(stands)
    drawn = draw_seats(seed, public_parts(stands), len(people), ids_of_lot(stands))
    return tuple(entrant for _, entrant in sorted(zip(drawn, people, strict=True)))


def draw_winner(stands: Competition, seed: str, number: int, at: int) -> int:
    """Return who advances from a board whose games were drawn; the games' ids are inputs of this lot, too."""
    board = stands.board_at(number, at)
    draw = Draw(seed, public_parts(stands), number * _LOTS_PER_ROUND + at, [game.id or "" for game in board.games])
    return sorted(board.entrants)[draw.randrange(2)]


def round_count(stands: Competition, entrants: int) -> int:
    """Return the number of rounds for so many entrants."""
    terms = stands.terms
    if terms.format.is_round_robin:
        return roundrobin.round_count(entrants, terms.format == Format.TWICE)
    if terms.format == Format.KNOCKOUT:
        return knockout.round_count(entrants)
    if terms.format == Format.SWISS:
        return min(terms.rounds or swiss.default_rounds(entrants), max(1, entrants - 1))
    return terms.rounds or tables.default_rounds(entrants, terms.seats)


def close(stands: Competition, cause: str = "") -> CupClosed:
    """Return the event that closes entering; then browsers reveal for the lot what they committed to.

    `cause` is the id that a platform drew for the press that closes it. InvalidCompetition for fewer than three
    entrants, or one that is closed or has begun.
    """
    if stands.stage != "open" or stands.closed is not None:
        raise InvalidCompetition("not-open")
    if len(stands.present) < MIN_ENTRANTS:
        raise InvalidCompetition("too-few", entrants=len(stands.present))
    awaited = [each for each in stands.present if is_hex(stands.entrants[each].cause.removeprefix(CHAIN_PREFIX))]
    return CupClosed(tuple(awaited), cause)


def start_event(
    stands: Competition, seed: str, ratings: Mapping[int, int] | None = None, sharing: Iterable[int] = ()
) -> CupStarted:
    """Return the event that starts it, with the ratings in points of those who have one.

    `sharing` are entrants who share a browser. InvalidCompetition for fewer than three entrants, or if it has started.
    """
    if stands.stage != "open":
        raise InvalidCompetition("not-open")
    people = _drawn_among(stands)
    if len(people) < MIN_ENTRANTS:
        raise InvalidCompetition("too-few", entrants=len(people))
    known = {entrant: points for entrant, points in (ratings or {}).items() if entrant in people}
    return CupStarted(draw_order(stands, seed), known, round_count(stands, len(people)), tuple(sorted(sharing)))


def next_event(stands: Competition, seed: str, blocked: Blocked = NO_BLOCKS) -> tuple[CupEvent, ...]:
    """Return the next automatic events; none while games are open, during a pause, before the start, after the end.

    Call it again after storing them: a round that nobody can play is over at once.
    """
    if stands.stage != "running":
        return ()
    if not stands.is_round_done:
        number = len(stands.rounds)
        open_ = [(at, board) for at, board in enumerate(stands.rounds[-1].boards) if not stands.is_done(board)]
        found = [_after_draw(stands, seed, number, at, board) for at, board in open_ if board.last.is_draw]
        return tuple(found)
    if stands.paused:
        return ()
    if len(stands.rounds) >= stands.planned:
        return (CupEnded(Ending.PLAYED),)
    there = sum(map(stands.is_available, stands.lots))
    if stands.terms.format.pairs_by_points and there < 2:
        return (CupEnded(Ending.PLAYED),)
    following = pair_round(stands, blocked)
    if stands.terms.format == Format.TABLES and not following.pairings:
        return (CupEnded(Ending.PLAYED),)
    return (following,)


def pair_round(stands: Competition, blocked: Blocked = NO_BLOCKS) -> RoundPaired:
    """Return the next round by the format's rule."""
    if stands.terms.format == Format.SWISS:
        return swiss.pair_round(stands, blocked)
    if stands.terms.format == Format.TABLES:
        return tables.pair_round(stands, blocked)
    return knockout.pair_round(stands) if stands.terms.format == Format.KNOCKOUT else roundrobin.pair_round(stands)


def _after_draw(stands: Competition, seed: str, number: int, at: int, board: CupBoard) -> CupEvent:
    there = [entrant for entrant in board.entrants if stands.entrants[entrant].state == "in"]
    if len(there) == 1:
        return BoardDecided(number, at, there[0], lot=False)
    if len(board.games) <= MAX_REPLAYS and there:
        return GameReplayed(number, at, len(board.games), board.last.seats[::-1])
    return BoardDecided(number, at, draw_winner(stands, seed, number, at), lot=bool(there))
