"""The texts and cards of cups: their terms, their standings, the pairings of a round."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from bot.competitions.cards import MAX_ENTRANTS_ASKED, CompetitionCards, DrawInTheme, TableRow
from bot.competitions.competition import Competition, CupGame
from bot.competitions.cups.service import CUPS
from bot.competitions.events import CupTerms, Ending, Format
from bot.competitions.pairing import count_knockout_rounds
from bot.competitions.standings import (
    ROWS_PER_PAGE,
    StandingRow,
    bracket_sheet,
    current_page,
    page_count,
    ranking,
    results_sheet,
    rows_of_page,
    winners,
)
from bot.kernel.cards import Card, LotCall
from bot.kernel.texts import Parameter, Span, Speaker, Text, join
from bot.lobby.cards import clock_name
from bot.table.ratings import count_words
from engine.fair import CHAIN_PREFIX
from render.tournaments import BracketTie, draw_bracket, draw_grid

MAX_RANKS_IN_MESSAGE: Final = 8
"""Rows of the table in the message; the button Table shows the rest."""
MAX_ENTRANTS_NAMED: Final = 24


class CupCards(CompetitionCards[Competition]):
    """The texts and cards of cups."""

    keeper = CUPS

    def title(self) -> Text:
        """Return a cup's title: its game, its format and its clock."""
        terms = self.state.terms
        return self.say(
            "cup.title",
            game=Span(self.word("name"), bold=True),
            format=self.word(f"cup.format.{terms.format}"),
            clock=clock_name(self.voice, terms.time_control),
        )

    def summary(self) -> Text:
        """Return the line for the list of a place."""
        return join([self.title(), self.say(f"cup.stage.{self.state.stage}")], " – ")

    @classmethod
    def own_terms_lines(cls, terms: CupTerms, voice: Speaker) -> list[Text]:
        """Return the terms that only cups have."""
        lines = [voice.say(f"cup.format.{terms.format}.about")]
        if terms.format.pairs_by_points and terms.rounds:
            lines.append(voice.say("cup.rounds", n=terms.rounds))
        return lines

    def lines(self) -> list[Text]:
        """Return the lines of the message below the title: before the start, the terms and the entrants."""
        state = self.state
        if state.stage == "open":
            return [*self._open_lines(), self.code_words()]
        lines = self._end_lines() if state.over else self._running_lines()
        more = self.voice.left_out("cup.more-rows", len(state.lots), MAX_RANKS_IN_MESSAGE)
        return [*lines, *self.row_lines(0, MAX_RANKS_IN_MESSAGE), more, self.code_words()]

    def _open_lines(self) -> list[Text]:
        return [*self.terms_lines(self.state.terms, self.voice), *self._entry_lines()]

    def verbs(self) -> Sequence[str]:
        """Return the actions of the buttons below the message."""
        state, is_open = self.state, self.state.stage == "open"
        shown = {
            "join": is_open and state.closed is None,
            "here": self.awaited,
            "stay": not state.over and self.asked,
            "table": True,
            "details": is_open,
            "leave": not state.over,
            "run": not state.over,
        }
        return [verb for verb, is_shown in shown.items() if is_shown]

    def run_verbs(self) -> Sequence[str]:
        """Return the actions of those who run it, besides ending it."""
        if self.state.stage == "running":
            return ("resume" if self.state.paused else "pause",)
        return ("start",) if self.state.stage == "open" and self.state.closed is None else ()

    def pages(self) -> range:
        """Return the numbers of the table's pages; none before the start."""
        return range(page_count(self.state) if self.state.lots else 0)

    def newest_page(self) -> int:
        """Return the page that the message shows: the current one."""
        return current_page(self.state)

    def table_lines(self, page: int) -> list[Text]:
        """Return a page of the table as text; before the start, the terms and the entrants."""
        if not self.state.lots:
            return self._open_lines()
        after = len(self.state.lots) - page * ROWS_PER_PAGE
        return [*self.row_lines(page), self.voice.left_out("cup.more-rows", after, ROWS_PER_PAGE)]

    def rows(self, page: int) -> Sequence[TableRow]:
        """Return the entrants on a page of the table with their points, or with the rounds that they survived."""
        shown = rows_of_page(ranking(self.state), page)
        return [self.standing_row(each, Span(self.found.name(each.entrant), bold=True)) for each in shown]

    def page_lines(self) -> list[Text]:
        """Return the progress of the cup, or who has won it."""
        return [*(self._end_lines() if self.state.over else self._running_lines()), self.code_words()]

    def table_verbs(self) -> Sequence[str]:
        """Return the actions of the buttons below the table."""
        if not self.state.lots:
            return ()
        return ("ties", "export") if ranking(self.state).rules else ("export",)

    def lot_call(self) -> LotCall | None:
        """Return what browsers need to contribute to the lot; None if it waits for no contribution."""
        state = self.state
        heads = {
            person.id: state.entrants[number].cause.removeprefix(CHAIN_PREFIX)
            for number in state.awaited
            if (person := self.found.person_of(number)) is not None
        }
        return LotCall(self.found.row.id, state.revision, heads) if heads else None

    def newest_news(self) -> int:
        """Return the number of the newest round whose games are open; at the end, one more."""
        newest = len(self.state.rounds) + self.state.over
        return 0 if any(game.is_ready for *_, game in self.state.games()) else newest

    def news(self) -> list[Text]:
        """Return a round's pairings, or the result."""
        state = self.state
        if state.over:
            return self._end_lines()
        if not state.rounds:
            return []
        newest = state.rounds[-1]
        lines = [self.say("cup.round-over", number=newest.number - 1)] if newest.number > 1 else []
        key = "cup.round" if state.terms.format.pairs_by_points else "cup.round.planned"
        lines.append(self.say(key, number=newest.number, last=state.planned))
        lines += [self._pairing(board.last) for board in newest.boards]
        lines += [
            self.say("cup.walkover", who=self.name_span(each.winner), other=self.name_span(each.loser))
            for each in newest.walkovers
        ]
        if newest.byes:
            lines.append(self.say("cup.bye", who=self.list_names(newest.byes)))
        return [*lines, *self._waiting_lines()]

    def news_verbs(self) -> Sequence[str]:
        """Return the actions of the buttons below news: in a live round, to confirm that one is there."""
        return ("here",) if self.awaited else ()

    def notice(self, _about: str, number: int) -> Card | None:
        """Return the question whether an entrant is there for their live game; None if it does not wait for them."""
        game = next((game for *_, game in self.state.games_to_wait_for() if number in game.missing), None)
        if game is None or game.begins_by is None:
            return None
        others = game.others(number)
        who, when = self.list_names(others), self.voice.time(game.begins_by)
        words = self.say("cup.here.you" if others else "cup.here.alone", who=who, when=when)
        return Card(join([self.title(), words]), rows=((self.act("here"),),))

    @property
    def awaited(self) -> list[int]:
        """The entrants that the games of a live round wait for."""
        return [each for *_, game in self.state.games_to_wait_for() for each in game.missing]

    def _waiting_lines(self) -> list[Text]:
        """Return the line about the people that live games wait for, and until when."""
        if self.state.begins_by is None:
            return []
        who, when = self.list_names(self.awaited, MAX_ENTRANTS_NAMED), self.voice.time(self.state.begins_by)
        return [self.say("cup.waiting", who=who, when=when)]

    def draw(self, page: int) -> DrawInTheme:
        """Return a function that draws a page of the table in a theme."""
        state = self.state
        if state.terms.format == Format.KNOCKOUT:
            pages, title = page_count(state), self.word("name")
            title = title if pages == 1 else f"{title} · {page + 1} / {pages}"
            return partial(draw_bracket, title, self._bracket(page))
        labels, lines = results_sheet(state, page, self.found.name)
        title = self.page_title(page * ROWS_PER_PAGE + 1, len(lines), len(state.lots))
        return partial(draw_grid, title, labels, lines)

    def picture_lines(self, page: int) -> list[Text]:
        """Return a page of the table as text for those who do not see the picture, with all results."""
        if self.state.terms.format == Format.KNOCKOUT:
            return self._bracket_words(page)
        return [self._result_words(row) for row in rows_of_page(ranking(self.state), page)]

    def details_card(self) -> Card:
        """Return all of a cup's terms, and the hash of its seed, which shows that its lots are fair."""
        terms = self.state.terms
        parts = [self.title(), *self.terms_lines(terms, self.voice), self.say("cup.house")]
        if not terms.holidays:
            parts.append(self.say("cup.no-holidays"))
        return Card(join([*parts, self.code_words(), self.say("cup.seal", seal=self.found.row.seed_hash)]))

    def tie_breaks_card(self) -> Card:
        """Return the card that explains the tie-break rules."""
        ties = ranking(self.state).rules
        rule_names = self.say("cup.ties", ties=self.voice.listing([self.word(f"cup.tie.{tie}") for tie in ties]))
        return Card(join([self.title(), rule_names, *(self.say(f"cup.tie.{tie}.about") for tie in ties)]))

    def code_words(self) -> Text:
        """Return the code, and before the start who may enter with it."""
        return super().code_words() if self.state.stage == "open" else self.say("cup.code", code=self.found.row.id)

    def _entry_lines(self) -> list[Text]:
        state, terms = self.state, self.state.terms
        inside = state.present
        lines = [self.say("cup.inside", n=len(inside), most=terms.most)]
        if inside:
            lines.append(self.list_names(inside, MAX_ENTRANTS_NAMED))
        if self.state.drawn_by is not None:
            who = self.list_names(state.awaited, MAX_ENTRANTS_NAMED)
            lines.append(
                self.say("cup.drawing", who=who, n=len(state.awaited), when=self.voice.time(self.state.drawn_by))
            )
        elif state.until is not None:
            when = self.voice.time(state.until)
            lines.append(self.say("cup.starts-lapses" if terms.lapses else "cup.starts", when=when, least=terms.least))
        elif terms.starts_at is not None:
            lines.append(self.say("cup.postponed", least=terms.least))
        else:
            lines.append(self.say("cup.starts-full", most=terms.most))
        if not terms.format.pairs_by_points:
            lines.append(self.say("cup.anybody"))
        return lines

    def _running_lines(self) -> list[Text]:
        state = self.state
        lines = []
        if state.rounds:
            newest = state.rounds[-1]
            done = sum(state.is_done(board) for board in newest.boards)
            of = len(newest.boards)
            # If pairings follow the points, there may be no new pairings for a round.
            key = "cup.going" if state.terms.format.pairs_by_points else "cup.going.planned"
            lines.append(self.say(key, number=newest.number, last=state.planned, done=done, of=of, n=of))
        if self.state.rests_until is not None:
            lines.append(self.say("cup.is-paused", when=self.voice.time(self.state.rests_until)))
        if state.sharing:
            who = self.list_names(state.sharing, MAX_ENTRANTS_ASKED)
            lines.append(self.say("cup.sharing", who=who, n=len(state.sharing)))
        return [*lines, *self._waiting_lines(), *self.asked_lines()]

    def _end_lines(self) -> list[Text]:
        state = self.state
        if state.ending != Ending.PLAYED:
            return [self.say(f"cup.ended.{state.ending or Ending.STOPPED}")]
        first = winners(state)
        if not first:
            return [self.say("cup.nobody-won")]
        lines = [self.say("cup.won", who=self.list_names(first), n=len(first))]
        rows = ranking(state).rows
        ranked = state.terms.format != Format.KNOCKOUT
        if ranked and len(first) < len(rows) and rows[0].points == rows[len(first)].points:
            lines.append(self.say("cup.won-by-tie-break"))
        if state.uncounted:
            who = self.list_names(state.uncounted)
            lines.append(self.say("cup.uncounted", who=who, n=len(state.uncounted)))
        return lines

    def _pairing(self, game: CupGame) -> Text:
        who = join([(self.name_span(each),) for each in game.seats], " – ")
        if game.is_unplayed:
            return self.say("cup.pairing.missed", who=who)
        return self.say("cup.pairing" if game.id else "cup.pairing.waits", who=who, code=game.id or "")

    def _bracket(self, page: int) -> list[list[BracketTie]]:
        return [
            [
                BracketTie(
                    (self._name(tie.one), self._name(tie.two)),
                    None if tie.winner is None else (tie.one, tie.two).index(tie.winner),
                )
                for tie in column
            ]
            for column in bracket_sheet(self.state, page)
        ]

    def _name(self, entrant: int | None) -> str:
        return "" if entrant is None else self.found.name(entrant)

    def _result_words(self, row: StandingRow) -> Text:
        """Return a line of a table as text: the place, the name, points and results."""
        said: dict[str, Parameter] = {
            "who": self.found.name(row.entrant),
            "points": self.points_words(row.points),
            **count_words(self.voice, row.wins, row.draws, row.losses),
        }
        if row.place is None:
            return self.say("cup.picture.unplaced", **said)
        return self.say("cup.picture.line", place=row.place, **said)

    def _bracket_words(self, page: int) -> list[Text]:
        """Return a page of a bracket as text, the newest round first: the pairings, who advanced, byes, the winner."""
        lines = []
        columns, last = bracket_sheet(self.state, page), count_knockout_rounds(len(self.state.lots))
        before = last - len(columns) if page == page_count(self.state) - 1 else 0
        for number, column in reversed(list(enumerate(columns, start=before + 1))):
            for tie in column:
                if not tie.people:
                    continue
                who = self.voice.listing([self.found.name(entrant) for entrant in tie.people])
                if tie.winner is None:
                    key = "tie"
                elif len(tie.people) == 1:
                    key = "bye"
                else:
                    key = "champion" if number == last else "through"
                words = self.say(f"cup.picture.{key}", number=number, who=who, winner=self._name(tie.winner))
                lines.append(words)
        return lines
