"""The texts and cards of ladders: the order, challenges and their answers."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from bot.competitions.cards import MENU_SIZE, CompetitionCards, DrawInTheme, TableRow
from bot.competitions.ladder import Challenge, Ladder, LadderTerms, list_challengeable
from bot.competitions.ladders.service import LADDERS
from bot.kernel.cards import Button, Buttons, Card, Menu
from bot.kernel.context import Context
from bot.kernel.texts import Span, Speaker, Text, join
from render.tournaments import Rung, draw_ladder

MAX_PLACES_IN_MESSAGE: Final = 8
MAX_CHALLENGES_IN_MESSAGE: Final = 6
ROWS_PER_PAGE: Final = 16


class LadderCards(CompetitionCards[Ladder]):
    """The texts and cards of ladders."""

    keeper = LADDERS

    @classmethod
    def own_terms_lines(cls, terms: LadderTerms, voice: Speaker) -> list[Text]:
        """Return the terms that only ladders have."""
        return [voice.say("ladder.rules", n=terms.days)]

    def lines(self) -> list[Text]:
        """Return the lines of the message below the title: the first places and the open challenges."""
        state = self.state
        lines = [self.say("ladder.over")] if state.over else []
        if not state.order and not state.over:
            lines.append(self.say("ladder.empty"))
        lines += self.row_lines(0, MAX_PLACES_IN_MESSAGE)
        lines.append(self.voice.left_out("ladder.more", len(state.order), MAX_PLACES_IN_MESSAGE))
        return [*lines, *self._challenge_lines(), *self.closing_lines()]

    def _challenge_lines(self) -> list[Text]:
        """Return the newest challenges and their games."""
        lines = []
        for each in sorted(self.state.open.values(), key=lambda each: -each.number)[:MAX_CHALLENGES_IN_MESSAGE]:
            who, other = self.name_span(each.challenger), self.name_span(each.challenged)
            if each.game is not None:
                lines.append(self.say("ladder.playing", who=who, other=other, code=each.game))
            else:
                lines.append(self.say("ladder.waiting", who=who, other=other, when=self.voice.time(each.answer_by)))
        return lines

    def verbs(self) -> Sequence[str]:
        """Return the actions of the buttons below the message."""
        return ("table",) if self.state.over else ("join", "mine", "table", "run")

    def pages(self) -> range:
        """Return the numbers of the pages of places."""
        return range(-(-len(self.state.order) // ROWS_PER_PAGE))

    def table_lines(self, page: int) -> list[Text]:
        """Return a page of the places as text."""
        return self.row_lines(page) or [self.say("ladder.empty")]

    def rows(self, page: int) -> Sequence[TableRow]:
        """Return the climbers on a page of the places."""
        return [
            TableRow(each, str(place), "", self.say("ladder.place", place=place, who=self.name_span(each)))
            for place, each in self._places(page)
        ]

    def _places(self, page: int) -> list[tuple[int, int]]:
        """Return the places on a page with their climbers."""
        places = list(enumerate(self.state.order, start=1))
        return places[page * ROWS_PER_PAGE : (page + 1) * ROWS_PER_PAGE]

    def page_lines(self) -> list[Text]:
        """Return the open challenges, the terms and the code."""
        return [*self._challenge_lines(), *self.closing_lines()]

    def own_card(self, context: Context, own: int) -> Card:
        """Return a person's place, their open challenges, and whom they can challenge."""
        state, place = self.state, self.state.place(own)
        parts = [self.title(), self.say("ladder.yours", place=place or 0, n=len(state.order))]
        rows: list[Buttons | Menu] = []
        given, made = state.incoming(own), state.outgoing(own)
        if given is not None and not given.accepted:
            parts.append(self._given_words(given))
            rows.append(self._answers(given))
        if made is not None and not made.accepted:
            other = self.name_span(made.challenged)
            parts.append(self.say("ladder.made", other=other, when=self.voice.time(made.answer_by)))
            rows.append((self.act("withdraw", str(made.number)),))
        there = list_challengeable(state, own, context.clock(), self.found.refusals)
        if there:
            buttons = tuple(
                Button(f"{state.place(each)}. {self.found.name(each)}", self.press("challenge", str(each)))
                for each in there[-MENU_SIZE:]
            )
            rows.append(Menu(self.word("ladder.whom"), buttons))
        elif made is None:
            parts.append(self.say("ladder.first" if place == 1 else "ladder.nobody"))
        rows.append((self.act("leave"),))
        return Card(join(parts), rows=tuple(rows))

    def challenged_words(self, other: int) -> Text:
        """Return the answer to a challenge of another climber."""
        who = Span(self.found.name(other), bold=True)
        return self.say("ladder.done.challenge", who=who, n=self.state.terms.days)

    def notice(self, about: str, number: int) -> Card | None:
        """Return the notice of an open challenge, or the warning for an idle climber; None if it is obsolete."""
        state = self.state
        if about == "challenge":
            challenge = state.open.get(number)
            if challenge is None or challenge.accepted:
                return None
            words, row = self._given_words(challenge), self._answers(challenge)
        elif number not in state.order or state.entrants[number].warned_at is None:
            return None
        else:
            words = self.say("ladder.sinks", n=state.step, when=self.voice.time(state.sinks_at(number)))
            row = (replace(self.act("mine"), style="primary"),)
        return Card(join([self.title(), words]), rows=(row,))

    def draw(self, page: int) -> DrawInTheme:
        """Return a function that draws a page of the places in a theme."""
        state, rungs = self.state, list[Rung]()
        for place, each in self._places(page):
            given = state.incoming(each)
            challenger = (state.place(given.challenger) or 0) if given is not None else None
            rungs.append(Rung(place, self.found.name(each), challenger, given is not None and given.accepted))
        return partial(draw_ladder, self.page_title(page * ROWS_PER_PAGE + 1, len(rungs), len(state.order)), rungs)

    def _given_words(self, challenge: Challenge) -> Text:
        who, place = self.name_span(challenge.challenger), self.state.place(challenge.challenged) or 0
        return self.say("ladder.given", who=who, place=place, when=self.voice.time(challenge.answer_by))

    def _answers(self, challenge: Challenge) -> Buttons:
        return tuple(self.act(verb, str(challenge.number)) for verb in ("accept", "concede"))
