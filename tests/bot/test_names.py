"""People whose names look alike, show nothing, or look like those of computers: how all of them are told apart."""

from dataclasses import replace

from bot.kernel.requests import User
from bot.table.ratings import MIN_RATED_TURNS
from tests.bot.party import Party, button, words
from tests.support.present import present

GAME = "/play fagocitare seats:2"


async def say_as(party: Party, who: str, name: str, line: str) -> None:
    """Have somebody whose name is not that of their account type a line."""
    await party.front.typed_text(replace(party.request(who), user=User("web", who, name, "en")), line)
    await party.settle()


async def join_as(party: Party, who: str, name: str, handle: str | None = None) -> None:
    """Have somebody whose name is not that of their account join the newest game."""
    request = replace(party.request(who), user=User("web", who, name, "en", handle=handle))
    await party.front.press(request, button(party.newest.card, "join").press)
    await party.settle()


async def test_who_joins_second_under_the_same_name_has_a_number(party: Party) -> None:
    await party.say("anna", GAME)
    await join_as(party, "zoe", "\u0410NNA")
    table = await party.table()
    seats = {entry.person: present(entry.seat) for entry in table.row.seats}
    other = await party.id_of("\u0410NNA")
    assert table.names[seats[other]] == "\u0410NNA (2)"
    assert table.person_span(other).text == "\u0410NNA (2)"
    assert set(table.names) == {"Anna", "\u0410NNA (2)"}
    asked = table.names[present(table.mover)]
    assert asked in party.board.text


async def test_a_name_that_shows_nothing_is_the_username(party: Party) -> None:
    await party.say("anna", GAME)
    await join_as(party, "zoe", "\u3164 \u200b", handle="zoe_99")
    assert set((await party.table()).names) == {"Anna", "zoe_99"}


async def test_somebody_called_like_the_computer_is_none_of_the_computers(party: Party) -> None:
    await say_as(party, "zoe", "Computer (level 1)", "/play fagocitare computer 1")
    assert set((await party.table()).names) == {"\u201cComputer (level 1)\u201d", "Computer (level 1)"}


async def test_a_leaderboard_tells_equal_names_apart(party: Party) -> None:
    await party.say("anna", GAME)
    anna = await party.id_of("Anna")
    await join_as(party, "zoe", "Anna")
    for _ in range(2 * MIN_RATED_TURNS):
        table = await party.table()
        who = "anna" if table.person_at(table.mover) == anna else "zoe"
        await say_as(party, who, "Anna", f"/move {await party.legal()}")
    await party.resign("anna")
    shown = words(await party.say("anna", "/leaderboard"))
    assert [line.partition(":")[0] for line in shown.splitlines() if "Anna" in line] == ["1. Anna", "2. Anna (2)"]
