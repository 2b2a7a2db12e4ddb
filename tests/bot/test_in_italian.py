"""What is told to somebody who reads Italian, and what an example teaches: words that follow from the game."""

from random import Random

import pytest

from bot.boards.lessons import LessonBoard
from bot.kernel.request_context import resolve_request
from bot.kernel.texts import Texts, strip_styles
from bot.kernel.words import words as position_words
from bot.kernel.words.describe import line_words, notation_words, turn_words, typed_form
from engine import CHANCE, Action, State, Turn, games
from storage import Lesson
from tests.bot.party import SQUARE, Party, words
from tests.bot.test_choices import positions
from tests.support.stores import START

ITALIAN = Texts().speaker("it")
COLOURS = {"rosso", "verde", "giallo", "blu", "bianco"}


@pytest.fixture
def italian(party: Party) -> Party:
    party.languages = dict.fromkeys(("anna", "bruno", "carla"), "it-IT")
    party.front.context.language = "it"
    return party


def test_words_of_the_notation_are_italian_and_read_when_typed() -> None:
    state, rng, voice = games["uomo-nero"].start(3), Random(1), ITALIAN.of("uomo-nero")
    while not (
        stays := [] if state.to_move == CHANCE else [each for each in state.legal_actions() if each.verb == "stay"]
    ):
        state = state.play(state.sample_chance(rng) if state.to_move == CHANCE else state.random_action(rng))
    for action in stays:
        assert typed_form(voice, action) == action.text.replace("stay", "resta")
        assert state.parse(typed_form(voice, action)) == (action,)
    assert notation_words(voice, stays) == (("stay", "resta"),)
    assert typed_form(voice, "pass") == "passo"
    english = Texts().speaker("en").of("uomo-nero")
    assert typed_form(english, "stay/4") == "stay/4"
    assert notation_words(english, games["uomo-nero"].start(3).legal_actions()) == ()


@pytest.mark.parametrize("line", ["/play vedova-nera seats:3", "/play uomo-nero seats:3"])
async def test_colours_are_asked_chosen_and_described_in_italian(italian: Party, line: str) -> None:
    code = await italian.started(line, "bruno", "carla")
    while "scegliere un colore" not in italian.newest.text:
        await italian.say(italian.mover, f"/move {await italian.legal(code)}")
    assert "inglese" not in italian.newest.text
    examples = [span.text.removeprefix("/move ") for span in italian.newest.card.text if span.code]
    mover, colour = italian.mover, next(text for text in examples if text in COLOURS)
    await italian.say(mover, f"/mossa {colour}")
    assert f"{mover.capitalize()} ha scelto il {colour}." in italian.newest.text
    said = italian.newest.text.casefold()
    assert [english for english in ("red", "green", "yellow", "blue", "white") if f" {english}" in said] == []


async def test_description_separates_dice_from_moves(italian: Party) -> None:
    code = await italian.started("/play uomo-nero @bruno")
    for _ in range(40):
        state = (await italian.table(code)).playing.state
        whole = [action for action in state.legal_actions() if not same_turn_after(state, action)]
        if state.to_json()["phase"] == "attack" and len(whole) < len(state.legal_actions()):
            break
        await italian.play_first(code)
    one, other = state.to_json()["dice"]
    half = next(action for action in state.legal_actions() if same_turn_after(state, action))
    said = words(await italian.say(italian.mover, f"/move {half.text}"))
    assert said.startswith(f"Hai tirato {one} e {other}. Finora: {line_words(ITALIAN.of('uomo-nero'), [half]).text}.")


def same_turn_after(state: State, action: Action) -> bool:
    after = state.play(action)
    return after.to_move == state.to_move and after.turn == state.turn and len(after.legal_actions()) > 1


async def test_lesson_addresses_the_learner_and_names_a_capture_once(party: Party) -> None:
    party.languages["anna"] = "it"
    requester = await resolve_request(party.front.context, party.request("anna"))
    progress = LessonBoard.read(party.front.context, requester, Lesson(1, 1, "annuvin", START))
    position = {
        "game": "annuvin",
        "options": {"board": "hexagon", "setup": "classic"},
        "pieces": [["c4", "c3", "a1"], ["d4", "f7", "g7", "e7"]],
        "reserve": [0, 0],
        "lost": [3, 2],
        "moving": None,
    }
    for seat, begins in ((progress.seat, "Tu: c4 prende d4."), (1 - progress.seat, "Computer: d4 prende c4.")):
        state = games["annuvin"].load({**position, "to_move": 0 if begins.startswith("Tu") else 1})
        turn = Turn(1, state.to_move or 0, state.parse("c4xd4" if begins.startswith("Tu") else "d4xc4")[:1], state)
        assert turn.seat == seat
        said = strip_styles(progress.describe_turn(turn))
        assert said.startswith(begins)
        assert said.count("attura la pedina") == 1
        assert "perde la pedina" not in said


def test_capture_without_an_explanation_is_described_on_its_own() -> None:
    state = games["fagocitare"].start(2)
    for text in ("c4", "d4"):
        state = state.play(state.read(text))
    turn = Turn(3, 0, (state.read("e4"),), state)
    voice, names = ITALIAN.of("fagocitare"), ["Anna", "Computer"]
    assert strip_styles(turn_words(voice, turn, names)) == "Anna ha giocato e4. Computer perde il pallino in d4."
    assert strip_styles(turn_words(voice, turn, names, reader=0, taking=False)) == "Hai giocato e4."


async def test_mistyped_input_is_answered_with_a_suggestion(italian: Party) -> None:
    for line, said in (
        ("/join bruno", "«bruno» non è il codice di una partita"),
        ("/play anuvin", "Intendevi Annuvin?"),
        ("/play annuvin anna", "Per indicare una persona scrivi @anna."),
        ("/clasifica", "Intendevi /classifica?"),
        ("/regole anuvin", "Intendevi Annuvin?"),
    ):
        assert said in words(await italian.say("anna", line)), line


async def test_my_games_name_the_others_only(italian: Party) -> None:
    code = await italian.started(SQUARE)
    assert f"Annuvin con Bruno ({code})" in words(await italian.say("anna", "/partite"))
    assert f"Annuvin con Anna ({code})" in words(await italian.say("bruno", "/games"))
    await italian.say("carla", "/play fagocitare")
    assert f"Fagocitare ({italian.code})" in words(await italian.say("carla", "/games"))


async def test_man_is_told_the_purpose_of_his_first_dice(italian: Party) -> None:
    code = await italian.started("/play uomo-nero @bruno")
    told_to_him = []
    for _ in range(60):
        position = (await italian.table(code)).playing.state.to_json()
        if position["man_turns"] or position["round"] > 1:
            break
        if position["phase"] == "man" and not position["captured"]:
            told_to_him.append(italian.newest.text)
        await italian.play_first(code)
    assert len(told_to_him) == 1
    assert "quanti passi deve fare l'uomo nero" in told_to_him[0]
    assert "quanti passi deve fare" not in italian.newest.text


@pytest.mark.parametrize("key", games)
def test_an_example_can_always_be_played(key: str) -> None:
    for state in positions(key, games[key].seats[0], {}, 5, 40):
        ordered = position_words[key].ordered(state)
        assert ordered
        assert set(ordered) <= set(state.legal_actions())


def test_the_example_of_annuvin_captures_or_goes_forward() -> None:
    order, start = position_words["annuvin"].ordered, games["annuvin"].start(2)
    first, board = order(start)[0], start.topology
    assert board is not None
    enemies = start.to_json()["pieces"][1]

    def nearest(cell: str | None) -> int:
        return min(board.distances[board.index[cell or ""]][board.index[enemy]] for enemy in enemies)

    assert nearest(first.target) < nearest(first.source)
    position = {**start.to_json(), "pieces": [["c4", "a1"], ["d4", "f7"]], "lost": [4, 4]}
    assert order(games["annuvin"].load(position))[0].verb == "capture"


async def test_the_options_of_games_have_italian_names(italian: Party) -> None:
    await italian.say("anna", "/gioca annuvin @bruno tavoliere:square inizio:empty")
    assert (await italian.load_row(italian.code)).options == {"board": "square", "setup": "empty"}
    refused = words(await italian.say("anna", "/gioca annuvin level:1"))
    assert {"tavoliere", "inizio", "foglio"} <= set(refused.rstrip(".").replace(",", "").split())
    assert "setup" not in refused
