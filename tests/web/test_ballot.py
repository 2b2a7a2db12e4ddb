"""The ballot of the page, where anybody may come under any number of names: who votes was there before the game."""

from contextlib import AsyncExitStack

from bot.kernel.texts import Texts
from bot.platforms.web.room import ChatRoom
from bot.platforms.web.sessions import MAX_BROWSERS_PER_HOUR
from storage import Store
from tests.bot.party import Quick
from tests.support.fronts import make_front
from tests.support.settling import Settler
from tests.web.browser import Browser, Tab
from tests.web.front import serve_page
from tests.web.hall import Hall, find_newest_button, read_status

VISITORS = MAX_BROWSERS_PER_HOUR + 2


async def started(hall: Hall, line: str) -> tuple[str, str]:
    """Have Anna start a game of the room and propose a turn; return its code and the press of a vote for that."""
    code = (await hall.anna.say(line)).data["open"]
    await Settler(hall.front).settle(thinking=True)
    table = await hall.front.context.table(code)
    await hall.anna.say(f"/move {table.playing.state.legal_actions()[0].text} game:{code}")
    await hall.settled()
    return code, f"vote:{code}:{table.row.revision}=1"


async def vote(tab: Tab, code: str, press: str) -> None:
    """Have somebody vote for the first proposal, below the board."""
    message, _ = await find_newest_button(tab, f"suggest:{code}")
    await tab.press(message, press)


async def count_votes(hall: Hall, code: str) -> int:
    return sum(proposal.votes for proposal in await hall.store.teams.proposals(code))


async def arrive(stack: AsyncExitStack, address: str) -> list[Tab]:
    """Have many visitors without cookies come from one address; return those who got a name."""
    come = list[Tab]()
    for number in range(VISITORS):
        browser = await stack.enter_async_context(Browser(address))
        answer = await browser.post("/api/names", {"name": f"Visitor {number}"})
        assert answer.status == 200 or answer.refusal == "too-many-browsers"
        if answer.status == 200:
            come.append(Tab(browser, answer.data["name"]))
    return come


async def test_visitors_who_come_after_the_start_have_no_vote(hall: Hall) -> None:
    code, press = await started(hall, "/team annuvin computer 1")
    await vote(hall.eve, code, press)
    assert await count_votes(hall, code) == 2, "who was here before has one"
    async with AsyncExitStack() as stack:
        come = await arrive(stack, hall.anna.browser.origin)
        assert 0 < len(come) <= MAX_BROWSERS_PER_HOUR
        for visitor in come[:2]:
            await vote(visitor, code, press)
        assert await count_votes(hall, code) == 2
        assert "Who votes was settled at the start" in await read_status(come[0])
        await hall.anna.say('/team admit:@"Visitor 0"')
        await vote(come[0], code, press)
        assert await count_votes(hall, code) == 3


async def test_where_all_may_vote_one_address_brings_only_so_many(hall: Hall) -> None:
    code, press = await started(hall, "/team annuvin computer 1 voters:everyone")
    async with AsyncExitStack() as stack:
        come = await arrive(stack, hall.anna.browser.origin)
        message, _ = await find_newest_button(come[0], f"suggest:{code}")
        for visitor in come:
            await visitor.press(message, press)
    assert await count_votes(hall, code) == 1 + len(come)
    assert len(come) == MAX_BROWSERS_PER_HOUR - 3, "three have come before"


async def test_the_operator_says_how_many_may_come_from_one_address(store: Store, texts: Texts, room: ChatRoom) -> None:
    front = make_front(store, texts=texts, thinkers=Quick(), adapters=[room])
    async with AsyncExitStack() as stack:
        stack.push_async_callback(front.close)
        page = serve_page(front, store, texts, room, newcomers_per_hour=VISITORS - 1)
        server = await stack.enter_async_context(page)
        assert len(await arrive(stack, server.address.rstrip("/"))) == VISITORS - 1
