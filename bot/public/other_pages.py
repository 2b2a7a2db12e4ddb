"""Pages beside those of games: the list of games, puzzles, rules, cups, players, and what robots may read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from babel.dates import format_date
from cachetools import TTLCache

from bot.competitions.standings import format_points, ranking
from bot.core.context import Context
from bot.cups.pictures import cup_picture
from bot.cups.service import Cup, read_cup
from bot.language.texts import Speaker, join, plain
from bot.pictures.artist import BoardView
from bot.play.ratings import MIN_RANKED_GAMES
from bot.public.answers import NothingToShow
from bot.public.consent import Allowed, Consent, find_page, is_hidden
from bot.public.drawings import CachedPicture, Drawings
from bot.public.listing import GameFilter, GameList, Listing
from bot.public.pages import BOARD_SIZE, MAX_CACHED_PAGES, PAGE_LIFETIME_SECONDS
from bot.public.puzzle_days import is_over, newest_day, puzzle_of, read_day
from bot.public.templating import render, to_markup
from bot.puzzles.calendar import FIRST_DATE
from bot.puzzles.cards import goal_words, solution_words
from bot.puzzles.daily_cards import DATE_FORMAT, puzzle_scene
from bot.rulebook import rule_examples
from bot.standings.commands import rating_words, title_words
from bot.tables.table import FORGOTTEN_NAME
from bot.words.describe import alt_text
from engine import games

GAMES_PER_PAGE: Final = 30
ROBOTS: Final = """User-agent: *
Allow: /g/
Allow: /puzzle/
Allow: /rules/
Allow: /cup/
Allow: /p/
Allow: /shown/
Allow: /fonts/
Allow: /static/icon.svg
Disallow: /
"""
"""What is public may be read by robots; the room, the interface and everything else may not."""


class OtherPages:
    """Renders them, and draws their pictures."""

    def __init__(self, context: Context, consent: Consent, listing: Listing, drawings: Drawings) -> None:
        self._context = context
        self._consent = consent
        self._listing = listing
        self._drawings = drawings
        self._pages: TTLCache[tuple[str, ...], bytes] = TTLCache(MAX_CACHED_PAGES, PAGE_LIFETIME_SECONDS)

    async def _cached_page(self, key: tuple[str, ...], make: Callable[[], Awaitable[bytes]]) -> bytes:
        """Return a page as it was made for all a moment ago, unless what may be shown has changed since."""
        key = (*key, str(self._consent.changes))
        page = self._pages.get(key) if self._consent.is_current else None
        if page is None:
            page = self._pages[key] = await make()
        return page

    def _render(self, template: str, speaker: Speaker, path: str, title: str, about: str, **values: Any) -> bytes:
        head = {
            "title": f"{title} · Tavoliere",
            "description": about,
            "robots": "noarchive",
            "address": self._context.web_address,
            "path": path,
            "query": "",
            "preview": None,
            "size": BOARD_SIZE,
        }
        return render(template, speaker, **head | values)

    async def games(self, speaker: Speaker, cursor: str | None, lang_query: str) -> bytes:
        """Return the list of games that are shown; NothingToShow for a cursor that there never was."""
        key = "games", speaker.language, cursor or "", lang_query
        return await self._cached_page(key, lambda: self._make_games(speaker, cursor, lang_query))

    async def _make_games(self, speaker: Speaker, cursor: str | None, lang_query: str) -> bytes:
        found = await self._listing.games(GameFilter(), GAMES_PER_PAGE, cursor)
        title = speaker.line("world.games")
        return self._render(
            "games.html",
            speaker,
            "/g/",
            title,
            speaker.line("world.games.about"),
            games=self._list_items(found, speaker),
            more=found.cursor,
            lang_query=lang_query,
            today=newest_day(self._context.clock()).isoformat(),
            kinds=_kinds(speaker),
            robots="noarchive" if cursor is None else "noindex",
        )

    @staticmethod
    def _list_items(found: GameList, speaker: Speaker) -> list[dict[str, str]]:
        return [
            {
                "page": page,
                "name": speaker.of(each.brief.game).line("name"),
                "players": plain(speaker.listing(each.in_language(speaker).names)),
                "state": speaker.line("world.over" if each.brief.status == "over" else "world.on"),
            }
            for each, page in found.games
            if each.brief.game in games
        ]

    async def puzzle(self, text: str, speaker: Speaker) -> bytes:
        """Return the page of a date's puzzle, without the solution until the date is over everywhere; NothingToShow."""
        now, day = self._context.clock(), read_day(text)
        puzzle = puzzle_of(day, now) if day is not None else None
        if puzzle is None or day is None:
            raise NothingToShow("unknown")
        voice, over = speaker.of(puzzle.game), is_over(day, now)
        scenes = [puzzle_scene(puzzle, speaker, solved=solved) for solved in (False, True)[: 1 + over]]
        alts = [alt_text(voice, each.line.state, each.line.shown_turn, each.names_in_sentences) for each in scenes]
        said = format_date(day, DATE_FORMAT, locale=speaker.language)
        heading = plain(speaker.say("daily.title", day=said, game=voice.line("name")))
        goal = goal_words(speaker, puzzle, puzzle.goal)
        path = f"/puzzle/{day.isoformat()}"
        names = scenes[0].names_in_sentences
        return self._render(
            "puzzle.html",
            speaker,
            path,
            heading,
            plain(goal),
            heading=heading,
            goal=to_markup(goal),
            picture=f"{path}/board.png?lang={speaker.language}",
            alt=alts[0],
            solved=f"{path}/solution.png?lang={speaker.language}",
            solved_alt=alts[-1],
            solution=[to_markup(each) for each in solution_words(speaker, puzzle, names)] if over else (),
            before=(day - timedelta(days=1)).isoformat() if day > FIRST_DATE else None,
            after=(day + timedelta(days=1)).isoformat() if day < newest_day(now) else None,
            kind=puzzle.game,
            name=voice.line("name"),
        )

    async def puzzle_picture(self, text: str, speaker: Speaker, theme: str, *, solved: bool) -> CachedPicture:
        """Return the picture of a date's puzzle, or of its solution once the date is over everywhere; NothingToShow."""
        now, day = self._context.clock(), read_day(text)
        puzzle = puzzle_of(day, now) if day is not None else None
        if puzzle is None or day is None or (solved and not is_over(day, now)):
            raise NothingToShow("unknown")
        scene, voice = puzzle_scene(puzzle, speaker, solved=solved), speaker.of(puzzle.game)
        view = BoardView(viewer=puzzle.seat, theme=theme)

        async def draw() -> bytes | None:
            line = scene.line
            picture = await self._context.artist.scene(line.state, line.shown_turn, voice, view, scene.names)
            return None if picture is None else picture.png

        return await self._drawings.get(("puzzle", puzzle.id, solved, scene.names, theme), draw)

    async def rules(self, key: str, speaker: Speaker) -> bytes:
        """Return the page of a game's rules; NothingToShow."""
        if key not in games:
            raise NothingToShow("unknown")
        voice = speaker.of(key)
        shown = [
            {
                "words": to_markup(voice.say(f"example.{each.name}")),
                "alt": alt_text(voice, each.state, each.turn, each.names),
            }
            for each in rule_examples(key)
        ]
        return self._render(
            "rules.html",
            speaker,
            f"/rules/{key}",
            voice.line("name"),
            voice.line("tagline"),
            name=voice.line("name"),
            tagline=voice.line("tagline"),
            text=to_markup(voice.say("rules.short")),
            examples=shown,
            kind=key,
            kinds=[(other, name) for other, name in _kinds(speaker) if other != key],
        )

    async def rules_picture(self, key: str, number: int, speaker: Speaker, theme: str) -> CachedPicture:
        """Return the picture of an example of the rules, counted from 1; NothingToShow."""
        if key not in games or not 1 <= number <= len(rule_examples(key)):
            raise NothingToShow("unknown")
        example, voice = rule_examples(key)[number - 1], speaker.of(key)

        async def draw() -> bytes | None:
            picture = await self._context.artist.example(example, voice, theme)
            return None if picture is None else picture.png

        return await self._drawings.get(("rules", key, number, theme), draw)

    async def cup(self, allowed: Allowed, speaker: Speaker) -> bytes:
        """Return the page of a cup; NothingToShow."""
        return await self._cached_page(
            ("cup", allowed.page.id, speaker.language), lambda: self._make_cup(allowed, speaker)
        )

    async def _make_cup(self, allowed: Allowed, speaker: Speaker) -> bytes:
        cup = await self._read_cup(allowed)
        voice, stands, path = speaker.of(cup.row.game_key), cup.stands, f"/cup/{allowed.page.id}"
        profiles = await self._consent.pages_of_people(cup.people.values())
        heading = plain(
            speaker.say("world.cup", game=voice.line("name"), format=speaker.line(f"cup.format.{stands.terms.format}"))
        )
        state = speaker.line(f"world.cup.{stands.stage}", n=len(stands.lots or stands.active_entrants))
        picture = await cup_picture(self._context, cup, speaker, "light") if stands.lots else None
        rows = ranking(stands).rows if stands.lots else ()
        return self._render(
            "cup.html",
            speaker,
            path,
            heading,
            state,
            heading=heading,
            state=state,
            table=[
                {
                    "place": row.place,
                    "name": cup.name(row.entrant),
                    "page": profiles.get(person.id) if (person := cup.person_of(row.entrant)) else None,
                    "points": format_points(row.points),
                }
                for row in rows
            ],
            picture=f"{path}/table.png?r={cup.row.revision}&lang={speaker.language}" if picture else None,
            alt=picture.alt if picture else "",
            size=picture.size if picture else BOARD_SIZE,
            rounds=await self._rounds(cup, speaker),
            kind=cup.row.game_key,
            name=voice.line("name"),
        )

    async def cup_table(self, allowed: Allowed, speaker: Speaker, theme: str) -> CachedPicture:
        """Return the picture of a cup's table; NothingToShow."""
        cup = await self._read_cup(allowed)

        async def draw() -> bytes | None:
            picture = await cup_picture(self._context, cup, speaker, theme)
            return None if picture is None else picture.png

        if not cup.stands.lots:
            raise NothingToShow("unknown")
        key = allowed.page.id, cup.row.revision, self._consent.epoch, speaker.language, theme
        return await self._drawings.get(key, draw)

    async def _read_cup(self, allowed: Allowed) -> Cup:
        """Return a cup in which those who hide have no name."""
        row = await self._context.store.competitions.get(allowed.page.competition or "")
        if row is None or row.game_key not in games:
            raise NothingToShow("unknown")
        cup = await read_cup(self._context, row)
        return replace(cup, people={number: each for number, each in cup.people.items() if not is_hidden(each)})

    async def _rounds(self, cup: Cup, speaker: Speaker) -> list[dict[str, Any]]:
        found = []
        for each in reversed(cup.stands.rounds):
            pairings = []
            for board in each.boards:
                names = [
                    cup.name(entrant) if entrant >= 0 else speaker.line("world.computer")
                    for entrant in board.last.seats
                ]
                code = board.last.id
                page = await find_page(self._context, code) if code is not None else None
                pairings.append({"names": " – ".join(names), "page": page})
            found.append({"number": each.number, "pairings": pairings})
        return found

    async def player(self, allowed: Allowed, speaker: Speaker) -> bytes:
        """Return the page of somebody who wants one; NothingToShow."""
        key = "player", allowed.page.id, speaker.language
        return await self._cached_page(key, lambda: self._make_player(allowed, speaker))

    async def _make_player(self, allowed: Allowed, speaker: Speaker) -> bytes:
        now = await self._context.store.public.current_person(allowed.page.person or 0)
        person = await self._context.store.people.get(now)
        if person is None:
            raise NothingToShow("gone")
        ratings = await self._context.store.ratings.list_for_people([now])
        found = await self._listing.games(GameFilter(person=now), GAMES_PER_PAGE)
        titles = await self._context.store.titles.list_for_person(now)
        words = [rating_words(speaker, each) for each in _sort_ratings(ratings)]
        words += title_words(speaker, [each for each in titles if each.game_key in games])
        return self._render(
            "player.html",
            speaker,
            f"/p/{allowed.page.id}",
            person.name or FORGOTTEN_NAME,
            plain(join(words)) or person.name,
            heading=person.name,
            lines=[to_markup(each) for each in words],
            games=self._list_items(found, speaker),
        )


def _sort_ratings(ratings: Sequence[Any]) -> list[Any]:
    """Return the ratings of games that are installed, those played most first."""
    shown = [each for each in ratings if each.game_key in games and each.pool == "people"]
    return sorted(shown, key=lambda each: (each.played < MIN_RANKED_GAMES, -each.played, each.game_key))


def _kinds(speaker: Speaker) -> list[tuple[str, str]]:
    return [(key, speaker.of(key).line("name")) for key in games]
