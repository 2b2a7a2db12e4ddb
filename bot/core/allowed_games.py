"""The games that the managers of a place allow in it."""

from bot.core.preferences import ALLOWED_GAMES
from bot.interface.refusals import Refused
from bot.language.texts import Speaker
from engine import games
from storage import PlaceRow


def allowed_games(place: PlaceRow) -> tuple[str, ...]:
    """Return the games that may be started in a place."""
    chosen = place.effective.get(ALLOWED_GAMES)
    return tuple(key for key in games if chosen is None or key in chosen)


def check_start(place: PlaceRow, game: str, speaker: Speaker) -> None:
    """Check that a game may be started in a place; Refused if not."""
    if place.effective.get("playing") is False:
        raise Refused("refusal.no-playing")
    allowed = allowed_games(place)
    if game not in allowed:
        names = tuple(speaker.of(key).line("name") for key in allowed)
        key = "refusal.game-not-here" if names else "refusal.no-playing"
        raise Refused(key, game=game, name=speaker.of(game).line("name"), games=names)
