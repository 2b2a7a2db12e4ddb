"""Forms for new competitions: every choice is an index, and each button carries all of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from bot.core.context import Context
from bot.core.game_pages import picking_rows
from bot.interface.cards import Button, Card, Menu
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused
from bot.language.texts import Speaker, Text
from bot.matches.stored import Entry
from bot.play.clocks import CLOCKS, NO_CLOCK
from bot.play.game_lookup import check_game_installed
from engine import games
from engine.search import LEVELS

COMPETITION_CLOCKS: Final = tuple(name for name in CLOCKS if name != NO_CLOCK)
DEFAULT_CLOCK: Final = COMPETITION_CLOCKS.index("1d")
ENTRY_RULES: Final[tuple[Entry, ...]] = ("here", "group", "code")
ENTRY_NAMES: Final = ("here", "server", "code")
"""The names of `ENTRY_RULES` in the catalogues."""
FILL_LEVELS: Final = ("", *map(str, LEVELS))
"""The levels of the computers that fill up, none first."""
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


def choice_press(deed: str, game: str, *parts: Iterable[int]) -> str:
    """Return the payload of a button with these choices."""
    return press(deed, None, 0, game, *("".join(_DIGITS[each] for each in part) for part in parts))


async def check_chosen_game(context: Context, key: str, keys: Iterable[str]) -> None:
    """Raise Refused if a form's game is not one of these (any more)."""
    await check_game_installed(context, key)
    if key not in keys:
        raise Refused("refusal.stale")


def read_choices(chosen: str, bounds: Sequence[int]) -> list[int]:
    """Return the indices in a button's payload; Refused if one is out of its range (any more)."""
    numbers = [_DIGITS.find(each) for each in chosen]
    if len(numbers) != len(bounds) or not all(0 <= at < bound for at, bound in zip(numbers, bounds, strict=True)):
        raise Refused("refusal.stale")
    return numbers


def read_parts(pressed: Press) -> tuple[str, str, str]:
    """Return the game in a form's payload and the two parts with choices; missing parts are empty."""
    key, first, second = (*pressed.path, "", "", "")[:3]
    return key, first, second


def option_bounds(key: str) -> list[int]:
    """Return the number of values of each option of a game."""
    return [len(option.values) for option in games[key].options.values()]


def usual_options(key: str) -> tuple[int, ...]:
    """Return the indices of the default values of a game's options."""
    return tuple(list(option.values).index(option.default) for option in games[key].options.values())


def chosen_options(key: str, seats: int, numbers: Sequence[int]) -> Mapping[str, str | int]:
    """Return the chosen options of a game."""
    options = games[key].options.items()
    chosen = {name: list(option.values)[at] for (name, option), at in zip(options, numbers, strict=True)}
    return dict(games[key].checked_options(seats, chosen))


def choice_menu(label: str, choices: Iterable[tuple[int, str]], pressing: Callable[[int], str]) -> Menu:
    """Return a menu of choices; `pressing` returns the payload for an index."""
    return Menu(label, tuple(Button(each, pressing(at)) for at, each in choices))


def option_menus(
    voice: Speaker, key: str, chosen: tuple[int, ...], pressing: Callable[[tuple[int, ...]], str]
) -> list[Menu]:
    """Return a menu for each option of a game, with the current choices."""

    def menu(number: int, name: str, values: Iterable[str | int]) -> Menu:
        labels = enumerate(voice.line(f"option.{name}.{value}") for value in values)
        return choice_menu(
            voice.line(f"option.{name}"), labels, lambda at: pressing((*chosen[:number], at, *chosen[number + 1 :]))
        )

    return [menu(number, name, option.values) for number, (name, option) in enumerate(games[key].options.items())]


def clock_menu(voice: Speaker, pressing: Callable[[int], str]) -> Menu:
    """Return the menu of clocks."""
    labels = enumerate(voice.line(f"clock.{name}") for name in COMPETITION_CLOCKS)
    return choice_menu(voice.line("cup.choose.clock"), labels, pressing)


def entry_menu(voice: Speaker, pressing: Callable[[int], str]) -> Menu:
    """Return the menu of entry rules."""
    labels = enumerate(voice.line(f"cup.entry.{each}") for each in ENTRY_RULES)
    return choice_menu(voice.line("cup.choose.entry"), labels, pressing)


def fill_menu(voice: Speaker, pressing: Callable[[int], str]) -> Menu:
    """Return the menu of computers that fill up."""
    lines = (
        voice.line("cup.more.fill", level=each) if each else voice.line("cup.more.no-fill") for each in FILL_LEVELS
    )
    return choice_menu(voice.line("cup.choose.fill"), enumerate(lines), pressing)


def rated_button(voice: Speaker, casual: int, pressed: str) -> Button:
    """Return the button that toggles whether games are rated."""
    return Button(voice.line("button.cup.rated" if casual else "button.cup.casual"), pressed)


def which_game_card(
    speaker: Speaker, question: Text, deed: str, keys: Sequence[str], page: int, pressing: Callable[[str], str]
) -> Card:
    """Return the card that asks for the game; `pressing` returns the payload for a game."""

    def button(key: str) -> Button:
        return Button(speaker.of(key).line("name"), pressing(key))

    rows = picking_rows(speaker, list(keys), page, button, lambda other: press(deed, None, 0, other))
    return Card(question, rows=rows)
