"""What holds for ladders and leagues alike: their form, who comes and goes, where they are shown."""

import pytest

from bot.competitions.kinds import CARDS
from storage import CompetitionKind
from tests.bot.cups import HALL, kept_message, make_competition
from tests.bot.party import Party, buttons, card, labelled, words

LIVE = ("15+10", "5m", "30d+1d")
"""Clocks that a cup may have, and a ladder or a league may not."""
SIX = ("anna", "bruno", "cora", "dino", "elsa", "fido")

of_both_kinds = pytest.mark.parametrize("kind", ["ladder", "league"])


async def people_in(party: Party, kind: CompetitionKind, code: str) -> list[str]:
    """Return who takes part, by name."""
    found = await CARDS[kind].keeper.find(party.front.context, code)
    return [found.name(each).lower() for each in found.state.present]


async def test_bad_input_is_answered_in_one_sentence(party: Party) -> None:
    for line, refusal in (
        ("/ladder annuvin days:3", "clock"),
        ("/ladder annuvin clock:1d days:30", "30"),
        ("/ladder clock:1d", "A ladder is of one game"),
        ("/ladder join:ZZZZZZ", "ZZZZZZ"),
        ("/league annuvin days:30", "clock"),
        ("/league annuvin clock:7d days:30", "too slow"),
        ("/league annuvin clock:1d days:5", "14"),
        ("/league annuvin clock:1d seats:4", "This game is for exactly 2 players."),
        ("/league clock:1d", "A league is of one game"),
        ("/league join:ZZZZZZ", "ZZZZZZ"),
        *(
            (f"/{kind} annuvin clock:{clock}", "games go on for days")
            for kind in ("ladder", "league")
            for clock in LIVE
        ),
    ):
        assert refusal in words(await party.say("anna", line)), line
    assert await party.store.competitions.list_ids(kind="ladder") == []
    assert await party.store.competitions.list_ids(kind="league") == []


@pytest.mark.parametrize("kind", CARDS)
async def test_running_is_offered_to_the_maker_and_to_those_who_manage_the_place(
    party: Party, kind: CompetitionKind
) -> None:
    code = await make_competition(party, f"/{kind} annuvin clock:1d", "bruno")
    shown = {each.press: each for each in buttons(kept_message(party, code).card)}
    run = shown[f"{kind}=run.{code}"]
    assert run.people == ((await party.store.people.find("anna"))[0].id,)
    assert [press for press, each in shown.items() if each.managers] == [run.press]


@of_both_kinds
async def test_leaving_putting_out_and_ending(party: Party, kind: CompetitionKind) -> None:
    code = await make_competition(party, f"/{kind} annuvin clock:12h", *SIX)
    sure = await party.press("bruno", f"{kind}=leave.{code}")
    assert {each.label for row in card(sure).rows if isinstance(row, tuple) for each in row} == {"Yes, leave", "Table"}
    await party.follow("bruno", sure, "Yes, leave")
    assert await people_in(party, kind, code) == ["anna", "cora", "dino", "elsa", "fido"]
    await party.press("bruno", f"{kind}=join.{code}")
    assert "bruno" in await people_in(party, kind, code)
    assert "Only the person who made it" in words(await party.press("cora", f"{kind}=run.{code}"))
    await party.follow("anna", await party.press("anna", f"{kind}=run.{code}"), "Dino", "Yes, put them out")
    assert "dino" not in await people_in(party, kind, code)
    assert "put you out" in words(await party.press("dino", f"{kind}=join.{code}"))
    await party.follow("anna", await party.press("anna", f"{kind}=end.{code}"), "Yes, end it")
    assert "It is over" in kept_message(party, code).text
    for verb in ("join", "mine", "leave", "run"):
        assert "It is over" in words(await party.press("cora", f"{kind}={verb}.{code}"))


@of_both_kinds
async def test_forgotten_and_linked_people_leave_it_and_nothing_of_them_stays(
    party: Party, kind: CompetitionKind
) -> None:
    waiting = " least:8" if kind == "league" else ""  # who plays against each other cannot be linked
    code = await make_competition(party, f"/{kind} annuvin clock:1d{waiting}", *SIX)
    await party.store.privacy.forget_person(await party.id_of("bruno"), party.clock())
    await party.store.links.merge_people(await party.id_of("dino"), await party.id_of("elsa"))
    await party.front.jobs[f"{kind}s"].run_until_idle()
    await party.settle()
    assert await people_in(party, kind, code) == ["anna", "cora", "dino", "fido"]
    assert "Bruno" not in kept_message(party, code).text


@of_both_kinds
async def test_one_may_be_open_on_several_places(party: Party, kind: CompetitionKind) -> None:
    code = await make_competition(party, f"/{kind} annuvin clock:1d entry:code", "anna")
    assert "You are " in words(await party.say("bruno", f"/{kind} join:{code}", place=HALL))
    await party.settle()
    assert {shown.place.channel for shown in party.shown if f":{code}" in shown.key} == {"room", "hall"}
    party.clock.turn(minutes=1)
    here = await make_competition(party, f"/{kind} annuvin clock:1d", "anna")
    assert "in the channel where it was made" in words(await party.say("bruno", f"/{kind} join:{here}", place=HALL))


@pytest.mark.parametrize(
    ("kind", "field", "days"),
    [("ladder", "Time to answer: 3 days", 7), ("league", "Length of a season: 30 days", 60)],
)
async def test_step_by_step_it_is_made_by_buttons(party: Party, kind: CompetitionKind, field: str, days: int) -> None:
    form = await party.follow("anna", await party.say("anna", f"/{kind}"), "Annuvin", field, f"{days} days")
    assert f"The {kind} is made" in words(await party.press("anna", labelled(card(form), f"Make the {kind}")))
    (code,) = await party.store.competitions.list_ids(kind=kind)
    assert (await CARDS[kind].keeper.find(party.front.context, code)).state.terms.days == days
    listed = await party.say("anna", f"/{kind}")
    assert code in words(listed)
    before = kept_message(party, code).key
    await party.press("anna", labelled(card(listed), f"Annuvin · {code}"))
    assert kept_message(party, code).key != before
