"""Roles on a server besides the one that everybody has."""

from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

Holder = TypeVar("Holder")


@dataclass
class Role(Generic[Holder]):
    """A role, and who has it."""

    id: str
    name: str
    holders: set[Holder] = field(default_factory=set)


@dataclass
class Roles(Generic[Holder]):
    """The roles of a server."""

    listed: list[Role[Holder]] = field(default_factory=list)
    departed: set[Holder] = field(default_factory=set)
    """Those who were thrown out."""

    def add(self, id: str, name: str, *holders: Holder) -> None:  # noqa: A002
        self.listed.append(Role(id, name, set(holders)))

    def ids_of(self, person: Holder) -> list[str]:
        return [role.id for role in self.listed if person in role.holders]

    def to_json(self, everyone: dict[str, Any]) -> list[dict[str, Any]]:
        """Return all roles, first the one that everybody has, which the others are like."""
        named = [{"id": role.id, "name": role.name, "position": at} for at, role in enumerate(self.listed, start=1)]
        return [everyone, *(everyone | role for role in named)]
