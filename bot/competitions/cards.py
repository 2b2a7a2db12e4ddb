"""The cards of competitions: all kinds have the same cards; each kind provides the text, the table and the buttons."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, Final, Generic

from bot.competitions.competition import S
from bot.competitions.events import COMPUTER_ENTRANT, CommonTerms, TableTerms
from bot.competitions.keeper import AnyKeeper, StoredCompetition
from bot.competitions.league import LeagueTerms
from bot.competitions.standings import StandingRow, format_points
from bot.kernel.cards import Button, Card, LotCall, Menu, PageContent, Panel, PanelItem, Picture, Style
from bot.kernel.context import Context
from bot.kernel.post_kinds import PostKind, Rendering, Showing
from bot.kernel.presses import press
from bot.kernel.question_cards import button_rows, person_tile, shorten_tiles
from bot.kernel.table import computer_name
from bot.kernel.texts import Span, Speaker, Text, join, strip_styles
from bot.lobby.cards import clock_name, options_words
from engine import games
from render.charts import Chart
from storage import Json, NewPost, Post
from storage.competitions import news_kind

MENU_SIZE: Final = 25
"""Maximum number of choices in a menu."""
MAX_ENTRANTS_ASKED: Final = 5
MAX_GAMES_SHOWN: Final = 8
"""Maximum number of games with small boards."""
_MAX_MENUS: Final = 4
_STYLES: Final[dict[str, Style]] = {
    "join": "primary",
    "stay": "primary",
    "here": "primary",
    "start": "primary",
    "accept": "primary",
    "end": "danger",
}


DrawInTheme = Callable[[str], Chart]
"""Draws a chart in a theme."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table: the entrant, their place, a note about them (such as their points), and the row as text."""

    entrant: int
    place: str
    note: str
    line: Text


class CompetitionCards(ABC, Generic[S]):
    """The texts and cards of a competition in one language; the `keeper` of its kind reads it."""

    keeper: ClassVar[AnyKeeper]

    def __init__(self, found: StoredCompetition[S], speaker: Speaker) -> None:
        self.found = found
        self.state = found.state
        self.voice = speaker.of(found.row.game_key)
        self.say = self.voice.say
        self.word = self.voice.line

    # What each kind provides.

    @classmethod
    @abstractmethod
    def own_terms_lines(cls, terms: Any, voice: Speaker) -> list[Text]:
        """Return the terms that only competitions of this kind have."""

    @abstractmethod
    def lines(self) -> list[Text]:
        """Return the lines of the message below the title."""

    @abstractmethod
    def verbs(self) -> Sequence[str]:
        """Return the actions of the buttons below the message."""

    @abstractmethod
    def pages(self) -> range:
        """Return the numbers of the table's pages; none before there is a table."""

    @abstractmethod
    def rows(self, page: int) -> Sequence[TableRow]:
        """Return the rows of a page of the table."""

    @abstractmethod
    def table_lines(self, page: int) -> list[Text]:
        """Return a page of the table as text, or other lines before there is a table."""

    @abstractmethod
    def draw(self, page: int) -> DrawInTheme:
        """Return a function that draws a page of the table in a theme."""

    def picture_lines(self, page: int) -> list[Text]:
        """Return a page of the table as text for those who do not see the picture."""
        return self.row_lines(page)

    def title(self) -> Text:
        """Return the title: the game and the clock."""
        clock = clock_name(self.voice, self.state.terms.time_control)
        return self.say(f"{self.keeper.kind}.title", game=Span(self.word("name"), bold=True), clock=clock)

    def summary(self) -> Text:
        """Return the line for the list of a place."""
        line = self.say(f"{self.keeper.kind}.line", n=len(self.state.present), code=self.found.row.id)
        return join([self.title(), line], " – ")

    def run_verbs(self) -> Sequence[str]:
        """Return the actions of those who run it, besides ending it."""
        return ()

    def table_verbs(self) -> Sequence[str]:
        """Return the actions of the buttons below the table, besides turning its pages."""
        return ("export",)

    def newest_page(self) -> int:
        """Return the page that the message shows."""
        return self.pages().start

    def own_page(self, _mine: int | None) -> int:
        """Return the page that an entrant sees first, or another person (None)."""
        return self.pages().start

    def own_card(self, _context: Context, _mine: int) -> Card | None:
        """Return the card about one entrant; None if the kind has no such card."""
        return None

    def lot_call(self) -> LotCall | None:
        """Return what browsers need to contribute to the lot; None if it waits for no contribution."""
        return None

    def newest_news(self) -> int:
        """Return the number of the newest news, 0 without any."""
        return 0

    def news(self) -> list[Text]:
        """Return the newest news below the title; empty without any."""
        return []

    def news_verbs(self) -> Sequence[str]:
        """Return the actions of the buttons below news."""
        return ()

    def notice(self, _about: str, _number: int) -> Card | None:
        """Return a notice about an entrant or object with a number; None if the notice is obsolete."""
        return None

    # What all kinds share.

    @classmethod
    def terms_lines(cls, terms: CommonTerms, voice: Speaker) -> list[Text]:
        """Return the terms that are not in the title."""
        lines = []
        if terms.options and terms.game in games:
            lines.append(options_words(voice, games[terms.game], terms.options))
        lines += cls.own_terms_lines(terms, voice)
        more = terms if isinstance(terms, TableTerms) else None
        if more is not None and more.computers:
            lines.append(voice.say("cup.computers", level=more.computers))
        if more is not None and more.double and terms.game in games:
            lines.append(voice.say("cup.double", grand=voice.of(terms.game).line("grand")))
        if not terms.rated:
            lines.append(voice.say("cup.unrated"))
        if more is not None and more.holidays:
            lines.append(voice.say("cup.holidays", n=more.holidays))
        elif isinstance(more, LeagueTerms):
            lines.append(voice.say("cup.no-holidays"))
        return lines

    def closing_lines(self) -> list[Text]:
        """Return the terms, the code, and who may enter with it; empty once the competition is over."""
        if self.state.over:
            return []
        return [*self.terms_lines(self.state.terms, self.voice), self.code_words()]

    def code_words(self) -> Text:
        """Return the code, and who may enter with it."""
        kind, entry = self.keeper.kind, self.state.terms.entry
        return self.say(f"{kind}.code" if entry == "here" else f"{kind}.code.{entry}", code=self.found.row.id)

    @property
    def awaited(self) -> list[int]:
        """The entrants that the games of a live round wait for."""
        return []

    @property
    def asked(self) -> list[int]:
        """The entrants who have not confirmed yet that they still take part."""
        return [each for each in self.state.present if self.state.entrants[each].asked]

    def asked_lines(self) -> list[Text]:
        """Return the line about the entrants who have not confirmed yet that they still take part."""
        asked = self.asked
        return [self.say("cup.asked", who=self.list_names(asked, MAX_ENTRANTS_ASKED))] if asked else []

    def row_lines(self, page: int, most: int | None = None) -> list[Text]:
        """Return the rows of a page of the table as text, at most `most`."""
        return [row.line for row in self.rows(page)[:most]]

    def standing_row(self, row: StandingRow, who: Span, *more: Text) -> TableRow:
        """Return a row of the standings with its points and what else is to be said about it."""
        points, place = self.points_words(row.points), str(row.place or "–")
        line = self.say("cup.row", place=place, who=who, points=points)
        return TableRow(row.entrant, place, strip_styles(join([points, *more], " ")), join([line, *more], " "))

    def points_words(self, points: Fraction) -> Text:
        """Return points as text."""
        return self.say("cup.points", n=1 if points == 1 else 2, points=format_points(points))

    def name_span(self, entrant: int) -> Span:
        """Return an entrant's name, as a mention where the platform has mentions."""
        person = self.found.person_of(entrant)
        return Span(self.entrant_name(entrant), bold=True, person=person.id if person is not None else None)

    def list_names(self, entrants: Sequence[int], most: int | None = None) -> Text:
        """Return the names of at most `most` entrants, and the number of the others."""
        named: list[Span | str] = [self.name_span(each) for each in entrants[:most]]
        if most is not None and len(entrants) > most:
            named.append(self.word("cup.others", n=len(entrants) - most))
        return self.voice.listing(named)

    # Cards.

    def card(self, picture: Picture | None = None) -> Card:
        """Return the card that shows a competition: its state, its terms, and its buttons."""
        return Card(join([self.title(), *self.lines()]), picture, button_rows(self._buttons()), lot=self.lot_call())

    def _buttons(self) -> list[Button]:
        """Return the buttons below the message."""
        inside = self._people_of(self.state.present)
        audiences: dict[str, Json] = {
            "join": {"without": inside},
            "here": {"people": self._people_of(self.awaited)},
            "run": {"people": (self.found.row.maker,), "managers": True},
            "mine": {"people": inside},
            "leave": {"people": inside},
        }
        # Some buttons are only for entrants: hide them without entrants.
        shown = [verb for verb in self.verbs() if inside or verb not in ("mine", "leave")]
        return [replace(self.act(verb), **audiences.get(verb, {})) for verb in shown]

    def _people_of(self, entrants: Iterable[int]) -> tuple[int, ...]:
        return tuple(person.id for person in map(self.found.person_of, entrants) if person is not None)

    def news_card(self) -> Card | None:
        """Return the message with the newest news, None without any."""
        if not (lines := self.news()):
            return None
        return Card(join([self.title(), *lines]), rows=button_rows(list(map(self.act, self.news_verbs()))))

    def manage_card(self) -> Card:
        """Return the card with the actions of those who run a competition."""
        buttons = [self.act(verb) for verb in (*self.run_verbs(), "end")]
        return Card(join([self.title(), self.say("cup.run")]), rows=(*button_rows(buttons), *self._out_menus()))

    def _out_menus(self) -> list[Menu]:
        inside = self.state.present
        return [
            Menu(
                self.word("cup.out-more", number=at // MENU_SIZE + 1) if at else self.word("cup.out"),
                tuple(
                    Button(self.found.name(each), self.press("out", str(each))) for each in inside[at : at + MENU_SIZE]
                ),
            )
            for at in range(0, min(len(inside), _MAX_MENUS * MENU_SIZE), MENU_SIZE)
        ]

    def sure_card(self, verb: str, *rest: str) -> Card:
        """Return the confirmation question for an action that cannot be undone; `rest` may have an entrant's number."""
        who = (Span(self.found.name(int(rest[0])), bold=True),) if rest else ()
        yes = replace(self.act(f"{verb}!", *rest), style="danger")
        no = self.act("table" if verb == "leave" else "run")
        return Card(self.say(f"{self.keeper.kind}.sure.{verb}", who=who), rows=((yes, no),))

    def table_card(self, page: int, picture: Picture | None = None, address: str | None = None) -> Card:
        """Return a page of the table, with buttons for the other pages; `address` is that of the public page."""
        parts = [self.title(), *self.table_lines(page)]
        if address is not None:
            parts.append(self.say("cup.page", address=Span(address, code=True, link=address)))
        ways = [
            Button(self.word(label), self.press("table", str(other)))
            for label, other in (("button.back", page - 1), ("button.next", page + 1))
            if other in self.pages()
        ]
        ways += map(self.act, self.table_verbs())
        return Card(join(parts), picture, (tuple(ways),) if ways else ())

    async def page_content(self, context: Context, page: int) -> PageContent:
        """Return the competition as a place on the web page: lines, people, running games, and buttons."""
        state, there = self.state, self.press("table")
        ranked = [self._person_tile(each.entrant, each.place, each.note) for each in self.rows(page)]
        people = shorten_tiles(self.voice, [self._person_tile(each) for each in state.present])
        played = [(each.game, each.seats) for each in state.current_games() if each.game is not None]
        games_now = [await self._game_tile(context, *each) for each in played[:MAX_GAMES_SHOWN]]
        panels = (
            ("competition.panel.games", games_now),
            ("competition.panel.table", ranked),
            ("competition.panel.people", [] if ranked else people),
        )
        return PageContent(
            join([self.title(), *(self.page_lines() if ranked else self.lines())]),
            tuple(Panel(self.word(title), tuple(tiles)) for title, tiles in panels if tiles),
            (*(each for each in self._buttons() if each.press != there), self.act("show")),
        )

    def page_lines(self) -> list[Text]:
        """Return the lines of the web page where it shows the standings as people."""
        return self.closing_lines()

    def _person_tile(self, number: int, place: str = "", note: str = "") -> PanelItem:
        person = self.found.person_of(number)
        return person_tile(self.found.name(number), None if person is None else person.id, note, place)

    async def _game_tile(self, context: Context, code: str, seats: Sequence[int]) -> PanelItem:
        row = (await context.table_as_stored(code)).row
        names = [self.entrant_name(each) for each in seats]
        opens = press("show", code, 0)
        return PanelItem(" – ".join(names), code, press=opens, code=code, game=row.game, revision=row.revision)

    def listed_tile(self) -> PanelItem:
        """Return the competition as a tile in the list of its place; the tile opens the table."""
        note = strip_styles(self.summary()).removeprefix(self.word("name")).lstrip(" ,–·:")
        return PanelItem(self.word("name"), note, press=self.press("table"))

    def entrant_name(self, entrant: int) -> str:
        """Return the name of an entrant, or of the computer that plays in place of one."""
        if entrant != COMPUTER_ENTRANT:
            return self.found.name(entrant)
        return computer_name(self.voice, getattr(self.state.terms, "computers", "") or "1")

    def act(self, verb: str, *rest: str) -> Button:
        """Return the button of an action, with the label of its kind or the common one."""
        keys = (f"button.{self.keeper.kind}.{verb}", f"button.cup.{verb}", f"button.{verb}")
        label = self.word(next(filter(self.voice.has, keys), keys[-1]))
        return Button(label, self.press(verb, *rest), _STYLES.get(verb, "plain"))

    def press(self, verb: str, *rest: str) -> str:
        """Return the payload of a button: the kind, the action, the code, and the rest."""
        return press(self.keeper.kind, None, 0, verb, self.found.row.id, *rest)

    # The table as a picture.

    async def picture(self, context: Context, theme: str, page: int | None = None) -> Picture | None:
        """Return a page of the table as a picture, by default the newest, with its content as alt text.

        None for a page that does not exist, or if pictures are not drawn.
        """
        pages, at = self.pages(), self.newest_page() if page is None else page
        if at not in pages:
            return None
        name = f"{self.keeper.kind}-{self.found.row.id}-{pages.index(at) + 1}.png"
        alt = strip_styles(join(self.picture_lines(at), "; "))
        return await context.artist.chart(partial(self.draw(at), theme), alt, name)

    def page_title(self, first: int, count: int, every: int) -> str:
        """Return the title of a page of a table, with the range of its lines (from 1) if there are others."""
        name = self.word("name")
        return name if count == every else f"{name} · {first}–{first + count - 1} / {every}"


AnyCards = CompetitionCards[Any]


class CompetitionPost(PostKind):
    """A post about a competition of one kind."""

    def __init__(self, cards: type[AnyCards], context: Context) -> None:
        super().__init__(context)
        self._cards = cards

    async def _read(self, post: Post, speaker: Speaker) -> AnyCards:
        """Return the cards of a post's competition; Refused if it cannot be read."""
        found = await self._cards.keeper.find(self._context, post.competition or post.subject)
        return self._cards(found, speaker)

    async def _read_for_place(self, showing: Showing) -> AnyCards:
        place = showing.place
        return await self._read(showing.post, self._context.speaker(place.language, place.platform))


class CompetitionTable(CompetitionPost):
    """The table of a competition."""

    async def render(self, showing: Showing) -> Rendering:
        """Return the table as it is now; schedule a post with its newest news."""
        cards, place = await self._read_for_place(showing), showing.post.place
        row = cards.found.row
        if number := cards.newest_news():
            subject = f"{row.id}:{number}"
            news = NewPost(news_kind(row.kind), subject, place.id, self._clock(), competition=row.id)
            await self._store.posts.promise(news)
        picture = await self._context.draw_for_all(place, partial(cards.picture, self._context))
        return Rendering(cards.card(picture), revision=row.revision)

    async def translate(self, post: Post, speaker: Speaker) -> Card:
        """Return the text and buttons of the table."""
        return (await self._read(post, speaker)).card()


class CompetitionNews(CompetitionPost):
    """News of a competition: the subject is its id and a number."""

    async def render(self, showing: Showing) -> Rendering | None:
        """Return the news, None if there are newer ones."""
        cards = await self._read_for_place(showing)
        card, revision = _newest_news(cards, showing.post), cards.found.row.revision
        return None if card is None else Rendering(card, revision=revision, last=True)

    async def translate(self, post: Post, speaker: Speaker) -> Card | None:
        """Return the news, None if there are newer ones."""
        return _newest_news(await self._read(post, speaker), post)


def _newest_news(cards: AnyCards, post: Post) -> Card | None:
    return cards.news_card() if post.subject.rpartition(":")[2] == str(cards.newest_news()) else None
