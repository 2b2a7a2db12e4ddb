"""Live games are rated apart: profile, leaderboards, the end of a game, history, months and links tell them apart."""

from types import SimpleNamespace
from typing import Any

from hypothesis import given, strategies as st

from bot.kernel.table import pace_of, results_from_places
from bot.people.standings.month import Strengths, find_highlights
from bot.table.ratings import MIN_RANKED_GAMES
from storage import GameProgress, Terms
from storage.schema import LIVE, SLOW, Pace
from tests.bot.party import SQUARE, Party, button, buttons, card, missing, picture_of, words
from tests.bot.test_monthly import give_up, lose, result
from tests.bot.test_standings import linked

LIVE_GAME = f"{SQUARE} clock:15+10"


async def points_of(party: Party, who: str) -> dict[tuple[str, Pace], tuple[int, int]]:
    """Return how many games somebody has won and lost, by game and pace."""
    found = await party.store.ratings.list_for_people([await party.id_of(who)])
    return {(each.game_key, each.pace): (each.wins, each.losses) for each in found}


async def test_a_live_game_changes_live_ratings_alone_which_are_named_where_there_are_some(party: Party) -> None:
    await lose(party, "bruno")
    assert await points_of(party, "anna") == {("", SLOW): (1, 0), ("annuvin", SLOW): (1, 0)}
    assert "\nRating: " in party.board.text
    assert "live" not in words(await party.say("anna", "/profile"))
    board = await party.say("anna", "/leaderboard")
    assert "live" not in words(board).lower()
    assert "Live games" not in [each.label for each in buttons(card(board))]
    code = await lose(party, "anna", LIVE_GAME)
    assert await points_of(party, "anna") == {
        ("", SLOW): (1, 0),
        ("", LIVE): (0, 1),
        ("annuvin", SLOW): (1, 0),
        ("annuvin", LIVE): (0, 1),
    }
    slow, live = await party.store.ratings.results_of_person(await party.id_of("anna"))
    assert (live.game, live.pace, slow.pace) == (code, LIVE, SLOW)
    assert "\nRating in live games: " in party.board.text
    board = await party.press("anna", button(party.board.card, "leaders"))
    assert missing(words(board), "Leaderboard: Annuvin", "Live games: those with a clock for an evening") == []
    lines = [line.partition(":")[0] for line in words(await party.say("anna", "/profile")).splitlines()[1:5]]
    assert lines == ["All games", "All games (live)", "Annuvin", "Annuvin (live)"]
    history = words(await party.say("anna", "/history"))
    assert missing(history, "Annuvin (live) with Bruno", "Annuvin with Bruno") == []


async def test_the_course_of_a_rating_and_the_ranks_everywhere_are_those_of_one_pace(advised: Party) -> None:
    for number in range(MIN_RANKED_GAMES):
        await lose(advised, "bruno", LIVE_GAME if number else SQUARE)
    profile = await advised.say("anna", "/profile")
    assert card(profile).picture is None, "four games at a pace and one at the other are no five"
    await lose(advised, "bruno", LIVE_GAME)
    profile = await advised.say("anna", "/profile")
    assert "Annuvin (live): at least" in words(profile)
    assert picture_of(profile).png.startswith(b"\x89PNG")
    everywhere = words(await advised.say("carla", "/leaderboard where:everywhere"))
    assert missing(everywhere, "1. Anna: 5 wins", "points") == []
    assert "Anna" not in words(await advised.say("carla", "/leaderboard where:everywhere speed:slow"))


async def test_leaderboards_are_apart_and_lead_to_each_other(party: Party) -> None:
    await lose(party, "anna", LIVE_GAME)
    only = await party.say("anna", "/leaderboard annuvin")
    assert missing(words(only), "Live games", "1. Bruno: 1 win", "2. Anna: 0 wins") == []
    assert "Slow games" not in [each.label for each in buttons(card(only))]
    await lose(party, "bruno")
    slow = await party.say("anna", "/leaderboard annuvin")
    assert missing(words(slow), "Slow games", "1. Anna: 1 win", "2. Bruno: 0 wins, 0 draws, 1 loss") == []
    live = await party.follow("anna", slow, "Live games")
    assert live.update
    assert "1. Bruno: 1 win" in words(live)
    month = await party.follow("anna", live, "This month")
    assert missing(words(month), "Live games", "1. Bruno: 1 win") == [], "a pace that was chosen stays"
    assert "1. Anna: 1 win" in words(await party.follow("anna", month, "Slow games"))
    asked = words(await party.say("anna", "/leaderboard annuvin speed:live"))
    assert "1. Bruno: 1 win" in asked
    nothing = words(await party.say("anna", "/leaderboard uomo-nero speed:live"))
    assert "Nobody has finished a rated game here" in nothing


async def test_games_of_linked_accounts_are_uncounted_at_their_pace(party: Party) -> None:
    for line in (SQUARE, LIVE_GAME, LIVE_GAME):
        await lose(party, "bruno", line)
    code = await party.started("/play annuvin @carla board:square clock:5+5", "carla")
    await give_up(party, "carla", code)
    assert (await points_of(party, "anna"))["annuvin", LIVE] == (3, 0)
    await linked(party, "anna", "bruno")
    after = await points_of(party, "anna")
    assert (after["annuvin", SLOW], after["annuvin", LIVE]) == ((0, 0), (1, 0))


def test_a_month_counts_what_was_gained_at_each_pace() -> None:
    """Twenty points gained in live games and thirty in slow ones are thirty at most, whatever the figures between."""
    before: Strengths = {(1, "annuvin", SLOW): (30.0, 5.0, 9), (1, "annuvin", LIVE): (20.0, 5.0, 9)}
    here = [result(1, 1, "win", 30.5, SLOW), result(2, 1, "win", 20.4, LIVE), result(3, 1, "win", 30.75, SLOW)]
    (improved,) = [each for each in find_highlights(here, here, before) if each.kind == "improved"]
    assert (tuple(improved.people), improved.n) == ((1,), 30)


CLOCKS = st.one_of(st.none(), st.integers(1, 8 * 86_400))


@given(CLOCKS, CLOCKS, st.integers(0, 60))
def test_results_have_the_pace_of_their_terms(clock: int | None, reserve: int | None, increment: int) -> None:
    terms = Terms(clock=clock, reserve=reserve, increment=increment)
    row: Any = SimpleNamespace(terms=terms, progress=GameProgress(), seats=())
    (pace,) = {each.pace for each in results_from_places(row, "goal", (1, 2))}
    assert pace == pace_of(row)
    is_live = reserve is not None if clock is None else clock <= 30 * 60
    assert (pace == LIVE) == is_live
