"""The job that advances cups: it starts and ends rounds, and updates the messages of every place."""

from bot.core.context import Context
from bot.cups.cards import cup_card, round_card
from bot.cups.pictures import cup_picture
from bot.cups.rounds import advance_cup
from bot.cups.service import CUPS
from bot.interface.cards import Card
from bot.interface.requests import Adapter, Place
from bot.matches.job import CompetitionWorker, message_key
from bot.pictures.artist import choose_theme
from storage import CompetitionPlace, CompetitionRow


class CompetitionRounds(CompetitionWorker):
    """A worker that advances cups and shows them."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, "cup")

    async def _advance_competition(self, code: str) -> None:
        await advance_cup(self._context, code)

    async def _write_message(
        self, row: CompetitionRow, shown: CompetitionPlace, place: Place, adapter: Adapter
    ) -> tuple[Card, int]:
        cup = await CUPS.read(self._context, row)
        speaker = self._context.speaker(place.language)
        announced, newest = shown.announced_rounds, len(cup.stands.rounds) + (cup.stands.stage == "over")
        if announced < newest and not cup.stands.games_to_open():
            card = round_card(cup, speaker)
            if card is not None:
                await adapter.send(place, card, f"{message_key(shown)}-round-{newest}")
            announced = newest
        picture = await cup_picture(self._context, cup, speaker, choose_theme(shown.place.effective))
        return cup_card(cup, speaker, picture), announced
