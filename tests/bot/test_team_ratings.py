"""How good a channel is: its games count for it, never for anybody's own rating, and in a table if it wants."""

from bot.kernel.table import TEAM_POOL
from storage import Rating
from tests.bot.party import Party, button, buttons, card, missing, words
from tests.bot.test_team_opponents import ELSEWHERE, play_own_turn, say_there
from tests.bot.test_teams import lose, team_game


async def ratings_here(party: Party, channel: str = "room") -> list[Rating]:
    place = await party.store.places.get_or_create("web", channel)
    return await party.store.teams.rated_in(place.id, TEAM_POOL)


async def test_team_game_is_rated_for_the_channel_only(party: Party) -> None:
    await lose(party, await team_game(party, "/team annuvin computer 3 time:1h idle:loss"))
    ratings = await ratings_here(party)
    assert [(each.game_key, each.wins, each.draws, each.losses) for each in ratings] == [
        ("", 0, 0, 1),
        ("annuvin", 0, 0, 1),
    ]
    assert "The room has" in party.board.text or "points" in party.board.text
    own = words(await party.say("anna", "/team"))
    assert missing(own, "0 wins, 0 draws, 1 loss", "the table of all channels counts it from 3 games on") == []
    people = [await party.id_of(who) for who in ("anna", "bruno", "carla")]
    assert await party.store.ratings.list_for_people(people) == []
    assert "The room" not in words(await party.say("anna", "/leaderboard"))
    assert "The room" not in words(await party.say("anna", "/leaderboard where:everywhere least:1"))


async def test_losing_to_a_stronger_computer_costs_less(party: Party) -> None:
    after = []
    for level, place in ((1, party.room), (5, ELSEWHERE)):
        await party.meet("anna", "bruno", place=place)
        await party.say("anna", f"/team annuvin computer {level} time:1h idle:loss", place=place)
        (code,) = await party.store.teams.running_in((await party.store.places.get_or_create("web", place.channel)).id)
        await lose(party, code)
        after.append((await ratings_here(party, place.channel))[0])
    assert after[0].mu < after[1].mu


async def test_a_person_who_beats_a_channel_keeps_their_own_rating(party: Party) -> None:
    await party.meet("bruno", "dora")
    code = await party.started("/team annuvin @dora time:1h idle:loss", "dora")
    await play_own_turn(party, code)
    await lose(party, code)
    assert await party.store.ratings.list_for_people([await party.id_of("dora")]) == []
    assert [each.losses for each in await ratings_here(party)] == [1, 1]


async def test_channels_that_meet_rate_each_other(party: Party) -> None:
    await say_there(party, "carla", "/help")
    await party.say("anna", "/team annuvin against:channel time:1h idle:loss")
    code = party.code
    await say_there(party, "carla", f"/team join:{code}")
    await lose(party, code)
    here, there = await ratings_here(party), await ratings_here(party, "club")
    assert sorted([here[0].wins, there[0].wins]) == [0, 1]
    assert abs(here[0].mu + there[0].mu - 50) < 1e-6


async def test_channel_is_listed_when_its_managers_allow_it(party: Party) -> None:
    for _ in range(3):
        await lose(party, await team_game(party, "/team annuvin computer 1 time:1h idle:loss"))
    assert "No channel stands here yet" in words(await party.say("anna", "/leaderboard where:channels"))
    assert "3 losses" in words(await party.say("bruno", "/team"))
    assert "manage" in words(await party.say("bruno", "/team listed:on"))
    assert "No channel stands here yet" in words(await party.say("anna", "/leaderboard where:channels"))
    party.managers.add("anna")
    shown = await party.follow("anna", await party.say("anna", "/team"), "Show us in the table of channels")
    assert "stands in the table" in words(shown)
    board = await party.press("carla", button(party.board.card, "leaders"))
    assert missing(words(board), "1. The room (on the local page)", "3 losses") == []
    overview = await party.say("anna", "/team")
    assert "Take us out of the table" in [each.label for each in buttons(card(overview))]
    await party.say("anna", "/team listed:off")
    assert "No channel stands here yet" in words(await party.say("anna", "/leaderboard where:channels annuvin"))
