"""Games for public pages: read once for all readers, with their turns in words."""

from dataclasses import dataclass, replace
from typing import Final

from cachetools import LRUCache

from bot.advice.analysis_cards import moment_card
from bot.core.context import Context
from bot.language.texts import Speaker, Text
from bot.play.cards import outcome_words
from bot.play.records import export_record, line_after_turns, select_shown_turns
from bot.public.consent import Allowed, Consent
from bot.tables.line import Line
from bot.tables.table import Table
from bot.thinking.analysis import Analysis, read_analysis
from bot.words.describe import alt_text, turn_words
from engine import Outcome, State, Turn

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
        """Whether it has ended."""
        return self.table.row.status == "over"

    def names(self, speaker: Speaker) -> tuple[str, ...]:
        """Return the names by seat; computers' names are in the speaker's language."""
        return self.table.in_language(speaker).names

    def line(self, at: int) -> Line:
        """Return the line of play after a number of turns."""
        if at >= len(self.turns):
            return self.table.playing
        return line_after_turns(self.table.playing, list(self.turns), at)

    def shown_turn(self, at: int) -> Turn | None:
        """Return the turn that led to the position after a number of turns."""
        return self.turns[min(at, len(self.turns)) - 1] if at and self.turns else None

    def turn_text(self, at: int, speaker: Speaker) -> Text:
        """Return a turn (from 1) in words."""
        voice = speaker.of(self.table.row.game)
        table = self.table.in_language(voice)
        names = [table.name_span(seat) for seat in range(table.row.seat_count)]
        return turn_words(voice, self.turns[at - 1], names)

    def alt(self, at: int, speaker: Speaker) -> str:
        """Return the alt text of the position after a number of turns."""
        voice = speaker.of(self.table.row.game)
        return alt_text(voice, self.line(at).state, self.shown_turn(at), self.names(voice))

    def state_text(self, speaker: Speaker) -> Text:
        """Return the state of the game: whose turn it is, or how it ended."""
        voice = speaker.of(self.table.row.game)
        table = self.table.in_language(voice)
        if table.mover is not None:
            return voice.say("world.to-move", who=table.name_span(table.mover))
        ended = table.row.outcome or {"reason": "closed"}
        if "places" not in ended:
            return voice.say(f"ended.{ended['reason']}")
        return outcome_words(table, voice, Outcome(ended["reason"], tuple(ended["places"])))[0]

    def mistake(self, at: int, speaker: Speaker) -> Text:
        """Return the analysis of a turn (from 1); empty if there is none."""
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
        """Return the record of a game; without the code by which people join while it goes on."""
        async with export_record(self._context, game.table) as record:
            return (record if game.is_over else replace(record, game_id="", rematch_of="", cup="")).to_text()
