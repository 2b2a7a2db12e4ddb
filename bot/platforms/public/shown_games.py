"""Games, people and competitions for public pages; games are read once for all readers, with their turns in words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Generic, TypedDict, TypeVar, Unpack

from cachetools import LRUCache

from bot.competitions.keeper import AnyStored, TitleKind
from bot.competitions.kinds import AnyCompetition, read_competition
from bot.kernel.context import Context
from bot.kernel.line import Line
from bot.kernel.permissions import is_hidden
from bot.kernel.table import GamePeople, Table
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
from engine.turn import Turns
from render.charts import Emblem
from render.preview import PreviewRow
from storage import CompetitionKind, CompetitionRow, GameBrief, GameRow, Person, Rating, Title
from storage.schema import PEOPLE_POOL, PageKind


@dataclass(frozen=True, slots=True)
class ShownGame:
    """A public game with its turns (the last may be unfinished); `page` is the id of its page.

    What is in words needs a game that was read in a language.
    """

    page: str
    table: Table
    start: State
    turns: Turns
    analysis: Analysis | None = None

    @property
    def is_over(self) -> bool:
        """True if the game has ended."""
        return self.table.row.is_over

    @property
    def voice(self) -> Speaker:
        """The Speaker of the language in which the game was read, with the game's words."""
        if self.table.voice is None:
            raise ValueError(f"game {self.table.id} was read in no language")
        return self.table.voice

    def line(self, at: int) -> Line:
        """Return the line of play after `at` turns."""
        if at >= len(self.turns):
            return self.table.playing
        return line_after_turns(self.table.playing, list(self.turns), at)

    def shown_turn(self, at: int) -> Turn | None:
        """Return the turn that led to the position after `at` turns."""
        return self.turns[min(at, len(self.turns)) - 1] if at and self.turns else None

    def turn_text(self, at: int) -> Text:
        """Return a turn (numbered from 1) in words."""
        return turn_words(self.voice, self.turns[at - 1], self.table.name_spans)

    def alt(self, at: int) -> str:
        """Return the alt text of the position after `at` turns."""
        return BoardWords(self.voice, self.line(at).state, self.shown_turn(at), self.table.names).alt

    @property
    def title(self) -> str:
        """The game's name and its players."""
        names: Text = self.voice.listing(self.table.names)
        return f"{self.voice.game_name()}: {strip_styles(names)}"

    @property
    def state_text(self) -> Text:
        """The state of the game in words: whose turn it is, or how it ended."""
        table = self.table
        if table.mover is not None:
            return self.voice.say("world.to-move", who=table.name_span(table.mover))
        ended = table.row.outcome or {"reason": "closed"}
        if "places" not in ended:
            return self.voice.say(f"ended.{ended['reason']}")
        return outcome_words(table, self.voice, Outcome(ended["reason"], tuple(ended["places"])))[0]

    def mistake(self, at: int) -> Text:
        """Return the analysis of a turn (numbered from 1); empty if there is none."""
        if (analysis := self.analysis) is not None:
            for number, costly in enumerate(analysis.moments):
                if costly.turn == at:
                    return moment_card(self.table, analysis, number, self.turns, self.voice).text
        return ()

    @property
    def telling_turns(self) -> frozenset[int]:
        """The turns on which the analysis has a comment."""
        return frozenset(costly.turn for costly in self.analysis.moments) if self.analysis is not None else frozenset()


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
                name_at_pace(speaker, speaker.game_name(each.game_key), each.pace),
                speaker.number(rating_points(each)) if is_ranked(each) else "–",
                each.game_key,
            )
            for each in self.shown_ratings
        )


MAX_BATCHES: Final = 5
"""Maximum number of batches read for one page of a list, in which many games may not be public."""
MAX_CACHED_GAMES: Final = 64


class GameFilter(TypedDict, total=False):
    """A filter for games: by kind, status, player, competition."""

    game_key: str | None
    status: str | None
    person: int | None
    competition: str | None


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """A page of a list: its items with their page ids, and the cursor if there may be more."""

    items: Sequence[tuple[T, str]]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class EntrantPages:
    """A competition and its page ids: the profiles of people who want one, and its games by code."""

    competition: AnyStored
    profiles: dict[int, str]
    games: dict[str, str]


class PublicContent:
    """Reads what public pages show. The cursor of a list is the page id of the last item that was read."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.consent = Consent(context)
        self._read: LRUCache[tuple[str, int, str, int], ShownGame] = LRUCache(MAX_CACHED_GAMES)

    async def game(self, allowed: Allowed, speaker: Speaker | None = None) -> ShownGame:
        """Return a public game, in the speaker's language."""
        game = allowed.page.game or ""
        key = game, allowed.revision, allowed.status, self.consent.epoch
        known = self._read.get(key)
        if known is None:
            table = await self.context.table(game)
            async with export_record(self.context, table) as record:
                start, turns = record.first_state(), select_shown_turns(table, list(record.turns()))
            known = ShownGame(allowed.page.id, table, start, tuple(turns))
        if known.is_over and known.analysis is None:
            known = replace(known, analysis=read_analysis(await self.context.store.analyses.get(game)))
        if known.table.row.revision == allowed.revision:
            self._read[key] = known
        voice = None if speaker is None else known.table.words_for(speaker)
        return replace(known, table=known.table.in_language(voice))

    async def record_text(self, game: ShownGame) -> str:
        """Return the record of a game, without the code for joining while the game is running."""
        async with export_record(self.context, game.table) as record:
            return (record if game.is_over else replace(record, game_id="", rematch_of="", cup="")).to_text()

    async def list_games(
        self, limit: int, cursor: str | None = None, **wanted: Unpack[GameFilter]
    ) -> Listed[GamePeople]:
        """Return games; NothingToShow for an unknown cursor."""
        public, allowed = self.context.store.public, await self.consent.places()
        after = await self._position("game", cursor)
        shown: list[GameBrief] = []
        last: GameBrief | None = None
        more = True
        for _ in range(MAX_BATCHES):
            found = await public.list_games(allowed, limit=limit + 1, after=after, **wanted)
            people = await public.people_of_games([each.id for each in found])
            for brief in found:
                if len(shown) == limit:
                    break
                last = brief
                if not any(map(is_hidden, people[brief.id])):
                    shown.append(brief)
            else:
                more = len(found) > limit
            if len(shown) == limit or not more or last is None:
                break
            after = last.created_at, last.id
        ids = await self.consent.ids("game", [each.id for each in (*shown, *([last] if last else []))])
        seated = await self.context.people_of_games(shown)
        listed = [(each, ids[each.brief.id]) for each in seated]
        return Listed(listed, ids[last.id] if more and last is not None else None)

    async def list_competitions(
        self, kind: CompetitionKind, limit: int, cursor: str | None = None
    ) -> Listed[CompetitionRow]:
        """Return competitions of a kind; NothingToShow for an unknown cursor."""
        public, allowed = self.context.store.public, await self.consent.places()
        after = await self._position("competition", cursor)
        found = await public.list_competitions(allowed, limit=limit + 1, after=after, kind=kind)
        shown = found[:limit]
        ids = await self.consent.ids("competition", [each.id for each in shown])
        return Listed([(each, ids[each.id]) for each in shown], ids[shown[-1].id] if len(found) > limit else None)

    async def _position(self, kind: PageKind, cursor: str | None) -> tuple[datetime, str] | None:
        """Return the time and id of the item that a cursor of a list names; NothingToShow if there is none."""
        if cursor is None:
            return None
        store = self.context.store
        page = await store.public.get(cursor)
        row: GameRow | CompetitionRow | None = None
        if page is not None and page.kind == kind:
            row = await (store.games.get(page.game) if page.game else store.competitions.get(page.competition or ""))
        if row is None:
            raise NothingToShow("unknown")
        return row.created_at, row.id

    async def competition_row(self, allowed: Allowed, kind: str) -> CompetitionRow:
        """Return the competition of a page; NothingToShow if it is of another kind, or its game is not installed."""
        row = await self.context.store.competitions.get(allowed.page.competition or "")
        if row is None or row.kind != kind or row.game_key not in games:
            raise NothingToShow("unknown")
        return row

    async def competition(self, allowed: Allowed, kind: str) -> AnyCompetition:
        """Return a competition without the names of hidden people; raises NothingToShow as `competition_row` does."""
        found = await read_competition(self.context, await self.competition_row(allowed, kind))
        return replace(found, people={number: each for number, each in found.people.items() if not is_hidden(each)})

    async def entrant_pages(self, competition: AnyStored) -> EntrantPages:
        """Return the page ids of a competition's people and games."""
        public = self.context.store.public
        profiles = await self.consent.pages_of_people(competition.people.values())
        found = await public.list_games_of_competition(competition.row.id, await self.consent.places())
        people = await public.people_of_games(found)
        shown = [game for game in found if not any(map(is_hidden, people[game]))]
        return EntrantPages(competition, profiles, await self.consent.ids("game", shown))

    async def player(self, allowed: Allowed) -> ShownPlayer:
        """Return the person of a profile page, or the one they were linked with; NothingToShow if there is none."""
        store = self.context.store
        now = await store.public.current_person(allowed.page.person or 0)
        person = await store.people.get(now)
        if person is None:
            raise NothingToShow("gone")
        return ShownPlayer(person, await store.ratings.list_for_people([now]), await store.titles.list_for_person(now))
