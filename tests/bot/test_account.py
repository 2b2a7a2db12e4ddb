"""Linking, what is stored about people, and forgetting them."""

import asyncio
import json
import re

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


async def test_a_code_joins_two_platforms_until_the_link_is_taken_apart(party: Party, code: str) -> None:
    assert "no link" in words(await party.say("anna", "/link off"))
    given = await party.say("anna", "/link")
    assert given.private
    assert "Linked" in words(await on_telegram(party, "annat", f"/link {code_in(given)}"))
    assert code in words(await on_telegram(party, "annat", "/games"))
    assert "on Telegram and on the local page" in words(await party.say("anna", "/link"))
    assert "does not work" in words(await on_telegram(party, "eve", f"/link {code_in(given)}"))
    assert "link is undone" in words(await on_telegram(party, "annat", "/link off"))
    assert await party.id_of("anna") != await party.id_of("annat")


async def test_wrong_own_and_expired_link_codes_are_refused(party: Party, code: str) -> None:
    for wrong in ("XXXXXXXX", "x", "'; drop table people", "K7QF" * 50):
        assert "does not work" in words(await party.command("anna", "link", code=wrong))
    link = code_in(await party.say("anna", "/link"))
    assert "you already" in words(await party.say("anna", f"/link {link}"))
    link = code_in(await party.say("anna", "/link"))
    assert f"game {code}" in words(await party.say("bruno", f"/link {link}")), "who play each other are two"
    link = code_in(await party.say("anna", "/link"))
    party.clock.turn(minutes=16)
    assert "does not work" in words(await on_telegram(party, "annat", f"/link {link}"))


async def test_a_code_works_once_even_for_two_at_once(party: Party) -> None:
    code = code_in(await party.say("anna", "/link"))
    replies = await asyncio.gather(*(on_telegram(party, who, f"/link {code}") for who in ("one", "two")))
    assert sorted("Linked" in words(reply) for reply in replies) == [False, True]


async def test_settings_lead_to_everything_stored_and_to_being_forgotten(duel: Party) -> None:
    await duel.say("anna", "/settings theme:dark")
    pressed = await duel.press("anna", button(card(await duel.say("anna", "/settings")), "privacy"))
    for reply in (await duel.say("anna", "/privacy"), pressed):
        assert reply.private
        assert "1 running game, 0 finished games" in words(reply)
        file = present(card(reply).file)
        assert json.loads(file.content)["person"][0]["settings"] == {"theme": "dark"}
        assert "bruno" not in file.content.decode().lower()
    assert "cannot be undone" in words(await duel.press("anna", button(card(pressed), "forget")))
    others = card(await duel.say("anna", "/settings for:channel"))
    assert "privacy" not in [read_press(each.press).deed for each in buttons(others)]


async def test_forgetting_takes_a_clear_yes_and_leaves_the_games_to_the_others(party: Party) -> None:
    first = await party.warm_up(await party.started(SQUARE))
    await party.say("anna", "/play annuvin")
    lobby = party.code
    asked = await party.press("anna", button(card(await party.say("anna", "/privacy")), "forget"))
    assert "cannot be undone" in words(asked)
    assert "nothing was changed" in words(await party.press("anna", labelled(card(asked), "No")))
    assert "out of date" in words(await party.press("bruno", labelled(card(asked), "Yes, forget me")))
    assert "You are forgotten" in words(await party.press("anna", labelled(card(asked), "Yes, forget me")))
    assert [(await party.load_row(code)).status for code in (first, lobby)] == ["over", "over"]
    listed = words(await party.say("bruno", "/leaderboard")).splitlines()
    assert listed[1:] == ["1. Bruno: 1 win, 0 draws, 0 losses"]
    history = words(await party.say("bruno", "/history"))
    assert "…" in history
    assert "Anna" not in history
    assert "not finished a game" in words(await party.say("anna", "/rematch"))


async def test_after_forgetting_boards_no_longer_say_the_name(party: Party) -> None:
    await party.started("/play vedova-nera seats:3", "bruno", "carla")
    await party.press("anna", f"forget!={await party.id_of('anna')}")
    assert "Anna" not in party.newest.text
    assert "… left the game" in party.newest.text
    assert party.mover in ("bruno", "carla")


async def test_boards_mention_a_linked_person_by_the_joined_account(party: Party, code: str) -> None:
    mover = party.mover
    before = await party.id_of(mover)
    given = code_in(await on_telegram(party, f"{mover}t", "/link"))
    await party.say(mover, f"/link {given}")
    row = await party.load_row(code)
    assert row.to_move not in (None, before)
    assert party.newest.card.mention == row.to_move
