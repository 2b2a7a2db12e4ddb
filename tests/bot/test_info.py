"""Help, rules, my games, leaderboards, settings, completions, records."""

from dataclasses import replace
from importlib.metadata import version

import pytest

from bot.kernel.requests import Place
from engine import games
from tests.bot.party import SQUARE, Party, button, buttons, card, labelled, missing, words
from tests.bot.test_monthly import lose


async def test_help_is_short_and_leads_on(party: Party) -> None:
    reply = await party.say("anna", "/help")
    assert reply.private
    assert "Welcome" in words(reply)
    assert words(reply).splitlines()[-1] == f"Tavoliere {version('tavoliere')}"
    assert len(buttons(card(await party.press("anna", labelled(card(reply), "Start a game"))))) == 2 * len(games)


async def test_help_uses_the_language_of_the_reader(party: Party) -> None:
    party.languages["anna"] = "it-IT"
    assert "Questo è Tavoliere" in words(await party.say("anna", "/help"))
    party.languages["carla"] = "ja"
    assert "Welcome" in words(await party.say("carla", "/help"))


@pytest.mark.parametrize("key", games)
async def test_rules_of_every_game_are_a_press_away(party: Party, key: str) -> None:
    which = card(await party.say("anna", "/rules"))
    press = next(entry for entry in buttons(which) if entry.press.endswith(f"={key}"))
    by_button = await party.press("anna", press)
    by_name = await party.say("anna", f"/rules {key}")
    assert words(by_button) == words(by_name)
    assert by_name.private
    assert "Play this game" in [entry.label for entry in buttons(card(by_name))]


async def test_my_games_are_an_inbox_where_invitations_are_accepted(party: Party) -> None:
    await party.meet("bruno")
    assert "not playing anything" in words(await party.say("anna", "/games"))
    await party.say("anna", SQUARE)
    invited = await party.say("bruno", "/games")
    assert "you are invited" in words(invited)
    await party.press("bruno", buttons(card(invited))[0])
    assert "your turn" in party.newest.text
    mover, waiting = party.mover, party.other()
    party.clock.turn(hours=3)
    mine = await party.say(mover, "/games")
    assert mine.private
    assert missing(words(mine), "One game is waiting for you", "your turn came 3 hours ago") == []
    theirs = words(await party.say(waiting, "/games"))
    assert missing(theirs, "No game is waiting for you", f"waiting for {mover.capitalize()}") == []
    assert "Which piece?" in words(await party.press(mover, buttons(card(mine))[0]))
    assert party.code in words(mine)


async def test_the_inbox_says_until_when_by_one_s_own_clock(party: Party) -> None:
    await party.started(f"{SQUARE} clock:1d")
    mover = party.mover
    assert "time runs out in 24 hours (Nov 22, 2026 12:00 UTC)" in words(await party.say(mover, "/games"))
    await party.say(mover, "/settings timezone:Asia/Tokyo")
    mine = words(await party.say(mover, "/games"))
    assert "time runs out in 24 hours (Nov 22, 2026 21:00)" in mine
    assert "UTC" not in mine
    assert "time runs out" not in words(await party.say(party.other(), "/games"))


async def test_several_games_that_wait_are_asked_about_and_the_move_is_kept(party: Party) -> None:
    first = await party.started(SQUARE)
    mover = party.mover
    for _ in range(20):
        second = await party.started(SQUARE)
        if party.mover == mover:
            break
    asked = await party.say(mover, f"/move {await party.legal(second)}")
    assert "Which game" in words(asked)
    await party.press(mover, next(entry for entry in buttons(card(asked)) if second in entry.press))
    assert "played" in party.newest.text
    assert [(await party.load_row(code)).turn for code in (first, second)] == [0, 1]


@pytest.mark.parametrize("name", ["ban", "kick", "mute"])
async def test_command_built_into_a_platform_is_not_offered_there(party: Party, name: str) -> None:
    party.managers.add("anna")
    assert f"/{name}" in words(await party.say("anna", "/"))
    request = party.request("anna", Place("telegram", "-100", title="A group"))
    request = replace(request, user=replace(request.user, platform="telegram", manager=True))
    lines = [
        words(await party.front.typed_text(request, "/")),
        words(await party.front.typed_text(replace(request, event="2"), f"/{name}")),
        words(await party.front.command(replace(request, event="3"), name, {})),
    ]
    assert f"/{name}" not in lines[0]
    assert all("I do not know" in each for each in lines[1:]), lines


async def test_the_leaderboard_counts_wins_draws_and_losses_here(party: Party) -> None:
    assert "Nobody has finished" in words(await party.say("anna", "/leaderboard"))
    for loser in ("bruno", "anna"):
        await lose(party, loser)
    lines = words(await party.say("anna", "/leaderboard annuvin")).splitlines()[1:]
    assert [line[:2] for line in lines] == ["1.", "1."], "equal figures share a place"
    await lose(party, "bruno")
    board = await party.press("carla", button(party.newest.card, "leaders"))
    assert not board.private
    assert words(board).splitlines()[1:] == ["1. Anna: 2 wins, 0 draws, 1 loss", "2. Bruno: 1 win, 0 draws, 2 losses"]
    assert words(await party.say("anna", "/leaderboard")).splitlines()[1].startswith("1. Anna")
    assert "Nobody has finished" in words(await party.say("anna", "/leaderboard fagocitare"))
    elsewhere = await party.say("anna", "/leaderboard annuvin", place=Place("web", "garden"))
    assert "Nobody has finished" in words(elsewhere)


async def test_settings_change_how_one_is_spoken_to(party: Party) -> None:
    reply = await party.say("anna", "/settings language:it")
    assert "Le tue impostazioni" in words(reply)
    assert "Questo è Tavoliere" in words(await party.say("anna", "/help"))
    assert "Welcome" in words(await party.say("bruno", "/help"))
    asked = await party.press("anna", next(each for each in buttons(card(reply)) if each.label.startswith("Lingua")))
    assert [each.label for each in buttons(card(asked))] == ["English", "● Italiano", "automatica", "Indietro"]
    assert "Your settings" in words(await party.press("anna", labelled(card(asked), "automatica")))


async def test_only_managers_change_channel_settings(party: Party) -> None:
    assert "Only those who manage" in words(await party.say("anna", "/settings language:it for:channel"))
    assert "Only those who manage" in words(await party.press("anna", "form=settings.1.ok.w:channel.theme:dark"))
    party.managers.add("anna")
    await party.say("anna", "/settings theme:dark for:channel")
    assert (await party.store.places.get_or_create("web", "room")).settings == {"theme": "dark"}


async def test_settings_and_their_buttons_that_cannot_be_are_answered_and_change_nothing(party: Party) -> None:
    for line in ("/settings language:xx", "/settings theme:pink", "/settings for:everybody"):
        assert "It can be:" in words(await party.say("anna", line))
    for press in (
        *("form=", "form=settings", "form=settings.1", "form=nothing.1.-", "form=settings.1.ok.w:me.name:eve"),
        *("form=settings.1.ok.w:me.language:xx", "form=settings.1.ok.w:all.theme:dark", "form=settings.1.theme.w:me"),
        *("set=me.language.it", "set=", "form=settings.1.ok.@:ABCDEFGH", "form=settings.0.ok.w:me.theme:dark"),
    ):
        reply = await party.press("anna", press)
        assert words(reply), press
        assert "went wrong" not in words(reply), press
        (person,) = await party.store.people.find("anna")
        assert person.settings == {}, press


async def test_a_private_place_speaks_its_person_s_language(party: Party) -> None:
    party.languages["anna"] = "it"
    await party.say("anna", "/play annuvin", place=Place("web", "anna-alone", kind="private"))
    assert "cerca compagni" in party.newest.text


async def test_games_and_options_are_completed(party: Party) -> None:
    for command, parameter, values, completed in (
        ("play", "game", {}, list(games)),
        ("play", "game", {"game": "queen"}, ["real-queen"]),
        ("play", "size", {"game": "fagocitare"}, ["7", "10", "12"]),
        ("play", "board", {"game": "annuvin", "board": "sq"}, ["square"]),
        ("play", "size", {"game": "annuvin"}, []),
        ("settings", "theme", {"theme": "d"}, ["dark"]),
        ("dance", "game", {}, []),
        ("play", "nothing", {}, []),
    ):
        assert [each.value for each in await party.complete("anna", command, parameter, **values)] == completed
    (smallest, *_) = await party.complete("anna", "play", "size", game="fagocitare")
    assert smallest.label == "7 × 7 (short): 25 cells inside the rim: a game of a few minutes."
