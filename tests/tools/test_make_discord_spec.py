"""The table by which the fake Discord checks requests."""

import json
from pathlib import Path
from typing import Any

import pytest

from tools import make_discord_spec
from tools.make_discord_spec import OPERATIONS, build_table, compact, find_references, main


def description() -> dict[str, Any]:
    """Return a description that has every operation, each with a body of one schema."""
    paths: dict[str, Any] = {}
    for operation in OPERATIONS:
        method, path = operation.split(" ")
        entry = paths.setdefault(path, {"parameters": [{"name": "id", "in": "path", "schema": {"type": "string"}}]})
        entry[method.lower()] = {"parameters": [{"name": "wait", "in": "query", "schema": {"type": "boolean"}}]}
    body = {"schema": {"$ref": "#/components/schemas/Message"}}
    paths["/channels/{channel_id}/messages"]["post"]["requestBody"] = {
        "content": {"application/json": body, "multipart/form-data": body}
    }
    paths["/channels/{channel_id}/messages"]["post"]["responses"] = {
        "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}}},
        "4XX": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Unused"}}}},
    }
    schemas = {
        "Answer": {"type": "object"},
        "Message": {
            "description": "Prose",
            "type": "object",
            "properties": {"description": {"$ref": "#/components/schemas/Text"}, "again": {"type": "null"}},
            "required": ["description"],
        },
        "Text": {"type": "string", "maxLength": 5, "format": "prose", "title": "Text"},
        "Unused": {"type": "string"},
    }
    return {"paths": paths, "components": {"schemas": schemas}}


def test_specification_holds_reachable_schemas_without_prose() -> None:
    made = build_table(description())
    assert list(made["operations"]) == list(OPERATIONS)
    assert made["operations"]["POST /channels/{channel_id}/messages"] == {
        "path": {"id": {"type": "string"}},
        "query": {"wait": {"type": "boolean"}},
        "body": {"$ref": "Message"},
        "files": True,
        "answer": {"$ref": "Answer"},
    }
    assert made["schemas"]["Text"] == {"type": "string", "maxLength": 5}
    assert list(made["schemas"]) == ["Answer", "Message", "Text"]
    assert made["schemas"]["Message"]["properties"]["description"] == {"$ref": "Text"}


def test_constants_become_an_enumeration() -> None:
    one_of = [{"title": "A", "const": 1}, {"title": "B", "const": 2}]
    assert compact({"type": "integer", "oneOf": one_of}) == {"type": "integer", "enum": [1, 2]}
    all_of = [{"$ref": "#/components/schemas/X"}]
    assert compact({"type": "integer", "enum": [1], "allOf": all_of}) == {"type": "integer", "enum": [1]}
    assert find_references({"anyOf": [{"$ref": "X"}, {"items": {"$ref": "Y"}}]}) == {"X", "Y"}


def test_a_description_without_an_operation_is_refused() -> None:
    broken = description()
    del broken["paths"]["/users/@me"]
    with pytest.raises(KeyError):
        build_table(broken)


def test_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "openapi.json", tmp_path / "spec.json"
    source.write_text(json.dumps(description()))
    monkeypatch.setattr(make_discord_spec, "TARGET", target)
    assert (main([str(source)]), json.loads(target.read_text())) == (0, build_table(description()))
    assert "3 schemas" in capsys.readouterr().out
    assert main([]) == 2
