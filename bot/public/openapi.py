"""The description of the reading interface: OpenAPI 3.1. Requests are read by it, and tests compare answers with it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from bot.operations.version import read_version
from engine import games

Json = dict[str, Any]

MAX_ITEMS: Final = 100
DEFAULT_ITEMS: Final = 30
MAX_TURNS: Final = 500
ID_PATTERN: Final = "^[A-Za-z0-9_-]{22}$"
_TIME: Final[Json] = {"type": "string", "format": "date-time"}
_MAYBE_TIME: Final[Json] = {"type": ["string", "null"], "format": "date-time"}
_ID: Final[Json] = {"type": "string", "pattern": ID_PATTERN}
_MAYBE_ID: Final[Json] = {"type": ["string", "null"], "pattern": ID_PATTERN}
_NUMBER: Final[Json] = {"type": "integer", "minimum": 0}


@dataclass(frozen=True, slots=True)
class ApiParameter:
    """A parameter of an operation; `where` is `path` or `query`, `schema` says which values there are."""

    name: str
    about: str
    schema: Json
    where: str = "query"

    def describe(self) -> Json:
        """Return it as OpenAPI has it."""
        needed = self.where == "path"
        return {
            "name": self.name,
            "in": self.where,
            "required": needed,
            "description": self.about,
            "schema": self.schema,
        }

    def read(self, text: str) -> Any:
        """Return the value that a text stands for; ValueError where it is none."""
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


_CURSOR: Final = ApiParameter("cursor", "What `next` of the page before says.", _ID)
_GAME_KEY: Final[Json] = {"type": "string", "enum": list(games)}
_GAME_KIND: Final = ApiParameter("game", "Only of this game.", _GAME_KEY)
_DATE: Final[Json] = {"type": "string", "format": "date", "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}


def _path_id(what: str) -> ApiParameter:
    return ApiParameter("id", f"The id of {what}, as its address has it.", _ID, "path")


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be asked for: its path, what it answers (`schema`, or else a type of its own)."""

    name: str
    path: str
    about: str
    parameters: Sequence[ApiParameter] = ()
    schema: str = ""
    content_type: str = "application/json"

    @property
    def concerns_one(self) -> bool:
        """Whether it is about something that there may not be."""
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
            ApiParameter("player", "Only those of a player, by the id of their page.", _ID),
            ApiParameter("cup", "Only those of a cup, by the id of its page.", _ID),
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
        "Server-sent events: `game` with the game whenever it has changed, `gone` when it is shown no more.",
        (_path_id("a game"),),
        content_type="text/event-stream",
    ),
    Operation("listCups", "/cups", "Public cups, those made last first.", (_limit(), _CURSOR), "CupList"),
    Operation("getCup", "/cups/{id}", "A cup with its table and its rounds.", (_path_id("a cup"),), "Cup"),
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


def _object(**properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _list(of: Json) -> Json:
    return {"type": "array", "items": of}


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _page(of: str, cursor: Json) -> Json:
    return _object(items=_list(_ref(of)), next=cursor)


_SUMMARY: Final[Mapping[str, Json]] = {
    "id": _ID,
    "url": {"type": "string", "format": "uri"},
    "game": {"type": "string"},
    "status": {"type": "string", "enum": ["playing", "over"]},
    "players": _list(_ref("Seat")),
    "to_move": {"type": ["integer", "null"]},
    "turns": {**_NUMBER, "description": "How many are finished."},
    "rated": {"type": "boolean"},
    "created_at": _TIME,
    "started_at": _MAYBE_TIME,
    "ended_at": _MAYBE_TIME,
    "outcome": {"anyOf": [_ref("Outcome"), {"type": "null"}]},
    "links": {"type": "object", "additionalProperties": {"type": "string", "format": "uri"}},
}
_RATING: Final[Mapping[str, Json]] = {
    "game": {"type": "string"},
    "points": _NUMBER,
    "wins": _NUMBER,
    "draws": _NUMBER,
    "losses": _NUMBER,
}
_CUP: Final[Mapping[str, Json]] = {
    "id": _ID,
    "url": {"type": "string", "format": "uri"},
    "game": {"type": "string"},
    "format": {"type": "string"},
    "status": {"type": "string", "enum": ["open", "running", "over"]},
    "entrants": _NUMBER,
    "rounds_planned": _NUMBER,
    "created_at": _TIME,
    "ended_at": _MAYBE_TIME,
}
_NAME: Final[Json] = {"type": ["string", "null"], "description": "Null for somebody who is not shown."}

SCHEMAS: Final[Mapping[str, Json]] = {
    "Index": _object(
        description={"type": "string"},
        documentation={"type": "string", "format": "uri"},
        links={"type": "object", "additionalProperties": {"type": "string"}},
    ),
    "Seat": _object(
        seat=_NUMBER,
        name={"type": "string"},
        computer={"type": ["integer", "null"], "description": "The level of a computer player."},
        player=_MAYBE_ID,
    ),
    "Outcome": _object(
        reason={"type": "string"},
        places={
            "type": ["array", "null"],
            "items": _NUMBER,
            "description": "By seat, 1 for the best, equal if shared.",
        },
    ),
    "GameSummary": _object(**_SUMMARY),
    "Game": _object(
        **_SUMMARY,
        options={"type": "object"},
        rules_version={"type": "integer"},
        revision=_NUMBER,
        position={"type": "object", "description": "As docs/rules describes it for each game."},
        seed_hash={"type": "string"},
        seed={"type": ["string", "null"], "description": "Once the game is over."},
    ),
    "GameList": _page("GameSummary", _MAYBE_ID),
    "Turn": _object(
        number={"type": "integer", "minimum": 1},
        seat={"type": ["integer", "null"], "description": "Null for chance alone."},
        actions=_list({"type": "string"}),
    ),
    "TurnList": _page("Turn", {"type": ["integer", "null"]}),
    "CupSummary": _object(**_CUP),
    "Cup": _object(
        **_CUP,
        table=_list(
            _object(
                entrant=_NUMBER,
                place={"type": ["integer", "null"]},
                points={"type": "string"},
                name=_NAME,
                player=_MAYBE_ID,
            )
        ),
        rounds=_list(
            _object(
                number=_NUMBER,
                pairings=_list(
                    _object(
                        entrants=_list({"type": "integer"}),
                        places={"type": ["array", "null"], "items": _NUMBER},
                        game=_MAYBE_ID,
                    )
                ),
                byes=_list(_NUMBER),
            )
        ),
    ),
    "CupList": _page("CupSummary", _MAYBE_ID),
    "Puzzle": _object(
        date=_DATE,
        url={"type": "string", "format": "uri"},
        game={"type": "string"},
        position={"type": "object"},
        seat=_NUMBER,
        goal=_object(kind={"type": "string"}, turns=_NUMBER),
        motif={"type": "string"},
        solution=_list(_list({"type": "string"})),
    ),
    "PuzzleList": _page("Puzzle", {"type": ["string", "null"], "format": "date"}),
    "Rating": _object(**_RATING),
    "RankedPlayer": _object(name={"type": "string"}, player=_ID, **_RATING),
    "RatingList": _page("RankedPlayer", _MAYBE_ID),
    "Player": _object(
        id=_ID,
        url={"type": "string", "format": "uri"},
        name={"type": "string"},
        ratings=_list(_ref("Rating")),
        titles=_list(
            _object(kind={"type": "string"}, game={"type": "string"}, period={"type": "string"}, earned_at=_TIME)
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
        "content": {"application/problem+json": {"schema": _ref("Problem")}},
    }


def _responses(operation: Operation) -> Json:
    schema = _ref(operation.schema) if operation.schema else {"type": "string"}
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
    """Return the whole description, for the server at an address."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tavoliere",
            "version": read_version(),
            "summary": "Public games, cups, puzzles and ratings, to read.",
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
