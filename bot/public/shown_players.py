"""Players with a public profile: the contents of the page and of its preview."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.context import Context
from bot.language.texts import Speaker, Text, strip_styles
from bot.matches.titles import TitleKind
from bot.play.ratings import MIN_RANKED_GAMES, rating_points
from bot.public.answers import NothingToShow
from bot.public.consent import Allowed
from bot.standings.commands import title_words
from engine import games
from render.emblems import Emblem
from render.preview import PreviewRow
from storage import Person, Rating, Title
from storage.schema import PEOPLE_POOL


@dataclass(frozen=True, slots=True)
class ShownPlayer:
    """A person with all ratings and titles."""

    person: Person
    ratings: Sequence[Rating]
    titles: Sequence[Title]

    @property
    def shown_ratings(self) -> list[Rating]:
        """The ratings among people in games that are installed, those played most first."""
        shown = [each for each in self.ratings if each.game_key in games and each.pool == PEOPLE_POOL]
        return sorted(shown, key=lambda each: (each.played < MIN_RANKED_GAMES, -each.played, each.game_key))

    @property
    def games_rated(self) -> int:
        """How many games count in these ratings: it grows whenever one of them changes."""
        return sum(each.played for each in self.shown_ratings)

    def title_lines(self, speaker: Speaker) -> list[Text]:
        """Return the titles in words."""
        return title_words(speaker, [each for each in self.titles if each.game_key in games])

    def preview_words(self, speaker: Speaker) -> str:
        """Return the line below the name in a preview: that it is a profile, and the titles."""
        return " · ".join([speaker.line("world.kind.person"), *map(strip_styles, self.title_lines(speaker))])

    def preview_count(self, speaker: Speaker) -> str:
        """Return how many games count in the ratings, for the picture of a preview."""
        if not self.games_rated:
            return speaker.line("world.person.none")
        return speaker.line("world.person.games", n=self.games_rated)

    @property
    def emblems(self) -> tuple[Emblem, ...]:
        """The emblems of the titles."""
        counted = Counter(each.kind for each in self.titles if each.game_key in games)
        return tuple(Emblem(kind, counted[kind]) for kind in TitleKind if counted[kind])

    def preview_rows(self, speaker: Speaker) -> tuple[PreviewRow, ...]:
        """Return the rows of a preview: each game with its points, a dash where there are too few games for points."""
        return tuple(
            PreviewRow(
                None,
                speaker.of(each.game_key).line("name"),
                speaker.number(rating_points(each)) if each.played >= MIN_RANKED_GAMES else "–",
                each.game_key,
            )
            for each in self.shown_ratings
        )


async def read_player(context: Context, allowed: Allowed) -> ShownPlayer:
    """Return the person of a profile page, after linking the remaining one; NothingToShow if there is nobody."""
    now = await context.store.public.current_person(allowed.page.person or 0)
    person = await context.store.people.get(now)
    if person is None:
        raise NothingToShow("gone")
    ratings = await context.store.ratings.list_for_people([now])
    titles = await context.store.titles.list_for_person(now)
    return ShownPlayer(person, ratings, titles)
