"""Answers that no platform describes: fields missing or of other types, HTML, empty bodies, unknown statuses."""

import copy
import json
import random
from collections.abc import Iterator, Sequence
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

    `errors` are bodies of refusals, of which something is changed. `optional` yields fields that the platform may send
    as well: some get a value of another type.
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

    def distort(self, answer: Any, optional: Sequence[str] = ()) -> Answer:
        """Return another answer than the right one."""
        chance = self._random.random()
        if chance < 0.25:
            body, content_type = self._random.choice(BODIES)
            return Answer(self._random.choice([200, *self.statuses]), body, content_type)
        if chance < 0.4:
            status, refusal = self._random.choice(self.errors)
            return Answer(status, json.dumps(self._change(refusal)).encode())
        return Answer(200, json.dumps(self._change(answer, optional)).encode())

    def _change(self, answer: Any, optional: Sequence[str] = ()) -> Any:
        """Return an answer in which up to three values are missing or others."""
        changed = {"": copy.deepcopy(answer)}
        for _ in range(self._random.choice((1, 1, 2, 3))):
            places = list(_walk(changed))
            # Those near the root are the ones that are read.
            weights = [1 / (1 + depth) ** 2 for _, _, depth in places]
            ((holder, key, _),) = self._random.choices(places, weights)
            if isinstance(holder[key], dict) and optional and self._random.random() < 0.4:
                holder[key][self._random.choice(optional)] = self._other()
            elif holder is not changed and self._random.random() < 0.35:
                del holder[key]
            else:
                holder[key] = self._other()
        return changed[""]

    def _other(self) -> Any:
        return copy.deepcopy(self._random.choice(OTHER_VALUES))


def _walk(holder: Any, depth: int = 0) -> Iterator[tuple[Any, Any, int]]:
    """Yield every value of a JSON document by what holds it, its key there and its depth."""
    for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
        yield holder, key, depth
        if isinstance(holder[key], (dict, list)):
            yield from _walk(holder[key], depth + 1)
