"""The job of leagues: it advances them, updates their messages, and writes their notices."""

from functools import partial

from bot.core.context import Context
from bot.core.features import NoticeContent
from bot.interface.cards import Card
from bot.interface.refusals import Refused
from bot.interface.requests import Adapter, Place
from bot.language.texts import Speaker
from bot.leagues.cards import league_card, question_card, season_card
from bot.leagues.pictures import division_picture
from bot.leagues.rounds import advance_league
from bot.leagues.service import LEAGUES, StoredLeague
from bot.matches.job import CompetitionWorker, message_key
from bot.pictures.artist import choose_theme
from storage import CompetitionPlace, CompetitionRow, Notice


class LeagueWorker(CompetitionWorker):
    """Advances leagues and updates their messages."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, "league")

    async def _advance_competition(self, code: str) -> None:
        await advance_league(self._context, code)

    async def _write_message(
        self, row: CompetitionRow, shown: CompetitionPlace, place: Place, adapter: Adapter
    ) -> tuple[Card, int]:
        league = await LEAGUES.read(self._context, row)
        speaker = self._context.speaker(place.language)
        season = league.stands.season
        announced, newest = shown.announced_rounds, season.number if season is not None else 0
        if announced < newest:
            card = season_card(league, speaker)
            if card is not None:
                await adapter.send(place, card, f"{message_key(shown)}-round-{newest}")
            announced = newest
        picture = await division_picture(self._context, league, speaker, choose_theme(shown.place.effective))
        return league_card(league, speaker, picture), announced


async def read_league_notice(context: Context, notice: Notice) -> NoticeContent | None:
    """Return the content of a league's notice: the question whether a member still takes part."""
    code, _, number, *_ = (*notice.subject.split(":"), "", "")
    try:
        league = await LEAGUES.find(context, code)
    except Refused:
        return None
    if not number.isdecimal() or league.stands.over:
        return None
    shown = await context.store.competitions.list_places(code)
    return NoticeContent([each for each in shown if not each.gone], partial(_write, league, int(number)))


def _write(league: StoredLeague, number: int, speaker: Speaker) -> Card | None:
    return question_card(league, speaker, number)
