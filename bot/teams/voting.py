"""The result of a round: pure functions of the proposals and their votes."""

from collections.abc import Sequence
from enum import StrEnum
from string import ascii_uppercase
from typing import Final

from storage import Proposal

MAX_PROPOSALS: Final = len(ascii_uppercase)
"""Maximum number of proposals in a round: each has a letter."""
MAX_PROPOSALS_EACH: Final = 3
"""Maximum number of proposals per person and round."""


class ProposalKind(StrEnum):
    """Kinds of proposals: a turn, or a motion."""

    TURN = "turn"
    DRAW = "draw"
    UNDO = "undo"
    RESIGN = "resign"


MOTIONS: Final = (ProposalKind.DRAW, ProposalKind.UNDO, ProposalKind.RESIGN)
"""Proposals that need two thirds of the votes."""


def letter(number: int) -> str:
    """Return the letter of a proposal by its number, from 1."""
    return ascii_uppercase[number - 1]


def ranked(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return proposals by votes, most first; ties in the order of proposing."""
    return sorted(proposals, key=lambda each: (-each.votes, each.number))


def count_votes(proposals: Sequence[Proposal]) -> int:
    """Return the number of votes."""
    return sum(each.votes for each in proposals)


def find_winner(proposals: Sequence[Proposal]) -> Proposal | None:
    """Return the winning proposal of a round, None if no proposal that could win has votes.

    A motion needs two thirds of all votes; otherwise the turn with most votes wins.
    """
    total, order = count_votes(proposals), ranked(proposals)
    motion = next((each for each in order if each.kind in MOTIONS and each.votes and 3 * each.votes >= 2 * total), None)
    return motion or next((each for each in order if each.kind == ProposalKind.TURN and each.votes), None)


def is_quorate(proposals: Sequence[Proposal], quorum: int | None) -> bool:
    """Return True if the winning proposal has reached the quorum."""
    winner = find_winner(proposals)
    return quorum is not None and winner is not None and winner.votes >= quorum
