"""The OpenAPI 3.1 description of the API; requests are read by it, and tests compare responses with it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from bot.operations.version import read_version
from bot.public.openapi_competitions import COMPETITION_SCHEMAS
from bot.public.openapi_shapes import (
    ID,
    ID_PATTERN,
    MAYBE_ID,
    MAYBE_TIME,
    NUMBER,
    TIME,
    URL,
    Json,
    list_of,
    object_of,
    page_of,
    ref,
)
from engine import games

MAX_ITEMS: Final = 100
DEFAULT_ITEMS: Final = 30
MAX_TURNS: Final = 500


@dataclass(frozen=True, slots=True)
class ApiParameter:
    """A parameter of an operation; `where` is `path` or `query`, `schema` has the allowed values."""

    name: str
    about: str
    schema: Json
    where: str = "query"

    def describe(self) -> Json:
        """Return it in OpenAPI's form."""
        needed = self.where == "path"
        return {
            "name": self.name,
            "in": self.where,
            "required": needed,
            "description": self.about,
            "schema": self.schema,
        }

    def read(self, text: str) -> Any:
        """Return the value of a text; ValueError if it is invalid."""
        schema = self.schema
        if schema["type"] == "integer":
            if not re.fullmatch(r"[0-9]{1,6}", text):
                raise ValueError(text)
            value = int(text)
            if not schema.get("minimum", 0) <= value <= schema.get("maximum", value):
                raise ValueError(text)
            return value
        if "enum" in schema and text not in schema["enum"]:
            raise ValueError(text)
        if "pattern" in schema and not re.fullmatch(schema["pattern"], text):
            raise ValueError(text)
        return date.fromisoformat(text) if schema.get("format") == "date" else text


def _limit(most: int = MAX_ITEMS, usual: int = DEFAULT_ITEMS) -> ApiParameter:
    schema = {"type": "integer", "minimum": 1, "maximum": most, "default": usual}
    return ApiParameter("limit", "How many at most.", schema)


_CURSOR: Final = ApiParameter("cursor", "What `next` of the page before says.", ID)
_GAME_KEY: Final[Json] = {"type": "string", "enum": list(games)}
_GAME_KIND: Final = ApiParameter("game", "Only of this game.", _GAME_KEY)
_DATE: Final[Json] = {"type": "string", "format": "date", "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}


def _path_id(what: str) -> ApiParameter:
    return ApiParameter("id", f"The id of {what}, as its address has it.", ID, "path")


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: its path, and its response (a `schema`, or another content type)."""

    name: str
    path: str
    about: str
    parameters: Sequence[ApiParameter] = ()
    schema: str = ""
    content_type: str = "application/json"

    @property
    def concerns_one(self) -> bool:
        """Whether it is about one item, which may not exist."""
        return any(each.where == "path" or each.schema.get("pattern") == ID_PATTERN for each in self.parameters)


OPERATIONS: Final[Sequence[Operation]] = (
    Operation("getIndex", "/", "Where everything is.", schema="Index"),
    Operation(
        "listGames",
        "/games",
        "Public games, those made last first.",
        (
            _GAME_KIND,
            ApiParameter("status", "Only running or finished ones.", {"type": "string", "enum": ["playing", "over"]}),
            ApiParameter("player", "Only those of a player, by the id of their page.", ID),
            *(
                ApiParameter(kind, f"Only those of a {kind}, by the id of its page.", ID)
                for kind in ("cup", "league", "ladder")
            ),
            _limit(),
            _CURSOR,
        ),
        "GameList",
    ),
    Operation("getGame", "/games/{id}", "A game with its position.", (_path_id("a game"),), "Game"),
    Operation(
        "listTurns",
        "/games/{id}/turns",
        "The turns of a game, in their order; the last one may not be finished.",
        (
            _path_id("a game"),
            _limit(MAX_TURNS, 100),
            ApiParameter("cursor", "After which turn.", {"type": "integer", "minimum": 0, "maximum": 999_999}),
        ),
        "TurnList",
    ),
    Operation(
        "getRecord",
        "/games/{id}/record",
        "The record of a game, as `tavoliere` programs exchange it; without the seed while it goes on.",
        (_path_id("a game"),),
        content_type="text/plain",
    ),
    Operation(
        "followGame",
        "/games/{id}/stream",
        "Server-sent events: `game` with the game whenever it has changed, `gone` when it is shown no more, and "
        "`heartbeat` at least every 15 seconds.",
        (_path_id("a game"),),
        content_type="text/event-stream",
    ),
    Operation("listCups", "/cups", "Public cups, those made last first.", (_limit(), _CURSOR), "CupList"),
    Operation("getCup", "/cups/{id}", "A cup with its table and its rounds.", (_path_id("a cup"),), "Cup"),
    Operation("listLeagues", "/leagues", "Public leagues, those made last first.", (_limit(), _CURSOR), "LeagueList"),
    Operation(
        "getLeague",
        "/leagues/{id}",
        "A league with the divisions of its newest season and of the one before.",
        (_path_id("a league"),),
        "League",
    ),
    Operation("listLadders", "/ladders", "Public ladders, those made last first.", (_limit(), _CURSOR), "LadderList"),
    Operation(
        "getLadder",
        "/ladders/{id}",
        "A ladder from the top down, with the challenges that are open.",
        (_path_id("a ladder"),),
        "Ladder",
    ),
    Operation(
        "listPuzzles",
        "/puzzles",
        "The puzzles of dates that are over everywhere on Earth, the newest first, with their solutions.",
        (_limit(), ApiParameter("cursor", "What `next` of the page before says.", _DATE)),
        "PuzzleList",
    ),
    Operation(
        "getPuzzle",
        "/puzzles/{date}",
        "The puzzle of a date that is over everywhere on Earth.",
        (ApiParameter("date", "A date.", _DATE, "path"),),
        "Puzzle",
    ),
    Operation(
        "listRatings",
        "/ratings",
        "The best ratings of those who want a page, in one game.",
        (ApiParameter("game", "Which game.", {**_GAME_KEY, "default": next(iter(games))}), _limit(), _CURSOR),
        "RatingList",
    ),
    Operation("getPlayer", "/players/{id}", "Somebody who wants a page.", (_path_id("a player"),), "Player"),
)


_SUMMARY: Final[Mapping[str, Json]] = {
    "id": ID,
    "url": URL,
    "game": {"type": "string"},
    "status": {"type": "string", "enum": ["playing", "over"]},
    "players": list_of(ref("Seat")),
    "to_move": {"type": ["integer", "null"]},
    "turns": {**NUMBER, "description": "How many are finished."},
    "rated": {"type": "boolean", "description": "Whether its result counts for ratings."},
    "created_at": TIME,
    "started_at": MAYBE_TIME,
    "ended_at": MAYBE_TIME,
    "outcome": {"anyOf": [ref("Outcome"), {"type": "null"}]},
    "links": {"type": "object", "additionalProperties": URL},
}
_RATING: Final[Mapping[str, Json]] = {
    "game": {"type": "string"},
    "points": NUMBER,
    "wins": NUMBER,
    "draws": NUMBER,
    "losses": NUMBER,
}
SCHEMAS: Final[Mapping[str, Json]] = {
    "Index": object_of(
        description={"type": "string"},
        documentation=URL,
        links={"type": "object", "additionalProperties": {"type": "string"}},
    ),
    "Seat": object_of(
        seat=NUMBER,
        name={"type": "string"},
        computer={"type": ["integer", "null"], "description": "The level of a computer player."},
        player=MAYBE_ID,
    ),
    "Outcome": object_of(
        reason={"type": "string"},
        places={"type": ["array", "null"], "items": NUMBER, "description": "By seat, 1 for the best, equal if shared."},
    ),
    "GameSummary": object_of(**_SUMMARY),
    "Game": object_of(
        **_SUMMARY,
        options={"type": "object"},
        rules_version={"type": "integer"},
        revision=NUMBER,
        position={"type": "object", "description": "As docs/rules describes it for each game."},
        seed_hash={"type": "string"},
        seed={"type": ["string", "null"], "description": "Once the game is over."},
    ),
    "GameList": page_of("GameSummary", MAYBE_ID),
    "Turn": object_of(
        number={"type": "integer", "minimum": 1},
        seat={"type": ["integer", "null"], "description": "Null for chance alone."},
        actions=list_of({"type": "string"}),
        finished={"type": "boolean", "description": "False for a turn that has only begun: the last one of a list."},
    ),
    "TurnList": page_of("Turn", {"type": ["integer", "null"]}),
    **COMPETITION_SCHEMAS,
    "Puzzle": object_of(
        date=_DATE,
        url=URL,
        game={"type": "string"},
        position={"type": "object"},
        seat=NUMBER,
        goal=object_of(kind={"type": "string"}, turns=NUMBER),
        motif={"type": "string"},
        solution=list_of(list_of({"type": "string"})),
    ),
    "PuzzleList": page_of("Puzzle", {"type": ["string", "null"], "format": "date"}),
    "Rating": object_of(**_RATING),
    "RankedPlayer": object_of(name={"type": "string"}, player=ID, **_RATING),
    "RatingList": page_of("RankedPlayer", MAYBE_ID),
    "Player": object_of(
        id=ID,
        url=URL,
        name={"type": "string"},
        ratings=list_of(ref("Rating")),
        titles=list_of(
            object_of(kind={"type": "string"}, game={"type": "string"}, period={"type": "string"}, earned_at=TIME)
        ),
    ),
    "Problem": {
        "type": "object",
        "properties": {
            "type": {"type": "string"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
        },
        "required": ["type", "title", "status"],
    },
}
_LIMITS: Final[Json] = {
    name: {"description": about, "schema": {"type": "integer"}}
    for name, about in (
        ("RateLimit-Limit", "How many requests a minute this address may make."),
        ("RateLimit-Remaining", "How many are left."),
        ("RateLimit-Reset", "In how many seconds the minute is over."),
    )
}


def _problem(about: str) -> Json:
    return {
        "description": about,
        "headers": _LIMITS,
        "content": {"application/problem+json": {"schema": ref("Problem")}},
    }


def _responses(operation: Operation) -> Json:
    schema = ref(operation.schema) if operation.schema else {"type": "string"}
    tag = {"ETag": {"schema": {"type": "string"}}} if operation.content_type != "text/event-stream" else {}
    found: Json = {
        "200": {
            "description": operation.about,
            "headers": {**_LIMITS, **tag},
            "content": {operation.content_type: {"schema": schema}},
        },
        "429": _problem("Too many requests."),
        "503": _problem("Too much at once; `Retry-After` says when to try again."),
    }
    if operation.content_type == "text/event-stream":
        found["204"] = {"description": "The game is over, and nothing new will come."}
    if tag:
        found["304"] = {"description": "What `If-None-Match` names still holds."}
    if operation.parameters:
        found["400"] = _problem("A parameter is not what it should be.")
    if operation.concerns_one:
        found["404"] = _problem("There is no such thing.")
        found["410"] = _problem("It is shown no more: a place or a person has taken it back.")
    return dict(sorted(found.items()))


def describe(address: str) -> Json:
    """Return the description for the server at an address."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tavoliere",
            "version": read_version(),
            "summary": "Public games, cups, leagues, ladders, puzzles and ratings, to read.",
            "description": "Only what the places and people concerned let the world see. Nothing can be written.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": f"{address}/api/v1"}],
        "paths": {
            operation.path: {
                "get": {
                    "operationId": operation.name,
                    "summary": operation.about,
                    "parameters": [each.describe() for each in operation.parameters],
                    "responses": _responses(operation),
                }
            }
            for operation in OPERATIONS
        },
        "components": {"schemas": dict(SCHEMAS)},
    }
