"""What a round of votes comes to: pure functions of what was proposed and how many votes each proposal has."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from string import ascii_uppercase
from typing import Final

from storage import Proposal

MAX_PROPOSALS: Final = len(ascii_uppercase)
"""So many proposals a round may have: each is called by a letter."""
MAX_PROPOSALS_EACH: Final = 3
"""So many of them one person may make."""


class ProposalKind(StrEnum):
    """What can be proposed: a turn, or what the side does besides."""

    TURN = "turn"
    DRAW = "draw"
    UNDO = "undo"
    RESIGN = "resign"


MOTIONS: Final = (ProposalKind.DRAW, ProposalKind.UNDO, ProposalKind.RESIGN)
"""What needs two thirds of the votes."""


def letter(number: int) -> str:
    """Return what a proposal is called by its number, from 1."""
    return ascii_uppercase[number - 1]


def ranked(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return proposals by their votes; of those with as many the one that was made first comes first."""
    return sorted(proposals, key=lambda each: (-each.votes, each.number))


def count_votes(proposals: Sequence[Proposal]) -> int:
    """Return how many have voted."""
    return sum(each.votes for each in proposals)


def find_winner(proposals: Sequence[Proposal]) -> Proposal | None:
    """Return the proposal that a round comes to, None where nobody has voted for any that could win.

    What is no turn needs two thirds of all votes; else the turn with most votes wins.
    """
    total, order = count_votes(proposals), ranked(proposals)
    motion = next((each for each in order if each.kind in MOTIONS and each.votes and 3 * each.votes >= 2 * total), None)
    return motion or next((each for each in order if each.kind == ProposalKind.TURN and each.votes), None)


def is_quorate(proposals: Sequence[Proposal], quorum: int | None) -> bool:
    """Say whether so many agree that a round need not go on."""
    winner = find_winner(proposals)
    return quorum is not None and winner is not None and winner.votes >= quorum
