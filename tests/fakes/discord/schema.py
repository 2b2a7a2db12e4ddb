"""Checking values against the published description, by the table that `tools/make_discord_spec.py` makes."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from tests.fakes.distortion import ANYTHING, Shape, merge_shapes

Json = dict[str, Any]

TOLERATED: Final = re.compile(
    r"body(\.data)?\.tts|body\[\d+\]\.nsfw|body(\.data)?\.attachments\[\d+\]"
    r"\.(url|proxy_url|size|width|height|content_type|spoiler|ephemeral|flags|placeholder|placeholder_version)"
)
"""Fields that discord.py sends though they are not described there; Discord ignores them."""

USER_AGENT: Final = re.compile(r"DiscordBot \(https?://\S+,? \S+\)")
"""How every caller has to name itself: an address and a version (page Reference, User Agent)."""

_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


@cache
def spec() -> Json:
    table: Json = json.loads((Path(__file__).parent / "spec.json").read_text("utf-8"))
    return table


def operation(name: str) -> Json:
    """Return what an operation such as `GET /users/@me` takes; KeyError if it is none of those we know."""
    found: Json = spec()["operations"][name]
    return found


def shape_of(schema: Any) -> Shape:
    """Return the shape of the values that fit a schema."""
    if schema is None:
        return ANYTHING
    if "$ref" in schema:
        return shape_of(spec()["schemas"][schema["$ref"]])
    if parts := [*schema.get("oneOf", ()), *schema.get("anyOf", ()), *schema.get("allOf", ())]:
        return merge_shapes([shape_of(part) for part in parts])
    types = schema.get("type", ())
    values = schema.get("enum", [schema["const"]] if "const" in schema else ())
    return Shape(
        frozenset([types] if isinstance(types, str) else types),
        tuple(values),
        schema.get("properties", {}),
        schema.get("items"),
        shape_of,
    )


def problems(schema: Any, value: Any, where: str = "") -> list[str]:
    """Return what is wrong with a value, empty if it fits."""
    return list(_problems(schema, value, where or "body"))


@lru_cache(maxsize=64)
def text_problems(name: str, text: str) -> tuple[str, ...]:
    """Return what is wrong with an operation's body as it was sent: bots of many tests register the same commands."""
    return tuple(problems(operation(name)["body"], json.loads(text)))


def query_problems(described: Json, query: Mapping[str, str]) -> list[str]:
    """Return what is wrong with the query of a request, whose values are all text."""
    found = []
    for name, text in query.items():
        schema = described.get(name)
        if schema is None:
            found.append(f"query.{name}: unknown")
            continue
        value: Any = text
        if schema.get("type") == "boolean" and text in ("0", "1", "true", "false"):
            value = text in ("1", "true")
        elif schema.get("type") == "integer" and text.isdecimal():
            value = int(text)
        found += problems(schema, value, f"query.{name}")
    return found


def _problems(schema: Any, value: Any, where: str) -> Iterator[str]:
    if schema.get("$ref") == "SnowflakeType" and isinstance(value, int) and not isinstance(value, bool):
        return  # discord.py writes some ids as numbers; Discord takes them
    if "$ref" in schema:
        yield from _problems(spec()["schemas"][schema["$ref"]], value, where)
        return
    for name in ("oneOf", "anyOf"):
        if name in schema:
            yield from _alternatives(schema[name], value, where)
    if not _is(schema.get("type"), value):
        yield f"{where}: {_named(value)} instead of {schema['type']}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: {value!r} is none of {schema['enum']}"
    if "const" in schema and value != schema["const"]:
        yield f"{where}: {value!r} instead of {schema['const']!r}"
    if isinstance(value, str):
        yield from _string(schema, value, where)
    elif isinstance(value, list):
        yield from _array(schema, value, where)
    elif isinstance(value, dict):
        yield from _object(schema, value, where)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if value < schema.get("minimum", value):
            yield f"{where}: {value} is less than {schema['minimum']}"
        if value > schema.get("maximum", value):
            yield f"{where}: {value} is more than {schema['maximum']}"


def _alternatives(schemas: list[Any], value: Any, where: str) -> Iterator[str]:
    """Say nothing if one fits; else what is wrong with the alternative that is closest."""
    # Nearly always the type says which one it is; those of other types need not be tried all the way down.
    schemas = [schema for schema in schemas if _may_be(schema, value)] or schemas
    tried = [problems(schema, value, where) for schema in schemas]
    if all(tried):
        yield from min(tried, key=lambda found: (sum(":" not in line for line in found), _depth(found), len(found)))


def _may_be(schema: Any, value: Any) -> bool:
    """Say whether a value is of the type that a schema names, if both name one."""
    if "$ref" in schema:
        return _may_be(spec()["schemas"][schema["$ref"]], value)
    if not isinstance(value, dict) or "type" not in value:
        return True
    named = schema.get("properties", {}).get("type", {}).get("enum")
    return named is None or value["type"] in named


def _depth(found: list[str]) -> int:
    """Return a smaller number the deeper the problems lie: there the right alternative was found."""
    return 1000 * any(".type:" in line for line in found) - max(line.split(":")[0].count(".") for line in found)


def _is(types: str | list[str] | None, value: Any) -> bool:
    if types is None:
        return True
    named = [types] if isinstance(types, str) else types
    for name in named:
        if isinstance(value, bool):
            if name == "boolean":
                return True
        elif isinstance(value, _TYPES[name]):
            return True
    return False


def _string(schema: Json, value: str, where: str) -> Iterator[str]:
    if len(value) < schema.get("minLength", 0):
        yield f"{where}: shorter than {schema['minLength']}"
    if len(value) > schema.get("maxLength", len(value)):
        yield f"{where}: {len(value)} characters, more than {schema['maxLength']}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{where}: {value!r} does not match {schema['pattern']}"


def _array(schema: Json, value: list[Any], where: str) -> Iterator[str]:
    if len(value) < schema.get("minItems", 0):
        yield f"{where}: fewer than {schema['minItems']}"
    if len(value) > schema.get("maxItems", len(value)):
        yield f"{where}: {len(value)}, more than {schema['maxItems']}"
    if schema.get("uniqueItems") and len({json.dumps(item, sort_keys=True) for item in value}) < len(value):
        yield f"{where}: the same twice"
    if "items" in schema:
        for index, item in enumerate(value):
            yield from _problems(schema["items"], item, f"{where}[{index}]")


def _object(schema: Json, value: Json, where: str) -> Iterator[str]:
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{where}.{name}: missing"
    if len(value) > schema.get("maxProperties", len(value)):
        yield f"{where}: more than {schema['maxProperties']} fields"
    known = schema.get("properties", {})
    rest = schema.get("additionalProperties", not known and "oneOf" not in schema and "anyOf" not in schema)
    for name, item in value.items():
        if name in known:
            yield from _problems(known[name], item, f"{where}.{name}")
        elif isinstance(rest, dict):
            yield from _problems(rest, item, f"{where}.{name}")
        elif not rest and ("type" in schema or known) and not TOLERATED.fullmatch(f"{where}.{name}"):
            yield f"{where}.{name}: unknown"


def _named(value: Any) -> str:
    return "null" if value is None else type(value).__name__
