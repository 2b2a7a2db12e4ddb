"""Linking, what is stored about people, and forgetting them."""

import asyncio
import json
import re

import pytest

from bot.kernel.presses import read_press
from bot.kernel.requests import Place, Reply, Request, User
from tests.bot.party import SQUARE, Party, button, buttons, card, labelled, words
from tests.support.present import present

CHAT = Place("telegram", "chat")


async def on_telegram(party: Party, user: str, line: str) -> Reply:
    """Have somebody type a line on another platform."""
    party.numbers += 1
    request = Request(f"t{party.numbers}", User("telegram", user, user.capitalize(), "en"), CHAT)
    reply = await party.front.typed_text(request, line)
    await party.front.delivery.run_until_idle()
    return reply


def code_in(reply: Reply) -> str:
    match = re.search(r"code is (\w+)", words(reply))
    assert match
    return match[1]


async def test_a_code_joins_two_platforms_and_the_games_follow(party: Party, code: str) -> None:
    given = await party.say("anna", "/link")
    assert given.private
    assert "Linked" in words(await on_telegram(party, "annat", f"/link {code_in(given)}"))
    assert code in words(await on_telegram(party, "annat", "/games"))
    assert "on Telegram and on the local page" in words(await party.say("anna", "/link"))
    assert "does not work" in words(await on_telegram(party, "eve", f"/link {code_in(given)}"))


async def test_a_link_is_taken_apart(party: Party) -> None:
    assert "no link" in words(await party.say("anna", "/link off"))
    code = code_in(await party.say("anna", "/link"))
    await on_telegram(party, "annat", f"/link {code}")
    assert "link is undone" in words(await on_telegram(party, "annat", "/link off"))
    people = [await party.store.people.find(name) for name in ("anna", "annat")]
    assert people[0][0].id != people[1][0].id


@pytest.mark.parametrize("code", ["XXXXXXXX", "x", "'; drop table people", "K7QF" * 50])
async def test_wrong_link_code_is_refused(party: Party, code: str) -> None:
    assert "does not work" in words(await party.command("anna", "link", code=code))


async def test_link_code_is_refused_for_its_owner_and_after_expiry(party: Party) -> None:
    code = code_in(await party.say("anna", "/link"))
    assert "you already" in words(await party.say("anna", f"/link {code}"))
    code = code_in(await party.say("anna", "/link"))
    party.clock.turn(minutes=16)
    assert "does not work" in words(await on_telegram(party, "annat", f"/link {code}"))


async def test_a_code_works_once_even_for_two_at_once(party: Party) -> None:
    code = code_in(await party.say("anna", "/link"))
    replies = await asyncio.gather(*(on_telegram(party, who, f"/link {code}") for who in ("one", "two")))
    assert sorted("Linked" in words(reply) for reply in replies) == [False, True]


async def test_linking_with_a_current_opponent_is_refused(party: Party, code: str) -> None:
    link = code_in(await party.say("anna", "/link"))
    assert f"game {code}" in words(await party.say("bruno", f"/link {link}"))


async def test_everything_stored_is_shown_as_a_file(duel: Party) -> None:
    await duel.say("anna", "/settings theme:dark")
    reply = await duel.say("anna", "/privacy")
    assert reply.private
    assert "1 running game, 0 finished games" in words(reply)
    file = present(card(reply).file)
    assert json.loads(file.content)["person"][0]["settings"] == {"theme": "dark"}
    assert "bruno" not in file.content.decode().lower()


async def test_forgetting_takes_a_clear_yes_and_leaves_the_games_to_the_others(party: Party) -> None:
    first = await party.warm_up(await party.started(SQUARE))
    await party.say("anna", "/play annuvin")
    lobby = party.code
    asked = await party.press("anna", button(card(await party.say("anna", "/privacy")), "forget"))
    assert "cannot be undone" in words(asked)
    assert "nothing was changed" in words(await party.press("anna", labelled(card(asked), "No")))
    assert "out of date" in words(await party.press("bruno", labelled(card(asked), "Yes, forget me")))
    assert "You are forgotten" in words(await party.press("anna", labelled(card(asked), "Yes, forget me")))
    rows = {code: await party.store.games.get(code) for code in (first, lobby)}
    assert [row.status for row in rows.values() if row] == ["over", "over"]
    board = await party.say("bruno", "/leaderboard")
    assert words(board).splitlines()[1:] == ["1. Bruno: 1 win, 0 draws, 0 losses"]
    assert "…" in words(await party.say("bruno", "/history"))
    assert all("Anna" not in line for line in words(await party.say("bruno", "/history")).splitlines())
    assert "not finished a game" in words(await party.say("anna", "/rematch"))


async def test_after_forgetting_boards_no_longer_say_the_name(party: Party) -> None:
    await party.started("/play vedova-nera seats:3", "bruno", "carla")
    await party.press("anna", f"forget!={await party.id_of('anna')}")
    assert "Anna" not in party.newest.text
    assert "… left the game" in party.newest.text
    assert party.mover in ("bruno", "carla")


async def test_settings_lead_to_everything_stored_and_to_being_forgotten(party: Party) -> None:
    shown = await party.press("anna", button(card(await party.say("anna", "/settings")), "privacy"))
    assert shown.private
    assert card(shown).file is not None
    assert "cannot be undone" in words(await party.press("anna", button(card(shown), "forget")))
    others = card(await party.say("anna", "/settings for:channel"))
    assert "privacy" not in [read_press(each.press).deed for each in buttons(others)]


async def test_boards_mention_a_linked_person_by_the_joined_account(party: Party, code: str) -> None:
    mover = party.mover
    (before,) = await party.store.people.find(mover)
    given = code_in(await on_telegram(party, f"{mover}t", "/link"))
    await party.say(mover, f"/link {given}")
    row = await party.load_row(code)
    assert row.to_move not in (None, before.id)
    assert party.newest.card.mention == row.to_move
