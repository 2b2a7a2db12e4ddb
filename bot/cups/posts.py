"""What cups show in places."""

from bot.cups.cards import cup_card, round_card
from bot.cups.pictures import cup_picture
from bot.cups.service import CUPS, Cup
from bot.interface.cards import Card
from bot.language.texts import Speaker
from bot.matches.posts import CompetitionNews, CompetitionTable


class CupTable(CompetitionTable[Cup]):
    """The bracket or the table of a cup."""

    keeper = CUPS

    async def write(self, found: Cup, speaker: Speaker, theme: str) -> Card:
        """Return the card that shows a cup."""
        return cup_card(found, speaker, await cup_picture(self._context, found, speaker, theme))

    def newest_news(self, found: Cup) -> int:
        """Return the number of the newest round whose games are open, one more at the end."""
        newest = len(found.stands.rounds) + (found.stands.stage == "over")
        return 0 if found.stands.games_to_open() else newest


class CupNews(CompetitionNews[Cup]):
    """A new round of a cup, or its end."""

    table = CupTable

    def write(self, found: Cup, speaker: Speaker) -> Card | None:
        """Return the card of the round or the end."""
        return round_card(found, speaker)
