"""Guessing the next turn: with everybody's consent, unseen by those who play, points once, for played turns alone."""

import asyncio
import json
from dataclasses import replace

import pytest

from bot.kernel.presses import GUESS, GUESS_TURN, press, read_press
from bot.kernel.requests import Place, Reply
from bot.kernel.table import Table, last_moved_revision
from bot.thinking.thinkers import ThinkingFailed
from storage import GuessCounts, NewGuess
from tests.bot.party import SQUARE, Party, Recorder, button, buttons, card, missing, words
from tests.bot.test_analysis import TURNS
from tests.support.present import present


@pytest.fixture
def party(advised: Party) -> Party:
    return advised


class Overheard(Recorder):
    """A platform where all in a group read what somebody alone is answered."""

    replies_are_public = True


async def agreed(party: Party, line: str = SQUARE) -> str:
    """Return the code of a game whose players have agreed."""
    code = await party.started(line)
    for who in ("anna", "bruno"):
        await party.press(who, press("guessyes", code))
    return code


async def guess(party: Party, who: str, text: str, code: str) -> Reply:
    return await party.say(who, f"/guess {text} game:{code}")


async def played(party: Party, code: str, *moves: str) -> None:
    for move in moves:
        await party.say(party.mover, f"/move {move} game:{code}")


async def counts(party: Party, code: str) -> dict[str, GuessCounts]:
    await party.say("emma", f"/guess table game:{code}")
    return {each.name: each for each in await party.store.guesses.counts_in_game(code)}


async def judged(party: Party) -> dict[str, GuessCounts]:
    """Have guesses be judged by the analysis, and return what counts in the newest game."""
    await party.front.jobs["guesses"].run_until_idle()
    return await counts(party, party.code)


async def turn_chosen(party: Party, who: str, reply: Reply) -> Reply:
    """Have somebody press what comes first on their board of guesses until a whole turn is chosen."""
    while not any(read_press(each.press).deed == GUESS_TURN for each in buttons(card(reply))):
        reply = await party.press(who, next(each for each in buttons(card(reply)) if each.press.startswith("t:")))
    return reply


@pytest.fixture
async def begun(party: Party) -> str:
    """The code of a game whose players have not been asked."""
    return await party.started(SQUARE)


@pytest.fixture
async def code(party: Party) -> str:
    return await agreed(party)


async def test_it_is_offered_agreed_to_by_all_and_withdrawn(party: Party, begun: str) -> None:
    refused = await party.say("carla", f"/guess game:{begun}")
    assert "Not all who play have agreed" in words(refused)
    offered = await party.press("carla", button(card(refused), "guessoffer"))
    assert not offered.private
    assert missing(words(offered), "Carla suggests that those who watch guess", "once all who play agree.") == []
    assert card(offered).calls == ()
    assert "Anna" not in words(offered), "it stays as it is: who has agreed would become untrue"
    assert "Only who plays in this game" in words(await party.press("carla", button(card(offered), "guessyes")))
    assert "Still open: Bruno" in words(await party.press("anna", button(card(offered), "guessyes")))
    assert "Still open: Bruno" in words(await guess(party, "carla", TURNS[0], begun))
    assert "so has everybody else" in words(await party.say("bruno", f"/guess agree game:{begun}"))
    assert "You guess that" in words(await guess(party, "carla", TURNS[0], begun))
    assert "not guessed" in words(await party.press("anna", button(card(offered), "guessno")))
    assert "Still open: Anna" in words(await guess(party, "dora", TURNS[0], begun))
    await party.press("anna", button(card(offered), "guessyes"))
    await played(party, begun, TURNS[0])
    assert await counts(party, begun) == {}, "what was guessed before the withdrawal counts nothing"


async def test_suggestion_is_not_repeated_before_everybody_and_is_an_own_consent(party: Party, begun: str) -> None:
    line = f"/guess offer game:{begun}"
    assert not (await party.say("carla", line)).private
    for who in ("carla", "dora"):
        again = await party.say(who, line)
        assert again.private
        assert missing(words(again), "suggested here today already", "Still open: Anna and Bruno") == []
    party.clock.turn(days=1)
    offered = await party.say("anna", line)
    assert not offered.private
    assert missing(words(offered), "Anna suggests that those who watch guess", "once all who play agree.") == []
    assert "so has everybody else" in words(await party.say("bruno", line))
    assert offers_to_guess(party)
    done = await party.say("carla", line)
    assert (done.private, words(done)) == (True, "All who play have agreed: guess away.")


async def test_the_table_of_a_game_offers_guesses_only_while_it_is_played(party: Party) -> None:
    await party.say("anna", SQUARE)
    assert not buttons(card(await party.say("carla", f"/guess table game:{party.code}")))
    await party.press("bruno", button(party.newest.card, "join"))
    assert buttons(card(await party.say("carla", f"/guess table game:{party.code}")))


def offers_to_guess(party: Party) -> bool:
    """Say whether the newest board of the game in the channel has the button."""
    return any(read_press(each.press).deed == GUESS for each in buttons(present(party.newest.card)))


async def test_the_board_has_the_button_as_long_as_all_who_play_agree(party: Party, begun: str) -> None:
    await party.say("anna", f"/guess agree game:{begun}")
    assert not offers_to_guess(party)
    mover, moved = party.mover, (await party.load_row(begun)).updated_at
    party.clock.turn(minutes=1)
    await party.say("bruno", f"/guess agree game:{begun}")
    row = await party.load_row(begun)
    assert offers_to_guess(party)
    assert (party.mover, row.updated_at > moved) == (mover, True)
    old = present(party.newest.card)
    await party.say("anna", f"/guess agree game:{begun}")
    assert (await party.load_row(begun)).revision == row.revision, "nothing has changed"
    assert "You see no guess before its turn is played" in words(await party.press("anna", button(old, GUESS)))
    await played(party, begun, TURNS[0])
    assert offers_to_guess(party)
    await party.press("bruno", press("guessno", begun))
    assert not offers_to_guess(party)
    assert "Still open: Bruno" in words(await party.press("carla", button(old, GUESS)))
    await party.press("bruno", press("guessyes", begun))
    assert offers_to_guess(party)
    party.clock.turn(days=2)
    other = party.other()
    await party.say("dora", f"/join {begun}")
    await party.press(other, button(party.newest.card, "agree"))
    assert party.mover == "dora"
    assert not offers_to_guess(party), "who takes over has not agreed"
    await party.press("dora", press("guessyes", begun))
    assert offers_to_guess(party)


async def test_simultaneous_consents_to_guesses_both_count(party: Party, begun: str) -> None:
    deed = press("guessyes", begun)
    replies = await asyncio.gather(party.press("anna", deed), party.press("bruno", deed))
    assert all("You have agreed" in words(reply) for reply in replies)
    assert (await party.load_row(begun)).progress.guesses


async def test_a_board_of_ones_own_takes_the_guess_with_the_buttons_of_play(party: Party, code: str) -> None:
    opened = await party.press("carla", button(present(party.newest.card), GUESS))
    assert (opened.private, opened.secret) == (True, True)
    assert "What will" in words(opened)
    reply = await turn_chosen(party, "carla", opened)
    made = await party.press("carla", button(card(reply), GUESS_TURN))
    assert made.secret
    assert "Nobody else sees it before the turn is played" in words(made)
    assert "You guess" not in words(await party.press("dora", button(card(reply), GUESS_TURN)))
    assert "You guess that" in words(await guess(party, "carla", TURNS[0], code))
    assert "So far you guess" in words(await party.press("carla", button(card(made), GUESS)))
    (stored,) = await party.store.guesses.list_in_game(code)
    assert stored.actions == (TURNS[0],)
    await played(party, code, TURNS[0])
    assert "was played: 2 points." in words(await party.press("carla", press(GUESS, code)))
    late = await party.press("carla", button(card(reply), GUESS_TURN))
    assert "You guess that" not in words(late), "the turn has been played"


async def test_guesses_are_hidden_from_players_until_the_turn_is_played(party: Party, code: str) -> None:
    secret = TURNS[0]
    await guess(party, "carla", secret, code)
    shown = [shown.text for shown in party.shown]
    for who in ("anna", "bruno", "dora"):
        for line in ("/guess table", "/guess", "/board", "/export", "/games", "/privacy", "/guess month", "/profile"):
            reply = await party.say(who, line if line in ("/games", "/privacy", "/profile") else f"{line} game:{code}")
            if reply.card is None:
                continue
            file = reply.card.file.content.decode() if reply.card.file is not None else ""
            assert "carla" not in (words(reply).replace("/guess", "") + file).lower().replace("@carla", "")
            assert secret not in file
    assert [shown.text for shown in party.shown][: len(shown)] == shown
    for reply in (await party.press("anna", press("guesstable", code)), await party.press("anna", press(GUESS, code))):
        assert "Carla" not in words(reply)
    events = await party.store.games.events(code)
    assert not any("carla" in json.dumps(event.data) or secret in json.dumps(event.data) for event in events)
    assert [event.data for event in events if event.kind == "guesses"] == [{"on": True}], "the consent, and no guess"
    assert await counts(party, code) == {}
    await played(party, code, secret)
    found = await counts(party, code)
    assert (found["Carla"].hits, found["Carla"].points) == (1, 2)
    assert "1. Carla: 2 points; 1 guess, hits 1" in words(await party.say("bruno", f"/guess table game:{code}"))


async def test_who_plays_who_is_blocked_and_whole_teams_do_not_guess_nor_anybody_what_is_illegal(
    party: Party, code: str
) -> None:
    assert "You play in this game" in words(await guess(party, "bruno", TURNS[0], code))
    assert "You guess that" not in words(await guess(party, "carla", "a1-d4", code))
    await party.say("anna", "/block @carla")
    assert "blocked" in words(await guess(party, "carla", TURNS[0], code))
    await party.resign(party.mover, code)
    assert "Nobody has guessed a turn yet" in words(await party.press("emma", press(GUESS, code)))
    await party.say("dora", "/team annuvin computer 1")
    assert "A channel plays as one" in words(await party.press("emma", press(GUESS, party.code)))
    assert await party.store.guesses.list_in_game(code) == []


async def test_turns_taken_back_and_never_played_count_nothing(party: Party, code: str) -> None:
    await guess(party, "carla", TURNS[0], code)
    mover = party.mover
    await played(party, code, TURNS[0])
    assert (await counts(party, code))["Carla"].hits == 1
    await take_back(party, code, mover)
    assert await counts(party, code) == {}, "the turn was taken back"
    await guess(party, "carla", other_than(TURNS[0], await party.table(code)), code)
    await played(party, code, TURNS[0])
    assert (await counts(party, code))["Carla"].hits == 0
    await guess(party, "carla", TURNS[1], code)
    await party.resign(party.mover, code)
    found = (await counts(party, code))["Carla"]
    assert (found.guesses, found.hits) == (1, 0)


def other_than(text: str, table: Table) -> str:
    """Return an action that is legal in a game's position, and is not this one."""
    return next(each.text for each in table.playing.state.legal_actions() if each.text != text)


async def take_back(party: Party, code: str, who: str) -> None:
    """Have somebody take their last turn back, with the other's consent."""
    await party.say(who, f"/undo {code}")
    await party.press("anna" if who == "bruno" else "bruno", button(party.newest.card, "agree"))


async def test_turns_that_all_have_seen_are_not_guessed_afterwards(party: Party, code: str) -> None:
    first, second = party.mover, party.other()
    await played(party, code, *TURNS[:2])
    # Two turns at once: the one before and its answer.
    await take_back(party, code, first)
    assert party.mover == first
    reply = await guess(party, "carla", TURNS[0], code)
    assert "taken back, so everybody has seen it" in words(reply)
    assert await party.store.guesses.list_in_game(code) == []
    await played(party, code, TURNS[0])
    assert "everybody has seen it" in words(await guess(party, "carla", TURNS[1], code)), "the answer, too"
    unseen = other_than(TURNS[1], await party.table(code))
    assert "You guess that" in words(await guess(party, "carla", unseen, code))
    assert party.mover == second
    await played(party, code, unseen)
    assert (await counts(party, code))["Carla"].hits == 1
    # From a position that was not there before, the same turn is a guess like any other.
    await guess(party, "carla", await party.legal(code), code)
    await played(party, code, await party.legal(code))
    assert (await counts(party, code))["Carla"].hits == 2


async def test_a_guess_of_an_older_version_at_a_turn_that_all_had_seen_counts_nothing(party: Party, code: str) -> None:
    first = party.mover
    await party.meet("carla")
    await played(party, code, TURNS[0])
    await take_back(party, code, first)
    row = (await party.table(code)).row
    made = NewGuess(code, last_moved_revision(row), await party.id_of("carla"), (TURNS[0],))
    await party.store.guesses.guess(made, row.revision, party.clock())
    await played(party, code, TURNS[0])
    assert await counts(party, code) == {}


async def test_after_the_analysis_points_are_given_once(party: Party, code: str) -> None:
    await played(party, code, *TURNS[:2])
    await guess(party, "carla", "a2xa3", code)
    await guess(party, "dora", TURNS[2], code)
    await played(party, code, *TURNS[2:])
    before = await counts(party, code)
    assert (before["Carla"].points, before["Dora"].points) == (0, 2)
    assert (await judged(party))["Carla"].good == 0, "not before the analysis"
    await party.resign(party.mover, code)
    await party.say("anna", f"/analyse {code}")
    for _ in range(2):
        found = await judged(party)
        assert (found["Carla"].points, found["Carla"].good) == (1, 1), "what the analysis calls better"
        assert (found["Dora"].points, found["Dora"].good) == (2, 0), "a hit that was a mistake"
    party.restarted()
    party.front.context.advice.effort = 0.1
    assert (await judged(party))["Carla"].points == 1
    month = await party.say("emma", "/guess month")
    assert not month.private
    assert missing(words(month), "1. Dora: 2 points", "2. Carla: 1 point") == []
    assert "Guesses at others' turns: 1, hits 0" in words(await party.say("carla", "/profile"))
    assert "Guesses at" not in words(await party.say("emma", "/profile @carla"))


async def test_failed_judging_of_guesses_is_retried(party: Party, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    await played(party, code, *TURNS[:2])
    await guess(party, "carla", "a2xa3", code)
    await played(party, code, *TURNS[2:])
    await party.resign(party.mover, code)
    await party.say("anna", f"/analyse {code}")

    async def fail(*_: object, **__: object) -> float | None:
        raise ThinkingFailed("the engine is away")

    async def not_there(game: str) -> None:
        assert game == code

    with monkeypatch.context() as patched:
        patched.setattr(party.front.context.advice, "worth", fail)
        patched.setattr(party.store.analyses, "get", not_there)
        assert (await judged(party))["Carla"].good == 0
    assert (await judged(party))["Carla"].good == 0, "it waits a while before it tries again"
    party.clock.turn(minutes=11)
    assert (await judged(party))["Carla"].good == 1


async def test_dice_are_known_before_the_turn_is_guessed(party: Party) -> None:
    code = await agreed(party, "/play uomo-nero @bruno")
    table = await party.table(code)
    while table.playing.has_acted or not table.playing.state.legal_actions():
        await party.play_first(code)
        table = await party.table(code)
    chosen = await turn_chosen(party, "carla", await party.press("carla", press(GUESS, code)))
    assert "You guess that" in words(await party.press("carla", button(card(chosen), GUESS_TURN)))
    (stored,) = await party.store.guesses.list_in_game(code)
    await played(party, code, *stored.actions)
    assert (await counts(party, code))["Carla"].hits == 1


async def test_a_typed_guess_is_refused_where_others_read_it_and_goes_where_lines_cannot_be_tried(party: Party) -> None:
    code = await agreed(party, "/play annuvin @bruno board:square try:no")
    party.front.add(Overheard("telegram"))
    group = party.request("carla", Place("telegram", "-100", title="A group"))
    reply = await party.front.typed_text(
        replace(group, user=replace(group.user, platform="telegram")), f"/guess {TURNS[0]} game:{code}"
    )
    assert "Here everybody would read your guess" in words(reply)
    assert not await party.store.guesses.list_in_game(code)
    assert "Type your guess" in words(await party.press("carla", press(GUESS, code)))
    alone = Place("web", "@carla", kind="private")
    reply = await party.front.typed_text(party.request("carla", alone), f"/guess {code} {TURNS[0]}")
    assert "You guess that" in words(reply)


async def test_forgetting_linking_and_ones_own_data_know_guesses(party: Party, code: str) -> None:
    await guess(party, "carla", TURNS[0], code)
    export = await party.store.privacy.export_person(await party.id_of("carla"))
    assert [each["actions"] for each in export["guesses"]] == [[TURNS[0]]]
    export = await party.store.privacy.export_person(await party.id_of("anna"))
    assert export["guesses"] == []
    assert [each["game"] for each in export["guess_consents"]] == [code]
    party.clock.turn(minutes=1)
    other = other_than(TURNS[0], await party.table(code))
    await guess(party, "dora", other, code)
    await party.store.links.merge_people(await party.id_of("dora"), await party.id_of("carla"))
    (stored,) = await party.store.guesses.list_in_game(code)
    assert (stored.person, stored.actions) == (await party.id_of("dora"), (TURNS[0],)), "the older one stays"
    await party.store.links.merge_people(await party.id_of("bruno"), await party.id_of("dora"))
    assert await party.store.guesses.list_in_game(code) == [], "whose second account it was plays in the game"
    await guess(party, "emma", other, code)
    await party.store.privacy.forget_person(await party.id_of("emma"), party.clock())
    assert await party.store.guesses.list_in_game(code) == []
