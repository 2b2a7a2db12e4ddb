"""Typing as people type: what phones and input methods put in place of plain signs means the same everywhere."""

import random
from itertools import islice

import pytest
from hypothesis import given, strategies as st

from bot.kernel.commandline import Parameter, parse_command, read_people
from bot.kernel.features import check_values
from bot.kernel.names import load_game_names
from bot.kernel.refusals import Refused
from bot.platforms.app import COMMANDS, PARAMETERS
from engine import CHANCE, State, games
from engine.core import InvalidAction
from storage.addresses import align_plain, find_unreadable_sign, make_plain
from tests.bot.party import Party, load_texts, words
from tests.support.samples import random_playout
from tests.support.typing_forms import TYPING_FORMS

NAMES = load_game_names(load_texts(tuple(games)))
PLAIN = st.text(st.characters(codec="ascii") | st.sampled_from("àèìòùéñçßøž字かна"))


@given(st.text())
def test_making_plain_is_idempotent(text: str) -> None:
    assert make_plain(make_plain(text)) == make_plain(text)


@given(PLAIN)
def test_what_is_plain_stays_as_it_is(text: str) -> None:
    assert make_plain(text) == text
    assert find_unreadable_sign(text) is None


@given(st.text())
def test_each_plain_character_says_where_it_came_from(text: str) -> None:
    plain, typed, indices = align_plain(text)
    assert plain == make_plain(text)
    assert [*indices] == sorted(indices)
    assert (len(indices), indices[-1]) == (len(plain) + 1, len(typed))
    assert "".join(typed[at:to] for at, to in zip((0, *indices[1:-1]), indices[1:], strict=False)) in (typed, "")


def value_for(parameter: Parameter) -> str:
    """Return a value as somebody would type it."""
    if parameter.kind == "people":
        return '@"Mario D\'Rossi"'
    if parameter.kind == "number":
        return str(parameter.least or 1)
    if parameter.kind in ("choice", "level", "option", "several") and parameter.choices:
        return parameter.choices[-1]
    typed = {"game": "real-queen", "move": "d1-d3", "mygame": "K7QF3D", "code": "K7QF3D"}
    return typed.get(parameter.kind, '"22-7 x/1"')


def every_parameter() -> list[object]:
    return [
        pytest.param(command, parameter, id=f"{command} {parameter.name}")
        for command, parameters in PARAMETERS.items()
        for parameter in parameters
        if not parameter.prose
    ]


@pytest.mark.parametrize(("command", "parameter"), every_parameter())
def test_every_parameter_reads_every_form(command: str, parameter: Parameter) -> None:
    line = f"/{command} {parameter.name}:{value_for(parameter)}"
    known, values = parse_command(line, PARAMETERS, NAMES)
    missing = [each.name for each in PARAMETERS[command] if each.required and each.name not in values]
    for form, typed in TYPING_FORMS.items():
        assert parse_command(typed(line), PARAMETERS, NAMES) == (known, values), form
        if not missing and parameter.kind != "people":
            # Discord sends values in fields of their own.
            sent = {name: typed(value) for name, value in values.items()}
            assert check_values(COMMANDS[command], sent) == check_values(COMMANDS[command], values), form


def test_prose_keeps_its_typography() -> None:
    line = "/team annuvin name:\u201cL\u2019Aquila \u2013 i Blu\u2026\u201d members:@a,@b time:6h"
    _, values = parse_command(line, PARAMETERS, NAMES)
    assert values["name"] == "L\u2019Aquila \u2013 i Blu\u2026"
    assert check_values(COMMANDS["team"], values)["name"] == values["name"]


def positions(key: str, count: int) -> list[State]:
    """Return the first positions of a random game in which somebody chooses."""
    playout = random_playout(games[key], 1, games[key].seats[0], {})
    return list(islice((state for state, _ in playout if state.to_move not in (None, CHANCE)), count))


@pytest.mark.parametrize("key", games)
def test_moves_of_every_game_are_read_in_every_form(key: str) -> None:
    rng = random.Random(key)
    for state in positions(key, 12):
        action = state.random_action(rng)
        for form, typed in TYPING_FORMS.items():
            assert state.parse(make_plain(typed(action.text))) == state.parse(action.text), form


@pytest.mark.parametrize("key", games)
def test_a_move_with_an_unreadable_sign_is_refused_by_the_sign(key: str) -> None:
    for state in positions(key, 5):
        action = state.legal_actions()[0].text
        for sign in "§¶☞а":
            for text in (f"{action} {sign}1", f"{sign}1 {action}"):
                with pytest.raises(InvalidAction) as refused:
                    state.parse(text)
                assert (refused.value.code, refused.value.params["sign"]) == ("unreadable-sign", sign)


@pytest.mark.parametrize("form", ["quotes", "full width", "zero-width space", "slash"])
async def test_every_way_into_the_program_makes_what_is_typed_plain(party: Party, form: str) -> None:
    typed = TYPING_FORMS[form]
    await party.say("mario d\u2019rossi", "/help")
    await party.say("anna", typed("/settings timezone:Europe/Rome quiet:22-7 digest:12"))
    settings = (await party.store.people.find("anna"))[0].settings
    assert (settings["quiet"], settings["timezone"], settings["digest_hour"]) == ([22, 7], "Europe/Rome", 12)
    await party.say("anna", typed('/play annuvin @"Mario D\'Rossi" board:square'))
    code = party.code
    invited = [entry.person for entry in (await party.load_row(code)).seats if entry.state == "invited"]
    assert invited == [await party.id_of("Mario D'Rossi")]
    await party.say("mario d\u2019rossi", typed(f"/join {code}"))
    mover = await party.mover_of(code)
    first = await party.legal(code)
    suggested = await party.complete(mover, "move", "move", move=first[:2], game=code)
    assert suggested
    assert await party.complete(mover, "move", "move", move=typed(first[:2]), game=typed(code)) == suggested
    await party.command(mover, "move", move=typed(first), game=typed(code))
    assert (await party.load_row(code)).turn == 1
    await party.say(await party.mover_of(code), typed(await party.legal(code)))
    assert (await party.load_row(code)).turn == 2


async def test_a_refusal_names_the_sign(party: Party) -> None:
    for line in (
        "/settings quiet:22\u00a77",
        "/play \u00a7",
        "/rules \u00a7",
        "/pl\u00a7y",
        "/settings digest:\u00a77",
    ):
        assert "I can't read \u201c\u00a7\u201d in" in words(await party.say("anna", line))
    code = await party.started()
    said = words(await party.say(party.mover, f"/move d1\u00a7d3 game:{code}"))
    assert "I can't read \u201c\u00a7\u201d in \u201cd1\u00a7d3\u201d" in said
    party.languages["anna"] = "it"
    assert "Non riesco a leggere «\u00a7»" in words(await party.say("anna", "/impostazioni ore-tranquille:22\u00a77"))


LISTS = (
    "members:@anna,@bruno",
    "members:@anna, @bruno",
    "members:@anna ,@bruno",
    "members:@anna; @bruno",
    "members:@anna and @bruno",
    "members:@anna e @bruno",
    "members:@anna & @bruno",
    "members:@anna @bruno",
    "members: @anna @bruno",
    "members:anna,bruno",
    "members:anna, bruno",
    "members:anna and bruno",
    'members:@"anna", @"bruno"',
    "members:@anna\uff0c@bruno",
)


def lists_of_people() -> list[object]:
    return [
        pytest.param(command, parameter.name, typed.replace("members", parameter.name), id=f"/{command} {typed}")
        for command, parameters in PARAMETERS.items()
        for parameter in parameters
        if parameter.kind == "people"
        for typed in LISTS
    ]


@pytest.mark.parametrize(("command", "name", "typed"), lists_of_people())
def test_every_list_of_people_is_read_however_it_is_divided(command: str, name: str, typed: str) -> None:
    _, values = parse_command(f"/{command} {typed}", PARAMETERS, NAMES)
    assert [*values] == [name]
    assert [person.name for person in read_people(values[name])] == ["anna", "bruno"]


@pytest.mark.parametrize("between", [" ", ",", ", ", " and ", " e ", " & ", ";"])
def test_opponents_without_a_name_are_read_however_they_are_divided(between: str) -> None:
    _, values = parse_command(f"/play @anna{between}@bruno, annuvin square", PARAMETERS, NAMES)
    assert [person.name for person in read_people(values.pop("opponents"))] == ["anna", "bruno"]
    assert values == {"game": "annuvin", "board": "square"}


def test_a_bare_word_after_people_without_a_name_is_none_of_them() -> None:
    with pytest.raises(Refused):
        parse_command("/play annuvin @anna and bruno", PARAMETERS, NAMES)


@pytest.mark.parametrize("name", ["join", "codice", "CODICE"])
@pytest.mark.parametrize("command", ["play", "team", "ladder"])
def test_a_code_may_follow_its_parameters_name_in_any_language_without_a_colon(command: str, name: str) -> None:
    assert parse_command(f"/{command} {name} K7QF3D", PARAMETERS, NAMES) == (command, {"join": "K7QF3D"})
