"""Parts of the API's schemas: types of values, objects and lists."""

from typing import Any, Final

Json = dict[str, Any]

ID_PATTERN: Final = "^[A-Za-z0-9_-]{22}$"
TIME: Final[Json] = {"type": "string", "format": "date-time"}
MAYBE_TIME: Final[Json] = {"type": ["string", "null"], "format": "date-time"}
ID: Final[Json] = {"type": "string", "pattern": ID_PATTERN}
MAYBE_ID: Final[Json] = {"type": ["string", "null"], "pattern": ID_PATTERN}
NUMBER: Final[Json] = {"type": "integer", "minimum": 0}
URL: Final[Json] = {"type": "string", "format": "uri"}


def object_of(**properties: Json) -> Json:
    """Return the schema of an object with exactly these properties, all required."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def list_of(item: Json) -> Json:
    """Return the schema of a list."""
    return {"type": "array", "items": item}


def ref(name: str) -> Json:
    """Return a reference to a named schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def page_of(name: str, cursor: Json) -> Json:
    """Return the schema of a page of a list whose items have a named schema."""
    return object_of(items=list_of(ref(name)), next=cursor)
