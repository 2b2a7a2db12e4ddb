"""Ratings, leaderboards, profiles, and finished games."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from bot.kernel.requests import Place
from bot.table.ratings import (
    MIN_RANKED_GAMES,
    initial_rating,
    new_rating,
    number_places,
    rate_game,
    rated_places,
    rating_points,
    rating_spread,
)
from engine.record import Record, verify
from storage import NewResult, Rating
from tests.bot.party import SQUARE, Party, button, buttons, card, missing, words
from tests.bot.test_monthly import give_up, lose
from tests.support.present import present


def places_of(order: list[int]) -> dict[int, int]:
    return {person: 1 + sum(other < place for other in order) for person, place in enumerate(order)}


def ratings_of(mus: list[float]) -> dict[int, Rating]:
    return {person: replace(new_rating(person, "annuvin"), mu=mu) for person, mu in enumerate(mus)}


@given(st.lists(st.integers(1, 5), min_size=2, max_size=5))
def test_among_equals_a_better_place_never_gains_less(order: list[int]) -> None:
    places, before = places_of(order), ratings_of([25.0] * len(order))
    after = rate_game(before, places)
    gains = {person: after[person].mu - before[person].mu for person in places}
    for one in places:
        for other in places:
            if places[one] < places[other]:
                assert gains[one] >= gains[other]
            if places[one] == places[other]:
                assert gains[one] == pytest.approx(gains[other])


@given(st.lists(st.tuples(st.floats(5, 45), st.integers(1, 5)), min_size=2, max_size=5))
def test_rated_game_lowers_uncertainty_and_counts_once(table: list[tuple[float, int]]) -> None:
    places = places_of([place for _, place in table])
    before = ratings_of([mu for mu, _ in table])
    after = rate_game(before, places)
    for person in places:
        assert after[person].sigma <= before[person].sigma
        assert after[person].played == 1
    if max(places.values()) > 1:
        winners = [person for person in places if places[person] == 1]
        assert sum(after[person].wins for person in places) == (len(winners) == 1)
        assert sum(after[person].draws for person in places) == (len(winners) if len(winners) > 1 else 0)


@given(st.floats(5, 45), st.floats(5, 45))
def test_of_two_the_winner_never_loses_points(winner: float, loser: float) -> None:
    after = rate_game(ratings_of([winner, loser]), {0: 1, 1: 2})
    assert after[0].mu >= winner
    assert after[1].mu <= loser


def test_single_player_is_not_rated() -> None:
    before = ratings_of([25.0])
    assert rate_game(before, {0: 1}) == before


def test_places_are_renumbered_among_rated_people() -> None:
    results = [
        NewResult(0, 2, "x", 10),
        NewResult(1, 1, "x", 11, rated=False),
        NewResult(2, 4, "x", 12),
        NewResult(3, 2, "x", None),
    ]
    assert rated_places(results) == {10: 1, 12: 2}


def test_points_are_cautious() -> None:
    fresh = new_rating(1, "annuvin")
    assert (rating_points(fresh), initial_rating(fresh.mu)) == (1000, 2000)
    assert initial_rating(fresh.mu) - rating_spread(fresh.sigma) == pytest.approx(rating_points(fresh))
    assert rating_points(replace(fresh, sigma=1.0)) > rating_points(fresh)


async def test_casual_games_do_not_count(party: Party) -> None:
    await lose(party, "bruno", SQUARE + " rated:no")
    assert "Rating:" not in party.board.text
    assert "No rated game yet" in words(await party.say("anna", "/profile"))
    assert await party.store.ratings.list_for_people([await party.id_of("anna")]) == []
    assert "Nobody has finished" in words(await party.say("anna", "/leaderboard"))


async def test_leaderboards_and_profiles_have_ratings_after_enough_games(party: Party) -> None:
    assert "No finished games yet." in words(await party.say("anna", "/profile"))
    for _ in range(MIN_RANKED_GAMES - 1):
        await lose(party, "bruno")
    assert "points" not in words(await party.say("anna", "/leaderboard annuvin"))
    assert "finished 5 rated games" in words(await party.say("anna", "/leaderboard annuvin where:everywhere"))
    await lose(party, "anna")
    here = words(await party.say("anna", "/leaderboard annuvin")).splitlines()
    assert here[0] == "Leaderboard: Annuvin (this channel)"
    assert here[1].startswith("1. Anna: 4 wins, 0 draws, 1 loss – 1")
    everywhere = words(await party.say("carla", "/leaderboard where:everywhere", place=Place("web", "garden")))
    assert [line[:8] for line in everywhere.splitlines()] == ["Leaderbo", "1. Anna:", "2. Bruno"]
    mine = await party.say("anna", "/profile")
    assert mine.private
    assert missing(words(mine), "Annuvin: at least 1", "4 wins, 0 draws, 1 loss") == []
    assert "met 5 times: 1 to you, 4 to Anna" in words(await party.say("bruno", "/profile @anna"))
    assert "do not know who" in words(await party.say("bruno", "/profile @nobody"))
    assert "Games of Anna" in words(await party.press("anna", button(card(mine), "history")))


async def test_a_server_counts_all_its_channels(party: Party) -> None:
    one, two = (Place("web", channel, group="server") for channel in ("one", "two"))
    for place in (one, two):
        await give_up(party, "bruno", await party.started("/play annuvin", place=place))
    assert "Anna: 1 win" in words(await party.say("anna", "/leaderboard", place=one))
    assert "Anna: 2 wins" in words(await party.say("anna", "/leaderboard where:server", place=one))


async def test_history_lists_finished_games_and_shows_them_again_turn_by_turn(party: Party, code: str) -> None:
    assert "No finished games" in words(await party.say("anna", "/history"))
    await party.say(party.mover, "a1-a2")
    await party.say(party.mover, "d4-d3")
    await party.resign("bruno", code)
    listed = await party.say("anna", "/history annuvin")
    assert f"Annuvin with Bruno, won ({code})" in words(listed)
    last = await party.press("anna", buttons(card(listed))[0])
    assert "turn 3 of 3" in words(last)
    before = await party.follow("anna", last, "◀")
    assert before.update
    assert "played d4-d3" in words(before)
    assert "The beginning" in words(await party.follow("anna", before, "⏮"))
    presses = [entry.press for entry in buttons(card(last))]
    assert len(set(presses)) == len(presses)


async def test_a_game_is_taken_away_as_a_file_that_verifies(party: Party) -> None:
    code = await party.started("/play uomo-nero @bruno")
    for _ in range(3):
        await party.play_first(code)
    running = card(await party.say("anna", f"/export {code}"))
    assert Record.from_text(present(running.file).content.decode()).seed is None
    await party.resign("bruno", code)
    file = present(card(await party.say("anna", "/export")).file)
    assert file.name == f"uomo-nero-{code}.txt"
    record = Record.from_text(file.content.decode())
    assert (verify(record).seats, Record.from_text(record.to_text())) == (2, record)
    assert verify(record).draws > 0


async def test_a_game_that_has_not_started_has_no_record(party: Party) -> None:
    await party.say("anna", "/play annuvin")
    assert "not started yet" in words(await party.say("anna", f"/export {party.code}"))
    assert "not finished a game" in words(await party.say("anna", "/export"))


async def test_a_leaderboard_can_ask_for_more_games(party: Party) -> None:
    for loser in ("bruno", "bruno"):
        await lose(party, loser)
    await lose(party, "carla", "/play annuvin @carla board:square", "carla")
    assert missing(words(await party.say("anna", "/leaderboard")), "Anna", "Bruno", "Carla") == []
    some = words(await party.say("anna", "/leaderboard least:2"))
    assert "Bruno" in some
    assert "Carla" not in some
    assert "3 rated games" in words(await party.say("bruno", "/leaderboard least:4")).replace("4", "3")
    assert "Anna" in words(await party.say("anna", "/leaderboard where:everywhere least:3"))
    assert "must be from 1" in words(await party.say("anna", "/leaderboard least:0"))


async def play_rated(party: Party, starter: str, other: str, loser: str) -> None:
    """Have one of two give up a rated game that is not Anna's."""
    await party.say(starter, f"/play annuvin @{other} board:square")
    await party.press(other, button(party.newest.card, "join"))
    await give_up(party, loser, party.code)


async def linked(party: Party, one: str, other: str) -> str:
    """Link two accounts and return what was said."""
    code = re.search(r"code is (\w+)", words(await party.say(one, "/link")))
    return words(await party.say(other, f"/link {present(code)[1]}"))


async def test_games_between_linked_accounts_count_on_no_board(party: Party) -> None:
    for loser in ("bruno", "bruno", "anna"):
        await lose(party, loser)
    await party.meet("carla")
    for _ in range(MIN_RANKED_GAMES):
        await lose(party, "carla", "/play annuvin @carla board:square", "carla")
    anna = await party.id_of("anna")
    before = {each.game_key: each for each in await party.store.ratings.list_for_people([anna])}
    said = await linked(party, "anna", "bruno")
    assert missing(said, "account with more games stays", "between the two accounts count no longer") == []
    for board in ("/leaderboard", "/leaderboard annuvin", "/leaderboard where:everywhere", "/leaderboard period:month"):
        assert "Anna: 5 wins, 0 draws, 0 losses" in words(await party.say("carla", board)), board
    assert "Bruno" not in words(await party.say("anna", "/leaderboard where:everywhere"))
    assert "5 wins, 0 draws, 0 losses" in words(await party.say("anna", "/profile"))
    after = {each.game_key: each for each in await party.store.ratings.list_for_people([anna])}
    assert {key: (each.mu, each.sigma) for key, each in after.items()} == {
        key: (each.mu, each.sigma) for key, each in before.items()
    }, "no rating is computed anew"


async def test_boards_agree_again_after_a_link_is_taken_apart(party: Party) -> None:
    """What each has brought counts with them again, once: counts of ratings and of results are the same."""
    for starter, other, loser in (("anna", "carla", "anna"), ("bruno", "carla", "carla"), ("bruno", "dora", "bruno")):
        await play_rated(party, starter, other, loser)
    await lose(party, "anna")

    async def see_counts(name: str, wins: int, losses: int) -> None:
        for board in ("least:1", "least:1 game:annuvin", "least:1 period:month", "least:1 where:everywhere"):
            shown = words(await party.say("carla", f"/leaderboard {board}"))
            counts = re.search(rf"{name}: (\d+) wins?, 0 draws, (\d+) loss", shown)
            assert counts is not None, shown
            assert (int(counts[1]), int(counts[2])) == (wins, losses), board

    await see_counts("Anna", 0, 2)
    await see_counts("Bruno", 2, 1)
    await linked(party, "anna", "bruno")
    await see_counts("Anna", 1, 2)
    await party.say("bruno", "/link off")
    await see_counts("Anna", 0, 1)
    await see_counts("Bruno", 1, 1)


async def test_a_third_person_keeps_a_game_with_two_linked_accounts(party: Party) -> None:
    line = "/play vedova-nera @bruno @carla players:3 rated:yes"
    code = await party.started(line, "bruno", "carla")
    for who in ("anna", "bruno"):
        await give_up(party, who, code)
    assert (await party.load_row(code)).status == "over"
    await linked(party, "anna", "bruno")
    board = words(await party.say("carla", "/leaderboard"))
    assert "Carla: 1 win" in board
    assert "Anna" not in board
    assert "met" not in words(await party.say("carla", "/profile @anna"))


def test_who_has_as_many_points_shares_a_place() -> None:
    assert number_places([1900, 1850, 1850, 1850, 1700, 1699, 1699]) == [1, 2, 2, 2, 5, 6, 6]
    assert number_places([]) == []


async def test_equals_share_a_number_where_ratings_are_compared(party: Party) -> None:
    """Two pairs who have played the same games have the same ratings."""
    for _ in range(MIN_RANKED_GAMES):
        await lose(party, "bruno")
        await play_rated(party, "carla", "dora", "dora")
    board = words(await party.say("anna", "/leaderboard where:everywhere")).splitlines()[1:]
    assert [line.partition(":")[0] for line in board] == ["1. Anna", "1. Carla", "3. Bruno", "3. Dora"]


async def test_rating_that_rises_without_a_win_is_explained(party: Party) -> None:
    code = await party.warm_up(await party.started(SQUARE))
    for who in ("anna", "bruno"):
        await party.say(who, f"/draw game:{code}")
    ratings, why = party.board.text.splitlines()[-2:]
    assert ratings.count(", up ") == 2
    assert why == "A rating also rises because every game makes it more certain."


async def test_rated_game_shows_rating_changes(party: Party) -> None:
    await lose(party, "bruno")
    last_line = party.board.text.splitlines()[-1]
    ratings = {rating.person: rating_points(rating) for rating in await party.store.ratings.best("annuvin")}
    anna, bruno = ratings[1], ratings[2]
    assert missing(last_line, f"Anna {anna:,}, up {anna - 1000}", f"Bruno {bruno:,}, down {1000 - bruno}") == []
    # The profile says the same figure, and why the leaderboard does not.
    profile = words(await party.say("anna", "/profile"))
    assert f"Annuvin: {anna:,} points after one game; the leaderboard shows it from 5 games on" in profile
