"""The reading interface: what it gives, what it refuses, and that it is as its description says."""

import asyncio
from typing import Any, cast

from hypothesis import HealthCheck, given, settings
from sqlalchemy import insert

from bot.platforms.public.api import OPERATIONS, REQUESTS_PER_MINUTE
from bot.platforms.public.openapi import describe
from engine.record import Record
from storage.schema import ratings
from tests.public.test_game_pages import next_event
from tests.public.world import ADDRESS, API, PROXIED, World


async def test_a_game_is_given_with_its_turns_and_its_record(world: World) -> None:
    page = await world.shown_game("/play annuvin @bruno")
    await world.move()
    game = (await world.get(f"{API}/games/{page}")).json
    assert (game["id"], game["game"], game["status"], game["turns"]) == (page, "annuvin", "playing", 1)
    assert {each["name"] for each in game["players"]} == {"Anna", "Bruno"}
    assert game["seed"] is None
    assert game["url"] == f"{ADDRESS}/g/{page}"
    turns = (await world.get(f"{API}/games/{page}/turns?limit=1")).json
    assert [each["number"] for each in turns["items"]] == [1]
    await world.resign()
    over = (await world.get(f"{API}/games/{page}")).json
    assert over["status"] == "over"
    assert over["seed"]
    assert sorted(over["outcome"]["places"]) == [1, 2]
    record = Record.from_text((await world.get(f"{API}/games/{page}/record")).text)
    assert record.actions[0] == turns["items"][0]["actions"][0]


async def test_only_public_games_are_listed_in_pages(world: World) -> None:
    await world.allow()
    pages = []
    for _ in range(5):
        world.party.clock.turn(minutes=1)
        pages.append(await world.page(await world.party.started()))
    hidden = await world.party.started("/play annuvin @carla", "carla")
    await world.party.say("carla", "/settings profile:hidden")
    assert [each["id"] for each in await world.items(f"{API}/games?limit=2")] == pages[::-1]
    assert hidden not in (await world.get(f"{API}/games")).text
    assert (await world.get(f"{API}/games?game=fagocitare")).json["items"] == []
    assert len((await world.get(f"{API}/games?status=playing&game=annuvin")).json["items"]) == 5
    await world.allow("off")
    assert (await world.get(f"{API}/games")).json == {"items": [], "next": None}


async def test_puzzles_are_given_page_by_page(world: World) -> None:
    world.party.clock.turn(days=5)  # 26 November 2026, noon in UTC
    newest = (await world.get(f"{API}/puzzles?limit=1")).json
    assert [each["date"] for each in newest["items"]] == ["2026-11-25"]
    assert newest["items"][0]["solution"]
    older = (await world.get(f"{API}/puzzles?cursor={newest['next']}")).json
    assert ([each["date"] for each in older["items"]], older["next"]) == (["2026-11-24", "2026-11-23"], None)
    assert (await world.get(f"{API}/puzzles?cursor=0001-01-01")).json["items"] == []


async def rated(world: World, who: str, mu: float, pool: str = "people", pace: str = "slow") -> None:
    """Have somebody be rated, as after some games, and want a page."""
    person = await world.party.store.people.identify("web", who, who.capitalize())
    values = {"person": person.id, "game_key": "annuvin", "mu": mu, "sigma": 2.0, "pool": pool, "pace": pace}
    async with world.party.store._database.transaction() as connection:
        await connection.execute(insert(ratings).values(**values, wins=9, draws=0, losses=1))
    await world.party.say(who, "/settings profile:public")


async def test_ratings_are_listed_page_by_page_and_those_against_computers_apart(world: World) -> None:
    for number, who in enumerate(("anna", "bruno", "carla", "dino")):
        await rated(world, who, 40 - number)
    await rated(world, "anna", 10, "computer")
    await world.party.say("bruno", "/settings profile:auto")
    found = await world.items(f"{API}/ratings?game=annuvin&limit=1")
    assert [each["name"] for each in found] == ["Anna", "Carla", "Dino"]
    assert len((await world.get(f"{API}/players/{found[0]['player']}")).json["ratings"]) == 1
    # Who no longer wants a page is left out, and those after them are still found.
    await world.party.say("carla", "/settings profile:auto")
    after = (await world.get(f"{API}/ratings?game=annuvin&cursor={found[1]['player']}")).json
    assert [each["name"] for each in after["items"]] == ["Dino"]
    assert (await world.get(f"{API}/ratings?cursor={'A' * 22}")).status == 404


async def test_ratings_of_live_games_are_asked_for_and_what_older_clients_get_stays(world: World) -> None:
    await rated(world, "anna", 30)
    await rated(world, "anna", 40, pace="live")
    await rated(world, "bruno", 35, pace="live")
    for query, names in (("", ["Anna"]), ("&pace=slow", ["Anna"]), ("&pace=live", ["Anna", "Bruno"])):
        found = await world.items(f"{API}/ratings?game=annuvin&limit=1{query}")
        assert [each["name"] for each in found] == names, query
        assert {each["pace"] for each in found} == {"live" if "live" in query else "slow"}
    anna = (await world.get(f"{API}/players/{found[0]['player']}")).json
    assert [each["pace"] for each in anna["ratings"]] == ["slow"]
    assert [each["pace"] for each in anna["live_ratings"]] == ["live"]
    assert (await world.get(f"{API}/ratings?game=annuvin&pace=fast")).status == 400


async def test_invalid_queries_return_problem_details(world: World) -> None:
    for query in ("limit=0", "limit=x", "cursor=1", "game=chess"):
        seen = await world.get(f"{API}/games?{query}")
        assert (seen.status, seen.headers["Content-Type"].partition(";")[0]) == (400, "application/problem+json"), query
        assert seen.json["status"] == 400
        assert seen.json["detail"]


async def test_api_is_readable_across_origins_and_read_only(world: World) -> None:
    foreign = {"Origin": "https://elsewhere.example", "Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "cors"}
    seen = await world.get(f"{API}/games", **foreign)
    assert (seen.status, seen.headers["Access-Control-Allow-Origin"]) == (200, "*")
    again = await world.get(f"{API}/games", If_None_Match=seen.headers["ETag"])
    assert (again.status, again.body) == (304, b"")
    asked = await world.get(f"{API}/games", "OPTIONS", **foreign, Access_Control_Request_Method="GET")
    assert (asked.status, asked.headers["Access-Control-Allow-Methods"]) == (204, "GET, HEAD, OPTIONS")
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        refused = await world.get(f"{API}/games", method)
        assert (refused.status, refused.headers["Allow"]) == (405, "GET, HEAD, OPTIONS")
    assert (await world.get(f"{API}/nothing")).json["status"] == 404


@PROXIED
async def test_one_address_asks_so_often_and_others_go_on(world: World) -> None:
    mine = {"X_Forwarded_For": "203.0.113.7"}
    for number in range(REQUESTS_PER_MINUTE):
        seen = await world.get(f"{API}/", **mine)
        assert seen.status == 200
        assert int(seen.headers["RateLimit-Remaining"]) == REQUESTS_PER_MINUTE - 1 - number
    refused = await world.get(f"{API}/", **mine)
    assert (refused.status, refused.json["status"]) == (429, 429)
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert (await world.get(f"{API}/", X_Forwarded_For="203.0.113.8")).status == 200


async def test_stream_begins_with_the_current_state(world: World, page: str) -> None:
    async with asyncio.timeout(60), world.session.get(f"{world.address}{API}/games/{page}/stream") as stream:
        assert stream.headers["Access-Control-Allow-Origin"] == "*"
        assert int(stream.headers["RateLimit-Remaining"]) < int(stream.headers["RateLimit-Limit"])
        assert f'"id":"{page}"' in (await next_event(stream.content))["data"]
        await world.move()
        assert '"turns":1' in (await next_event(stream.content))["data"]
        for path in (f"{API}/games/{page}/stream", f"/g/{page}/live"):
            assert (await world.get(path, "HEAD")).headers["Content-Type"] == "text/event-stream", "at once"


async def test_responses_match_the_api_description(world: World) -> None:
    """A fuzzer asks what the description allows and what it does not, and compares every answer with it."""
    page = await world.shown_game("/play annuvin @bruno")
    await world.party.say("anna", "/settings profile:public")
    players = (await world.get(f"{API}/games/{page}")).json["players"]
    (anna,) = [each["player"] for each in players if each["name"] == "Anna"]
    world.party.clock.turn(days=5)
    served = (await world.get(f"{API}/openapi.json")).json
    assert served == describe(ADDRESS, OPERATIONS)
    schema = await world.description()
    base = f"{world.address}{API}"
    known = {"/games/{id}": page, "/games/{id}/turns": page, "/players/{id}": anna}
    few = settings(max_examples=2, deadline=None, database=None, derandomize=True, suppress_health_check=[*HealthCheck])

    def fuzz() -> set[str]:
        seen = set()
        for found in schema.get_all_operations():
            operation: Any = cast("Any", found).ok()

            @few
            @given(case=operation.as_strategy())
            def ask(case: Any) -> None:
                case.call_and_validate(base_url=base)

            ask()
            seen.add(operation.definition.raw["operationId"])
        for path, id_ in known.items():
            case = schema[path]["GET"].Case(path_parameters={"id": id_})
            assert case.call_and_validate(base_url=base).status_code == 200, path
        case = schema["/puzzles/{date}"]["GET"].Case(path_parameters={"date": "2026-11-25"})
        assert case.call_and_validate(base_url=base).status_code == 200
        return seen

    assert await asyncio.to_thread(fuzz) == {each.name for each in OPERATIONS}
