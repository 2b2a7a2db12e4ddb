"""Pages of cups, leagues and ladders: tables in words and as pictures, and pairings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from bot.competitions.competition import Competition
from bot.competitions.cups.service import Cup
from bot.competitions.keeper import StoredCompetition
from bot.competitions.kinds import CARDS, AnyCompetition, read_competition
from bot.competitions.ladder import Ladder
from bot.competitions.ladders.cards import LadderCards
from bot.competitions.ladders.service import StoredLadder
from bot.competitions.league import Season
from bot.competitions.leagues.cards import LeagueCards, season_words
from bot.competitions.leagues.service import StoredLeague
from bot.competitions.seasons import champions, division_rows, people_needed
from bot.competitions.standings import StandingRow, format_points, ranking
from bot.kernel.context import Context
from bot.kernel.operations.limits import TooManyRequests
from bot.kernel.permissions import is_hidden
from bot.kernel.texts import Speaker, strip_styles
from bot.platforms.public.answers import NothingToShow
from bot.platforms.public.consent import Allowed, Consent
from bot.platforms.public.pages import CachedPicture, Drawings, PageMaker, to_markup
from engine import games
from render.preview import MAX_ROWS, PreviewRow, describe_row
from storage import CompetitionKind, CompetitionRow


@dataclass(frozen=True, slots=True)
class CompetitionHead:
    """A competition's title, its state in one line, and its best places."""

    heading: str
    state: str
    rows: tuple[PreviewRow, ...]


def competition_head(competition: AnyCompetition, speaker: Speaker) -> CompetitionHead:
    """Return the heading of a competition; for a league, with the best places of its first division."""
    cards, state = CARDS[competition.row.kind](competition, speaker), competition.state
    voice, heading = cards.voice, strip_styles(cards.title())
    before = tuple(PreviewRow(None, competition.name(each)) for each in state.present[:MAX_ROWS])
    if isinstance(state, Competition):
        form = speaker.line(f"cup.format.{state.terms.format}")
        heading = strip_styles(speaker.say("world.cup", game=voice.line("name"), format=form))
        status = speaker.line(f"world.cup.{state.stage}", n=len(state.lots or state.present))
        return CompetitionHead(heading, status, _rows(competition, ranking(state).rows) if state.lots else before)
    if isinstance(state, Ladder):
        status = voice.line("ladder.over" if state.over else "world.ladder.people", n=len(state.order))
        places = enumerate(state.order[:MAX_ROWS], start=1)
        return CompetitionHead(
            heading, status, tuple(PreviewRow(str(place), competition.name(each)) for place, each in places)
        )
    season = state.season
    if state.over:
        status = voice.line("league.over")
    elif not season.number:
        status = voice.line("league.waits", n=people_needed(state))
    else:
        status = strip_styles(season_words(voice, season))
    rows = _rows(competition, division_rows(state, season, 1)) if season.number else before
    return CompetitionHead(heading, status, rows)


def _rows(competition: AnyCompetition, rows: Sequence[StandingRow]) -> tuple[PreviewRow, ...]:
    return tuple(
        PreviewRow(
            "" if row.place is None else str(row.place), competition.name(row.entrant), format_points(row.points)
        )
        for row in rows[:MAX_ROWS]
    )


@dataclass(frozen=True, slots=True)
class EntrantPages:
    """Page ids of a competition: the profiles of people who want one, and its games by code."""

    profiles: dict[int, str]
    games: dict[str, str]


class ShownCompetitions:
    """Reads competitions for public pages."""

    def __init__(self, context: Context, consent: Consent) -> None:
        self._context = context
        self._consent = consent

    async def row(self, allowed: Allowed, kind: CompetitionKind) -> CompetitionRow:
        """Return the competition of a page; NothingToShow if it is of another kind, or its game is not installed."""
        row = await self._context.store.competitions.get(allowed.page.competition or "")
        if row is None or row.kind != kind or row.game_key not in games:
            raise NothingToShow("unknown")
        return row

    async def read(self, allowed: Allowed, kind: CompetitionKind) -> AnyCompetition:
        """Return a competition without the names of hidden people; raises NothingToShow as `row` does."""
        found = await read_competition(self._context, await self.row(allowed, kind))
        return replace(found, people={number: each for number, each in found.people.items() if not is_hidden(each)})

    async def pages(self, competition: StoredCompetition[Any]) -> EntrantPages:
        """Return the page ids of a competition's people and games."""
        profiles = await self._consent.pages_of_people(competition.people.values())
        return EntrantPages(profiles, await self._pages_of_games(competition.row.id))

    async def _pages_of_games(self, code: str) -> dict[str, str]:
        public = self._context.store.public
        found = await public.list_games_of_competition(code, await self._consent.places())
        people = await public.people_of_games(found)
        shown = [game for game in found if not any(map(is_hidden, people[game]))]
        made = await public.create_ids("game", shown, self._context.clock())
        return {game: made[game] for game in shown}


def name_of(competition: StoredCompetition[Any], entrant: int, computer: str) -> str:
    """Return the name of an entrant, or of a computer (number below 0)."""
    return competition.name(entrant) if entrant >= 0 else computer


Json = dict[str, Any]
MAX_QUEUE_SHOWN: Final = 50
"""Maximum number of names shown of a league's queue."""


class CompetitionPages(PageMaker):
    """Renders the pages and draws the tables."""

    def __init__(self, context: Context, consent: Consent, drawings: Drawings, shown: ShownCompetitions) -> None:
        super().__init__(context, consent, drawings)
        self._shown = shown

    async def page(self, kind: CompetitionKind, allowed: Allowed, speaker: Speaker) -> bytes:
        """Return the page of a competition; NothingToShow."""
        key = kind, allowed.page.id, speaker.language
        return await self.cached_page(key, lambda: self._make_page(kind, allowed, speaker))

    async def _make_page(self, kind: CompetitionKind, allowed: Allowed, speaker: Speaker) -> bytes:
        competition = await self._shown.read(allowed, kind)
        pages, path = await self._shown.pages(competition), f"/{kind}/{allowed.page.id}"
        contents = _CONTENTS[kind](competition, pages, speaker)
        # Show the picture of the table only if the page has no table in text.
        is_read = contents.get("table") or contents.get("divisions")
        picture = {"picture": None} if is_read else await self._picture(path, allowed, competition, speaker)
        head = competition_head(competition, speaker)
        return self._render(competition, speaker, path, head, **contents, **picture)

    async def _picture(self, path: str, allowed: Allowed, competition: AnyCompetition, speaker: Speaker) -> Json:
        """Return the address, alt text and size of a table's picture; the address is None if there is no table."""
        try:
            drawn = await self._draw(allowed, competition, speaker)
        except (NothingToShow, TooManyRequests):
            return {"picture": None}
        source = f"{path}/table.png?r={competition.row.revision}&lang={speaker.language}"
        return {"picture": source, "alt": drawn.alt, "size": drawn.size}

    def _render(
        self, competition: StoredCompetition[Any], speaker: Speaker, path: str, head: CompetitionHead, **values: Any
    ) -> bytes:
        key, revision = competition.row.game_key, competition.row.revision
        return self.render(
            f"{competition.row.kind}.html",
            speaker,
            path,
            head.heading,
            head.state,
            heading=head.heading,
            state=head.state,
            preview=f"{path}/preview.png?r={revision}&lang={speaker.language}",
            preview_alt="; ".join(map(describe_row, head.rows)) or head.state,
            kind=key,
            name=speaker.of(key).line("name"),
            **values,
        )

    async def table(self, kind: CompetitionKind, allowed: Allowed, speaker: Speaker, theme: str) -> CachedPicture:
        """Return the picture of a competition's table (in a league, of the first division); NothingToShow."""
        return await self._draw(allowed, await self._shown.read(allowed, kind), speaker, theme)

    async def _draw(
        self, allowed: Allowed, competition: AnyCompetition, speaker: Speaker, theme: str = "light"
    ) -> CachedPicture:
        cards = CARDS[competition.row.kind](competition, speaker)
        if not cards.pages():
            raise NothingToShow("unknown")
        draw = partial(cards.picture, self._context, theme)
        return await self._drawings.get(self._key(allowed, competition, speaker, theme), draw)

    def _key(
        self, allowed: Allowed, competition: StoredCompetition[Any], speaker: Speaker, theme: str
    ) -> tuple[Any, ...]:
        return allowed.page.id, competition.row.revision, self._consent.epoch, speaker.language, theme


def _cup_contents(cup: Cup, pages: EntrantPages, speaker: Speaker) -> Json:
    state = cup.state
    return {
        "table": _table(cup, ranking(state).rows if state.lots else (), pages),
        "entered": [] if state.lots else [_person(cup, each, pages) for each in state.present],
        "rounds": [
            {
                "number": each.number,
                "pairings": [
                    _game(cup, board.last.seats, board.last.id, pages, speaker, over=board.last.places is not None)
                    for board in each.boards
                ],
            }
            for each in reversed(state.rounds)
        ],
    }


def _league_contents(league: StoredLeague, pages: EntrantPages, speaker: Speaker) -> Json:
    cards = LeagueCards(league, speaker)
    state, voice = cards.state, cards.voice
    over = [each for each in (state.season, state.before) if each.number and each.is_over]
    lines = []
    for season in over:
        first = champions(state, season)
        lines.append(cards.champion_words(season, first, voice.listing([league.name(each) for each in first])))
    if state.queue:
        named = voice.listing([league.name(each) for each in state.queue[:MAX_QUEUE_SHOWN]])
        lines.append(cards.queue_words(state.queue, named))
    if state.season.number and not state.is_season_on and not state.over:
        lines.append(voice.say("league.waits", n=people_needed(state)))
    divisions = [
        _division(league, season, number, pages, voice)
        for season in (state.season, state.before)
        for number in range(1, len(season.divisions) + 1)
    ]
    terms = [to_markup(each) for each in LeagueCards.terms_lines(state.terms, voice)]
    return {"lines": [to_markup(each) for each in lines], "divisions": divisions, "terms": terms}


def _ladder_contents(ladder: StoredLadder, pages: EntrantPages, speaker: Speaker) -> Json:
    state, voice = ladder.state, speaker.of(ladder.row.game_key)
    challenges = []
    for each in sorted(state.open.values(), key=lambda each: -each.number):
        who, other = ladder.name(each.challenger), ladder.name(each.challenged)
        page = pages.games.get(each.game or "")
        if each.accepted:
            words = voice.line("world.ladder.playing", who=who, other=other, place=state.place(each.challenged) or 0)
        else:
            words = strip_styles(voice.say("ladder.waiting", who=who, other=other, when=voice.time(each.answer_by)))
        challenges.append({"words": words, "page": page})
    return {
        "table": [{"place": place, **_person(ladder, each, pages)} for place, each in enumerate(state.order, start=1)],
        "challenges": challenges,
        "terms": [to_markup(each) for each in LadderCards.terms_lines(state.terms, voice)],
    }


def _person(competition: StoredCompetition[Any], entrant: int, pages: EntrantPages) -> Json:
    person = competition.person_of(entrant)
    return {"name": competition.name(entrant), "page": pages.profiles.get(person.id) if person is not None else None}


def _table(competition: StoredCompetition[Any], rows: Sequence[StandingRow], pages: EntrantPages) -> list[Json]:
    return [
        {"place": row.place, "points": format_points(row.points), **_person(competition, row.entrant, pages)}
        for row in rows
    ]


def _game(
    competition: StoredCompetition[Any],
    seats: Sequence[int],
    code: str | None,
    pages: EntrantPages,
    speaker: Speaker,
    *,
    over: bool,
) -> Json:
    return {
        "names": " – ".join(name_of(competition, each, speaker.line("world.computer")) for each in seats),
        "page": pages.games.get(code or ""),
        "state": speaker.line("world.over" if over else "world.on"),
    }


def _division(league: StoredLeague, season: Season, number: int, pages: EntrantPages, voice: Speaker) -> Json:
    """Return a division (numbered from 1) of a season: its table and its started games."""
    rows = division_rows(league.state, season, number)
    heading = voice.say("league.division", season=season.number, number=number, all=len(season.divisions))
    return {
        "id": f"s{season.number}-{number}",
        "heading": strip_styles(heading),
        "table": _table(league, rows, pages),
        "games": [
            _game(league, each.game.seats, each.game.id, pages, voice, over=each.game.places is not None)
            for each in season.games_of(number)
            if each.game is not None
        ],
    }


_CONTENTS: Final[Mapping[CompetitionKind, Callable[[Any, EntrantPages, Speaker], Json]]] = {
    "cup": _cup_contents,
    "league": _league_contents,
    "ladder": _ladder_contents,
}
