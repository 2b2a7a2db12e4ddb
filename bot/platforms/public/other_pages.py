"""Other public pages: the list of games and competitions, puzzles, rules, players, robots.txt."""

from collections.abc import Hashable
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from typing import Final
from urllib.parse import urlencode

from babel.dates import format_date

from bot.boards.puzzles.cards import goal_words, solution_words
from bot.boards.puzzles.daily_cards import DATE_FORMAT, puzzle_line, seat_names
from bot.boards.puzzles.puzzle import FIRST_DATE, Puzzle
from bot.kernel.line import Line
from bot.kernel.pictures import THEMES, BoardView
from bot.kernel.rulebook import rule_examples
from bot.kernel.table import GamePeople
from bot.kernel.texts import Speaker, join, strip_styles
from bot.kernel.words.describe import BoardWords
from bot.people.standings.commands import rating_words
from bot.platforms.public.answers import NothingToShow
from bot.platforms.public.pages import CachedPicture, LinkWords, PageMaker, Visit, cached_page, read_turn, to_markup
from bot.platforms.public.shown_games import Listed, ShownPlayer
from bot.platforms.public.solving import SolvingQuery, newest_day, newest_past_day, read_puzzle, solve
from engine import games
from engine.record import FORGOTTEN_NAME
from render.preview import describe_row
from render.scene import Choices
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

    @cached_page
    async def games(self, visit: Visit) -> bytes:
        """Return the list of public games, or of those of one `game`; NothingToShow for an unknown game or cursor."""
        speaker, query = visit.speaker, visit.request.query
        game, cursor = query.get("game"), query.get("cursor")
        if game is not None and game not in games:
            raise NothingToShow("unknown")
        found = await self._content.list_games(GAMES_PER_PAGE, cursor, game_key=game)
        return self.render(
            "games.html",
            visit,
            LinkWords(speaker.line("world.games"), speaker.line("world.games.about")),
            games=self._list_items(found, speaker),
            competitions=await self._competitions(speaker) if cursor is None and game is None else (),
            more=found.cursor,
            game=game,
            kinds=_kinds(speaker),
            robots="noarchive" if cursor is None and game is None else "noindex",
        )

    @cached_page
    async def today(self, visit: Visit) -> bytes:
        """Return the page of the day: its puzzle, and the newest finished games."""
        speaker = visit.speaker
        day, puzzle = self._read_puzzle(newest_day(self.context.clock()).isoformat())
        found = await self._content.list_games(GAMES_OF_TODAY, status="over")
        link = puzzle_words(day, puzzle, speaker)
        line, voice = puzzle_line(puzzle), speaker.of(puzzle.game)
        names = seat_names(puzzle, speaker, speaker.line("daily.solver"))
        return self.render(
            "today.html",
            visit,
            replace(link, title=speaker.line("world.today"), state=link.title),
            puzzle=link.title,
            goal=link.state,
            day=day.isoformat(),
            preview_alt=BoardWords(voice, line.state, line.shown_turn, names).alt,
            games=self._list_items(found, speaker),
            lang_query="",
        )

    async def _competitions(self, speaker: Speaker) -> list[dict[str, str]]:
        """Return the newest public competitions of each kind."""
        return [
            {
                "path": f"/{kind}/{page}",
                "name": speaker.game_name(row.game_key),
                "what": speaker.line(f"world.kind.{kind}"),
                "since": format_date(row.created_at, format="medium", locale=speaker.language),
            }
            for kind in COMPETITION_KINDS
            for row, page in (await self._content.list_competitions(kind, COMPETITIONS_LISTED)).items
            if row.game_key in games
        ]

    @staticmethod
    def _list_items(found: Listed[GamePeople], speaker: Speaker) -> list[dict[str, str]]:
        return [
            {
                "page": page,
                "name": speaker.game_name(each.brief.game),
                "players": strip_styles(speaker.listing(each.in_language(speaker).names)),
                "state": _result(each, speaker),
                "stamp": f"r={each.brief.revision}&lang={speaker.language}",
            }
            for each, page in found.items
            if each.brief.game in games
        ]

    async def puzzle(self, visit: Visit, asked: SolvingQuery) -> bytes:
        """Return the page of a date's puzzle, to be solved from the state in `asked`; NothingToShow.

        If the address asks for the solution, it is shown if the date has ended everywhere.
        """
        speaker, now = visit.speaker, self.context.clock()
        more = {"lang": speaker.language} if visit.lang_query else {}
        day, puzzle = self._read_puzzle(visit.named("date"))
        link = puzzle_words(day, puzzle, speaker)
        solving = solve(puzzle, asked)
        voice, over = speaker.of(puzzle.game), day <= newest_past_day(now)
        names = seat_names(puzzle, speaker, speaker.line("daily.solver"))
        lines = [puzzle_line(puzzle, solved=solved) for solved in (False, True)]
        alts = [BoardWords(voice, each.state, each.shown_turn, names).alt for each in lines]
        path = visit.request.path
        line = solving.attempt.line
        shown = await self._draw_puzzle(puzzle, line, speaker, THEMES[0], solving.asked, solving.marks)
        words = BoardWords(voice, line.state, line.shown_turn, names)
        cells, others = solving.answers(speaker)
        reveals = solving.is_solved or ("solution" in visit.request.query and over)
        made = asked != SolvingQuery() or reveals
        return self.render(
            "puzzle.html",
            visit,
            link,
            goal=to_markup(goal_words(speaker, puzzle, puzzle.goal)),
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
            name=voice.game_name(),
        )

    def _read_puzzle(self, text: str) -> tuple[date, Puzzle]:
        return read_puzzle(text, self.context.clock())

    async def _draw_puzzle(
        self,
        puzzle: Puzzle,
        line: Line,
        speaker: Speaker,
        theme: str,
        state: Hashable,
        marks: Choices | None = None,
    ) -> CachedPicture:
        """Return the picture of a puzzle, with possible choices marked; `state` tells its positions apart."""
        caption, voice = speaker.line("puzzle.caption"), speaker.of(puzzle.game)
        view = BoardView(viewer=puzzle.seat, theme=theme, caption=caption, choices=marks)
        names = seat_names(puzzle, speaker, speaker.line("daily.you"))
        draw = partial(self.context.artist.scene, line.state, line.shown_turn, voice, view, names)
        return await self._drawings.get(("puzzle", puzzle.id, state, theme, speaker.language), draw)

    async def solving_picture(self, visit: Visit, asked: SolvingQuery) -> CachedPicture:
        """Return the picture of an attempt at a date's puzzle; NothingToShow, TooManyRequests."""
        _, puzzle = self._read_puzzle(visit.named("date"))
        solving = solve(puzzle, asked)
        line = solving.attempt.line
        return await self._draw_puzzle(puzzle, line, visit.speaker, visit.theme, solving.asked, solving.marks)

    async def puzzle_picture(self, visit: Visit) -> CachedPicture:
        """Return the picture of a puzzle, or of its solution if its date has ended everywhere; NothingToShow."""
        day, puzzle = self._read_puzzle(visit.named("date"))
        solved = visit.named("name") == "solution"
        if solved and day > newest_past_day(self.context.clock()):
            raise NothingToShow("unknown")
        line = puzzle_line(puzzle, solved=solved)
        return await self._draw_puzzle(puzzle, line, visit.speaker, visit.theme, solved)

    async def rules(self, visit: Visit) -> bytes:
        """Return the page of a game's rules; NothingToShow."""
        key, speaker = visit.named("game"), visit.speaker
        link, voice = rules_words(key, speaker), speaker.of(key)
        shown = [
            {
                "words": to_markup(voice.say(f"example.{each.name}")),
                "alt": BoardWords(voice, each.state, each.turn, each.names).alt,
            }
            for each in rule_examples(key)
        ]
        return self.render(
            "rules.html",
            visit,
            link,
            preview_alt=shown[0]["alt"],
            name=link.title,
            tagline=link.state,
            text=to_markup(voice.say("rules.short")),
            examples=shown,
            kind=key,
            kinds=[(other, name) for other, name in _kinds(speaker) if other != key],
        )

    async def rules_picture(self, visit: Visit) -> CachedPicture:
        """Return the picture of an example (numbered from 1) of the rules; NothingToShow."""
        key, number, theme = visit.named("game"), read_turn(visit.named("number")) or 0, visit.theme
        if key not in games or not 1 <= number <= len(rule_examples(key)):
            raise NothingToShow("unknown")
        example, voice = rule_examples(key)[number - 1], visit.speaker.of(key)
        draw = partial(self.context.artist.example, example, voice, theme)
        return await self._drawings.get(("rules", key, number, theme), draw)

    @cached_page
    async def player(self, visit: Visit) -> bytes:
        """Return the profile page of a person who wants one; NothingToShow."""
        allowed, speaker = visit.allowed, visit.speaker
        player = await self._content.player(allowed)
        found = await self._content.list_games(GAMES_PER_PAGE, person=player.person.id)
        words = [*[rating_words(speaker, each) for each in player.shown_ratings], *player.title_lines(speaker)]
        link = player_words(player, allowed.page.id, speaker)
        rows = [describe_row(row) for row in player.preview_rows(speaker)]
        return self.render(
            "player.html",
            visit,
            replace(link, state=strip_styles(join(words)) or link.title),
            preview_alt="; ".join([link.title, link.state, *rows]),
            lines=[to_markup(each) for each in words],
            games=self._list_items(found, speaker),
        )


def puzzle_words(day: date, puzzle: Puzzle, speaker: Speaker) -> LinkWords:
    """Return the words of a link to a date's puzzle."""
    said = format_date(day, DATE_FORMAT, locale=speaker.language)
    title = strip_styles(speaker.say("daily.title", day=said, game=speaker.game_name(puzzle.game)))
    goal = strip_styles(goal_words(speaker, puzzle, puzzle.goal))
    return LinkWords(title, goal, f"/puzzle/{day.isoformat()}/preview.png?lang={speaker.language}")


def rules_words(key: str, speaker: Speaker) -> LinkWords:
    """Return the words of a link to a game's rules; NothingToShow."""
    if key not in games:
        raise NothingToShow("unknown")
    voice = speaker.of(key)
    return LinkWords(voice.game_name(), voice.line("tagline"), f"/rules/{key}/preview.png?lang={speaker.language}")


def player_words(player: ShownPlayer, page: str, speaker: Speaker) -> LinkWords:
    """Return the words of a link to a profile."""
    picture = f"/p/{page}/preview.png?r={player.games_rated}&lang={speaker.language}"
    return LinkWords(player.person.name or FORGOTTEN_NAME, player.preview_words(speaker), picture)


def _result(shown: GamePeople, speaker: Speaker) -> str:
    """Return the result of a game in words: the winner, that it is running, or that it has no winner."""
    if not shown.brief.is_over:
        return speaker.line("world.on")
    places = (shown.brief.outcome or {}).get("places") or []
    names = shown.in_language(speaker).names
    winners = [names[seat] for seat, place in enumerate(places) if place == 1]
    if not winners or len(winners) == len(names):
        return speaker.line("world.over")
    return speaker.line("world.won", who=strip_styles(speaker.listing(winners)))


def _kinds(speaker: Speaker) -> list[tuple[str, str]]:
    return [(key, speaker.game_name(key)) for key in games]
