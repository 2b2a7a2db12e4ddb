"""What is suggested while somebody types."""

from tests.web.browser import Json, Tab, Two


async def suggested(tab: Tab, text: str, rest: str = "") -> list[Json]:
    """Return the suggestions for a text with the cursor before its rest."""
    answer = await tab.send("/api/complete", text=text + rest, cursor=len(text))
    assert answer.status == 200
    items: list[Json] = answer.data["items"]
    return items


async def labels(tab: Tab, text: str) -> list[str]:
    """Return what is shown of the suggestions."""
    return [item["label"] for item in await suggested(tab, text)]


async def test_commands_are_suggested_with_descriptions(anna: Tab) -> None:
    every = await suggested(anna, "/")
    assert {"/play", "/move", "/help"} <= {item["label"] for item in every}
    assert all(item["about"] for item in every)
    assert not any(item["likely"] for item in every)
    (play, _) = await suggested(anna, "/pl")
    assert (play["text"], play["cursor"], play["likely"]) == ("/play ", 6, True)
    (help_,) = await suggested(anna, "/help")
    assert (help_["text"], help_["likely"]) == ("/help", False), "what is typed in full is sent by Enter"
    assert await suggested(anna, "/nothing") == []
    (play, _) = await suggested(anna, "/pla", " annuvin")
    assert (play["text"], play["cursor"]) == ("/play  annuvin", 6), "what is after the cursor stays"


async def test_values_come_from_the_front(anna: Tab) -> None:
    (game,) = await suggested(anna, "/rules ann")
    assert (game["label"], game["text"]) == ("Annuvin", "/rules annuvin ")
    moves = await suggested(anna, "/move b1")
    assert ([item["text"] for item in moves], len(await suggested(anna, "/move "))) == (["/move b1-b2"], 2)


async def test_people_in_the_room_are_suggested(browsers: Two, anna: Tab) -> None:
    await browsers[1].name("Bruno")
    await browsers[1].name("Carla Maria")
    found = {item["label"]: item["text"] for item in await suggested(anna, "/play annuvin @")}
    assert found == {"@Bruno": "/play annuvin @Bruno ", "@Carla Maria": '/play annuvin @"Carla Maria" '}
    assert await labels(anna, '/play annuvin @"carla m') == ["@Carla Maria"]


async def test_what_needs_nothing_added_is_sent_by_enter(anna: Tab) -> None:
    begun = (await suggested(anna, "/play annuvin compute"))[0]
    assert (begun["text"], begun["whole"]) == ("/play annuvin computer:", "/play annuvin computer")
    assert begun["likely"]
    assert not (await suggested(anna, "/play annuvin computer"))[0]["likely"]
    assert (await suggested(anna, "/play annuvin board"))[0]["likely"], "a board has to be named"


async def test_options_are_suggested_by_name_then_by_value(anna: Tab) -> None:
    assert "board:" in await labels(anna, "/play annuvin ")
    assert "seats:" not in await labels(anna, "/play annuvin "), "Annuvin is for two"
    (board,) = await suggested(anna, "/play annuvin bo")
    assert board["text"] == "/play annuvin board:"
    assert {"en", "it"} <= set(await labels(anna, "/settings language:"))
    (italian,) = await suggested(anna, "/settings language:i")
    assert italian["text"] == "/settings language:it "


async def test_what_looks_like_a_move_can_be_played_or_said(anna: Tab) -> None:
    move, talk = await suggested(anna, "b1-b2")
    assert (move["text"], move["likely"], move["talk"]) == ("/move b1-b2", True, False)
    assert (talk["text"], talk["likely"], talk["talk"]) == ("b1-b2", False, True)
    assert await suggested(anna, "z9-z8") == [], "no such move"
    assert await suggested(anna, "I think b1-b2 is best") == []


async def test_completion_accepts_odd_input(anna: Tab) -> None:
    odd = ("", " ", "/ ", "//", '/play "', "/play \x00", "/play ::", "/play board:=:", "/é", "@", "/move \u202e")
    for item in [each for text in odd for each in await suggested(anna, text)]:
        assert item["text"].startswith("/")
