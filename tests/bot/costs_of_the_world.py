"""What the world is shown and told, and what it costs: shared games, their pages, webhooks."""

from aiohttp.test_utils import make_mocked_request

from bot.interface.presses import press as press_text
from bot.public.consent import Missing
from bot.public.site import PublicSite
from bot.webhooks.job import WebhookDeliveries
from bot.webhooks.sender import Sender
from tests.bot.costs import Prepared, begins, kind, press, script, typed
from tests.bot.ladders import a_ladder
from tests.bot.party import Party, button, card

HOOK = "/webhook address:https://93.184.216.34/hook"
"""An address without a name: nobody is asked where it leads."""


class DeafSender(Sender):
    """A sender whose messages all arrive, without a network."""

    async def send(self, address: str, secret: str, delivery: str, timestamp: int, body: bytes) -> None:
        """Send nothing."""


@begins
async def public(party: Party) -> str:
    """Return the code of a game that the world may see."""
    party.managers.add("meg")
    await party.say("meg", "/settings public:on for:channel")
    return await party.started()


script("Share, pressed first for a public game", "public", "anna does share:CODE:0")


script("Share, pressed again", "public", "anna does share:CODE:0", "anna does share:CODE:0")


class Reader:
    """Somebody who reads the page of a game that has been shared."""

    def __init__(self, party: Party, page: str) -> None:
        self._party = party
        self._page = page
        self._site = PublicSite(party.front.context, lambda _: "")

    async def read(self) -> None:
        """Read the page in English."""
        allowed = await self._site.consent.look_up(self._page)
        assert not isinstance(allowed, Missing)
        await self._site.pages.html(allowed, self._party.front.context.texts.speaker("en"), None, "")


async def a_reader(party: Party) -> Reader:
    """Return a reader of a game in which one turn has been played."""
    await press(party, "anna", press_text("share", await public(party), 0))
    await party.say(party.mover, "/move b1-b2")
    return Reader(party, (await party.store.public.find_ids("game", [party.code]))[party.code])


@kind("the page of a public game")
async def page_read(party: Party) -> Prepared:
    return (await a_reader(party)).read()


@kind("the page of a public game, read by the next")
async def page_read_by_the_next(party: Party) -> Prepared:
    reader = await a_reader(party)
    await reader.read()
    return reader.read()


@kind("the page of a public game, read after a turn")
async def page_read_after_a_turn(party: Party) -> Prepared:
    reader = await a_reader(party)
    await reader.read()
    await party.say(party.mover, "/move b5-b4")
    return reader.read()


class Client:
    """Somebody who asks the pages and the reading interface for something, by its path."""

    def __init__(self, party: Party) -> None:
        self._site = PublicSite(party.front.context, lambda _: "")

    async def get(self, route: str, **values: str) -> None:
        """Ask for a route whose variable parts have these values."""
        (found,) = [each for each in self._site.routes() if each.path == route and each.method == "GET"]
        request = make_mocked_request("GET", route.format(**values), match_info=values)
        assert (await found.handler(request)).status == 200


async def a_public_ladder(party: Party) -> tuple[str, str]:
    """Return the code and the page of a ladder of two that the world may see."""
    party.managers.add("meg")
    await party.say("meg", "/settings public:on for:channel")
    code = await a_ladder(party, "/ladder annuvin clock:1d", "anna", "bruno")
    return code, (await party.store.public.create_ids("competition", [code], party.clock()))[code]


@kind("the table of a public ladder, with the address of its page")
async def ladder_table(party: Party) -> Prepared:
    code, _ = await a_public_ladder(party)
    return press(party, "anna", f"ladder=table.{code}")


@kind("the page of a ladder")
async def ladder_page(party: Party) -> Prepared:
    _, page = await a_public_ladder(party)
    return Client(party).get("/ladder/{id}", id=page)


@kind("the page of a ladder, read by the next")
async def ladder_page_again(party: Party) -> Prepared:
    _, page = await a_public_ladder(party)
    client = Client(party)
    await client.get("/ladder/{id}", id=page)
    return client.get("/ladder/{id}", id=page)


@kind("a public game as data")
async def game_as_data(party: Party) -> Prepared:
    code = await public(party)
    page = (await party.store.public.create_ids("game", [code], party.clock()))[code]
    return Client(party).get("/api/v1/games/{id}", id=page)


script("a profile that has a page", "anna: /settings profile:public", "anna: /profile")


@kind("/webhook")
async def webhook(party: Party) -> Prepared:
    party.managers.add("meg")
    await party.say("meg", "/help")
    return typed(party, "meg", HOOK)


@kind("a webhook is taken away")
async def webhook_removed(party: Party) -> Prepared:
    party.managers.add("meg")
    return press(party, "meg", button(card(await party.say("meg", HOOK)), "unhook").press)


@kind("a turn is sent to a webhook")
async def webhook_told(party: Party) -> Prepared:
    job = party.front.jobs["webhooks"]
    assert isinstance(job, WebhookDeliveries)
    job.sender = DeafSender()
    party.managers.add("meg")
    await party.say("meg", HOOK)
    await party.started()
    await job.run_until_idle()
    await party.say(party.mover, "/move b1-b2")
    return job.run_until_idle()
