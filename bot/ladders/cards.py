"""What ladders say and show: the order, challenges and their answers."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from bot.competitions.ladder.events import LadderTerms
from bot.competitions.ladder.ladder import Challenge
from bot.competitions.ladder.rules import list_challengeable
from bot.core.context import Context
from bot.interface.cards import Button, Card, Menu
from bot.ladders.service import LADDERS, StoredLadder
from bot.language.texts import Speaker, Text, join
from bot.matches.cards import MENU_SIZE, Presenter, act, deed_press, name_span, page_title
from render.charts import Chart
from render.ladders import Rung, draw_ladder

MAX_PLACES_IN_MESSAGE: Final = 8
MAX_CHALLENGES_IN_MESSAGE: Final = 6
ROWS_PER_PAGE: Final = 16


class LadderPresenter(Presenter[StoredLadder]):
    """What ladders say and show."""

    keeper = LADDERS

    def own_terms_lines(self, terms: LadderTerms, voice: Speaker) -> list[Text]:
        """Return the terms that only ladders have."""
        return [voice.say("ladder.rules", n=terms.days)]

    def lines(self, found: StoredLadder, voice: Speaker) -> list[Text]:
        """Return what the message says below the title: the first places and the open challenges."""
        stands = found.stands
        lines = [voice.say("ladder.over")] if stands.over else []
        if not stands.order and not stands.over:
            lines.append(voice.say("ladder.empty"))
        lines += _place_lines(found, voice, 0, MAX_PLACES_IN_MESSAGE)
        if len(stands.order) > MAX_PLACES_IN_MESSAGE:
            lines.append(voice.say("ladder.more", n=len(stands.order) - MAX_PLACES_IN_MESSAGE))
        for each in sorted(stands.open.values(), key=lambda each: -each.number)[:MAX_CHALLENGES_IN_MESSAGE]:
            who, other = name_span(found, each.challenger), name_span(found, each.challenged)
            if each.game is not None:
                lines.append(voice.say("ladder.playing", who=who, other=other, code=each.game))
            else:
                lines.append(voice.say("ladder.waiting", who=who, other=other, when=voice.time(each.answer_by)))
        return [*lines, *self.closing_lines(found, voice)]

    def verbs(self, found: StoredLadder) -> Sequence[str]:
        """Return the actions of the buttons below the message."""
        return ("table",) if found.stands.over else ("join", "mine", "table", "run")

    def pages(self, found: StoredLadder) -> range:
        """Return the numbers of the pages of places."""
        return range(-(-len(found.stands.order) // ROWS_PER_PAGE))

    def table_lines(self, found: StoredLadder, voice: Speaker, page: int) -> list[Text]:
        """Return a page of the places in words."""
        lines = _place_lines(found, voice, page * ROWS_PER_PAGE, ROWS_PER_PAGE)
        return lines if found.stands.order else [voice.say("ladder.empty")]

    def own_card(self, context: Context, found: StoredLadder, speaker: Speaker, mine: int) -> Card:
        """Return a person's place, their open challenges, and whom they can challenge."""
        voice, stands = speaker.of(found.row.game_key), found.stands
        place = stands.place(mine)
        parts = [self.title(found, voice), voice.say("ladder.yours", place=place or 0, n=len(stands.order))]
        rows: list[tuple[Button, ...] | Menu] = []
        given, made = stands.incoming(mine), stands.outgoing(mine)
        if given is not None and not given.accepted:
            parts.append(_given_words(found, voice, given))
            rows.append(_answers(found, voice, given))
        if made is not None and not made.accepted:
            other = name_span(found, made.challenged)
            parts.append(voice.say("ladder.made", other=other, when=voice.time(made.answer_by)))
            rows.append((act(found, voice, "withdraw", str(made.number)),))
        there = list_challengeable(stands, mine, context.clock(), found.refusals)
        if there:
            buttons = tuple(
                Button(f"{stands.place(each)}. {found.name(each)}", deed_press(found, "challenge", str(each)))
                for each in there[-MENU_SIZE:]
            )
            rows.append(Menu(voice.line("ladder.whom"), buttons))
        elif made is None:
            parts.append(voice.say("ladder.first" if place == 1 else "ladder.nobody"))
        rows.append((act(found, voice, "leave"),))
        return Card(join(parts), rows=tuple(rows))

    def notice(self, found: StoredLadder, about: str, number: int, speaker: Speaker) -> Card | None:
        """Return the notice of an open challenge, or the warning of a climber who has not played since."""
        voice, stands = speaker.of(found.row.game_key), found.stands
        if about == "challenge":
            challenge = stands.open.get(number)
            if challenge is None or challenge.accepted:
                return None
            words, row = _given_words(found, voice, challenge), _answers(found, voice, challenge)
        elif number not in stands.order or stands.entrants[number].warned_at is None:
            return None
        else:
            words = voice.say("ladder.sinks", n=stands.step, when=voice.time(stands.sinks_at(number)))
            row = (replace(act(found, voice, "mine"), style="primary"),)
        return Card(join([self.title(found, voice), words]), rows=(row,))

    def draw(self, found: StoredLadder, voice: Speaker, page: int) -> tuple[Callable[[str], Chart], Iterable[Text]]:
        """Return what draws a page of the places in a theme, and the same in words."""
        stands, first = found.stands, page * ROWS_PER_PAGE
        rungs = []
        for place, each in enumerate(stands.order[first : first + ROWS_PER_PAGE], start=first + 1):
            given = stands.incoming(each)
            challenger = (stands.place(given.challenger) or 0) if given is not None else None
            rungs.append(Rung(place, found.name(each), challenger, given is not None and given.accepted))
        title = page_title(voice, first + 1, len(rungs), len(stands.order))
        return partial(draw_ladder, title, rungs), _place_lines(found, voice, first, ROWS_PER_PAGE)


LADDER: Final = LadderPresenter()


def _place_lines(ladder: StoredLadder, voice: Speaker, first: int, most: int) -> list[Text]:
    """Return up to `most` places in words, beginning with index `first`."""
    order = ladder.stands.order[first : first + most]
    return [
        voice.say("ladder.place", place=place, who=name_span(ladder, each))
        for place, each in enumerate(order, start=first + 1)
    ]


def _given_words(ladder: StoredLadder, voice: Speaker, challenge: Challenge) -> Text:
    who, place = name_span(ladder, challenge.challenger), ladder.stands.place(challenge.challenged) or 0
    return voice.say("ladder.given", who=who, place=place, when=voice.time(challenge.answer_by))


def _answers(ladder: StoredLadder, voice: Speaker, challenge: Challenge) -> tuple[Button, ...]:
    return tuple(act(ladder, voice, verb, str(challenge.number)) for verb in ("accept", "concede"))
