"""Answers that no platform describes: fields missing or of other types, unknown values, HTML, empty bodies."""

import copy
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import web

Json = dict[str, Any]

HTML: Final = b"<!DOCTYPE html><html><head><title>Just a moment</title></head><body>502</body></html>"
OTHER_VALUES: Final[Sequence[Any]] = (None, True, -1, 10**30, 0.5, "", "x", [], ["x"], {}, {"x": 1})
"""One of each type of JSON, and some that are out of range."""
BODIES: Final[Sequence[tuple[bytes, str]]] = (
    (b"", "application/json"),
    (b"", ""),
    (HTML, "text/html"),
    (HTML, "application/json"),
    (b"{", "application/json"),
    (b'{"ok": true, "res', "application/json"),
    (b"\xff\xfe", "application/json"),
    (b"null", "application/json"),
    (b"[]", "application/json"),
    (b"{}", "application/json"),
    (b'"x"', "application/json"),
    (b"5", "application/json"),
)


@dataclass(frozen=True)
class Shape:
    """What a description says of a value: its types of JSON, its values if they are listed, its fields, its entries.

    `read` returns the shape of the description of a field or an entry.
    """

    types: frozenset[str]
    values: tuple[Any, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    entries: Any = None
    read: Callable[[Any], "Shape"] | None = None

    def inner(self, key: str | int) -> "Shape | None":
        """Return the shape of a field or of an entry, None if it is not described."""
        described = self.entries if isinstance(key, int) else self.fields.get(key)
        return self.read(described) if self.read is not None and described is not None else None


ANYTHING: Final = Shape(frozenset())


def merge_shapes(shapes: Sequence[Shape]) -> Shape:
    """Return the shape of a value that has one of several."""
    fields = {name: described for shape in reversed(shapes) for name, described in shape.fields.items()}
    return Shape(
        frozenset().union(*(shape.types for shape in shapes)),
        tuple(value for shape in shapes for value in shape.values) if all(shape.values for shape in shapes) else (),
        fields,
        next((shape.entries for shape in shapes if shape.entries is not None), None),
        next((shape.read for shape in shapes if shape.read is not None), None),
    )


@dataclass(frozen=True)
class Answer:
    """An answer as it goes over the wire."""

    status: int
    body: bytes
    content_type: str = "application/json"

    def response(self) -> web.Response:
        """Return the response of aiohttp."""
        headers = {"Content-Type": self.content_type} if self.content_type else {}
        return web.Response(status=self.status, body=self.body, headers=headers)


@dataclass
class Distortion:
    """Distorts a share of a platform's answers; `statuses` are those that nobody describes.

    `errors` are bodies of refusals, of which something is changed. Where the shape of an answer is known, values get
    other types than the described ones, and values that are not listed, those that may be sent as well among them.
    """

    seed: int
    share: float
    statuses: Sequence[int]
    errors: Sequence[tuple[int, Json]]
    active: bool = True
    seen: set[str] = field(default_factory=set)
    """The operations whose answers have been distorted."""

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def choose(self, operation: str) -> bool:
        """Say whether the answer to a call is distorted."""
        if not self.active or self._random.random() >= self.share:
            return False
        self.seen.add(operation)
        return True

    def distort(self, answer: Any, shape: Shape = ANYTHING) -> Answer:
        """Return another answer than the right one."""
        chance = self._random.random()
        if chance < 0.25:
            body, content_type = self._random.choice(BODIES)
            return Answer(self._random.choice([200, *self.statuses]), body, content_type)
        if chance < 0.4:
            status, refusal = self._random.choice(self.errors)
            return Answer(status, json.dumps(self._change(refusal, ANYTHING)).encode())
        return Answer(200, json.dumps(self._change(answer, shape)).encode())

    def _change(self, answer: Any, shape: Shape) -> Any:
        """Return an answer in which up to three values are missing or others."""
        changed = {"": copy.deepcopy(answer)}
        for _ in range(self._random.choice((1, 1, 2, 3))):
            places = list(_walk(changed, Shape(frozenset(), fields={"": shape}, read=_as_it_is)))
            # Those near the root are the ones that are read; all that are not there count as much as three others.
            absent = sum(not _is_there(holder, key) for holder, key, _, _ in places)
            weights = [
                1 / (1 + depth) ** 2 * (1 if _is_there(holder, key) else min(1.0, 3 / absent))
                for holder, key, depth, _ in places
            ]
            ((holder, key, _, inner),) = self._random.choices(places, weights)
            if holder is not changed and _is_there(holder, key) and self._random.random() < 0.35:
                del holder[key]
            else:
                holder[key] = self._other(inner or ANYTHING)
        return changed[""]

    def _other(self, shape: Shape) -> Any:
        """Return a value that is not as described; whatever there is where nothing is described."""
        listed = [value for value in OTHER_VALUES if _type_of(value) not in shape.types] or OTHER_VALUES
        if shape.values and self._random.random() < 0.5:
            listed = ["unknown" if isinstance(value, str) else 997 for value in shape.values[:1]]
        return copy.deepcopy(self._random.choice(listed))


def _as_it_is(shape: Shape) -> Shape:
    return shape


def _is_there(holder: Any, key: Any) -> bool:
    return isinstance(holder, list) or key in holder


def _type_of(value: Any) -> str:
    """Return the name of a value's type of JSON."""
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "null")


def _walk(holder: Any, shape: Shape, depth: int = 0) -> Iterator[tuple[Any, Any, int, Shape | None]]:
    """Yield every value of a JSON document by what holds it, its key there, its depth and its shape.

    Described fields that are not there come as well.
    """
    keys = [*holder, *(name for name in shape.fields if name not in holder)] if isinstance(holder, dict) else None
    for key in range(len(holder)) if keys is None else keys:
        inner = shape.inner(key)
        yield holder, key, depth, inner
        if _is_there(holder, key) and isinstance(holder[key], (dict, list)):
            yield from _walk(holder[key], inner or ANYTHING, depth + 1)
