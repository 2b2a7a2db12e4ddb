"""What competitions show in places: their table, kept true, and the news of a round or a season, told once."""

from abc import abstractmethod
from typing import Any, ClassVar, Generic

from bot.core.post_kinds import PostKind, Rendering, Showing
from bot.interface.cards import Card
from bot.language.texts import Speaker
from bot.matches.keeper import C, CompetitionKeeper
from bot.pictures.artist import choose_theme
from storage import NewPost, Post
from storage.competitions import news_kind


class CompetitionTable(PostKind, Generic[C]):
    """The table of a competition of one kind."""

    keeper: ClassVar[CompetitionKeeper[Any, Any, Any, Any]]

    @abstractmethod
    async def write(self, found: C, speaker: Speaker, theme: str) -> Card:
        """Return the card that shows a competition."""

    def newest_news(self, found: C) -> int:
        """Return the number of the newest news of a competition, 0 without any."""
        return 0

    async def render(self, showing: Showing) -> Rendering | None:
        """Return the table as it is now; its newest news come after it, once."""
        store, post = self._context.store, showing.post
        row = await store.competitions.get(post.subject)
        if row is None:
            return None
        found = await self.keeper.read(self._context, row)
        if number := self.newest_news(found):
            now, kind = self._context.clock(), news_kind(row.kind)
            await store.posts.promise(NewPost(kind, f"{row.id}:{number}", post.place.id, now, competition=row.id))
        card = await self.write(found, _speaker(showing), choose_theme(post.place.effective))
        return Rendering(card, revision=row.revision)


class CompetitionNews(PostKind, Generic[C]):
    """News of a competition of one kind: the subject is its id and a number."""

    table: ClassVar[type[CompetitionTable[Any]]]

    @abstractmethod
    def write(self, found: C, speaker: Speaker) -> Card | None:
        """Return the card of the newest news of a competition, None without any."""

    async def render(self, showing: Showing) -> Rendering | None:
        """Return the news, None if there are newer ones."""
        table, post = self.table(self._context), showing.post
        row = await self._context.store.competitions.get(post.competition or "")
        if row is None:
            return None
        found = await table.keeper.read(self._context, row)
        card = self.write(found, _speaker(showing)) if _number_of(post) == table.newest_news(found) else None
        return None if card is None else Rendering(card, revision=row.revision, last=True)


def _number_of(post: Post) -> int:
    number = post.subject.rpartition(":")[2]
    return int(number) if number.isdecimal() else 0


def _speaker(showing: Showing) -> Speaker:
    place = showing.place
    return showing.context.speaker(place.language, place.platform)
