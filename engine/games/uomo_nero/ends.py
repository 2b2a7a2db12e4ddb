"""The ends of a round and its points (docs/rules/uomo-nero.md, End of a round, Points)."""

from engine.games.uomo_nero.board import ABOVE, FINISH, IN_PLAY, START
from engine.games.uomo_nero.match import Match


def end_of_round(pieces: tuple[int, ...], man: int) -> str:
    """Return why a round outside a naming turn is over, or an empty text."""
    red, yellow, green, blue = pieces
    left = (red | yellow | green | blue) & IN_PLAY
    if not left:
        return "none-left"
    if not left & (left - 1) and left & START and man == ABOVE[left.bit_length() - 1]:
        return "total-block"
    return ""


def points_of(match: Match, pieces: tuple[int, ...], in_play_too: bool = False) -> tuple[int, ...]:
    """Return one point for each attacker that has arrived, or for each on the board, by seat."""
    counting = FINISH | IN_PLAY if in_play_too else FINISH
    points = [0] * match.seats
    for cells, owner in zip(pieces, match.owners, strict=True):
        if owner >= 0:
            points[owner] += (cells & counting).bit_count()
    return tuple(points)
