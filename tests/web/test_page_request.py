"""What a browser gives to chance is untrusted: whatever is no hash, or no game, is no gift."""

from typing import Any, Final

from bot.kernel.requests import ClientEntropy, Reply
from tests.web.browser import Tab
from tests.web.front import FakeFront

LINK: Final = "0123456789abcdef" * 4
END: Final = "f" * 64


GIFTS: tuple[tuple[Any, ClientEntropy | None], ...] = (
    ({"chain": END}, ClientEntropy(chain=END)),
    ({"game": "7K3QXD", "link": LINK}, ClientEntropy(game="7K3QXD", link=LINK)),
    ({"chain": END, "game": "7K3QXD"}, ClientEntropy(chain=END, game="7K3QXD")),
    ({"chain": END, "game": "7K3QXD", "link": LINK}, ClientEntropy(END, "7K3QXD", LINK)),
    ({"chain": END.upper()}, ClientEntropy()),
    ({"chain": END + "f"}, ClientEntropy()),
    ({"chain": f"{END}\n"}, ClientEntropy()),
    ({"chain": [END]}, ClientEntropy()),
    ({"game": "../../x", "link": LINK}, ClientEntropy(link=LINK)),
    ({"game": "7K3QXD", "link": LINK[:-1], "chain": END}, None),
    ({"game": "7K3QXD", "link": [LINK, LINK], "chain": END}, None),
    ({"game": "7K3QXD", "link": 7}, None),
    ([END], None),
    (END, None),
    (None, None),
)


async def test_chance_contribution_is_accepted_only_if_valid(anna: Tab, front: FakeFront) -> None:
    front.replies["/play"] = Reply()
    for given, taken in GIFTS:
        assert (await anna.say("/play", chance=given)).status == 200
        _, request = front.done[-1]
        assert (request.ids, request.pledge) == ("chosen", taken), given
    assert len(front.done) == len(GIFTS)


async def test_a_page_gives_to_the_lot_by_itself(anna: Tab, bruno: Tab, front: FakeFront) -> None:
    front.replies["begin:7K3QXD:0"] = Reply()
    answer = await anna.send("/api/begin", game="7K3QXD", chance={"game": "7K3QXD", "link": LINK})
    assert (answer.status, answer.data) == (200, {})
    ((press, request),) = front.done
    assert (press, request.user.id) == ("begin:7K3QXD:0", anna.me["user"])
    assert request.pledge == ClientEntropy(None, "7K3QXD", LINK)
    assert await anna.sees() == []
    assert (await anna.send("/api/begin", game="7K3QX=")).refusal == "no-such-game"
    forged = {"as": anna.me["user"], "event": "event0001", "game": "7K3QXD"}
    assert ((await bruno.browser.post("/api/begin", forged)).refusal, len(front.done)) == ("not-yours", 1)
