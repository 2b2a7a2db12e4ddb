"""How teams play that vote on their turns, as it is agreed on before a game."""

from dataclasses import asdict, dataclass
from typing import Any

from storage.columns import JsonReader, read_integer, read_text


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamTerms:
    """How teams play that vote on their turns.

    A round takes so many `seconds`, or until a proposal has `quorum` votes. `idle` is what is done where nobody votes
    twice: the `computer` plays, or the game is a `loss`. `voters` says who may: `everyone` there, those with a `role`,
    those who were `known` there when the game was opened, or `auto`, by the platform of each side. `against` is whom
    the maker wants to meet: a `computer`, a `person` or a `channel`.
    """

    seconds: int
    quorum: int | None = None
    idle: str = "computer"
    voters: str = "everyone"
    role: str | None = None
    against: str = "computer"

    def to_json(self) -> dict[str, Any]:
        """Return what is stored."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def read_team_terms(stored: object) -> TeamTerms | None:
    """Return how teams vote as it is stored, None where it cannot be read."""
    keys = JsonReader(stored)
    seconds = keys.take("seconds", read_integer, None)
    if seconds is None:
        return None
    found = TeamTerms(
        seconds=seconds,
        quorum=keys.take("quorum", read_integer, None),
        idle=keys.take("idle", read_text, "computer"),
        voters=keys.take("voters", read_text, "everyone"),
        role=keys.take("role", read_text, None),
        against=keys.take("against", read_text, "computer"),
    )
    return None if keys.left else found
