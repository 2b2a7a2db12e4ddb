"""The check of a competition's file: lots, pairings, and results by the games' records."""

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.competitions import course
from bot.competitions.competition import Competition
from bot.competitions.events import (
    COMPUTER_ENTRANT,
    BoardDecided,
    CupEnded,
    CupStarted,
    Ending,
    GameReplayed,
    InvalidCompetition,
    RoundPaired,
)
from bot.competitions.file import CompetitionFile, PlayedGame, iterate_events
from bot.competitions.ladder.events import ChallengeAccepted
from bot.competitions.ladder.ladder import Ladder
from bot.competitions.ladder.rules import draw_beginner
from bot.competitions.league.course import make_divisions
from bot.competitions.league.events import SeasonStarted
from bot.competitions.league.fixtures import plan_fixtures
from bot.competitions.league.league import League
from engine.core import places_with_draw
from engine.fair import hash_seed, is_hex
from engine.games import games
from engine.record import InvalidRecord, Record
from engine.verification import verify


@dataclass(frozen=True)
class VerifiedCompetition:
    """The numbers of checked events, lots (of a cup, the one at the start included) and games.

    `unseen` games have no record in the file, or a record without a seed, or one of a package that is not installed.
    Where the seed is still secret, lots are not checked.
    """

    events: int
    lots: int
    games: int
    unseen: int


def check_file(file: CompetitionFile[Any]) -> VerifiedCompetition:
    """Check a competition whose events and table were checked when it was read.

    InvalidCompetition: no-seed, other-seed, other-lot, other-pairing, other-end, other-result, other-game-seed, or the
    code of an invalid event; InvalidRecord for a wrong record of a game.
    """
    stands, seed = file.replay, file.seed
    # The games' seeds follow from this one, so it stays secret while a game of a stopped cup is still played.
    is_played = isinstance(stands, Competition) and stands.over and all(game.places for *_, game in stands.games())
    if seed is None and is_played:
        raise InvalidCompetition("no-seed")
    if seed is not None and (not is_hex(seed) or hash_seed(seed) != stands.seed_hash):
        raise InvalidCompetition("other-seed")
    lots = 0
    for number, (before, event) in enumerate(iterate_events(file), start=2):
        try:
            lots += _CHECKS[type(before)](before, event, seed)
        except InvalidCompetition as error:
            raise InvalidCompetition(error.code, **error.params, event=number) from None
    return VerifiedCompetition(len(file.events), lots, *_check_games(file))


def _check_cup_event(before: Competition, event: object, seed: str | None) -> int:
    """Check one event against the state before it; return the number of lots drawn."""
    if isinstance(event, CupStarted):
        if event.rounds != course.round_count(before, len(event.lots)):
            raise InvalidCompetition("other-end")
        if seed is not None and event.lots != course.draw_order(before, seed):
            raise InvalidCompetition("other-lot")
        return int(seed is not None)
    if isinstance(event, BoardDecided) and event.lot and seed is not None:
        if event.winner != course.draw_winner(before, seed, event.round, event.board):
            raise InvalidCompetition("other-lot")
        return 1
    if isinstance(event, GameReplayed) and event.seats != before.board_at(event.round, event.board).last.seats[::-1]:
        raise InvalidCompetition("other-pairing", round=event.round)
    if isinstance(event, RoundPaired):
        _check_round(before, event)
    if isinstance(event, CupEnded) and event.why == Ending.PLAYED and len(before.rounds) < before.planned:
        there = sum(map(before.is_available, before.lots))
        if not before.terms.format.pairs_by_points or there > before.terms.fewest:
            raise InvalidCompetition("other-end")
    return 0


def _check_round(before: Competition, event: RoundPaired) -> None:
    """Check a round: exactly against its table or bracket, otherwise only that all available entrants are in it.

    Swiss rounds and tables depend on blocks, which are private and not in the file; so they are not compared.
    """
    if not before.terms.format.pairs_by_points:
        if event != course.pair_round(before):
            raise InvalidCompetition("other-pairing", round=event.round)
        return
    seated = [entrant for pairing in event.pairings for entrant in pairing.seats if entrant != COMPUTER_ENTRANT]
    there = {entrant for entrant in before.lots if before.is_available(entrant)}
    following = course.pair_round(before)
    sizes = sorted(len(pairing.seats) for pairing in event.pairings)
    same = sizes == sorted(len(pairing.seats) for pairing in following.pairings)
    if {*seated, *event.byes} != there or event.walkovers or not same or len(event.byes) != len(following.byes):
        raise InvalidCompetition("other-pairing", round=event.round)


def _check_season(before: League, event: object, _seed: str | None) -> int:
    """Check that divisions follow from the season before, and that each has a full round robin; no lot is drawn."""
    if isinstance(event, SeasonStarted):
        if event.divisions != make_divisions(before, event.ratings, event.rules_version):
            raise InvalidCompetition("other-pairing", round=event.season)
        # Larger tables depend on blocks, which are private and not in the file; so they are not compared.
        expected = plan_fixtures(before.terms, event.divisions, event.season, rules_version=event.rules_version)
        two = before.terms.seats == 2
        if event.fixtures != expected if two else len(event.fixtures) != len(expected):
            raise InvalidCompetition("other-pairing", round=event.season)
    return 0


def _check_beginner(before: Ladder, event: object, seed: str | None) -> int:
    """Check who began where the lot decided; return the number of lots."""
    if seed is None or not isinstance(event, ChallengeAccepted):
        return 0
    if event.first != draw_beginner(before, seed, before.open[event.challenge]):
        raise InvalidCompetition("other-lot")
    return int(event.first is not None)


_CHECKS: Final[Mapping[type, Callable[[Any, object, str | None], int]]] = {
    Competition: _check_cup_event,
    League: _check_season,
    Ladder: _check_beginner,
}


def _check_games(file: CompetitionFile[Any]) -> tuple[int, int]:
    """Check the records against the results; return the numbers of checked and of unchecked games."""
    checked = unseen = 0
    opened = file.games()
    if stray := next((game for game in file.records if game not in opened), None):
        raise InvalidCompetition("other-result", game=stray)
    for game, played in opened.items():
        seen = _check_record(file, game, played)
        checked += seen
        unseen += not seen and played.places is not None
    return checked, unseen


def _check_record(file: CompetitionFile[Any], name: str, played: PlayedGame) -> bool:
    """Check the record of a game; return whether there was one that could be checked."""
    code, game, text = file.replay.code, file.replay.terms.game, file.records.get(name)
    if text is None or game not in games:
        return False
    try:
        record = Record.from_text(text)
        if (record.game_id, record.cup, record.game) != (name, code, game):
            raise InvalidCompetition("other-result", game=name)
        if record.seed is None:
            return False
        verify(record)
    except InvalidRecord as error:
        raise InvalidRecord(error.code, error.cause, **{**error.params, "record": name}) from None
    # A game's seed is derived from the competition's, and from what it was opened for.
    secret = b"" if file.seed is None else bytes.fromhex(file.seed)
    if secret and record.seed != hmac.digest(secret, f"{code} game {played.slot}".encode(), "sha256").hex():
        raise InvalidCompetition("other-game-seed", game=name)
    if played.places is not None and played.places not in _places(record):
        raise InvalidCompetition("other-result", game=name)
    return True


def _places(record: Record) -> tuple[tuple[int, ...], ...]:
    """Return the places that a record may end with; a game ended by the table itself is a draw."""
    state = record.last_state()
    if state.outcome is not None:
        return (state.outcome.places,)
    drawn = places_with_draw(record.seats, state.dropped)
    return (drawn, (1,) * record.seats) if record.result == "abandoned" else (drawn,)
