"""How people solve puzzles, in words: below a profile, and below the leaderboard of a place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.language.rich_text import Span, Text
from bot.language.texts import Speaker, join
from bot.play.ratings import OVERALL_KEY, initial_rating, round_points
from bot.puzzles.records import PuzzleRecord
from bot.puzzles.solver_ratings import MIN_ATTEMPTS
from engine import games
from storage import PuzzleStanding

MAX_RANKS: Final = 5
MAX_MOTIFS: Final = 5


def record_words(speaker: Speaker, found: PuzzleRecord) -> list[Text]:
    """Return how somebody solves puzzles; nothing of who has never tried one."""
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
        lines.append(speaker.say("profile.puzzles.games", games=_counted(speaker, named)))
        motifs: dict[str, int] = {}
        for (game, motif), count in sorted(found.motifs.items(), key=lambda item: (-item[1], item[0])):
            word = speaker.of(game).word("puzzle.motif", motif)
            motifs[word] = motifs.get(word, 0) + count
        most = dict(sorted(motifs.items(), key=lambda item: -item[1])[:MAX_MOTIFS])
        lines.append(speaker.say("profile.puzzles.motifs", motifs=_counted(speaker, most)))
    return lines


def standing_words(speaker: Speaker, standings: Sequence[PuzzleStanding]) -> list[Text]:
    """Return the best solvers of a place; those with equal figures share a rank. Nothing where there are none."""
    if not standings:
        return []
    lines, above, rank = [speaker.say("leaders.puzzles")], (0, 0), 0
    for number, each in enumerate(standings[:MAX_RANKS], start=1):
        if (each.days, each.clean) != above:
            above, rank = (each.days, each.clean), number
        who = Span(each.name, bold=True)
        lines.append(speaker.say("leaders.puzzles.rank", place=rank, who=who, n=each.days, clean=each.clean))
    return lines


def _counted(speaker: Speaker, counts: dict[str, int]) -> Text:
    return join([speaker.say("profile.puzzles.each", what=what, count=count) for what, count in counts.items()], ", ")
