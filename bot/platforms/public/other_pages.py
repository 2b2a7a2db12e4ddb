"""Other public pages: the list of games and competitions, puzzles, rules, players, robots.txt."""

from collections.abc import Mapping
from datetime import date, timedelta
from functools import partial
from typing import Final
from urllib.parse import urlencode

from babel.dates import format_date

from bot.boards.puzzles.cards import goal_words, solution_words
from bot.boards.puzzles.daily_cards import DATE_FORMAT, puzzle_scene
from bot.boards.puzzles.puzzle import FIRST_DATE, Puzzle
from bot.kernel.context import Context
from bot.kernel.pictures import THEMES, BoardView
from bot.kernel.rulebook import rule_examples
from bot.kernel.table import GamePeople
from bot.kernel.texts import Speaker, join, strip_styles
from bot.kernel.words.describe import BoardWords
from bot.people.standings.commands import rating_words
from bot.platforms.public.answers import NothingToShow
from bot.platforms.public.consent import Allowed, Consent, GameFilter, GameList, Listing
from bot.platforms.public.pages import CachedPicture, Drawings, PageMaker, to_markup
from bot.platforms.public.previews import LinkWords, is_over, newest_day, puzzle_of, read_day
from bot.platforms.public.shown_games import read_player
from bot.platforms.public.solving import Solving, SolvingQuery, solve
from engine import games
from engine.record import FORGOTTEN_NAME
from render.preview import describe_row
from storage.competition_schema import COMPETITION_KINDS

GAMES_PER_PAGE: Final = 30
GAMES_OF_TODAY: Final = 6
COMPETITIONS_LISTED: Final = 10
"""Number of the newest competitions of each kind below the list of games."""
ROBOTS: Final = """User-agent: *
Allow: /g/
Allow: /puzzle/
Allow: /rules/
Allow: /cup/
Allow: /league/
Allow: /ladder/
Allow: /p/
Allow: /shown/
Allow: /fonts/
Allow: /static/icon.svg
Disallow: /
"""
"""Robots may read public pages, but not the room, the API or anything else."""


class OtherPages(PageMaker):
    """Renders these pages and draws their pictures."""

    def __init__(self, context: Context, consent: Consent, drawings: Drawings, listing: Listing) -> None:
        super().__init__(context, consent, drawings)
        self._listing = listing

    async def games(self, speaker: Speaker, cursor: str | None, lang_query: str, game: str | None = None) -> bytes:
        """Return the list of public games, or of those of one `game`; NothingToShow for an unknown game or cursor."""
        if game is not None and game not in games:
            raise NothingToShow("unknown")
        key = "games", speaker.language, cursor or "", lang_query, game or ""
        return await self.cached_page(key, lambda: self._make_games(speaker, cursor, lang_query, game))

    async def _make_games(self, speaker: Speaker, cursor: str | None, lang_query: str, game: str | None) -> bytes:
        found = await self._listing.games(GameFilter(game=game), GAMES_PER_PAGE, cursor)
        title = speaker.line("world.games")
        return self.render(
            "games.html",
            speaker,
            "/g/",
            title,
            speaker.line("world.games.about"),
            games=self._list_items(found, speaker),
            competitions=await self._competitions(speaker) if cursor is None and game is None else (),
            more=found.cursor,
            lang_query=lang_query,
            game=game,
            kinds=_kinds(speaker),
            robots="noarchive" if cursor is None and game is None else "noindex",
        )

    async def today(self, speaker: Speaker) -> bytes:
        """Return the page of the day: its puzzle, and the newest finished games."""
        day = newest_day(self._context.clock()).isoformat()
        return await self.cached_page(("today", day, speaker.language), lambda: self._make_today(day, speaker))

    async def _make_today(self, day: str, speaker: Speaker) -> bytes:
        found = await self._listing.games(GameFilter(status="over"), GAMES_OF_TODAY)
        link = self.words_of_puzzle(day, speaker)
        _, puzzle = self._read_puzzle(day)
        scene, voice = puzzle_scene(puzzle, speaker, solved=False), speaker.of(puzzle.game)
        return self.render(
            "today.html",
            speaker,
            "/puzzle/",
            speaker.line("world.today"),
            link.title,
            puzzle=link.title,
            goal=link.state,
            day=day,
            preview=f"{link.picture}?lang={speaker.language}",
            preview_alt=BoardWords(voice, scene.line.state, scene.line.shown_turn, scene.names_in_sentences).alt,
            games=self._list_items(found, speaker),
            lang_query="",
        )

    async def _competitions(self, speaker: Speaker) -> list[dict[str, str]]:
        """Return the newest public competitions of each kind."""
        return [
            {
                "path": f"/{kind}/{page}",
                "name": speaker.of(row.game_key).line("name"),
                "what": speaker.line(f"world.kind.{kind}"),
                "since": format_date(row.created_at, format="medium", locale=speaker.language),
            }
            for kind in COMPETITION_KINDS
            for row, page in (await self._listing.competitions(kind, COMPETITIONS_LISTED)).found
            if row.game_key in games
        ]

    @staticmethod
    def _list_items(found: GameList, speaker: Speaker) -> list[dict[str, str]]:
        return [
            {
                "page": page,
                "name": speaker.of(each.brief.game).line("name"),
                "players": strip_styles(speaker.listing(each.in_language(speaker).names)),
                "state": _result(each, speaker),
                "stamp": f"r={each.brief.revision}&lang={speaker.language}",
            }
            for each, page in found.games
            if each.brief.game in games
        ]

    async def puzzle(
        self, text: str, speaker: Speaker, asked: SolvingQuery, more: Mapping[str, str], *, reveals: bool = False
    ) -> bytes:
        """Return the page of a date's puzzle, to be solved from the state in `asked`; NothingToShow.

        `reveals`: True to show the solution if the date has ended everywhere. `more` are further parameters of its
        links.
        """
        day, puzzle = self._read_puzzle(text)
        now, link = self._context.clock(), self.words_of_puzzle(text, speaker)
        solving = solve(puzzle, asked)
        voice, over = speaker.of(puzzle.game), is_over(day, now)
        scenes = [puzzle_scene(puzzle, speaker, solved=solved) for solved in (False, True)]
        alts = [
            BoardWords(voice, each.line.state, each.line.shown_turn, each.names_in_sentences).alt for each in scenes
        ]
        path = f"/puzzle/{day.isoformat()}"
        names = scenes[0].names_in_sentences
        shown = await self._draw_solving(puzzle, solving, speaker, THEMES[0])
        line = solving.attempt.line
        words = BoardWords(voice, line.state, line.shown_turn, names)
        cells, others = solving.answers(speaker)
        reveals = solving.is_solved or (reveals and over)
        made = asked != SolvingQuery() or reveals
        return self.render(
            "puzzle.html",
            speaker,
            path,
            link.title,
            link.state,
            heading=link.title,
            goal=to_markup(goal_words(speaker, puzzle, puzzle.goal)),
            preview=f"{link.picture}?lang={speaker.language}",
            preview_alt=alts[0],
            robots="noindex" if made else "noarchive",
            picture=f"{path}/board.png?{solving.asked.query({'lang': speaker.language, 'solve': ''})}",
            alt=words.alt,
            size=shown.size,
            said=[to_markup(each) for each in solving.said(speaker)],
            is_solved=solving.is_solved,
            cells=[
                (cell, *shown.spots[cell], (words.cells or {}).get(cell), f"{path}?{after.query(more)}")
                for cell, after in cells.items()
                if cell in shown.spots
            ],
            others=[(label, f"{path}?{after.query(more)}") for label, after in others],
            solved=f"{path}/solution.png?lang={speaker.language}" if over else None,
            solved_alt=alts[1],
            solution=[to_markup(each) for each in solution_words(speaker, puzzle, names)] if reveals else (),
            reveal=f"{path}?{urlencode({'solution': '', **more})}" if over else None,
            before=(day - timedelta(days=1)).isoformat() if day > FIRST_DATE else None,
            after=(day + timedelta(days=1)).isoformat() if day < newest_day(now) else None,
            kind=puzzle.game,
            name=voice.line("name"),
        )

    def _read_puzzle(self, text: str) -> tuple[date, Puzzle]:
        """Return a date and its puzzle; NothingToShow if the text is no date, or the date has not begun anywhere."""
        day = read_day(text)
        puzzle = puzzle_of(day, self._context.clock()) if day is not None else None
        if puzzle is None or day is None:
            raise NothingToShow("unknown")
        return day, puzzle

    def words_of_puzzle(self, text: str, speaker: Speaker) -> LinkWords:
        """Return the words of a link to a date's puzzle; NothingToShow."""
        day, puzzle = self._read_puzzle(text)
        said = format_date(day, DATE_FORMAT, locale=speaker.language)
        title = strip_styles(speaker.say("daily.title", day=said, game=speaker.of(puzzle.game).line("name")))
        goal = strip_styles(goal_words(speaker, puzzle, puzzle.goal))
        return LinkWords(title, goal, f"/puzzle/{day.isoformat()}/preview.png")

    async def _draw_solving(self, puzzle: Puzzle, solving: Solving, speaker: Speaker, theme: str) -> CachedPicture:
        """Return the picture of an attempt, with the possible choices marked."""
        scene, line = puzzle_scene(puzzle, speaker), solving.attempt.line
        caption = speaker.line("puzzle.caption")
        view = BoardView(viewer=puzzle.seat, theme=theme, caption=caption, choices=solving.marks)
        voice = speaker.of(puzzle.game)
        draw = partial(self._context.artist.scene, line.state, line.shown_turn, voice, view, scene.names)
        return await self._drawings.get(("solving", puzzle.id, solving.asked, scene.names, caption, theme), draw)

    async def solving_picture(self, text: str, speaker: Speaker, theme: str, asked: SolvingQuery) -> CachedPicture:
        """Return the picture of an attempt at a date's puzzle; NothingToShow, TooManyRequests."""
        _, puzzle = self._read_puzzle(text)
        return await self._draw_solving(puzzle, solve(puzzle, asked), speaker, theme)

    async def puzzle_picture(self, text: str, speaker: Speaker, theme: str, *, solved: bool) -> CachedPicture:
        """Return the picture of a puzzle, or of its solution if its date has ended everywhere; NothingToShow."""
        day, puzzle = self._read_puzzle(text)
        if solved and not is_over(day, self._context.clock()):
            raise NothingToShow("unknown")
        scene, voice = puzzle_scene(puzzle, speaker, solved=solved), speaker.of(puzzle.game)
        view, line = BoardView(viewer=puzzle.seat, theme=theme, caption=speaker.line("puzzle.caption")), scene.line
        draw = partial(self._context.artist.scene, line.state, line.shown_turn, voice, view, scene.names)
        return await self._drawings.get(("puzzle", puzzle.id, solved, scene.names, theme, speaker.language), draw)

    async def rules(self, key: str, speaker: Speaker) -> bytes:
        """Return the page of a game's rules; NothingToShow."""
        if key not in games:
            raise NothingToShow("unknown")
        voice, link = speaker.of(key), self.words_of_rules(key, speaker)
        shown = [
            {
                "words": to_markup(voice.say(f"example.{each.name}")),
                "alt": BoardWords(voice, each.state, each.turn, each.names).alt,
            }
            for each in rule_examples(key)
        ]
        return self.render(
            "rules.html",
            speaker,
            f"/rules/{key}",
            link.title,
            link.state,
            preview=f"{link.picture}?lang={speaker.language}",
            preview_alt=shown[0]["alt"],
            name=link.title,
            tagline=link.state,
            text=to_markup(voice.say("rules.short")),
            examples=shown,
            kind=key,
            kinds=[(other, name) for other, name in _kinds(speaker) if other != key],
        )

    @staticmethod
    def words_of_rules(key: str, speaker: Speaker) -> LinkWords:
        """Return the words of a link to a game's rules; NothingToShow."""
        if key not in games:
            raise NothingToShow("unknown")
        voice = speaker.of(key)
        return LinkWords(voice.line("name"), voice.line("tagline"), f"/rules/{key}/preview.png")

    async def rules_picture(self, key: str, number: int, speaker: Speaker, theme: str) -> CachedPicture:
        """Return the picture of an example (numbered from 1) of the rules; NothingToShow."""
        if key not in games or not 1 <= number <= len(rule_examples(key)):
            raise NothingToShow("unknown")
        example, voice = rule_examples(key)[number - 1], speaker.of(key)
        draw = partial(self._context.artist.example, example, voice, theme)
        return await self._drawings.get(("rules", key, number, theme), draw)

    async def player(self, allowed: Allowed, speaker: Speaker) -> bytes:
        """Return the profile page of a person who wants one; NothingToShow."""
        key = "player", allowed.page.id, speaker.language
        return await self.cached_page(key, lambda: self._make_player(allowed, speaker))

    async def _make_player(self, allowed: Allowed, speaker: Speaker) -> bytes:
        player = await read_player(self._context, allowed)
        found = await self._listing.games(GameFilter(person=player.person.id), GAMES_PER_PAGE)
        words = [*[rating_words(speaker, each) for each in player.shown_ratings], *player.title_lines(speaker)]
        path, name = f"/p/{allowed.page.id}", player.person.name or FORGOTTEN_NAME
        rows = [describe_row(row) for row in player.preview_rows(speaker)]
        return self.render(
            "player.html",
            speaker,
            path,
            name,
            strip_styles(join(words)) or name,
            heading=name,
            preview=f"{path}/preview.png?r={player.games_rated}&lang={speaker.language}",
            preview_alt="; ".join([name, player.preview_words(speaker), *rows]),
            lines=[to_markup(each) for each in words],
            games=self._list_items(found, speaker),
        )


def _result(shown: GamePeople, speaker: Speaker) -> str:
    """Return the result of a game in words: the winner, that it is running, or that it has no winner."""
    if shown.brief.status != "over":
        return speaker.line("world.on")
    places = (shown.brief.outcome or {}).get("places") or []
    names = shown.in_language(speaker).names
    winners = [names[seat] for seat, place in enumerate(places) if place == 1]
    if not winners or len(winners) == len(names):
        return speaker.line("world.over")
    return speaker.line("world.won", who=strip_styles(speaker.listing(winners)))


def _kinds(speaker: Speaker) -> list[tuple[str, str]]:
    return [(key, speaker.of(key).line("name")) for key in games]
