"""The OpenAPI 3.1 description of the API, generated from its models; tests compare responses with it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from bot.kernel.operations.process import read_version
from bot.platforms.public.models import ID_PATTERN, Asked, Problem
from storage import Json

_REFERENCES: Final = "#/components/schemas/{model}"


class _JsonSchema(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: Any) -> bool:
        """Return False: a field's title would only repeat its name."""
        return False

    def default_schema(self, schema: Any) -> Json:
        """Return the schema of a value with a default, without a default of None, which means a missing parameter."""
        made = super().default_schema(schema)
        return {name: value for name, value in made.items() if (name, value) != ("default", None)}


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: its path, the model of its parameters, and its response: a model, or another content type.

    `work` takes the API and the parameters; with another content type, the API, the request and the parameters.
    """

    name: str
    path: str
    about: str
    asked: type[Asked]
    answer: type[BaseModel] | str
    work: Callable[..., Awaitable[Any]]

    @property
    def parameters(self) -> list[Json]:
        """The parameters in OpenAPI's form."""
        schema = self.asked.model_json_schema(schema_generator=_JsonSchema)
        return [
            {
                "name": name,
                "in": "path" if f"{{{name}}}" in self.path else "query",
                "required": name in schema.get("required", ()),
                "description": each.pop("description"),
                "schema": each,
            }
            for name, each in schema.get("properties", {}).items()
        ]


_LIMITS: Final[Json] = {
    name: {"description": about, "schema": {"type": "integer"}}
    for name, about in (
        ("RateLimit-Limit", "How many requests a minute this address may make."),
        ("RateLimit-Remaining", "How many are left."),
        ("RateLimit-Reset", "In how many seconds the minute is over."),
    )
}


def _ref(model: type[BaseModel]) -> Json:
    return {"$ref": _REFERENCES.format(model=model.__name__)}


def _problem(about: str) -> Json:
    content = {"application/problem+json": {"schema": _ref(Problem)}}
    return {"description": about, "headers": _LIMITS, "content": content}


def _responses(operation: Operation, parameters: Sequence[Json]) -> Json:
    made = operation.answer
    kind, schema = (made, {"type": "string"}) if isinstance(made, str) else ("application/json", _ref(made))
    tag = {"ETag": {"schema": {"type": "string"}}} if kind != "text/event-stream" else {}
    found: Json = {
        "200": {"description": operation.about, "headers": {**_LIMITS, **tag}, "content": {kind: {"schema": schema}}},
        "429": _problem("Too many requests."),
        "503": _problem("Too much at once; `Retry-After` says when to try again."),
    }
    if not tag:
        found["204"] = {"description": "The game is over, and nothing new will come."}
    else:
        found["304"] = {"description": "What `If-None-Match` names still holds."}
    if parameters:
        found["400"] = _problem("A parameter is not what it should be.")
    if any(each["in"] == "path" or each["schema"].get("pattern") == ID_PATTERN for each in parameters):
        found["404"] = _problem("There is no such thing.")
        found["410"] = _problem("It is shown no more: a place or a person has taken it back.")
    return dict(sorted(found.items()))


def _describe_operation(operation: Operation) -> Json:
    parameters = operation.parameters
    return {
        "get": {
            "operationId": operation.name,
            "summary": operation.about,
            "parameters": parameters,
            "responses": _responses(operation, parameters),
        }
    }


def describe(address: str, operations: Sequence[Operation]) -> Json:
    """Return the description for the server at an address."""
    models: list[type[BaseModel]] = [Problem, *(each.answer for each in operations if not isinstance(each.answer, str))]
    _, schemas = models_json_schema(
        [(model, "serialization") for model in models],
        schema_generator=_JsonSchema,
        ref_template=_REFERENCES,
    )
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
        "paths": {each.path: _describe_operation(each) for each in operations},
        "components": {"schemas": schemas["$defs"]},
    }
