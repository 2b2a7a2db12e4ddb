"""Choosing a league and how it is played, step by step; every step is in its buttons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from bot.competitions.league.events import DEFAULT_SEASON_DAYS, LeagueTerms
from bot.core.context import Context
from bot.core.game_pages import picking_rows, read_page
from bot.core.request_context import RequestContext
from bot.interface.cards import Button, Card, Menu, Row
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.texts import Span, Speaker, join
from bot.leagues.cards import terms_lines
from bot.leagues.service import make_league
from bot.matches.stored import Entry
from bot.play.clocks import CLOCKS, NO_CLOCK
from bot.play.game_lookup import check_game_installed
from engine import Game, games
from engine.search import LEVELS

FORM_PRESS: Final = "leaguenew"
CREATE_PRESS: Final = "leaguepost"
LEAGUE_CLOCKS: Final = tuple(name for name in CLOCKS if name != NO_CLOCK)
DEFAULT_CLOCK: Final = "1d"
SEASON_DAYS: Final = (14, 21, 30, 60, 92)
ENTRY_RULES: Final[tuple[Entry, ...]] = ("here", "group", "code")
FILL_LEVELS: Final = ("", *map(str, LEVELS))
_BASE_36_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class LeagueChoice:
    """What has been chosen so far, each as the number of a choice."""

    game: str
    clock: int = LEAGUE_CLOCKS.index(DEFAULT_CLOCK)
    days: int = SEASON_DAYS.index(DEFAULT_SEASON_DAYS)
    entry: int = 0
    fill: int = 0
    casual: int = 0
    options: tuple[int, ...] = ()

    def press(self, deed: str) -> str:
        """Return what a button with this choice carries."""
        chosen = (self.clock, self.days, self.entry, self.fill, self.casual, *self.options)
        return press(deed, None, 0, self.game, "".join(_BASE_36_DIGITS[each] for each in chosen))

    def terms(self) -> LeagueTerms:
        """Return the terms that it stands for."""
        game = games[self.game]
        options = {
            name: list(option.values)[at] for (name, option), at in zip(game.options.items(), self.options, strict=True)
        }
        seats = usual_seats(game)
        return LeagueTerms(
            game=self.game,
            clock=CLOCKS[LEAGUE_CLOCKS[self.clock]] or 0,
            options=dict(game.checked_options(seats, options)),
            days=SEASON_DAYS[self.days],
            seats=seats,
            fewest=fewest_seats(game, seats),
            entry=ENTRY_RULES[self.entry],
            computers=FILL_LEVELS[self.fill],
            rated=not self.casual,
        )


def usual_seats(game: Game) -> int:
    """Return how many play a league's games if nothing is said: two, or as many as can."""
    return 2 if 2 in game.seats else game.seats[-1]


def fewest_seats(game: Game, seats: int) -> int:
    """Return how many sit at the smallest table of a league."""
    return 2 if seats == 2 else max(3, game.seats[0])


def default_league_choice(key: str) -> LeagueChoice:
    """Return the choice of a game with everything as usual."""
    usual = tuple(list(option.values).index(option.default) for option in games[key].options.values())
    return LeagueChoice(key, options=usual)


def league_games_card(speaker: Speaker, page: int = 0) -> Card:
    """Return the question which game a league is to be of."""

    def button(key: str) -> Button:
        return Button(speaker.of(key).line("name"), default_league_choice(key).press(FORM_PRESS))

    rows = picking_rows(speaker, list(games), page, button, lambda other: press(FORM_PRESS, None, 0, other))
    return Card(speaker.say("league.which"), rows=rows)


def form_card(speaker: Speaker, choice: LeagueChoice) -> Card:
    """Return what has been chosen, with what else can be, and the button that makes the league."""
    voice, game = speaker.of(choice.game), games[choice.game]
    terms = choice.terms()
    chosen = [
        voice.say("cup.chosen.clock", clock=voice.line(f"clock.{LEAGUE_CLOCKS[choice.clock]}")),
        voice.say(f"cup.entry.{terms.entry}"),
    ]
    title = voice.say("league.new", game=Span(voice.line("name"), bold=True))
    fills = [
        voice.line("cup.more.fill", level=each) if each else voice.line("cup.more.no-fill") for each in FILL_LEVELS
    ]
    rows: list[Row] = [
        _menu(
            voice.line("cup.choose.clock"),
            [voice.line(f"clock.{name}") for name in LEAGUE_CLOCKS],
            lambda at: replace(choice, clock=at),
        ),
        _menu(
            voice.line("league.choose.days"),
            [voice.line("league.days", n=n) for n in SEASON_DAYS],
            lambda at: replace(choice, days=at),
        ),
        _menu(
            voice.line("cup.choose.entry"),
            [voice.line(f"cup.entry.{each}") for each in ENTRY_RULES],
            lambda at: replace(choice, entry=at),
        ),
        _menu(voice.line("cup.choose.fill"), fills, lambda at: replace(choice, fill=at)),
    ]
    for number, (name, option) in enumerate(game.options.items()):
        labels = [voice.line(f"option.{name}.{value}") for value in option.values]
        rows.append(_menu(voice.line(f"option.{name}"), labels, partial(_with_option, choice, number)))
    rated = "button.cup.rated" if choice.casual else "button.cup.casual"
    last = (
        Button(voice.line("button.league.make"), choice.press(CREATE_PRESS), "primary"),
        Button(voice.line(rated), replace(choice, casual=1 - choice.casual).press(FORM_PRESS)),
    )
    return Card(join([title, join(chosen, " · "), *terms_lines(terms, voice)]), rows=(*rows, last))


async def press_form(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """A choice made in the form of a new league, or another page of the games."""
    page = read_page((pressed.path or ("0",))[0])
    if page is not None:
        return Reply(league_games_card(asker.mine, page), private=True, update=bool(pressed.rest))
    return Reply(form_card(asker.mine, await _read_choice(context, pressed)), private=True, update=True)


async def press_create(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """The button that makes the league that was chosen."""
    choice = await _read_choice(context, pressed)
    reply = Reply(Card(asker.mine.of(choice.game).say("league.created")), private=True, update=True)
    await make_league(context, asker, choice.terms(), reply)
    return reply


async def _read_choice(context: Context, pressed: Press) -> LeagueChoice:
    """Return what a press carries; Refused if there is no such game or choice any more."""
    key, chosen = (*pressed.path, "", "")[:2]
    await check_game_installed(context, key)
    if key not in games or not all(each in _BASE_36_DIGITS for each in chosen):
        raise Refused("refusal.stale")
    numbers = [_BASE_36_DIGITS.index(each) for each in chosen]
    bounds = [len(LEAGUE_CLOCKS), len(SEASON_DAYS), len(ENTRY_RULES), len(FILL_LEVELS), 2]
    bounds += [len(option.values) for option in games[key].options.values()]
    if len(numbers) != len(bounds) or any(at >= bound for at, bound in zip(numbers, bounds, strict=True)):
        raise Refused("refusal.stale")
    clock, days, entry, fill, casual = numbers[:5]
    return LeagueChoice(key, clock, days, entry, fill, casual, tuple(numbers[5:]))


def _menu(label: str, labels: list[str], changed: Callable[[int], LeagueChoice]) -> Menu:
    return Menu(label, tuple(Button(each, changed(at).press(FORM_PRESS)) for at, each in enumerate(labels)))


def _with_option(choice: LeagueChoice, number: int, at: int) -> LeagueChoice:
    return replace(choice, options=(*choice.options[:number], at, *choice.options[number + 1 :]))
