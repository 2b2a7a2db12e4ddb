"""The check of a competition's file: lots, pairings, and results by the games' records."""

import hmac
from dataclasses import dataclass
from typing import Any

from bot.competitions import course
from bot.competitions.competition import Competition
from bot.competitions.events import (
    COMPUTER_ENTRANT,
    BoardDecided,
    CupEnded,
    CupEvent,
    CupStarted,
    Ending,
    Format,
    GameReplayed,
    InvalidCompetition,
    RoundPaired,
)
from bot.competitions.file import CompetitionFile
from bot.competitions.file_types import CupFile, LadderFile, LeagueFile
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
class VerifiedCup:
    """The numbers of checked entrants, rounds, lots (including the one at the start) and games.

    `unseen` games have no record in the file, or a record without a seed, or one of a package that is not installed.
    Without `over` the seed is still secret, and lots are not checked.
    """

    entrants: int
    rounds: int
    lots: int
    games: int
    unseen: int
    over: bool


@dataclass(frozen=True)
class VerifiedSeason:
    """The numbers of checked events and games of a ladder or league; `unseen` games have no record in the file."""

    events: int
    games: int
    unseen: int


def check_cup(file: CupFile) -> VerifiedCup:
    """Check a cup whose table was checked when it was read.

    InvalidCompetition: no-seed, other-seed, other-lot, other-pairing, other-end, other-result, or the code of an
    invalid event; InvalidRecord for a wrong record of a game.
    """
    stands = file.replay
    over = file.seed is not None
    # The games' seeds follow from this one, so it stays secret while a game of a stopped cup is still played.
    if not over and stands.stage == "over" and all(game.places for *_, game in stands.games()):
        raise InvalidCompetition("no-seed")
    _check_seed(file)
    lots = 0
    before: Competition | None = None
    for number, (_, event) in enumerate(file.events, start=1):
        if before is not None:
            try:
                lots += _check(before, event, file.seed)
            except InvalidCompetition as error:
                raise InvalidCompetition(error.code, **error.params, event=number) from None
            before = before.apply(event)
        else:
            before = Competition.replay([event])
    checked, unseen = _check_games(file)
    return VerifiedCup(len(stands.lots), len(stands.rounds), lots, checked, unseen, over)


def _check(before: Competition, event: CupEvent, seed: str | None) -> int:
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
        if before.terms.format not in (Format.SWISS, Format.TABLES) or there > before.terms.fewest:
            raise InvalidCompetition("other-end")
    return 0


def _check_round(before: Competition, event: RoundPaired) -> None:
    """Check a round: exactly against its table or bracket, otherwise only that all available entrants are in it.

    Swiss rounds and tables depend on blocks, which are private and not in the file; so they are not compared.
    """
    if before.terms.format not in (Format.SWISS, Format.TABLES):
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


def check_season_file(file: CompetitionFile[Any]) -> VerifiedSeason:
    """Check a ladder or league whose events and table were checked when it was read.

    InvalidCompetition: other-seed, other-pairing, other-result, other-game-seed; InvalidRecord of a game whose record
    is wrong.
    """
    _check_seed(file)
    if isinstance(file, LeagueFile):
        _check_seasons(file)
    elif isinstance(file, LadderFile) and file.seed is not None:
        _check_beginners(file, file.seed)
    return VerifiedSeason(len(file.events), *_check_games(file))


def _check_seasons(file: LeagueFile) -> None:
    """Check that divisions follow from the season before, and that each has a full round robin."""
    before: League | None = None
    for number, (at, event) in enumerate(file.events, start=1):
        if before is None:
            before = League.created(event)
            continue
        if isinstance(event, SeasonStarted):
            if event.divisions != make_divisions(before, event.ratings, event.rules_version):
                raise InvalidCompetition("other-pairing", round=event.season, event=number)
            # Larger tables depend on blocks, which are private and not in the file; so they are not compared.
            expected = plan_fixtures(before.terms, event.divisions, event.season, rules_version=event.rules_version)
            two = before.terms.seats == 2
            if event.fixtures != expected if two else len(event.fixtures) != len(expected):
                raise InvalidCompetition("other-pairing", round=event.season, event=number)
        before = before.apply(at, event)


def _check_beginners(file: LadderFile, seed: str) -> None:
    """Check who began where the lot decided."""
    before: Ladder | None = None
    for number, (at, event) in enumerate(file.events, start=1):
        if before is None:
            before = Ladder.created(event)
            continue
        if isinstance(event, ChallengeAccepted) and event.first != draw_beginner(
            before, seed, before.open[event.challenge]
        ):
            raise InvalidCompetition("other-lot", event=number)
        before = before.apply(at, event)


def _check_seed(file: CompetitionFile[Any]) -> None:
    if file.seed is not None and (not is_hex(file.seed) or hash_seed(file.seed) != file.replay.seed_hash):
        raise InvalidCompetition("other-seed")


def _check_games(file: CompetitionFile[Any]) -> tuple[int, int]:
    """Check the records against the results; return the numbers of checked and of unchecked games."""
    checked = unseen = 0
    opened, stands = file.games(), file.replay
    if stray := next((game for game in file.records if game not in opened), None):
        raise InvalidCompetition("other-result", game=stray)
    for game, played in opened.items():
        text = file.records.get(game)
        seen = check_game_record(text, game, stands.terms.game, stands.code, file.seed, played.slot, played.places)
        checked += seen
        unseen += not seen and played.places is not None
    return checked, unseen


def check_game_record(
    text: str | None, name: str, game: str, code: str, seed: str | None, slot: str, places: tuple[int, ...] | None
) -> bool:
    """Check the record of a competition's game; return whether there was one that could be checked.

    InvalidCompetition (other-result, other-game-seed), InvalidRecord.
    """
    record = None if text is None or game not in games else _read(name, text)
    if record is not None and (record.game_id, record.cup, record.game) != (name, code, game):
        raise InvalidCompetition("other-result", game=name)
    if record is None or record.seed is None:
        return False
    try:
        verify(record)
    except InvalidRecord as error:
        raise InvalidRecord(error.code, error.cause, **{**error.params, "record": name}) from None
    if seed is not None and record.seed != game_seed(seed, code, slot):
        raise InvalidCompetition("other-game-seed", game=name)
    if places is not None and places not in _places(record):
        raise InvalidCompetition("other-result", game=name)
    return True


def game_seed(seed: str, code: str, slot: str) -> str:
    """Return a game's seed, derived from the competition's seed and code, and the round, board and number."""
    return hmac.digest(bytes.fromhex(seed), f"{code} game {slot}".encode(), "sha256").hex()


def _read(name: str, text: str) -> Record:
    try:
        return Record.from_text(text)
    except InvalidRecord as error:
        raise InvalidRecord(error.code, error.cause, **{**error.params, "record": name}) from None


def _places(record: Record) -> tuple[tuple[int, ...], ...]:
    """Return the places that a record may end with; a game ended by the table itself is a draw."""
    state = record.last_state()
    if state.outcome is not None:
        return (state.outcome.places,)
    drawn = places_with_draw(record.seats, state.dropped)
    return (drawn, (1,) * record.seats) if record.result == "abandoned" else (drawn,)
