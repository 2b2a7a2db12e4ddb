"""Leagues as people meet them: entered, played season by season, and everything that comes between."""

import re
from collections import Counter

import pytest

from bot.competitions.competition import CupGame
from bot.competitions.events import InvalidCompetition
from bot.competitions.file import LeagueFile, check_file
from bot.competitions.kinds import check_competitions
from bot.competitions.leagues.service import LEAGUES, StoredLeague
from bot.competitions.seasons import champions, division_competition
from bot.competitions.standings import ranking
from tests.bot.cups import kept_message, make_competition, time_passes
from tests.bot.party import Party, card, labelled, words
from tests.support.present import present

FIVE = ("anna", "bruno", "cora", "dino", "elsa")


@pytest.fixture
async def code(party: Party) -> str:
    """The code of a league whose first season has begun."""
    return await make_competition(party, "/league annuvin clock:1d", *FIVE)


async def league_of(party: Party, code: str) -> StoredLeague:
    return await LEAGUES.find(party.front.context, code)


async def opened_games(party: Party, code: str) -> list[CupGame]:
    """Return the games of the season that have been opened."""
    season = present((await league_of(party, code)).state.season)
    return [each.game for each in season.games if each.game is not None]


async def resign_all(party: Party, code: str) -> None:
    """Have all games of the season played: the person to move resigns."""
    while going := [present(game.id) for game in await opened_games(party, code) if game.places is None]:
        for game in going:
            await party.resign(await party.mover_of(game), game)


async def test_a_champion_with_another_name_in_the_season_gets_no_title(
    party: Party, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr(party.adapter, "browser_of", lambda _: "all", raising=False)
    await resign_all(party, code)
    await time_passes(party, 24 * 31, "leagues")
    league = await league_of(party, code)
    name = league.name(champions(league.state, present(league.state.before))[0]).lower()
    assert await party.store.titles.list_for_person(await party.id_of(name)) == []
    assert "Seasons won" not in words(await party.say(name, "/profile"))


async def test_who_comes_back_in_mid_season_is_told_when_and_sees_the_games_to_be_finished(
    party: Party, code: str
) -> None:
    await time_passes(party, 1, "leagues")
    going = re.findall(r"\b[A-Z0-9]{6}\b", words(await party.press("bruno", f"league=mine.{code}")))
    assert len(going) > 1
    await party.press("bruno", f"league=leave!.{code}")
    await party.press("bruno", f"league=join.{code}")
    mine = words(await party.press("bruno", f"league=mine.{code}"))
    assert "from the next season on" in mine
    assert re.findall(r"\b[A-Z0-9]{6}\b", mine) == going


async def test_a_season_from_the_command_to_the_champion_and_the_next(party: Party) -> None:
    code = await make_competition(party, "/league annuvin clock:1d", *FIVE[:4])
    assert "begins as soon as 5 people" in kept_message(party, code).text
    await party.press("elsa", f"league=join.{code}")
    season = present((await league_of(party, code)).state.season)
    assert sum(each.is_going_on for each in season.games) == 3, "everybody has one: not all come at once"
    await time_passes(party, 3, "leagues")
    season = present((await league_of(party, code)).state.season)
    assert sum(each.is_going_on for each in season.games) >= 5
    assert max(season.games_going_on().values()) <= 3
    assert [
        each
        for each in party.shown
        if "-news:" in each.key and each.key.endswith(":1") and "Season 1 has begun" in each.text
    ]
    begun = [shown.text for shown in party.shown if "Annuvin, league" in shown.text and " begins." in shown.text]
    assert begun
    assert all(f"Annuvin, league {code}: the game of" in text for text in begun)
    row = await party.load_row(present((await opened_games(party, code))[0].id))
    assert (row.status, row.terms.cup, row.terms.holidays) == ("playing", code, 7)
    await party.press("fido", f"league=join.{code}")
    assert "1 waits for the next season: Fido" in kept_message(party, code).text
    await resign_all(party, code)
    assert "games over: 10 of 10" in kept_message(party, code).text
    await time_passes(party, 24 * 31, "leagues")
    league = await league_of(party, code)
    season = present(league.state.season)
    assert (season.number, season.divisions[0].members[-1]) == (2, 5)
    name = league.name(champions(league.state, present(league.state.before))[0])
    assert any(
        f"season 1: {name}" in each.text for each in party.shown if "-news:" in each.key and each.key.endswith(":2")
    )
    titles = await party.store.titles.list_for_person(await party.id_of(name.lower()))
    assert [(each.kind, each.period, each.source) for each in titles] == [("league", "1", code)]
    assert "Seasons won" in words(await party.say(name.lower(), "/profile"))
    text = present(card(await party.say("anna", f"/export {code}")).file).content.decode()
    assert check_file(LeagueFile.read(text)).games == 10
    assert '"places": [2, 1]' in text
    changed = text.replace('"places": [2, 1]', '"places": [1, 2]', 1)
    with pytest.raises(InvalidCompetition):
        check_file(LeagueFile.read(changed))
    assert [findings async for _, findings in check_competitions(party.store)] == [()]


async def test_the_silent_are_asked_once_and_out_of_the_next_season_unless_they_say(party: Party) -> None:
    code = await make_competition(party, "/league annuvin clock:1d days:14", *FIVE)
    await time_passes(party, 24 * 1.1, "leagues")
    asked = [shown for shown in party.shown if "Are you still in?" in shown.text]
    assert len({shown.calls for shown in asked}) == len(asked) > 0
    league = await league_of(party, code)
    silent = [each for each in league.state.present if league.state.entrants[each].asked]
    assert len(silent) == len(asked)
    # Their games count for the ratings as any others do.
    over = [game for game in await opened_games(party, code) if game.places is not None]
    people = [await party.id_of(name) for name in FIVE]
    ratings = await party.store.ratings.list_for_people(people)
    played = {people.index(each.person): each.played for each in ratings if each.game_key == "annuvin"}
    assert played == Counter(entrant for game in over for entrant in game.seats)
    who = league.name(silent[0]).lower()
    stayed = await party.press(who, labelled(asked[0].card, "I am still in"))
    mine = stayed if "games go on" in words(stayed) else await party.press(who, f"league=stay.{code}")
    assert "games go on" in words(mine)
    assert "Nobody has asked" in words(await party.press(who, f"league=stay.{code}"))
    await time_passes(party, 24 * 14, "leagues")
    league = await league_of(party, code)
    assert all(league.state.entrants[each].state == "left" for each in silent[1:])


async def test_starting_by_hand_and_limits(party: Party) -> None:
    code = await make_competition(party, "/league annuvin clock:1d least:8", *FIVE)
    assert "Only the person who made it" in words(await party.press("bruno", f"league=start.{code}"))
    assert "The season begins" in words(await party.press("anna", f"league=start.{code}"))
    assert "on already" in words(await party.press("anna", f"league=start.{code}"))
    mine = await party.press("bruno", labelled(kept_message(party, code).card, "My games"))
    assert "division 1" in words(mine)
    assert "At most 5" in words(await party.press("bruno", labelled(card(mine), "5 games at once")))
    assert "division 1 of 1" in words(await party.press("anna", f"league=table.{code}"))


async def test_games_with_dice_and_at_tables_of_three_count_by_places(party: Party) -> None:
    code = await make_competition(party, "/league uomo-nero clock:1d seats:3 least:4", *FIVE[:4])
    await resign_all(party, code)
    played = await opened_games(party, code)
    assert {len(each.seats) for each in played} == {3}
    # As many points as others one is ahead of, half of one for each who shares the place.
    points: Counter[int] = Counter()
    for game in played:
        places = present(game.places)
        for entrant, place in zip(game.seats, places, strict=True):
            points[entrant] += sum(2 * (place < other) + (place == other) for other in places) - 1
    state = (await league_of(party, code)).state
    rows = ranking(division_competition(state, present(state.season), 1)).rows
    assert {row.entrant: 2 * row.points for row in rows} == points


async def test_computers_fill_a_division_up_and_the_game_of_blocked_people_is_void(party: Party) -> None:
    code = await make_competition(party, "/league annuvin clock:1d least:3 fill:1", "anna", "bruno")
    await party.say("anna", "/block @bruno")
    await party.press("cora", f"league=join.{code}")
    season = present((await league_of(party, code)).state.season)
    assert season.divisions[0].computers == 3
    assert sum(each.voided for each in season.games) == 1


async def test_fine_wins_count_double_where_the_game_has_such(party: Party) -> None:
    code = await make_competition(party, "/league real-queen clock:1d double:yes", *FIVE)
    state = (await league_of(party, code)).state
    assert state.terms.double == ("royal",)
    assert division_competition(state, present(state.season), 1).terms.double == ("royal",)
    assert "double" in kept_message(party, code).text
    assert "double" in words(await party.say("anna", "/league annuvin clock:1d double:yes"))
    assert len(await party.store.competitions.list_made_by(await party.id_of("anna"), kind="league")) == 1
