"""What competitions show in places: their table, kept true, and the news of a round or a season, told once."""

from typing import Any

from bot.core.context import Context
from bot.core.post_kinds import PostKind, Rendering, Showing
from bot.language.texts import Speaker
from bot.matches.cards import Presenter
from bot.matches.stored import StoredCompetition
from bot.pictures.artist import choose_theme
from storage import CompetitionRow, NewPost, Post
from storage.competitions import news_kind


class CompetitionPost(PostKind):
    """What is shown of a competition of one kind."""

    def __init__(self, presenter: Presenter[Any], context: Context) -> None:
        super().__init__(context)
        self._presenter = presenter

    async def _read(self, showing: Showing) -> tuple[CompetitionRow, StoredCompetition[Any], Speaker] | None:
        row = await self._context.store.competitions.get(showing.post.competition or showing.post.subject)
        if row is None:
            return None
        speaker = showing.context.speaker(showing.place.language, showing.place.platform)
        return row, await self._presenter.keeper.read(self._context, row), speaker


class CompetitionTable(CompetitionPost):
    """The table of a competition."""

    async def render(self, showing: Showing) -> Rendering | None:
        """Return the table as it is now; its newest news come after it, once."""
        if (read := await self._read(showing)) is None:
            return None
        row, found, speaker = read
        place = showing.post.place
        if number := self._presenter.newest_news(found):
            now, kind = self._context.clock(), news_kind(row.kind)
            news = NewPost(kind, f"{row.id}:{number}", place.id, now, competition=row.id)
            await self._context.store.posts.promise(news)
        picture = await self._presenter.picture(self._context, found, speaker, choose_theme(place.effective))
        return Rendering(self._presenter.card(found, speaker, picture), revision=row.revision)


class CompetitionNews(CompetitionPost):
    """News of a competition: the subject is its id and a number."""

    async def render(self, showing: Showing) -> Rendering | None:
        """Return the news, None if there are newer ones."""
        if (read := await self._read(showing)) is None:
            return None
        row, found, speaker = read
        is_newest = _number_of(showing.post) == self._presenter.newest_news(found)
        card = self._presenter.news_card(found, speaker) if is_newest else None
        return None if card is None else Rendering(card, revision=row.revision, last=True)


def _number_of(post: Post) -> int:
    number = post.subject.rpartition(":")[2]
    return int(number) if number.isdecimal() else 0
