"""Puzzle statistics of a person and of a place, and their cards."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.language.names import tell_apart
from bot.language.texts import Span, Speaker, Text, join
from bot.play.ratings import OVERALL_KEY, initial_rating, number_places, round_points
from bot.puzzles.own_moments import is_own
from bot.puzzles.service import solved_days, today
from bot.puzzles.solver_ratings import MIN_ATTEMPTS
from bot.puzzles.streaks import Streak, count_streak
from engine import games
from storage import Person, PuzzleRating, PuzzleStanding
from storage.puzzle_schema import SOLVED

LEADERBOARD_WINDOW: Final = timedelta(days=30)
"""How long daily puzzles count on the leaderboard of a place."""


@dataclass(frozen=True, slots=True)
class PuzzleRecord:
    """How somebody solves puzzles: how many they have tried and solved, by game and by motif (of a game), their streak.

    The ratings stand by game, that for all together under an empty key.
    """

    tried: int
    solved: int
    games: Mapping[str, int]
    motifs: Mapping[tuple[str, str], int]
    ratings: Mapping[str, PuzzleRating]
    streak: Streak


async def read_record(context: Context, asker: RequestContext, person: Person) -> PuzzleRecord:
    """Return the statistics of a person."""
    store = context.store
    attempts = [each for each in await store.puzzles.list_attempts(person.id) if not is_own(each.puzzle)]
    tried = [attempt for attempt in attempts if attempt.tried_at is not None]
    solved = [attempt for attempt in tried if attempt.result == SOLVED]
    return PuzzleRecord(
        len(tried),
        len(solved),
        Counter(attempt.game_key for attempt in solved),
        Counter((attempt.game_key, attempt.motif) for attempt in solved),
        await store.puzzles.list_ratings(person.id),
        count_streak(await solved_days(context, person.id), today(context, asker)),
    )


async def best_here(context: Context, asker: RequestContext, *, server: bool) -> list[PuzzleStanding]:
    """Return who has solved the puzzles of the most of the last dates in a channel, or in a whole server or group."""
    place, since = asker.place, today(context, asker) - LEADERBOARD_WINDOW
    group = (place.platform, place.group) if server and place.group is not None else None
    return await context.store.puzzles.list_standings(since.isoformat(), place.id, group)


MAX_RANKS: Final = 5
MAX_MOTIFS: Final = 5


def record_words(speaker: Speaker, found: PuzzleRecord) -> list[Text]:
    """Return the text about a person's statistics; empty without attempts."""
    if not found.tried:
        return []
    parts = [speaker.say("profile.puzzles", n=found.solved, tried=found.tried)]
    if found.streak.best:
        parts.append(speaker.say("profile.puzzles.streak", n=found.streak.now, best=found.streak.best))
    lines = [join(parts, " ")]
    lines += [
        speaker.say(
            "profile.puzzles.rating",
            game=Span(
                speaker.line("profile.overall") if key == OVERALL_KEY else speaker.of(key).line("name"), bold=True
            ),
            points=speaker.number(round_points(rating.mu, rating.sigma)),
            guess=speaker.number(initial_rating(rating.mu)),
        )
        for key in (OVERALL_KEY, *games)
        if (rating := found.ratings.get(key)) is not None and rating.tries >= MIN_ATTEMPTS
    ]
    if found.solved:
        named = {speaker.of(key).line("name"): count for key, count in found.games.items()}
        lines.append(speaker.say("profile.puzzles.games", games=_count_words(speaker, named)))
        motifs: dict[str, int] = {}
        for (game, motif), count in sorted(found.motifs.items(), key=lambda item: (-item[1], item[0])):
            word = speaker.of(game).word("puzzle.motif", motif)
            motifs[word] = motifs.get(word, 0) + count
        most = dict(sorted(motifs.items(), key=lambda item: -item[1])[:MAX_MOTIFS])
        lines.append(speaker.say("profile.puzzles.motifs", motifs=_count_words(speaker, most)))
    return lines


def standing_words(speaker: Speaker, standings: Sequence[PuzzleStanding]) -> list[Text]:
    """Return the best solvers of a place; those with equal figures share a rank. Nothing where there are none."""
    if not standings:
        return []
    lines = [speaker.say("leaders.puzzles")]
    places = number_places([(each.days, each.clean) for each in standings])
    names = tell_apart(tuple(each.name for each in standings))
    for rank, name, each in zip(places, names, standings[:MAX_RANKS], strict=False):
        who = Span(name, bold=True)
        lines.append(speaker.say("leaders.puzzles.rank", place=rank, who=who, n=each.days, clean=each.clean))
    return lines


def _count_words(speaker: Speaker, counts: dict[str, int]) -> Text:
    return join([speaker.say("profile.puzzles.each", what=what, count=count) for what, count in counts.items()], ", ")
