"""Channels that want the day's puzzle, one more of each platform before each life of the program."""

from typing import Final

from storage import Store, utc_now
from tests.durability.world import Spot, World

POSTED: Final = """
SELECT count(*) FROM dailies WHERE place IN
(SELECT place FROM posts WHERE kind = 'daily' AND message IS NOT NULL AND due_at IS NULL)
"""


class Days:
    """Remembers the channels, and sees in the end that each has its message, once."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.spots: list[Spot] = []
        self._began_on = utc_now().date()

    async def wanted(self, number: int) -> None:
        """Have the day's puzzle wanted in two more channels, while the program does not run."""
        world = self._world
        channel = world.discord.text_channel(world.guild, f"daily{number}")
        chat = world.telegram.group(f"Daily {number}")
        spots = [("discord", channel.id, world.guild.id), ("telegram", str(chat.id), str(chat.id))]
        async with await Store.open(world.address) as store:
            for platform, here, group in spots:
                place = await store.places.get_or_create(platform, here, None, group)
                await store.daily.switch_on(place.id, 0, utc_now())
                self.spots.append((platform, here))

    async def posted(self) -> None:
        """Return when all of them have come and are noted."""
        world, count = self._world, len(self.spots)
        await world.until(("", ""), lambda: self._count() == count, "the puzzles of the day")

    def _count(self) -> int:
        (found,), *_ = self._world.ledger.rows(POSTED) or [(0,)]
        return int(found)

    def check(self) -> None:
        """Check that the message of a date came once to each channel, of the second date too if midnight has passed.

        On Telegram, which cannot tell that it was sent before, once more where the program died in that very moment.
        """
        twice, dates = 0, (utc_now().date() - self._began_on).days + 1
        for spot in self.spots:
            came = [message for message in self._world.boards[spot] if not message.deleted]
            assert came, f"nothing has come to {spot}"
            twice += max(0, len(came) - dates)
            assert len(came) <= dates or spot[0] == "telegram", f"{len(came)} messages in {spot}"
        assert twice <= self._world.lives, "more than one for each time it died"
