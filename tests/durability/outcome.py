"""What must be true in the end."""

from collections.abc import Sequence
from typing import Final

from bot.kernel.cards import Card, Menu
from bot.kernel.texts import Texts
from bot.outbox.boards import BoardPost
from bot.platforms.discord.errors import UNKNOWN_MESSAGE
from bot.platforms.telegram.client import NO_TEXT
from bot.platforms.telegram.layout import build_keyboard
from bot.platforms.telegram.markup import list_presses
from storage import Store
from tests.durability.matches import Match
from tests.durability.people import Player
from tests.durability.world import World, list_payloads
from tests.support.fronts import make_front

TEXTS: Final = Texts()
KNOWN: Final = ("query is too old", "message is not modified", "message to delete not found", NO_TEXT)
"""What Telegram may refuse: what a new life says once more that does not know what the one before has said.

So are words in place of a picture, where drawing it took too long; then the caption is edited.
"""


async def wait_until_settled(world: World) -> None:
    """Return when all that people did is handled and every board is up to date; old ones may wait to be retired."""

    def all_done() -> bool:
        return world.telegram.listening and world.connected and world.ledger.behind() == 0

    await world.until(("", ""), all_done, "the end of it all")


def check_causes(world: World, players: Sequence[Player]) -> None:
    """Check that what people did was done once at most, on Telegram exactly once, and nothing else was done."""
    sent = {cause: what for player in players for cause, what in player.sent.items()}
    done: dict[tuple[str, int], int] = {}
    for code, events in world.ledger.games.items():
        computers = world.ledger.computers(code)
        for event in events:
            if event.kind != "action" or event.data.get("auto") or "draw" in event.data:
                continue
            if event.cause is None and event.data["seat"] in computers:
                continue
            assert event.cause in sent, f"{event} was nobody's doing"
            game, revision, action = sent[event.cause]
            assert (game, action) == (code, event.data["action"]), (
                f"{event} was asked for as {action} in {game} at {revision}; around it {events[event.number - 4 :][:8]}"
            )
            done[game, revision] = done.get((game, revision), 0) + 1
    assert set(done) == {(game, revision) for game, revision, _ in sent.values() if game}
    assert set(done.values()) <= {1}


def presses(card: Card, platform: str) -> set[str]:
    """Return what can be pressed below a card; on Telegram cells may stand there in place of their columns."""
    if platform == "telegram":
        return set(list_presses(build_keyboard(card, TEXTS.speaker("en"))))
    buttons = [each for row in card.rows for each in (row.options if isinstance(row, Menu) else row)]
    return {button.press for button in buttons if not button.disabled}


async def check_boards(world: World, matches: Sequence[Match]) -> None:
    """Check that all boards show what is stored, and that old ones cannot be pressed."""
    found = [error.description for _, error in world.telegram.refused]
    unknown = [each for each in found if not any(known in each for known in KNOWN)]
    assert unknown == [], unknown
    # Pressed twice, a private question may be gone when the second press is answered.
    assert {error.code for _, error in world.discord.refused} <= {UNKNOWN_MESSAGE}, world.discord.refused
    async with await Store.open(world.address) as store:
        tavoliere = make_front(store)
        for match in matches:
            for post in await store.posts.list_for_game(match.code):
                spot = (post.place.platform, post.place.channel)
                message = next(each for each in world.boards[spot] if str(each.id) == post.message)
                table = await tavoliere.context.table(match.code)
                card = await BoardPost(tavoliere.context).card(table, post.place)
                shown = set(list_payloads(message))
                lacking = presses(card, post.place.platform) - shown
                assert not lacking, (match.code, spot, lacking, post)
                later = set(post.stale_messages)
                pressable = [
                    each
                    for each in world.boards[spot]
                    if str(each.id) not in later and any(f":{match.code}:" in press for press in list_payloads(each))
                ]
                # What was sent just before a kill, and not noted any more, stays as it was until somebody presses it.
                assert message in pressable
                offered = [(each.id, list_payloads(each)[:2]) for each in pressable]
                assert len(pressable) <= world.lives, (match.code, spot, message.id, offered)
