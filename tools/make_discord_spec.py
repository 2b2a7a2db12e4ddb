"""Make the table by which the fake Discord checks requests, out of Discord's published OpenAPI description.

Usage: make_discord_spec.py OPENAPI.JSON. The table holds, without the prose, what the operations that a bot like ours
may use take and are answered: their query and body, the answer, and every schema that these lead to.
"""

import json
import sys
from pathlib import Path
from typing import Any, Final

TARGET: Final = Path(__file__).resolve().parent.parent / "tests" / "fakes" / "discord" / "spec.json"

OPERATIONS: Final = (
    "GET /users/@me",
    "POST /users/@me/channels",
    "GET /oauth2/applications/@me",
    "GET /applications/{application_id}/commands",
    "PUT /applications/{application_id}/commands",
    "GET /channels/{channel_id}",
    "PATCH /channels/{channel_id}",
    "GET /channels/{channel_id}/messages",
    "GET /channels/{channel_id}/messages/{message_id}",
    "POST /channels/{channel_id}/messages",
    "PATCH /channels/{channel_id}/messages/{message_id}",
    "DELETE /channels/{channel_id}/messages/{message_id}",
    "POST /channels/{channel_id}/messages/{message_id}/threads",
    "GET /channels/{channel_id}/thread-members/{user_id}",
    "GET /guilds/{guild_id}",
    "GET /guilds/{guild_id}/members/{user_id}",
    "GET /guilds/{guild_id}/roles",
    "POST /interactions/{interaction_id}/{interaction_token}/callback",
    "POST /webhooks/{webhook_id}/{webhook_token}",
    "GET /webhooks/{webhook_id}/{webhook_token}/messages/@original",
    "PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original",
    "DELETE /webhooks/{webhook_id}/{webhook_token}/messages/@original",
    "GET /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}",
    "PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}",
    "DELETE /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}",
)
PROSE: Final = frozenset({"title", "description", "format", "example", "examples", "default", "contentEncoding"})
REFERENCE: Final = "#/components/schemas/"


def compact(schema: Any) -> Any:
    """Return a schema without its prose, with alternatives of constants as an enumeration."""
    if isinstance(schema, list):
        return [compact(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return {"$ref": schema["$ref"].removeprefix(REFERENCE)}
    compacted: dict[str, Any] = {}
    for name, value in schema.items():
        if name in PROSE or name.startswith("x-"):
            continue
        if name == "properties":
            compacted[name] = {field: compact(part) for field, part in value.items()}
        elif name in ("required", "enum", "type"):
            compacted[name] = value
        else:
            compacted[name] = compact(value)
    alternatives = compacted.get("oneOf", [])
    if alternatives and all(isinstance(part, dict) and set(part) == {"const"} for part in alternatives):
        compacted["enum"] = [part["const"] for part in compacted.pop("oneOf")]
    if "enum" in compacted and "type" in compacted:
        compacted.pop("allOf", None)
    return compacted


def find_references(schema: Any) -> set[str]:
    """Return the names of the schemas that a compact schema refers to."""
    if isinstance(schema, list):
        return set().union(*map(find_references, schema))
    if not isinstance(schema, dict):
        return set()
    found = {schema["$ref"]} if isinstance(schema.get("$ref"), str) else set()
    return found.union(*(find_references(part) for part in schema.values()))


def list_parameters(described: list[dict[str, Any]], where: str) -> dict[str, Any]:
    """Return the schemas of an operation's parameters in its path or its query."""
    return {each["name"]: compact(each["schema"]) for each in described if each["in"] == where}


def find_answer(responses: dict[str, Any]) -> Any:
    """Return the schema of what a call that succeeds is answered, None if that is empty."""
    described = [each for status, each in responses.items() if status.startswith("2")]
    contents = [each["content"]["application/json"]["schema"] for each in described if each.get("content")]
    return compact(contents[0]) if contents else None


def build_table(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the table; KeyError if the description lacks one of the operations."""
    operations: dict[str, Any] = {}
    for operation in OPERATIONS:
        method, path = operation.split(" ")
        shared = spec["paths"][path]
        described = shared[method.lower()]
        listed = [*shared.get("parameters", ()), *described.get("parameters", ())]
        content = described.get("requestBody", {}).get("content", {})
        operations[operation] = {
            "path": list_parameters(listed, "path"),
            "query": list_parameters(listed, "query"),
            "body": compact(content["application/json"]["schema"]) if content else None,
            "files": "multipart/form-data" in content,
            "answer": find_answer(described.get("responses", {})),
        }
    known = spec["components"]["schemas"]
    schemas: dict[str, Any] = {}
    wanted = find_references(operations)
    while wanted:
        name = wanted.pop()
        schemas[name] = compact(known[name])
        wanted |= find_references(schemas[name]) - set(schemas)
    return {"operations": operations, "schemas": dict(sorted(schemas.items()))}


def format_table(made: dict[str, Any]) -> str:
    """Return the table as JSON with one operation or schema a line, so that changes are easy to see."""
    parts = []
    for part, entries in made.items():
        lines = [f"{json.dumps(name)}: {json.dumps(entry, separators=(',', ':'))}" for name, entry in entries.items()]
        parts.append(f'"{part}": {{\n' + ",\n".join(lines) + "\n}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main(arguments: list[str]) -> int:
    """Write the table made from the description whose path is given."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    made = build_table(json.loads(Path(arguments[0]).read_text("utf-8")))
    TARGET.write_text(format_table(made), "utf-8")
    print(f"{len(made['operations'])} operations, {len(made['schemas'])} schemas")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
