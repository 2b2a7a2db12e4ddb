"""What a month has brought, as a pure function of its results: champions, the longest streak, and who has surprised."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.play.ratings import MIN_RANKED_GAMES, round_points
from storage import Result

MIN_CHAMPION_GAMES: Final = 3
"""A champion has finished so many rated games of a game in the month."""
MIN_STREAK: Final = 3
"""So many wins in a row are a streak."""
MIN_IMPROVEMENT: Final = 10
"""So many points somebody has to gain to be the most improved."""
MIN_UPSET: Final = 50
"""By so many points the person who is beaten in an upset was ahead."""

Strengths = Mapping[tuple[int, str], tuple[float, float, int]]
"""People's ratings (mu and sigma) and after how many rated games, by person and game."""


@dataclass(frozen=True, slots=True)
class Champions:
    """Who was first in a game: several who are equal share it."""

    game_key: str
    people: tuple[int, ...]
    wins: int
    played: int


@dataclass(frozen=True, slots=True)
class WinningStreak:
    """The most wins in a row, and who had so many."""

    people: tuple[int, ...]
    wins: int
    game_keys: tuple[str, ...]
    """In which game each of them has won last in it."""


@dataclass(frozen=True, slots=True)
class Improvement:
    """Who has gained the most points in a game, by games of this place."""

    person: int
    game_key: str
    points: int


@dataclass(frozen=True, slots=True)
class Upset:
    """A game that somebody won against somebody who was so many points ahead."""

    winner: int
    loser: int
    game: str
    game_key: str
    points: int


@dataclass(frozen=True, slots=True)
class Highlights:
    """What a month has brought; None, or nothing, where there was no such thing."""

    champions: tuple[Champions, ...] = ()
    streak: WinningStreak | None = None
    improvement: Improvement | None = None
    upset: Upset | None = None


def find_highlights(here: Sequence[Result], everywhere: Sequence[Result], before: Strengths) -> Highlights:
    """Return what a month has brought.

    `here` are the rated results of a place in the order of the games' ends, `everywhere` those of the same people
    wherever they have played in the month, `before` is how good they were when it began.
    """
    rated = [each for each in here if each.rated and each.person is not None]
    games_here = {each.game for each in rated}
    played = _with_strengths(everywhere, before)
    return Highlights(
        tuple(
            found for key in sorted({each.game_key for each in rated}) if (found := _champions(key, rated)) is not None
        ),
        _streak(rated),
        _improvement([each for each in played if each.result.game in games_here]),
        _upset([each for each in played if each.result.game in games_here]),
    )


@dataclass(frozen=True, slots=True)
class _Played:
    """A result with its player's points after it and before it, None while they are not shown to anybody."""

    result: Result
    person: int
    points_before: int | None
    points_after: int


def _with_strengths(everywhere: Sequence[Result], before: Strengths) -> list[_Played]:
    known = dict(before)
    found = []
    for each in everywhere:
        if each.person is None or each.mu is None or each.sigma is None:
            continue
        key = (each.person, each.game_key)
        mu, sigma, count = known.get(key, (0.0, 0.0, 0))
        points = round_points(mu, sigma) if count >= MIN_RANKED_GAMES else None
        found.append(_Played(each, each.person, points, round_points(each.mu, each.sigma)))
        known[key] = (each.mu, each.sigma, count + 1)
    return found


def _champions(game_key: str, rated: Sequence[Result]) -> Champions | None:
    """Return the champions of a game: most wins, then most draws, then fewest losses."""
    counts: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for each in rated:
        if each.game_key == game_key and each.person is not None:
            counts[each.person][each.mark] += 1
    fit = {
        person: (marks["win"], marks["draw"], -marks["loss"])
        for person, marks in counts.items()
        if marks.total() >= MIN_CHAMPION_GAMES and marks["win"]
    }
    if not fit:
        return None
    best = max(fit.values())
    people = tuple(person for person, each in fit.items() if each == best)
    return Champions(game_key, people, best[0], counts[people[0]].total())


def _streak(rated: Sequence[Result]) -> WinningStreak | None:
    going: Counter[int] = Counter()
    best: dict[int, tuple[int, str]] = {}
    for each in rated:
        person = each.person or 0
        going[person] = going[person] + 1 if each.mark == "win" else 0
        if going[person] > best.get(person, (0, ""))[0]:
            best[person] = (going[person], each.game_key)
    wins = max((count for count, _ in best.values()), default=0)
    if wins < MIN_STREAK:
        return None
    people = tuple(person for person, (count, _) in best.items() if count == wins)
    return WinningStreak(people, wins, tuple(best[person][1] for person in people))


def _improvement(played: Sequence[_Played]) -> Improvement | None:
    gains: Counter[tuple[int, str]] = Counter()
    for each in played:
        if each.points_before is not None:
            gains[each.person, each.result.game_key] += each.points_after - each.points_before
    if not gains:
        return None
    (person, key), points = max(gains.items(), key=lambda item: (item[1], -item[0][0]))
    return Improvement(person, key, points) if points >= MIN_IMPROVEMENT else None


def _upset(played: Sequence[_Played]) -> Upset | None:
    games: defaultdict[str, list[_Played]] = defaultdict(list)
    for each in played:
        games[each.result.game].append(each)
    found: Upset | None = None
    for game, seats in games.items():
        winners = [each for each in seats if each.result.mark == "win"]
        if len(winners) != 1 or winners[0].points_before is None:
            continue
        others = [each for each in seats if each not in winners]
        beaten = [(each.points_before, each.person) for each in others if each.points_before is not None]
        if not beaten:
            continue
        before, loser = max(beaten)
        points = before - winners[0].points_before
        if points >= MIN_UPSET and (found is None or points > found.points):
            found = Upset(winners[0].person, loser, game, winners[0].result.game_key, points)
    return found
