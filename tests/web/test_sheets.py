"""What the page's sheets are given besides their texts: people, figures, what can be done; readable without scripts."""

from dataclasses import fields
from typing import Any

from pydantic import TypeAdapter

from bot.kernel.cards import Button, Card, PageContent, Panel, PanelItem, Style
from bot.kernel.texts import Span
from bot.platforms.web.present import card_to_json
from bot.platforms.web.room import without_people
from storage.shapes import RoomCard
from tests.support.settling import Settler
from tests.web.browser import Browser, Tab
from tests.web.hall import Hall


async def newest_sheet(tab: Tab) -> dict[str, Any]:
    """Return the card on a person's sheet."""
    found: list[dict[str, Any]] = [each["card"] for each in await tab.sees() if each.get("sheet")]
    return found[-1]


async def test_a_competition_has_its_people_as_tiles_that_lead_to_their_profiles(hall: Hall) -> None:
    await hall.anna.say("/ladder annuvin clock:1d")
    await hall.settled()
    for tab in (hall.anna, hall.bruno):
        await hall.press_newest(tab, "ladder=join.")
    await hall.eve.say("/ladder")
    (listed,) = (await newest_sheet(hall.eve))["panels"]
    await hall.eve.press((await hall.eve.sees())[-1]["id"], listed["tiles"][0]["press"])
    card = await newest_sheet(hall.eve)
    (people,) = card["panels"]
    assert [(each["lead"], each["label"]) for each in people["tiles"]] == [("1", "Anna"), ("2", "Bruno")]
    assert any(each["press"].startswith("ladder=join.") for each in card["actions"])
    # The same is read without scripts.
    page = (await hall.eve.browser.get(f"/sheet?as={hall.eve.me['user']}")).data
    assert "Bruno" in str(page)
    await hall.eve.press((await hall.eve.sees())[-1]["id"], people["tiles"][1]["press"])
    assert "Bruno" in "".join(span["text"] for span in (await newest_sheet(hall.eve))["text"])


async def test_a_browser_without_a_name_is_led_to_the_page_that_asks_for_one(hall: Hall) -> None:
    async with Browser(hall.eve.browser.address) as other:
        page = await other.get("/sheet")
        assert (page.status, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
        assert page.data == (await other.get("/")).data


async def test_a_game_that_is_played_now_is_a_tile_that_opens_it(hall: Hall) -> None:
    await hall.anna.say("/ladder annuvin clock:1d")
    await hall.settled()
    for tab in (hall.anna, hall.bruno):
        await hall.press_newest(tab, "ladder=join.")
    settler = Settler(hall.front)
    await settler.settle()
    await hall.press_newest(hall.bruno, "ladder=mine.")
    await hall.press_newest(hall.bruno, "ladder=challenge.")
    await settler.settle()
    await hall.press_newest(hall.anna, "ladder=mine.")
    await hall.press_newest(hall.anna, "ladder=accept.")
    await settler.settle()
    await hall.press_newest(hall.eve, "ladder=table.")
    going, people = (await newest_sheet(hall.eve))["panels"]
    (tile,) = going["tiles"]
    assert tile["label"] == "Bruno – Anna"
    assert tile["game"] == "annuvin"
    row = await hall.game(tile["code"])
    assert (row.status, row.revision) == ("playing", tile["revision"])
    assert [each["label"] for each in people["tiles"]] == ["Anna", "Bruno"]
    # It lies on the table of who looks at it.
    assert (await hall.eve.looks(tile["code"]))["table"]["code"] == tile["code"]


def test_who_is_forgotten_goes_from_the_panels_as_well() -> None:
    tile = {
        "label": "Bruno",
        "note": "",
        "lead": "1",
        "press": "",
        "person": None,
        "code": "",
        "game": "",
        "revision": 0,
    }
    card: dict[str, Any] = {"text": [{"text": "Ladder"}], "page": {"panels": [{"title": "Here", "tiles": [tile]}]}}
    assert without_people(card, {7}, {"Carla"}) is None
    for people, names, shown in (({7}, {"Bruno"}, tile), ({7}, {"Carla"}, {**tile, "person": 7})):
        card["page"]["panels"][0]["tiles"] = [shown]
        assert "page" not in (without_people(card, people, names) or {"page": None})


SAMPLES: dict[object, Any] = {str: "word", int: 7, int | None: 7, bool: True, Style: "primary", tuple[int, ...]: (7,)}
"""A value of each type that a button or an item of a panel has."""


def fill(kind: type[Any]) -> Any:
    """Return one in which every field says something."""
    return kind(**{each.name: SAMPLES[each.type] for each in fields(kind)})


def test_all_that_a_button_and_a_panel_say_can_be_stored_and_read() -> None:
    button, panel = fill(Button), Panel("People", (fill(PanelItem),))
    page = PageContent((Span("Less."),), panels=(panel,), actions=(button,))
    stored = card_to_json(Card((Span("More."),), rows=((button,),), page=page))
    assert TypeAdapter(RoomCard).validate_python(stored)
