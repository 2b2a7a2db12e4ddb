"""What competitions show in places: their table, kept true, and the news of a round or a season, told once."""

from typing import Any

from bot.core.context import Context
from bot.core.post_kinds import PostKind, Rendering, Showing
from bot.matches.cards import CompetitionCards
from bot.pictures.artist import choose_theme
from storage import NewPost, Post
from storage.competitions import news_kind


class CompetitionPost(PostKind):
    """What is shown of a competition of one kind."""

    def __init__(self, cards: type[CompetitionCards[Any, Any]], context: Context) -> None:
        super().__init__(context)
        self._cards = cards

    async def _read(self, showing: Showing) -> CompetitionCards[Any, Any] | None:
        row = await self._context.store.competitions.get(showing.post.competition or showing.post.subject)
        if row is None:
            return None
        speaker = showing.context.speaker(showing.place.language, showing.place.platform)
        return self._cards(await self._cards.keeper.read(self._context, row), speaker)


class CompetitionTable(CompetitionPost):
    """The table of a competition."""

    async def render(self, showing: Showing) -> Rendering | None:
        """Return the table as it is now; its newest news come after it, once."""
        if (cards := await self._read(showing)) is None:
            return None
        row, place = cards.found.row, showing.post.place
        if number := cards.newest_news():
            now, kind = self._context.clock(), news_kind(row.kind)
            news = NewPost(kind, f"{row.id}:{number}", place.id, now, competition=row.id)
            await self._context.store.posts.promise(news)
        picture = await cards.picture(self._context, choose_theme(place.effective))
        return Rendering(cards.card(picture), revision=row.revision)


class CompetitionNews(CompetitionPost):
    """News of a competition: the subject is its id and a number."""

    async def render(self, showing: Showing) -> Rendering | None:
        """Return the news, None if there are newer ones."""
        cards = await self._read(showing)
        if cards is None or _number_of(showing.post) != cards.newest_news() or (card := cards.news_card()) is None:
            return None
        return Rendering(card, revision=cards.found.row.revision, last=True)


def _number_of(post: Post) -> int:
    number = post.subject.rpartition(":")[2]
    return int(number) if number.isdecimal() else 0
