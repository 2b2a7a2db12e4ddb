"""What ladders show in places."""

from bot.interface.cards import Card
from bot.ladders.cards import ladder_card
from bot.ladders.pictures import ladder_picture
from bot.ladders.service import LADDERS, StoredLadder
from bot.language.texts import Speaker
from bot.matches.posts import CompetitionTable


class LadderTable(CompetitionTable[StoredLadder]):
    """The rungs of a ladder."""

    keeper = LADDERS

    async def write(self, found: StoredLadder, speaker: Speaker, theme: str) -> Card:
        """Return the card that shows a ladder."""
        return ladder_card(found, speaker, await ladder_picture(self._context, found, speaker, theme))
