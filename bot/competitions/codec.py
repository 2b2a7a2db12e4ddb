"""Stored form of competitions' events: the name of the kind, and JSON without default values."""

import json
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from bot.competitions.events import InvalidCompetition

E = TypeVar("E")


class EventCodec(Generic[E]):
    """Encodes and decodes events."""

    def __init__(self, types: Mapping[str, type[E]]) -> None:
        """Take the event types by the names under which they are stored."""
        self._names = {kind: name for name, kind in types.items()}
        self._adapters: dict[str, TypeAdapter[E]] = {name: TypeAdapter(kind) for name, kind in types.items()}

    def kind_of(self, event: E) -> str:
        """Return the name under which an event is stored."""
        return self._names[type(event)]

    def to_json(self, event: E) -> dict[str, Any]:
        """Return the stored data of an event, without its kind and without default values."""
        dumped: dict[str, Any] = self._adapters[self.kind_of(event)].dump_python(
            event, mode="json", exclude_defaults=True
        )
        return dumped

    def from_json(self, kind: str, data: object) -> E:
        """Return a stored event; InvalidCompetition (unknown-event, broken-event)."""
        if kind not in self._adapters:
            raise InvalidCompetition("unknown-event", kind=str(kind)[:60])
        try:
            return self._adapters[kind].validate_json(json.dumps(data))
        except (ValidationError, ValueError, TypeError, RecursionError):
            raise InvalidCompetition("broken-event", kind=kind) from None
