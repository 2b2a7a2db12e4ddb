"""The presenter of competitions: the cards that all kinds have. Each kind says its words, its table and its buttons."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, Final, Generic

from bot.competitions.events import CommonTerms, CupTerms
from bot.competitions.league.events import LeagueTerms
from bot.competitions.sheets import ResultsSheet
from bot.competitions.standings import StandingRow, format_points
from bot.core.context import Context
from bot.core.question_cards import button_rows
from bot.interface.cards import Button, Card, LotCall, Menu, Picture, Style
from bot.interface.presses import press
from bot.language.texts import Span, Speaker, Text, join, strip_styles
from bot.lobby.cards import clock_name, options_words
from bot.matches.keeper import C, CompetitionKeeper
from bot.matches.stored import StoredCompetition
from engine import games
from render.charts import Chart
from render.tournaments import GridCell, GridLine

MENU_SIZE: Final = 25
"""Maximum number of choices in a menu."""
MAX_ENTRANTS_ASKED: Final = 5
_MAX_MENUS: Final = 4
_STYLES: Final[dict[str, Style]] = {
    "join": "primary",
    "stay": "primary",
    "start": "primary",
    "accept": "primary",
    "end": "danger",
}


class Presenter(ABC, Generic[C]):
    """What competitions of one kind say and show; `keeper` reads them."""

    keeper: ClassVar[CompetitionKeeper[Any, Any]]

    def title(self, found: C, voice: Speaker) -> Text:
        """Return the title: the game and the clock."""
        clock = clock_name(voice, found.stands.terms.clock)
        return voice.say(f"{found.row.kind}.title", game=Span(voice.line("name"), bold=True), clock=clock)

    def line(self, found: C, voice: Speaker) -> Text:
        """Return the line for the list of a place."""
        line = voice.say(f"{found.row.kind}.line", n=len(found.stands.present), code=found.row.id)
        return join([self.title(found, voice), line], " – ")

    @abstractmethod
    def own_terms_lines(self, terms: Any, voice: Speaker) -> list[Text]:
        """Return the terms that only competitions of this kind have."""

    @abstractmethod
    def lines(self, found: C, voice: Speaker) -> list[Text]:
        """Return what the message says below the title."""

    @abstractmethod
    def verbs(self, found: C) -> Sequence[str]:
        """Return the actions of the buttons below the message."""

    def run_verbs(self, _found: C) -> Sequence[str]:
        """Return the actions of those who run it, besides ending it."""
        return ()

    @abstractmethod
    def pages(self, found: C) -> range:
        """Return the numbers of the table's pages; none before there is a table."""

    def newest_page(self, found: C) -> int:
        """Return the page that the message shows."""
        return self.pages(found).start

    def own_page(self, found: C, _mine: int | None) -> int:
        """Return the page that an entrant, or somebody else, sees first."""
        return self.pages(found).start

    @abstractmethod
    def table_lines(self, found: C, voice: Speaker, page: int) -> list[Text]:
        """Return a page of the table in words, or what there is to say before there is one."""

    def table_verbs(self, _found: C) -> Sequence[str]:
        """Return the actions of the buttons below the table, besides turning its pages."""
        return ("export",)

    @abstractmethod
    def draw(self, found: C, voice: Speaker, page: int) -> tuple[Callable[[str], Chart], Iterable[Text]]:
        """Return what draws a page of the table in a theme, and the same in words."""

    def own_card(self, _context: Context, _found: C, _speaker: Speaker, _mine: int) -> Card | None:
        """Return what concerns one entrant; None where there is no such card."""
        return None

    def lot_call(self, _found: C) -> LotCall | None:
        """Return for browsers what the lot waits for, None if it waits for nothing."""
        return None

    def newest_news(self, _found: C) -> int:
        """Return the number of the newest news, 0 without any."""
        return 0

    def news(self, _found: C, _voice: Speaker) -> list[Text]:
        """Return the newest news below the title, nothing without any."""
        return []

    def notice(self, _found: C, _about: str, _number: int, _speaker: Speaker) -> Card | None:
        """Return a notice about somebody or something with a number; None if there is nothing left to say."""
        return None

    def terms_lines(self, terms: CommonTerms, voice: Speaker) -> list[Text]:
        """Return the terms that the title does not say."""
        lines = []
        if terms.options and terms.game in games:
            lines.append(options_words(voice, games[terms.game], terms.options))
        lines += self.own_terms_lines(terms, voice)
        more = terms if isinstance(terms, CupTerms | LeagueTerms) else None
        if more is not None and more.computers:
            lines.append(voice.say("cup.computers", level=more.computers))
        if more is not None and more.double and terms.game in games:
            lines.append(voice.say("cup.double", grand=voice.of(terms.game).line("grand")))
        if not terms.rated:
            lines.append(voice.say("cup.unrated"))
        if more is not None and more.holidays:
            lines.append(voice.say("cup.holidays", n=more.holidays))
        return lines

    def closing_lines(self, found: C, voice: Speaker) -> list[Text]:
        """Return the terms, the code, and who may enter with it; nothing once it is over."""
        return [] if found.stands.over else [*self.terms_lines(found.stands.terms, voice), code_words(found, voice)]

    def card(self, found: C, speaker: Speaker, picture: Picture | None = None) -> Card:
        """Return the card that shows a competition: how it stands, its terms, and its buttons."""
        voice, people = speaker.of(found.row.game_key), list_people(found, found.stands.present)
        buttons = [act(found, voice, verb) for verb in self.verbs(found)]
        for at, verb in enumerate(self.verbs(found)):
            if verb == "join":
                buttons[at] = replace(buttons[at], without=people)
            elif verb in ("mine", "leave"):
                buttons[at] = replace(buttons[at], people=people)
        words = join([self.title(found, voice), *self.lines(found, voice)])
        return Card(words, picture, button_rows(buttons), lot=self.lot_call(found))

    def news_card(self, found: C, speaker: Speaker) -> Card | None:
        """Return the message with the newest news, None without any."""
        voice = speaker.of(found.row.game_key)
        lines = self.news(found, voice)
        return Card(join([self.title(found, voice), *lines])) if lines else None

    def manage_card(self, found: C, speaker: Speaker) -> Card:
        """Return the card with the actions of those who run a competition."""
        voice = speaker.of(found.row.game_key)
        buttons = [act(found, voice, verb) for verb in (*self.run_verbs(found), "end")]
        words = join([self.title(found, voice), voice.say("cup.run")])
        return Card(words, rows=(*button_rows(buttons), *_out_menus(found, voice)))

    def table_card(
        self, found: C, speaker: Speaker, page: int, picture: Picture | None = None, address: str | None = None
    ) -> Card:
        """Return a page of the table, with buttons to the others; `address` is that of the public page."""
        voice, pages = speaker.of(found.row.game_key), self.pages(found)
        parts = [self.title(found, voice), *self.table_lines(found, voice, page)]
        if address is not None:
            parts.append(voice.say("cup.page", address=Span(address, code=True, link=address)))
        ways = [
            Button(voice.line(label), deed_press(found, "table", str(other)))
            for label, other in (("button.back", page - 1), ("button.next", page + 1))
            if other in pages
        ]
        ways += [act(found, voice, verb) for verb in self.table_verbs(found)]
        return Card(join(parts), picture, (tuple(ways),) if ways else ())

    async def picture(
        self, context: Context, found: C, speaker: Speaker, theme: str, page: int | None = None
    ) -> Picture | None:
        """Return a page of the table as a picture, by default the newest, with its content as alt text.

        None for a page that does not exist, and where pictures are not drawn.
        """
        pages, at = self.pages(found), self.newest_page(found) if page is None else page
        if at not in pages:
            return None
        draw, words = self.draw(found, speaker.of(found.row.game_key), at)
        name = f"{found.row.kind}-{found.row.id}-{pages.index(at) + 1}.png"
        return await context.artist.chart(partial(draw, theme), strip_styles(join(words, "; ")), name)


def act(found: StoredCompetition[Any], voice: Speaker, verb: str, *rest: str) -> Button:
    """Return the button of an action; its words are its kind's own, or those of all competitions."""
    keys = (f"button.{found.row.kind}.{verb}", f"button.cup.{verb}", f"button.{verb}")
    label = voice.line(next(filter(voice.has, keys), keys[-1]))
    return Button(label, deed_press(found, verb, *rest), _STYLES.get(verb, "plain"))


def deed_press(found: StoredCompetition[Any], verb: str, *rest: str) -> str:
    """Return the payload of a competition's button: its kind, the action, the code, and the rest."""
    return press(found.row.kind, None, 0, verb, found.row.id, *rest)


def name_span(found: StoredCompetition[Any], entrant: int) -> Span:
    """Return an entrant's name, as a mention where the platform has mentions."""
    person = found.person_of(entrant)
    return Span(found.name(entrant), bold=True, person=person.id if person is not None else None)


def list_names(found: StoredCompetition[Any], voice: Speaker, entrants: Sequence[int], most: int | None = None) -> Text:
    """Return the names of entrants, and how many more there are than are to be named."""
    named: list[Span | str] = [name_span(found, each) for each in entrants[:most]]
    if most is not None and len(entrants) > most:
        named.append(voice.line("cup.others", n=len(entrants) - most))
    return voice.listing(named)


def asked_lines(found: StoredCompetition[Any], voice: Speaker) -> list[Text]:
    """Return the line about those who have not confirmed yet that they still take part."""
    asked = list_asked(found)
    return [voice.say("cup.asked", who=list_names(found, voice, asked, MAX_ENTRANTS_ASKED))] if asked else []


def list_asked(found: StoredCompetition[Any]) -> list[int]:
    """Return those who have not confirmed yet that they still take part."""
    return [each for each in found.stands.present if found.stands.entrants[each].asked]


def list_people(found: StoredCompetition[Any], entrants: Iterable[int]) -> tuple[int, ...]:
    """Return the ids of the people with these entrant numbers; some have none."""
    return tuple(person.id for each in entrants if (person := found.person_of(each)) is not None)


def code_words(found: StoredCompetition[Any], voice: Speaker) -> Text:
    """Return a competition's code, and who may enter with it."""
    kind, code, entry = found.row.kind, found.row.id, found.stands.terms.entry
    return voice.say(f"{kind}.code" if entry == "here" else f"{kind}.code.{entry}", code=code)


def points_words(voice: Speaker, points: Fraction) -> Text:
    """Return points in words."""
    return voice.say("cup.points", n=1 if points == 1 else 2, points=format_points(points))


def standing_words(voice: Speaker, row: StandingRow, who: Span) -> Text:
    """Return a line of a table in words."""
    return voice.say("cup.row", place=row.place or "–", who=who, points=points_words(voice, row.points))


def page_title(voice: Speaker, first: int, count: int, every: int) -> str:
    """Return the title of a page of a table: with which lines (from 1) it has, if those are not all."""
    name = voice.line("name")
    return name if count == every else f"{name} · {first}–{first + count - 1} / {every}"


def grid_lines(found: StoredCompetition[Any], sheet: ResultsSheet) -> tuple[GridLine, ...]:
    """Return the lines of a table's picture."""
    return tuple(
        GridLine(
            "" if line.row.place is None else str(line.row.place),
            found.name(line.row.entrant),
            tuple(tuple(GridCell(each.text, each.kind) for each in cell) for cell in line.cells),
            format_points(line.row.points),
            line.row.out,
            line.number,
        )
        for line in sheet.lines
    )


def _out_menus(found: StoredCompetition[Any], voice: Speaker) -> list[Menu]:
    """Return menus of the people who can be excluded."""
    inside = found.stands.present
    return [
        Menu(
            voice.line("cup.out") if at == 0 else voice.line("cup.out-more", number=at // MENU_SIZE + 1),
            tuple(
                Button(found.name(each), deed_press(found, "out", str(each))) for each in inside[at : at + MENU_SIZE]
            ),
        )
        for at in range(0, min(len(inside), _MAX_MENUS * MENU_SIZE), MENU_SIZE)
    ]


def sure_card(found: StoredCompetition[Any], speaker: Speaker, verb: str, *rest: str) -> Card:
    """Return the confirmation question for an action that cannot be undone; `rest` may have an entrant's number."""
    voice = speaker.of(found.row.game_key)
    who = (Span(found.name(int(rest[0])), bold=True),) if rest else ()
    yes = replace(act(found, voice, f"{verb}!", *rest), style="danger")
    no = act(found, voice, "table" if verb == "leave" else "run")
    return Card(voice.say(f"{found.row.kind}.sure.{verb}", who=who), rows=((yes, no),))
