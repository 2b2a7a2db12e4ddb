"""Games for public pages, read once for all readers, with their turns in words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from cachetools import LRUCache

from bot.competitions.keeper import TitleKind
from bot.kernel.context import Context
from bot.kernel.line import Line
from bot.kernel.table import Table
from bot.kernel.texts import Speaker, Text, strip_styles
from bot.kernel.words.describe import BoardWords, turn_words
from bot.people.advice.analysis import moment_card
from bot.people.standings.commands import title_words
from bot.platforms.public.answers import NothingToShow
from bot.platforms.public.consent import Allowed, Consent
from bot.table.cards import outcome_words
from bot.table.ratings import is_ranked, name_at_pace, rating_points
from bot.table.replaying import export_record, line_after_turns, select_shown_turns
from bot.thinking.analysis import Analysis, read_analysis
from engine import Outcome, State, Turn, games
from render.charts import Emblem
from render.preview import PreviewRow
from storage import Person, Rating, Title
from storage.schema import PEOPLE_POOL

MAX_CACHED_GAMES: Final = 64


@dataclass(frozen=True, slots=True)
class ShownGame:
    """A public game with its turns (the last may be unfinished); `page` is the id of its page."""

    page: str
    table: Table
    start: State
    turns: tuple[Turn, ...]
    analysis: Analysis | None = None

    @property
    def is_over(self) -> bool:
        """True if the game has ended."""
        return self.table.row.status == "over"

    def names(self, speaker: Speaker) -> tuple[str, ...]:
        """Return the names by seat; computers' names are in the speaker's language."""
        return self.table.in_language(speaker).names

    def line(self, at: int) -> Line:
        """Return the line of play after `at` turns."""
        if at >= len(self.turns):
            return self.table.playing
        return line_after_turns(self.table.playing, list(self.turns), at)

    def shown_turn(self, at: int) -> Turn | None:
        """Return the turn that led to the position after `at` turns."""
        return self.turns[min(at, len(self.turns)) - 1] if at and self.turns else None

    def turn_text(self, at: int, speaker: Speaker) -> Text:
        """Return a turn (numbered from 1) in words."""
        voice = speaker.of(self.table.row.game)
        table = self.table.in_language(voice)
        names = table.name_spans
        return turn_words(voice, self.turns[at - 1], names)

    def alt(self, at: int, speaker: Speaker) -> str:
        """Return the alt text of the position after `at` turns."""
        voice = speaker.of(self.table.row.game)
        return BoardWords(voice, self.line(at).state, self.shown_turn(at), self.names(voice)).alt

    def state_text(self, speaker: Speaker) -> Text:
        """Return the state of the game in words: whose turn it is, or how it ended."""
        voice = speaker.of(self.table.row.game)
        table = self.table.in_language(voice)
        if table.mover is not None:
            return voice.say("world.to-move", who=table.name_span(table.mover))
        ended = table.row.outcome or {"reason": "closed"}
        if "places" not in ended:
            return voice.say(f"ended.{ended['reason']}")
        return outcome_words(table, voice, Outcome(ended["reason"], tuple(ended["places"])))[0]

    def mistake(self, at: int, speaker: Speaker) -> Text:
        """Return the analysis of a turn (numbered from 1); empty if there is none."""
        if self.analysis is None:
            return ()
        for number, costly in enumerate(self.analysis.moments):
            if costly.turn == at:
                table = self.table.in_language(speaker)
                return moment_card(table, self.analysis, number, self.turns, speaker).text
        return ()

    @property
    def telling_turns(self) -> frozenset[int]:
        """The turns on which the analysis has a comment."""
        return frozenset(costly.turn for costly in self.analysis.moments) if self.analysis is not None else frozenset()


class ShownGames:
    """Reads games for public pages."""

    def __init__(self, context: Context, consent: Consent) -> None:
        self._context = context
        self._consent = consent
        self._read: LRUCache[tuple[str, int, str, int], ShownGame] = LRUCache(MAX_CACHED_GAMES)

    async def read(self, allowed: Allowed) -> ShownGame:
        """Return a public game."""
        game = allowed.page.game or ""
        key = game, allowed.revision, allowed.status, self._consent.epoch
        known = self._read.get(key)
        if known is None:
            table = await self._context.table(game)
            async with export_record(self._context, table) as record:
                start, turns = record.first_state(), select_shown_turns(table, list(record.turns()))
            known = ShownGame(allowed.page.id, table, start, tuple(turns))
        if known.is_over and known.analysis is None:
            found = read_analysis(await self._context.store.analyses.get(game))
            known = replace(known, analysis=found) if found is not None else known
        if known.table.row.revision == allowed.revision:
            self._read[key] = known
        return known

    async def record_text(self, game: ShownGame) -> str:
        """Return the record of a game, without the code for joining while the game is running."""
        async with export_record(self._context, game.table) as record:
            return (record if game.is_over else replace(record, game_id="", rematch_of="", cup="")).to_text()


@dataclass(frozen=True, slots=True)
class ShownPlayer:
    """A person with all ratings and titles."""

    person: Person
    ratings: Sequence[Rating]
    titles: Sequence[Title]

    @property
    def shown_ratings(self) -> list[Rating]:
        """The ratings among people in installed games, those with the most games first."""
        shown = [each for each in self.ratings if each.game_key in games and each.pool == PEOPLE_POOL]
        return sorted(shown, key=lambda each: (not is_ranked(each), -each.played, each.game_key, each.pace))

    @property
    def games_rated(self) -> int:
        """The number of games that count in these ratings; every change of a rating increases it."""
        return sum(each.played for each in self.shown_ratings)

    def title_lines(self, speaker: Speaker) -> list[Text]:
        """Return the titles in words."""
        return title_words(speaker, [each for each in self.titles if each.game_key in games])

    def preview_words(self, speaker: Speaker) -> str:
        """Return the line below the name in a preview: the kind of page, and the titles."""
        return " · ".join([speaker.line("world.kind.person"), *map(strip_styles, self.title_lines(speaker))])

    def preview_count(self, speaker: Speaker) -> str:
        """Return the number of games that count in the ratings, in words for a preview."""
        if not self.games_rated:
            return speaker.line("world.person.none")
        return speaker.line("world.person.games", n=self.games_rated)

    @property
    def emblems(self) -> tuple[Emblem, ...]:
        """The emblems of the titles."""
        counted = Counter(each.kind for each in self.titles if each.game_key in games)
        return tuple(Emblem(kind, counted[kind]) for kind in TitleKind if counted[kind])

    def preview_rows(self, speaker: Speaker) -> tuple[PreviewRow, ...]:
        """Return the rows of a preview: each game with its points, or a dash if there are too few games."""
        return tuple(
            PreviewRow(
                None,
                name_at_pace(speaker, speaker.of(each.game_key).line("name"), each.pace),
                speaker.number(rating_points(each)) if is_ranked(each) else "–",
                each.game_key,
            )
            for each in self.shown_ratings
        )


async def read_player(context: Context, allowed: Allowed) -> ShownPlayer:
    """Return the person of a profile page, or the person they were linked with; NothingToShow if there is none."""
    now = await context.store.public.current_person(allowed.page.person or 0)
    person = await context.store.people.get(now)
    if person is None:
        raise NothingToShow("gone")
    ratings = await context.store.ratings.list_for_people([now])
    titles = await context.store.titles.list_for_person(now)
    return ShownPlayer(person, ratings, titles)
