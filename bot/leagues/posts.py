"""What leagues show in places."""

from bot.interface.cards import Card
from bot.language.texts import Speaker
from bot.leagues.cards import league_card, season_card
from bot.leagues.pictures import division_picture
from bot.leagues.service import LEAGUES, StoredLeague
from bot.matches.posts import CompetitionNews, CompetitionTable


class LeagueTable(CompetitionTable[StoredLeague]):
    """The divisions of a league."""

    keeper = LEAGUES

    async def write(self, found: StoredLeague, speaker: Speaker, theme: str) -> Card:
        """Return the card that shows a league."""
        return league_card(found, speaker, await division_picture(self._context, found, speaker, theme))

    def newest_news(self, found: StoredLeague) -> int:
        """Return the number of the newest season."""
        return 0 if found.stands.season is None else found.stands.season.number


class LeagueNews(CompetitionNews[StoredLeague]):
    """A new season of a league."""

    table = LeagueTable

    def write(self, found: StoredLeague, speaker: Speaker) -> Card | None:
        """Return the card of the season."""
        return season_card(found, speaker)
