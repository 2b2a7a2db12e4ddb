"""What the states of all competitions have in common: each is folded from its events and their times alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar

from bot.competitions.events import Asked, CommonTerms, Excluded, InvalidCompetition, Left, Stays

Stage = Literal["open", "running", "over"]
TimedEvent = tuple[datetime, Any]


@dataclass(frozen=True)
class Entrant:
    """An entrant: whether they take part, have left or were excluded.

    `asked`: they never made a first move and have not confirmed yet that they still take part.
    """

    number: int
    cause: str
    state: Literal["in", "left", "excluded"] = "in"
    asked: bool = False


T = TypeVar("T", bound=CommonTerms)
N = TypeVar("N", bound=Entrant)


@dataclass(frozen=True)
class CompetitionState(ABC, Generic[T, N]):
    """The state of a competition of one kind; `revision` is the number of its events.

    `handlers` follow its events but the first, which is a `created_by`; some events have their only stage in `stages`.
    """

    terms: T
    code: str
    seed_hash: str
    stage: Stage = "running"
    entrants: Mapping[int, N] = field(default_factory=dict)
    revision: int = 1
    rules_version: int = 1

    created_by: ClassVar[type[Any]]
    handlers: ClassVar[Mapping[type, Callable[..., Any]]]
    stages: ClassVar[Mapping[type, Stage]] = {}

    @classmethod
    def replay(cls, events: Iterable[TimedEvent]) -> Self:
        """Return the state after these events; InvalidCompetition has the number of the first invalid one."""
        stands: Self | None = None
        for number, (at, event) in enumerate(events, start=1):
            try:
                stands = cls.created(at, event) if stands is None else stands.apply(at, event)
            except InvalidCompetition as error:
                raise InvalidCompetition(error.code, **{**error.params, "event": number}) from None
        if stands is None:
            raise InvalidCompetition("no-events")
        return stands

    @classmethod
    def created(cls, _at: datetime, event: Any) -> Self:
        """Return the state after the first event."""
        if not isinstance(event, cls.created_by):
            raise InvalidCompetition("not-created")
        if problem := event.terms.problem():
            raise InvalidCompetition(problem)
        return cls(event.terms, event.code, event.seed_hash, rules_version=getattr(event, "rules_version", 1))

    def apply(self, at: datetime, event: Any) -> Self:
        """Return the state after one more event; InvalidCompetition has a code that says why it is invalid."""
        if self.over:
            raise InvalidCompetition("over")
        follow = self.handlers.get(type(event))
        if follow is None:
            raise InvalidCompetition("created-already")
        if (stage := self.stages.get(type(event), self.stage)) != self.stage:
            raise InvalidCompetition(f"not-{stage}")
        changed: Self = follow(self, at, event)
        return replace(changed, revision=self.revision + 1)

    @abstractmethod
    def without(self, at: datetime, entrant: N) -> Any:
        """Return the state after somebody has gone, whose changed entry this is."""

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.stage == "over"

    @property
    def may_return(self) -> bool:
        """Whether those who have left may come back."""
        return True

    @property
    def present(self) -> tuple[int, ...]:
        """The numbers of the entrants who take part, including silent ones."""
        return tuple(number for number, each in sorted(self.entrants.items()) if each.state == "in")

    def is_available(self, entrant: int) -> bool:
        """Return whether an entrant may be paired: they take part, and have answered if they were asked."""
        each = self.entrants[entrant]
        return each.state == "in" and not each.asked

    def with_entrants(self, *entrants: N) -> Self:
        """Return the state with changed entrants."""
        return replace(self, entrants={**self.entrants, **{each.number: each for each in entrants}})

    def find_entrant(self, entrant: int) -> N:
        """Return somebody who takes part; InvalidCompetition (no-entrant)."""
        if entrant not in self.entrants or self.entrants[entrant].state != "in":
            raise InvalidCompetition("no-entrant", entrant=entrant)
        return self.entrants[entrant]

    def admit(self, entrant: N, capacity: int) -> Self:
        """Return the state after somebody has entered or come back; InvalidCompetition says why they cannot."""
        number, known = entrant.number, self.entrants.get(entrant.number)
        if known is None and number != len(self.entrants):
            raise InvalidCompetition("entrant-number", entrant=number)
        if known is not None and known.state != "left":
            raise InvalidCompetition("entered-already" if known.state == "in" else "excluded", entrant=number)
        if len(self.present) >= capacity:
            raise InvalidCompetition("full")
        return self.with_entrants(entrant)

    def leave(self, at: datetime, event: Left) -> Any:
        """Return the state after somebody has left."""
        return self.without(at, replace(self.find_entrant(event.entrant), state="left"))

    def exclude(self, at: datetime, event: Excluded) -> Any:
        """Return the state after somebody was excluded, who then cannot come back."""
        known = self.entrants.get(event.entrant)
        if known is not None and known.state == "left" and self.may_return:
            return self.with_entrants(replace(known, state="excluded"))
        return self.without(at, replace(self.find_entrant(event.entrant), state="excluded"))

    def ask(self, _at: datetime, event: Asked) -> Self:
        """Return the state after an entrant was asked whether they still take part."""
        known = self.find_entrant(event.entrant)
        if known.state != "in" or known.asked:
            raise InvalidCompetition("asked-already", entrant=event.entrant)
        return self.with_entrants(replace(known, asked=True))

    def stay(self, _at: datetime, event: Stays) -> Self:
        """Return the state after an entrant who was asked has answered."""
        known = self.find_entrant(event.entrant)
        if not known.asked:
            raise InvalidCompetition("not-asked", entrant=event.entrant)
        return self.with_entrants(replace(known, asked=False))
