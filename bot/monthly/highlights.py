"""What a month has brought, as a pure function of its results: champions, the longest streak, and who has surprised."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.matches.titles import TitleKind
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
class Highlight:
    """Something that stood out in a month, and whom it names: of equal ones all.

    `kind` is that of its title, which they get if it is `titled`; `game_keys` has the game of each of them. `n` is the
    number that it is about, of so many games `played`; `code` is that of a game or of a competition, and `other` is who
    was beaten.
    """

    kind: TitleKind
    people: tuple[int, ...]
    game_keys: tuple[str, ...]
    n: int = 0
    played: int = 0
    code: str = ""
    other: int | None = None
    titled: bool = True


def find_highlights(here: Sequence[Result], everywhere: Sequence[Result], before: Strengths) -> tuple[Highlight, ...]:
    """Return the champions of a month, the longest streak, who has improved most, and the largest upset.

    `here` are the rated results of a place in the order of the games' ends, `everywhere` those of the same people
    wherever they have played in the month, `before` is how good they were when it began.
    """
    rated = [each for each in here if each.rated and each.person is not None]
    games_here = {each.game for each in rated}
    played = [each for each in _with_strengths(everywhere, before) if each.result.game in games_here]
    found = [_champions(key, rated) for key in sorted({each.game_key for each in rated})]
    return tuple(each for each in (*found, _streak(rated), _improvement(played), _upset(played)) if each is not None)


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


def _champions(game_key: str, rated: Sequence[Result]) -> Highlight | None:
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
    keys = (game_key,) * len(people)
    return Highlight(TitleKind.MONTH, people, keys, best[0], counts[people[0]].total())


def _streak(rated: Sequence[Result]) -> Highlight | None:
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
    return Highlight(TitleKind.STREAK, people, tuple(best[person][1] for person in people), wins)


def _improvement(played: Sequence[_Played]) -> Highlight | None:
    gains: Counter[tuple[int, str]] = Counter()
    for each in played:
        if each.points_before is not None:
            gains[each.person, each.result.game_key] += each.points_after - each.points_before
    if not gains:
        return None
    (person, key), points = max(gains.items(), key=lambda item: (item[1], -item[0][0]))
    return Highlight(TitleKind.IMPROVED, (person,), (key,), points) if points >= MIN_IMPROVEMENT else None


def _upset(played: Sequence[_Played]) -> Highlight | None:
    games: defaultdict[str, list[_Played]] = defaultdict(list)
    for each in played:
        games[each.result.game].append(each)
    found: Highlight | None = None
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
        if points >= MIN_UPSET and (found is None or points > found.n):
            won = winners[0]
            keys = (won.result.game_key,)
            found = Highlight(TitleKind.UPSET, (won.person,), keys, points, code=game, other=loser)
    return found
