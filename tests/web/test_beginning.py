"""Beginning a game on the page, as its server tells it: what opens at once, what is offered, to whom a link invites."""

from engine import games
from tests.support.comparing import missing_from
from tests.support.present import present
from tests.web.browser import Browser, Json, Tab, list_buttons
from tests.web.hall import Hall, read_status


async def opens(tab: Tab, line: str) -> str | None:
    """Type a line; return the code of the game that is to be opened for it."""
    opened: str | None = (await tab.say(line)).data.get("open")
    return opened


async def sees(tab: Tab, code: str) -> tuple[str, list[str]]:
    """Return the words of a game's board as somebody reads them, and the labels of its buttons."""
    board = await tab.looks(code)
    return "".join(span["text"] for span in board["card"]["text"]), [each["label"] for each in list_buttons(board)]


async def pressed(tab: Tab, code: str, label: str) -> str | None:
    """Press a button of a game's board; return the code of the game that is to be opened for it."""
    press = next(each["press"] for each in list_buttons(await tab.looks(code)) if each["label"] == label)
    answer = await tab.send("/api/press", press=press, message=None)
    assert answer.status == 200, answer.data
    opened: str | None = answer.data.get("open")
    return opened


async def test_game_opens_when_its_player_creates_or_joins_it(hall: Hall) -> None:
    known = {hall.code}
    for line in ("/play annuvin computer", "/play real-queen", "/play fagocitare @Bruno"):
        code = present(await opens(hall.anna, line))
        assert code not in known, line
        known.add(code)
    # A person who takes a reserved seat is led there as well, and so is the one who starts the game.
    assert await opens(hall.bruno, f"/join {code}") == code
    assert await opens(hall.anna, "/resign now") is None
    web = present(await opens(hall.anna, "/play vedova-nera seats:3"))
    assert (await opens(hall.eve, f"/join {web}"), await pressed(hall.anna, web, "Start")) == (web, web)


async def test_new_game_panel_offers_all_options_of_the_rules(hall: Hall) -> None:
    hello = (await hall.anna.browser.get("/api/hello?language=it")).data
    assert [each["key"] for each in hello["games"]] == list(games)
    for each in hello["games"]:
        game = games[each["key"]]
        assert each["seats"] == [game.seats[0], game.seats[-1]]
        assert {option["name"] for option in each["options"]} == set(game.options)
        for option in each["options"]:
            values = [value["value"] for value in option["values"]]
            assert values == [str(value) for value in game.options[option["name"]].values]
            assert option["usual"] in values
    assert [each["value"] for each in hello["choices"]["levels"]] == ["1", "2", "3", "4", "5"]
    none, evening, *_ = hello["choices"]["clocks"]
    assert none["values"] == [{"value": "none", "label": "senza orologio"}]
    assert [each["value"] for each in evening["values"]] == ["5+5", "15+10", "30+20"]


async def test_a_link_says_who_invites_to_which_game(hall: Hall) -> None:
    code = present(await opens(hall.anna, "/play real-queen"))
    async with Browser(hall.anna.browser.address) as stranger:

        async def invitation(link: str, language: str = "en") -> Json | None:
            found: Json | None = (await stranger.get(f"/api/hello?language={language}&join={link}")).data["invitation"]
            return found

        asked = present(await invitation(code))
        assert (asked["game"], asked["status"], asked["names"]) == ("real-queen", "lobby", ["Anna"])
        assert asked["title"] == "Real Queen"
        playing = present(await invitation(hall.code.lower(), "it"))
        assert (playing["status"], sorted(playing["names"])) == ("playing", ["Anna", "Bruno"])
        for nothing in ("", "ABC", "ZZZZZZ", "%00", "<script>"):
            assert await invitation(nothing) is None
        await pressed(hall.anna, code, "Call it off")
        assert await invitation(code) is None, "nobody is invited any more"


async def test_a_finished_board_says_for_whom_the_next_game_waits(hall: Hall) -> None:
    await hall.anna.send("/api/press", press=f"resign!:{hall.code}:{(await hall.game()).revision}", message=None)
    assert (await sees(hall.anna, hall.code))[1][:2] == ["Play again", "New game"]
    again = present(await pressed(hall.anna, hall.code, "Play again"))
    waits = "Anna would like to play again: the new game waits for Bruno."
    text, labels = await sees(hall.anna, hall.code)
    assert waits in text
    assert labels[0] == "To the new game"
    assert await pressed(hall.anna, hall.code, "To the new game") == again, "asked for once, not twice"
    text, labels = await sees(hall.bruno, hall.code)
    assert waits in text
    assert labels[:2] == ["Accept", "Decline"]
    spans = (await hall.bruno.looks(hall.code))["card"]["text"]
    assert waits in "".join(span["text"] for span in spans if span.get("pinned")), "what is asked stays in sight"
    await pressed(hall.bruno, hall.code, "Decline")
    # That came to nothing: it can be asked for again.
    text, labels = await sees(hall.anna, hall.code)
    assert "would like" not in text
    assert labels[0] == "Play again"
    once_more = await pressed(hall.bruno, hall.code, "Play again")
    assert once_more not in (None, again)
    assert await pressed(hall.anna, hall.code, "Accept") == once_more
    await hall.bruno.begin(str(once_more))
    text, labels = await sees(hall.anna, hall.code)
    assert "The next game has begun." in text
    assert labels[0] == "To the new game"


async def test_unknown_opponent_is_reported_with_known_people(hall: Hall) -> None:
    assert await opens(hall.anna, "/play real-queen @nobody") is None, "first of all they read why nobody answers"
    said = await read_status(hall.anna)
    assert missing_from(said, "Nobody called nobody has been here yet", "Bruno", "Eve") == []
    code = present(await opens(hall.anna, "/play real-queen @computer"))
    assert "Computer (level 2)" in (await hall.anna.looks(code))["table"]["names"]
