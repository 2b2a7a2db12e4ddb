"""The job of ladders: it advances them, updates their messages, and writes their notices."""

from functools import partial

from bot.core.context import Context
from bot.core.features import NoticeContent
from bot.interface.cards import Card
from bot.interface.refusals import Refused
from bot.interface.requests import Adapter, Place
from bot.ladders.cards import challenge_card, ladder_card, sinking_card
from bot.ladders.pictures import ladder_picture
from bot.ladders.rounds import advance_ladder
from bot.ladders.service import LADDERS, StoredLadder
from bot.language.texts import Speaker
from bot.matches.job import CompetitionWorker
from bot.pictures.artist import choose_theme
from storage import CompetitionPlace, CompetitionRow, Notice


class LadderWorker(CompetitionWorker):
    """Advances ladders and updates their messages."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, "ladder")

    async def _advance_competition(self, code: str) -> None:
        await advance_ladder(self._context, code)

    async def _write_message(
        self, row: CompetitionRow, shown: CompetitionPlace, place: Place, adapter: Adapter
    ) -> tuple[Card, int]:
        ladder = await LADDERS.read(self._context, row)
        speaker = self._context.speaker(place.language)
        picture = await ladder_picture(self._context, ladder, speaker, choose_theme(shown.place.effective))
        return ladder_card(ladder, speaker, picture), 0


async def read_ladder_notice(context: Context, notice: Notice) -> NoticeContent | None:
    """Return the content of a ladder's notice."""
    code, what, number, *_ = (*notice.subject.split(":"), "", "")
    try:
        ladder = await LADDERS.find(context, code)
    except Refused:
        return None
    if not number.isdecimal() or ladder.stands.over:
        return None
    shown = await context.store.competitions.list_places(code)
    return NoticeContent([each for each in shown if not each.gone], partial(_write, ladder, what, int(number)))


def _write(ladder: StoredLadder, what: str, number: int, speaker: Speaker) -> Card | None:
    return challenge_card(ladder, speaker, number) if what == "challenge" else sinking_card(ladder, speaker, number)
