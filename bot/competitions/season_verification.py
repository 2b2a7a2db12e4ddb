"""The check of a ladder's or league's file: events by the rules, and results by the games' records."""

from dataclasses import dataclass

from bot.competitions.events import InvalidCompetition
from bot.competitions.league.course import make_divisions
from bot.competitions.league.events import SeasonStarted
from bot.competitions.league.fixtures import plan_fixtures
from bot.competitions.league.league import League
from bot.competitions.season_file import SeasonFile
from bot.competitions.verification import check_game_record
from engine.fair import hash_seed, is_hex


@dataclass(frozen=True)
class VerifiedSeason:
    """The numbers of checked events and games; `unseen` games have no record in the file."""

    events: int
    games: int
    unseen: int


def check_season_file(file: SeasonFile) -> VerifiedSeason:
    """Check a ladder or league whose events and table were checked when it was read.

    InvalidCompetition: other-seed, other-pairing, other-result, other-game-seed; InvalidRecord of a game whose record
    is wrong.
    """
    stands = file.replay
    if file.seed is not None and (not is_hex(file.seed) or hash_seed(file.seed) != stands.seed_hash):
        raise InvalidCompetition("other-seed")
    if isinstance(stands, League):
        _check_seasons(file)
    checked = unseen = 0
    for game, played in file.games().items():
        seen = check_game_record(
            file.records.get(game), game, stands.terms.game, stands.code, file.seed, played.slot, played.places
        )
        checked += seen
        unseen += not seen and played.places is not None
    return VerifiedSeason(len(file.events), checked, unseen)


def _check_seasons(file: SeasonFile) -> None:
    """Check that divisions follow from the season before, and that each has a full round robin."""
    before: League | None = None
    for number, (at, event) in enumerate(file.events, start=1):
        if before is None:
            before = League.created(event)
            continue
        if isinstance(event, SeasonStarted):
            if event.divisions != make_divisions(before, event.ratings):
                raise InvalidCompetition("other-pairing", round=event.season, event=number)
            # Larger tables depend on blocks, which are private and not in the file; so they are not compared.
            expected = plan_fixtures(before.terms, event.divisions, event.season)
            two = before.terms.seats == 2
            if event.fixtures != expected if two else len(event.fixtures) != len(expected):
                raise InvalidCompetition("other-pairing", round=event.season, event=number)
        before = before.apply(at, event)
