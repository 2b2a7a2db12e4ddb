"""What competitions show in places: their table, kept true, and the news of a round or a season, told once."""

from typing import Any

from bot.core.context import Context
from bot.core.post_kinds import PostKind, Rendering, Showing
from bot.matches.cards import CompetitionView
from bot.pictures.artist import choose_theme
from storage import NewPost, Post
from storage.competitions import news_kind


class CompetitionPost(PostKind):
    """What is shown of a competition of one kind."""

    def __init__(self, view: type[CompetitionView[Any, Any]], context: Context) -> None:
        super().__init__(context)
        self._view = view

    async def _read(self, showing: Showing) -> CompetitionView[Any, Any] | None:
        row = await self._context.store.competitions.get(showing.post.competition or showing.post.subject)
        if row is None:
            return None
        speaker = showing.context.speaker(showing.place.language, showing.place.platform)
        return self._view(await self._view.keeper.read(self._context, row), speaker)


class CompetitionTable(CompetitionPost):
    """The table of a competition."""

    async def render(self, showing: Showing) -> Rendering | None:
        """Return the table as it is now; its newest news come after it, once."""
        if (view := await self._read(showing)) is None:
            return None
        row, place = view.found.row, showing.post.place
        if number := view.newest_news():
            now, kind = self._context.clock(), news_kind(row.kind)
            news = NewPost(kind, f"{row.id}:{number}", place.id, now, competition=row.id)
            await self._context.store.posts.promise(news)
        picture = await view.picture(self._context, choose_theme(place.effective))
        return Rendering(view.card(picture), revision=row.revision)


class CompetitionNews(CompetitionPost):
    """News of a competition: the subject is its id and a number."""

    async def render(self, showing: Showing) -> Rendering | None:
        """Return the news, None if there are newer ones."""
        view = await self._read(showing)
        if view is None or _number_of(showing.post) != view.newest_news() or (card := view.news_card()) is None:
            return None
        return Rendering(card, revision=view.found.row.revision, last=True)


def _number_of(post: Post) -> int:
    number = post.subject.rpartition(":")[2]
    return int(number) if number.isdecimal() else 0
