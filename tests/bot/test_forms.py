"""Forms: declared once, filled in by pressing or at once, kept as drafts, and opened anew where they are older."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

import pytest

from bot.kernel.features import load_forms
from bot.kernel.form_presses import field_label
from bot.kernel.forms import Form
from bot.kernel.preferences import SCOPES
from bot.kernel.presses import press
from bot.kernel.requests import Place
from bot.kernel.texts import Texts
from bot.platforms.app import COMMANDS
from engine import games
from storage import CompetitionKind
from tests.bot.party import Party, buttons, card, words
from tests.bot.test_account import code_in
from tests.support.present import present
from tests.support.sent import each_sent

FORMS: Final[dict[str, Form]] = dict(load_forms())
OLDER: Final = (
    *("cupnew=annuvin.021000000", "cupmore=annuvin.02100000.0000000", "cuppost=annuvin.02100000", "cupnew=0"),
    *("leaguenew=annuvin.1200", "leaguepost=annuvin.12000", "laddernew=annuvin.120", "ladderpost=annuvin.1200"),
    *("teamnew=annuvin.2.1d.0.loss.0", "teamgo=annuvin.2.1d.0.loss", "post=annuvin.board:square", "set=me.language.it"),
    *("set=channel.game.annuvin", "set=server", "cupnew=gone.021", "new=annuvin.board:square.clock:1d"),
)
"""Buttons of forms as version 0.2.0 made them."""


@pytest.mark.parametrize("language", ["en", "it"])
def test_the_sentence_of_a_field_says_more_than_its_label(language: str) -> None:
    speaker = Texts().speaker(language)
    for form in FORMS.values():
        for each in form.fields:
            label = field_label(speaker, form, each)
            said = COMMANDS[form.command].parameter_description(speaker, each.parameter)
            assert said != label
            assert not said.startswith(f"{label}:")


@pytest.mark.parametrize("name", FORMS)
def test_fields_are_parameters_with_keys_of_their_own(name: str) -> None:
    form = FORMS[name]
    keys = [each.key for each in (*form.fields, *([form.subject] if form.subject else []))]
    assert len(keys) == len(set(keys))
    assert not any(key.isdecimal() or key in ("ok", "@", "_") or key[0] in "+-~" for key in keys)
    assert {each.name for each in form.parameters} <= {each.name for each in COMMANDS[form.command].parameters}


async def test_buttons_of_older_forms_are_answered_kindly(party: Party) -> None:
    for pressed in OLDER:
        reply = await party.press("anna", pressed)
        assert reply.private, pressed
        assert buttons(card(reply)), words(reply)
        assert "went wrong" not in words(reply)
        assert "Make it" not in words(reply)
    reply = await party.press("anna", "form=cup.0.ok.g:annuvin.c:3d.zz:gone.n:5000")
    for phrase in ("earlier version", "Time for a turn: 3 days a turn", "For how many: 8 people"):
        assert phrase in words(reply)
    assert await party.store.competitions.list_ids() == []
    assert (await party.store.people.find("anna"))[0].settings == {}


@pytest.mark.parametrize(("line", "limit"), [("/settings", 1), ("/settings for:channel", 1), ("/menu", 3)])
async def test_what_is_opened_most_often_asks_little_of_the_database(duel: Party, line: str, limit: int) -> None:
    sent: list[str] = []
    with each_sent(lambda statement, _: sent.append(statement)):
        await duel.front.typed_text(duel.request(duel.mover), line)
    assert 1 <= len(sent) <= limit, sent


@pytest.mark.parametrize(
    ("name", "values"),
    [
        *(("settings", {"for": scope}) for scope in SCOPES),
        *((name, {"game": "annuvin"}) for name in ("cup", "league", "ladder")),
    ],
)
async def test_what_opens_as_a_window_asks_the_database_once(party: Party, name: str, values: dict[str, str]) -> None:
    """A window has to be the first answer within three seconds; who asks is read in any case."""
    request = party.request("anna", Place("discord", "100", "7", "1", title="games"))
    request = replace(request, user=replace(request.user, platform="discord", id="7", manager=True))
    await party.front.command(request, "help", {})
    await party.front.command(replace(request, event="chosen"), "settings", {"for": "me-here", "notices": "private"})
    sent: list[str] = []
    with each_sent(lambda statement, _: sent.append(statement)):
        reply = await party.front.command(replace(request, event="again"), name, values)
    form = present(card(reply).form)
    assert len(sent) == 1, sent
    if values.get("for") == "me-here":
        assert [each.value for each in form.fields] == ["private"]


@pytest.mark.parametrize("name", ["cup", "league", "ladder"])
async def test_a_form_makes_what_its_command_makes(party: Party, name: CompetitionKind) -> None:
    made = 0
    for game in games:
        reply = await party.press("anna", press("form", None, 0, name, "1", "-", f"g:{game}"))
        if card(reply).form is not None:
            assert "made" in words(await party.fill("anna", reply, clock="3d", entry="code"))
            made += 1
    codes = await party.store.competitions.list_ids(kind=name)
    assert len(codes) == made > 0
    for code in codes:
        event = (await party.store.competitions.events(code))[0]
        assert (event.data["terms"]["clock"], event.data["terms"]["entry"]) == (3 * 86400, "code")


async def test_what_is_wrong_is_said_beside_its_field_and_the_rest_is_kept(party: Party) -> None:
    reply = await party.fill(
        "anna", await party.say("anna", "/settings"), timezone="Atlantis", theme="dark", digest="99"
    )
    shown = {each.name: each for each in present(card(reply).form).fields}
    assert "from 0 to 23" in shown["digest"].error
    assert (shown["theme"].value, shown["timezone"].value, shown["theme"].error) == ("dark", "Atlantis", "")
    assert (await party.store.people.find("anna"))[0].settings == {}
    reply = await party.fill("anna", reply, digest="7")
    (zone,) = [each for each in present(card(reply).form).fields if each.name == "timezone"]
    assert "I do not know the time zone" in zone.error
    reply = await party.fill("anna", reply, timezone="Rome")
    settings = (await party.store.people.find("anna"))[0].settings
    assert (settings["theme"], settings["digest_hour"], settings["timezone"]) == ("dark", 7, "Europe/Rome")


async def drafted(party: Party, who: str = "anna") -> str:
    """Have somebody choose something that fits into no button; return the button that submits it."""
    reply = await party.front.fill(party.request(who), "form=team.1.0.g:annuvin", {"against": "person"})
    reply = await party.front.fill(party.request(who), present(card(reply).form).pages[1].press, {"name": "The Reds!"})
    return present(card(reply).form).press


async def test_a_draft_is_its_own_person_s_and_expires_after_a_day(party: Party) -> None:
    submit = await drafted(party)
    assert "@:" in submit
    assert "more than a day" in words(await party.press("bruno", submit))
    party.front = party.restarted()
    assert "The Reds!" in words(await party.press("anna", submit.replace(".ok.", ".-.")))
    party.clock.turn(hours=25)
    reply = await party.press("anna", submit)
    assert "more than a day" in words(reply)
    assert "Which game" in words(await party.follow("anna", reply, "Open it anew"))


async def test_drafts_are_shown_linked_and_forgotten_with_their_person(party: Party) -> None:
    submit = await drafted(party)
    looks = submit.replace(".ok.", ".-.")
    anna = await party.id_of("anna")
    (draft,) = (await party.store.privacy.export_person(anna))["form_drafts"]
    assert draft["chosen"]["name"] == "The Reds!"
    code = code_in(await party.say("anna", "/link"))
    await party.say("bruno", f"/link {code}")
    assert "The Reds!" in words(await party.press("bruno", looks)), "two are one person now"
    await party.store.privacy.forget_person(await party.id_of("anna"), party.clock())
    assert await party.store.drafts.get(looks.rpartition(":")[2], anna, party.clock() - timedelta(days=9)) is None


async def test_rights_are_checked_when_a_form_is_submitted(party: Party) -> None:
    party.managers.add("anna")
    form = present(card(await party.say("anna", "/settings for:channel")).form)
    party.managers.clear()
    reply = await party.front.fill(party.request("anna"), form.press, {"language": "it"})
    assert "Only those who manage" in words(reply)
    shown = await party.say("anna", "/settings for:channel")
    assert card(shown).form is None, "what they may not change is not offered"
    assert "Language: automatic" in words(shown)


async def test_games_that_can_be_started_are_ticked(party: Party) -> None:
    party.managers.add("anna")
    label = "Games that can be started: Annuvin, Real Queen, Fagocitare, La Vedova Nera"
    form = await party.say("anna", "/settings for:channel")
    asked = await party.press("anna", next(each for each in buttons(card(form)) if each.label.startswith(label)))
    asked = await party.follow("anna", asked, "✓ Annuvin", "✓ Real Queen")
    assert [each.label[0] for each in buttons(card(asked))[: len(games)]] == ["✗", "✗", "✓", "✓", "✓"]
    assert "not played here" in words(await party.say("anna", "/play annuvin"))
    await party.fill("anna", await party.say("anna", "/settings for:channel"), games=",".join(games))
    await party.say("anna", "/play annuvin")
    assert "Annuvin" in party.newest.text
