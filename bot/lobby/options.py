"""The options of a game, and how many play it, among the values of a command."""

from collections.abc import Collection, Mapping

from bot.core.forms import OPTION_PREFIX
from bot.interface.refusals import Refused
from bot.language.texts import Speaker
from engine import Game, games


def read_options(
    speaker: Speaker, game: Game, values: Mapping[str, str], own: Collection[str] = ()
) -> dict[str, str | int]:
    """Return the named options as the rules know them; unknown values are passed on unchanged.

    `own` are parameters of the command that are called like options.
    """
    voice = speaker.of(game.key)
    options: dict[str, str | int] = {}
    known = {name for other in games.values() for name in other.options}
    given = {name.removeprefix(OPTION_PREFIX): value for name, value in values.items() if name not in own}
    for name in sorted(known & set(given)):
        text = given[name].strip().lower()
        option = game.options.get(name)
        fitting = [
            value
            for value in (option.values if option else ())
            if text in (str(value).lower(), voice.word(f"option.{name}", value).lower())
        ]
        options[name] = fitting[0] if fitting else text
    return options


def check_seat_count(game: Game, seats: int) -> None:
    """Raise Refused if a game cannot be played by so many."""
    least, most = game.seats[0], game.seats[-1]
    if seats not in game.seats:
        key = "refusal.seats" if least < most else "refusal.seats-only"
        raise Refused(key, game=game.key, least=least, most=most, seats=seats)
