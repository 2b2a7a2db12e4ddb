"""Rendering of pages, and the pages of games."""

import hashlib
from asyncio import to_thread
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial, wraps
from importlib.resources import files
from typing import Any, Final

from aiohttp import web
from cachetools import LRUCache
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from bot.kernel.cards import Picture
from bot.kernel.operations.limits import TooManyRequests, WorkQueues
from bot.kernel.permissions import find_page_id
from bot.kernel.pictures import THEMES, BoardView, film_words
from bot.kernel.presses import read_number
from bot.kernel.texts import Speaker, Text, strip_styles
from bot.kernel.words.describe import notation_words, turn_number
from bot.platforms.public.answers import NothingToShow, SharedAnswers, StaticFile, read_static_files, version_of
from bot.platforms.public.consent import Allowed
from bot.platforms.public.play_links import home_path, list_play_links
from bot.platforms.public.shown_games import PublicContent, ShownGame
from bot.platforms.public.solving import newest_day
from render.animation import shrink_picture
from render.games import pictures
from render.pool import SharedResults
from storage import Json

CACHE_BYTES: Final = 32 * 1024 * 1024
MAX_AT_ONCE: Final = 2
MAX_WAITING: Final = 40


@dataclass(frozen=True, slots=True)
class CachedPicture:
    """A picture file with its ETag; a card's picture also has its alt text, size and cells."""

    data: bytes
    tag: str
    alt: str = ""
    size: tuple[int, int] = (0, 0)
    spots: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)


Draw = Callable[[], Awaitable[Picture | bytes | None]]


class Drawings:
    """Draws and caches pictures; `drawn` counts the drawn ones."""

    def __init__(self, cache_bytes: int = CACHE_BYTES, at_once: int = MAX_AT_ONCE, waiting: int = MAX_WAITING) -> None:
        self._shared = SharedResults[CachedPicture](LRUCache(cache_bytes, getsizeof=lambda drawing: len(drawing.data)))
        self._limit = WorkQueues(at_once, waiting)
        self.drawn = 0

    async def get(self, key: Hashable, draw: Draw) -> CachedPicture:
        """Return the picture with a key, drawn if it is not cached; TooManyRequests, even if drawing fails."""
        return await self._shared.get(key, partial(self._draw, draw))

    async def _draw(self, draw: Draw) -> CachedPicture:
        async with self._limit.turn():
            self.drawn += 1
            drawn = await draw()
        if drawn is None:
            raise TooManyRequests
        data = drawn.png if isinstance(drawn, Picture) else drawn
        drawing = CachedPicture(data, hashlib.sha256(data).hexdigest()[:24])
        if isinstance(drawn, Picture):
            drawing = replace(drawing, alt=drawn.alt, size=drawn.size, spots=drawn.spots)
        return drawing


LANGUAGE_NAMES: Final = {"en": "English", "it": "Italiano"}


def to_markup(text: Text) -> Markup:
    """Return rich text as HTML."""
    parts = []
    for span in text:
        words = escape(span.text)
        if span.code:
            words = Markup("<code>{}</code>").format(words)
        if span.bold:
            words = Markup("<b>{}</b>").format(words)
        parts.append(words)
    return Markup("").join(parts)


@cache
def environment(package: str = "bot.platforms.public") -> Environment:
    """Return the environment of a package's templates."""
    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


@cache
def static_files() -> dict[str, StaticFile]:
    """Return the pages' static files by name."""
    return read_static_files(files("bot.platforms.public").joinpath("static"))


@cache
def static_version() -> str:
    """Return a version that changes if any static file changes."""
    return version_of(static_files().values())


PAGE_LIFETIME_SECONDS: Final = 10.0
"""Time for which a rendered page is cached; a new analysis is shown after that time."""
FILM_CACHE_BYTES: Final = 16 * 1024 * 1024
MAX_FILMS_AT_ONCE: Final = 1
"""Public requests get one slot in the queue of films, which players use, too."""
MAX_FILMS_WAITING: Final = 10
SMALL_PX: Final = 320
"""Width of a board in a list, in pixels."""
BOARD_SIZE: Final = (900, 1000)
"""Size that browsers reserve for a board until it is loaded, the size of most boards."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A request for a public page, its reader's language, and the page that may be shown if its path names one."""

    request: web.Request
    speaker: Speaker
    page: Allowed | None = None

    @property
    def allowed(self) -> Allowed:
        """The page that may be shown; NothingToShow if the path names none."""
        if self.page is None:
            raise NothingToShow("unknown")
        return self.page

    def named(self, part: str) -> str:
        """Return a part of the path."""
        return self.request.match_info[part]

    @property
    def theme(self) -> str:
        """The requested theme of a picture; NothingToShow if it does not exist."""
        theme = self.request.query.get("theme", THEMES[0])
        if theme not in THEMES:
            raise NothingToShow("wrong")
        return theme

    @property
    def lang_query(self) -> str:
        """The parameter for further addresses that keeps the language, if this one names it."""
        return f"&lang={self.speaker.language}" if self.request.query.get("lang") else ""

    @property
    def key(self) -> tuple[Hashable, ...]:
        """What tells a page apart from others."""
        asked = (self.request.query.get(name) for name in ("turn", "cursor", "game"))
        return self.request.path, self.page, self.speaker.language, self.lang_query, *asked


def read_turn(text: str | None) -> int | None:
    """Return the number of a turn, None if it is not given; NothingToShow if it is no number."""
    if text is None:
        return None
    if (number := read_number(text, 4)) is None:
        raise NothingToShow("wrong")
    return number


def cached_page(make: Callable[[Any, Visit], Awaitable[bytes]]) -> Callable[[Any, Visit], Awaitable[bytes]]:
    """Cache the pages that a method of a PageMaker makes, until the public data changes or a puzzle's day begins."""

    @wraps(make)
    async def find(self: PageMaker, visit: Visit) -> bytes:
        key = *visit.key, newest_day(self.context.clock())
        return await self.consent.share(self.cached, key, partial(make, self, visit))

    return find


@dataclass(frozen=True, slots=True)
class LinkWords:
    """What a page, and a link to it, says first: its title, its state, and the path of its preview, empty for none."""

    title: str
    state: str
    picture: str = ""


class PageMaker:
    """Renders pages, each once for all current readers."""

    def __init__(self, content: PublicContent, drawings: Drawings) -> None:
        self._content = content
        self.context = content.context
        self.consent = content.consent
        self.cached = SharedAnswers(PAGE_LIFETIME_SECONDS)
        self._drawings = drawings

    def render(self, template: str, visit: Visit, link: LinkWords, **values: Any) -> bytes:
        """Return a page from its template, in the language of its visit."""
        speaker = visit.speaker

        def say(key: str, **parameters: Any) -> Markup:
            return to_markup(speaker.say(key, **parameters))

        head = {
            "say": say,
            "language": speaker.language,
            "languages": LANGUAGE_NAMES.items(),
            "version": static_version(),
            "title": f"{link.title} · Tavoliere",
            "heading": link.title,
            "description": link.state,
            "state": link.state,
            "robots": "noarchive",
            "address": self.context.web_address,
            "path": visit.request.path,
            "lang_query": visit.lang_query,
            "query": "",
            "preview": link.picture,
            "preview_alt": "",
            "size": BOARD_SIZE,
            "home": home_path(self.context),
            "play_links": list_play_links(self.context, speaker),
        }
        return environment().get_template(template).render(head | values).encode()


def game_words(game: ShownGame) -> LinkWords:
    """Return the words of a link to a game."""
    picture = f"/g/{game.page}/preview.png?r={game.table.row.revision}&lang={game.voice.language}"
    return LinkWords(game.title, strip_styles(game.state_text), picture)


class GamePages(PageMaker):
    """Renders the pages of games and draws their boards."""

    def __init__(self, content: PublicContent, drawings: Drawings) -> None:
        super().__init__(content, drawings)
        self._films = Drawings(FILM_CACHE_BYTES, MAX_FILMS_AT_ONCE, MAX_FILMS_WAITING)

    @cached_page
    async def html(self, visit: Visit) -> bytes:
        """Return the page of a game after a turn, by default the newest position; NothingToShow."""
        speaker, turn = visit.speaker, read_turn(visit.request.query.get("turn"))
        game = await self._content.game(visit.allowed, speaker)
        if turn is not None and turn > len(game.turns):
            raise NothingToShow("unknown")
        row, voice = game.table.row, game.voice
        last, path = len(game.turns), visit.request.path
        at = last if turn is None else turn
        past = at < last or (turn is not None and game.is_over)
        said = game.turn_text(at) if at else voice.say("replay.start")
        which = f"{strip_styles(turn_number(voice, game.table.game, at))} / {last}"
        around = (("first", "«", 0), ("prev", "‹", at - 1), ("next", "›", at + 1), ("last", "»", last))
        ways = [(key, mark, number if 0 <= number <= last and number != at else None) for key, mark, number in around]
        board = f"turns/{at}.png?r={row.revision}" if past else f"board.png?r={row.revision}"
        return self.render(
            "game.html",
            visit,
            game_words(game),
            robots="noarchive" if turn is None else "noindex",
            query="" if turn is None else f"&turn={turn}",
            preview_alt=game.alt(last),
            state=to_markup(game.state_text),
            live=not game.is_over,
            revision=row.revision,
            at=at,
            last=last,
            picture=f"{path}/{board}&lang={speaker.language}",
            alt=game.alt(at) if past else game.alt(last),
            said=to_markup(said),
            ways=ways,
            which=which,
            mistake=to_markup(game.mistake(at)),
            players=await self._players(game),
            kind=row.game,
            name=voice.game_name(),
            file=f"{row.game}-{game.page}.txt",
            competition=await self._competition(game),
            turns=[
                {"text": strip_styles(game.turn_text(number)), "telling": number in game.telling_turns}
                for number in range(1, last + 1)
            ],
        )

    async def _players(self, game: ShownGame) -> list[Json]:
        """Return the players by seat, with their profiles if they want one, and their places if the game is over."""
        profiles = await self.consent.pages_of_people(game.table.people.values())
        places = (game.table.row.outcome or {}).get("places") if game.is_over else None
        return [
            {
                "name": name,
                "page": profiles.get(game.table.person_at(seat) or 0),
                "place": game.voice.line("world.place", place=places[seat]) if places else None,
            }
            for seat, name in enumerate(game.table.names)
        ]

    async def _competition(self, game: ShownGame) -> dict[str, str] | None:
        """Return the kind and the page of a game's competition, None if there is no public one."""
        code = game.table.row.terms.cup
        row = await self.context.store.competitions.get(code) if code is not None else None
        page = await find_page_id(self.context, row.kind, row.id) if row is not None else None
        return None if row is None or page is None else {"kind": row.kind, "page": page}

    async def board(self, visit: Visit) -> CachedPicture:
        """Return the picture of a game after a turn, by default the newest position; NothingToShow, TooManyRequests."""
        allowed, theme = visit.allowed, visit.theme
        turn = read_turn(visit.request.match_info.get("turn"))
        game = await self._content.game(allowed, visit.speaker)
        if turn is not None and turn > len(game.turns):
            raise NothingToShow("unknown")
        names, voice, line = game.table.names, game.voice, game.line(len(game.turns) if turn is None else turn)
        shown = line.shown_turn if turn is None else game.shown_turn(turn)
        draw = partial(self.context.artist.scene, line.state, shown, voice, BoardView(viewer=0, theme=theme), names)
        words = notation_words(voice, shown.actions) if shown is not None else ()
        key = allowed.page.id, allowed.revision, turn, names, words, theme
        return await self._drawings.get(key, draw)

    async def small_board(self, visit: Visit) -> CachedPicture:
        """Return the picture of the newest position as lists show it; NothingToShow, TooManyRequests."""
        board = await self.board(visit)
        return await self._drawings.get(("small", board.tag), lambda: to_thread(shrink_picture, board.data, SMALL_PX))

    async def film(self, visit: Visit) -> CachedPicture:
        """Return a game as an animation; NothingToShow, TooManyRequests."""
        allowed, theme = visit.allowed, visit.theme
        game = await self._content.game(allowed, visit.speaker)
        if not game.turns or game.table.row.game not in pictures:
            raise NothingToShow("unknown")
        table = game.table

        async def animate() -> bytes | None:
            show = await self.context.artist.show(table, game.start, list(game.turns), theme, 0)
            return None if show is None else show.film.gif

        key = allowed.page.id, allowed.revision, table.names, film_words(table, game.turns), theme
        return await self._films.get(key, animate)
