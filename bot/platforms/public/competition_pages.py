"""Pages of cups, leagues and ladders, and their tables as pictures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from bot.competitions.competition import Competition
from bot.competitions.cups.service import Cup
from bot.competitions.kinds import CARDS, AnyCompetition
from bot.competitions.ladder import Ladder
from bot.competitions.ladders.cards import LadderCards
from bot.competitions.ladders.service import StoredLadder
from bot.competitions.leagues.cards import LeagueCards, season_words
from bot.competitions.leagues.service import StoredLeague
from bot.competitions.seasons import champions, division_rows, people_needed
from bot.competitions.standings import StandingRow, format_points, ranking
from bot.kernel.texts import Speaker, strip_styles
from bot.platforms.public.answers import NothingToShow
from bot.platforms.public.pages import CachedPicture, Drawings, LinkWords, PageMaker, Visit, cached_page, to_markup
from bot.platforms.public.shown_games import EntrantPages, PublicContent
from bot.platforms.public.views import Views, entrant_view
from render.preview import MAX_ROWS, PreviewRow, describe_row
from storage import CompetitionKind, Json


@dataclass(frozen=True, slots=True)
class CompetitionWords(LinkWords):
    """The words of a link to a competition, and its best places."""

    rows: tuple[PreviewRow, ...] = ()


def competition_words(competition: AnyCompetition, page: str, speaker: Speaker) -> CompetitionWords:
    """Return the words of a link to a competition; for a league, with the best places of its first division."""
    cards, state = CARDS[competition.row.kind](competition, speaker), competition.state
    voice, heading = cards.voice, strip_styles(cards.title())
    before = tuple(PreviewRow(None, competition.name(each)) for each in state.present[:MAX_ROWS])
    if isinstance(state, Competition):
        form = speaker.line(f"cup.format.{state.terms.format}")
        heading = strip_styles(speaker.say("world.cup", game=voice.game_name(), format=form))
        status = speaker.line(f"world.cup.{state.stage}", n=len(state.lots or state.present))
        rows = _rows(competition, ranking(state).rows) if state.lots else before
    elif isinstance(state, Ladder):
        status = voice.line("ladder.over" if state.over else "world.ladder.people", n=len(state.order))
        places = enumerate(state.order[:MAX_ROWS], start=1)
        rows = tuple(PreviewRow(str(place), competition.name(each)) for place, each in places)
    else:
        season = state.season
        rows = _rows(competition, division_rows(state, season, 1)) if season.number else before
        if state.over:
            status = voice.line("league.over")
        elif not season.number:
            status = voice.line("league.waits", n=people_needed(state))
        else:
            status = strip_styles(season_words(voice, season))
    row = competition.row
    picture = f"/{row.kind}/{page}/preview.png?r={row.revision}&lang={speaker.language}"
    return CompetitionWords(heading, status, picture, rows)


def _rows(competition: AnyCompetition, rows: Sequence[StandingRow]) -> tuple[PreviewRow, ...]:
    return tuple(
        PreviewRow(
            "" if row.place is None else str(row.place), competition.name(row.entrant), format_points(row.points)
        )
        for row in rows[:MAX_ROWS]
    )


MAX_QUEUE_SHOWN: Final = 50
"""Maximum number of names shown of a league's queue."""


class CompetitionPages(PageMaker):
    """Renders the pages and draws the tables."""

    def __init__(self, content: PublicContent, drawings: Drawings) -> None:
        super().__init__(content, drawings)
        self._views = Views(content)

    @cached_page
    async def page(self, visit: Visit) -> bytes:
        """Return the page of a competition; NothingToShow."""
        allowed, speaker = visit.allowed, visit.speaker
        competition = await self._content.competition(allowed, visit.named("kind"))
        pages, row = await self._content.entrant_pages(competition), competition.row
        link = competition_words(competition, allowed.page.id, speaker)

        def names(entrants: Sequence[int]) -> str:
            """Return the names of entrants; a computer has a number below 0."""
            computer = speaker.line("world.computer")
            return " – ".join(competition.name(each) if each >= 0 else computer for each in entrants)

        return self.render(
            f"{row.kind}.html",
            visit,
            link,
            preview_alt="; ".join(map(describe_row, link.rows)) or link.state,
            kind=row.game_key,
            name=speaker.game_name(row.game_key),
            names=names,
            shown=self._views.competition(competition, allowed.page.id, pages),
            **_CONTENTS[row.kind](competition, pages, speaker),
        )

    async def table(self, visit: Visit) -> CachedPicture:
        """Return the picture of a competition's table (in a league, of the first division); NothingToShow."""
        speaker, theme = visit.speaker, visit.theme
        competition = await self._content.competition(visit.allowed, visit.named("kind"))
        cards = CARDS[competition.row.kind](competition, speaker)
        if not cards.pages():
            raise NothingToShow("unknown")
        key = competition.row.id, competition.row.revision, self.consent.epoch, speaker.language, theme
        return await self._drawings.get(key, partial(cards.picture, self.context, theme))


def _cup_contents(cup: Cup, pages: EntrantPages, _: Speaker) -> Json:
    """Return who has entered a cup that has not begun."""
    return {"entered": [] if cup.state.lots else [entrant_view(each, pages) for each in cup.state.present]}


def _league_contents(league: StoredLeague, _: EntrantPages, speaker: Speaker) -> Json:
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
    terms = [to_markup(each) for each in LeagueCards.terms_lines(state.terms, voice)]
    return {"lines": [to_markup(each) for each in lines], "terms": terms}


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
        "challenges": challenges,
        "terms": [to_markup(each) for each in LadderCards.terms_lines(state.terms, voice)],
    }


_CONTENTS: Final[Mapping[CompetitionKind, Callable[[Any, EntrantPages, Speaker], Json]]] = {
    "cup": _cup_contents,
    "league": _league_contents,
    "ladder": _ladder_contents,
}
