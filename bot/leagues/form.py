"""The form for a new league; its buttons carry everything chosen so far."""

from dataclasses import dataclass, replace
from typing import Final

from bot.competitions.league.events import DEFAULT_SEASON_DAYS, LeagueTerms
from bot.core.context import Context
from bot.core.game_pages import read_page
from bot.core.request_context import RequestContext
from bot.interface.cards import Button, Card, Row
from bot.interface.presses import Press
from bot.interface.requests import Reply
from bot.language.texts import Span, Speaker, join
from bot.leagues.cards import terms_lines
from bot.leagues.service import make_league
from bot.matches.form import (
    COMPETITION_CLOCKS,
    DEFAULT_CLOCK,
    ENTRY_RULES,
    FILL_LEVELS,
    check_chosen_game,
    choice_menu,
    choice_press,
    chosen_options,
    clock_menu,
    entry_menu,
    fill_menu,
    option_bounds,
    option_menus,
    rated_button,
    read_choices,
    read_parts,
    usual_options,
    which_game_card,
)
from bot.play.clocks import CLOCKS
from engine import Game, games

FORM_PRESS: Final = "leaguenew"
CREATE_PRESS: Final = "leaguepost"
SEASON_DAYS: Final = (14, 21, 30, 60, 92)


@dataclass(frozen=True, slots=True)
class LeagueChoice:
    """What has been chosen so far, each as an index into its list of choices."""

    game: str
    clock: int = DEFAULT_CLOCK
    days: int = SEASON_DAYS.index(DEFAULT_SEASON_DAYS)
    entry: int = 0
    fill: int = 0
    casual: int = 0
    options: tuple[int, ...] = ()

    def press(self, deed: str) -> str:
        """Return the payload of a button with these choices."""
        chosen = (self.clock, self.days, self.entry, self.fill, self.casual, *self.options)
        return choice_press(deed, self.game, chosen)

    def terms(self) -> LeagueTerms:
        """Return the league's terms."""
        game = games[self.game]
        seats = usual_seats(game)
        return LeagueTerms(
            game=self.game,
            clock=CLOCKS[COMPETITION_CLOCKS[self.clock]] or 0,
            options=dict(chosen_options(self.game, seats, self.options)),
            days=SEASON_DAYS[self.days],
            seats=seats,
            fewest=fewest_seats(game, seats),
            entry=ENTRY_RULES[self.entry],
            computers=FILL_LEVELS[self.fill],
            rated=not self.casual,
        )


def usual_seats(game: Game) -> int:
    """Return the default number of seats of a league's games: two, or the maximum of a game not for two."""
    return 2 if 2 in game.seats else game.seats[-1]


def fewest_seats(game: Game, seats: int) -> int:
    """Return the number of seats of the smallest table of a league."""
    return 2 if seats == 2 else max(3, game.seats[0])


def default_league_choice(key: str) -> LeagueChoice:
    """Return the default choices for a game."""
    return LeagueChoice(key, options=usual_options(key))


def league_games_card(speaker: Speaker, page: int = 0) -> Card:
    """Return the card that asks for the league's game."""

    def pressing(key: str) -> str:
        return default_league_choice(key).press(FORM_PRESS)

    return which_game_card(speaker, "league.which", FORM_PRESS, list(games), page, pressing)


def form_card(speaker: Speaker, choice: LeagueChoice) -> Card:
    """Return the form: what is chosen, menus for the rest, and the button that makes the league."""
    voice, terms = speaker.of(choice.game), choice.terms()
    chosen = [
        voice.say("cup.chosen.clock", clock=voice.line(f"clock.{COMPETITION_CLOCKS[choice.clock]}")),
        voice.say(f"cup.entry.{terms.entry}"),
    ]
    title = voice.say("league.new", game=Span(voice.line("name"), bold=True))
    days = enumerate(voice.line("league.days", n=n) for n in SEASON_DAYS)
    rows: list[Row] = [
        clock_menu(voice, lambda at: replace(choice, clock=at).press(FORM_PRESS)),
        choice_menu(voice.line("league.choose.days"), days, lambda at: replace(choice, days=at).press(FORM_PRESS)),
        entry_menu(voice, lambda at: replace(choice, entry=at).press(FORM_PRESS)),
        fill_menu(voice, lambda at: replace(choice, fill=at).press(FORM_PRESS)),
        *option_menus(
            voice, choice.game, choice.options, lambda options: replace(choice, options=options).press(FORM_PRESS)
        ),
    ]
    last = (
        Button(voice.line("button.league.make"), choice.press(CREATE_PRESS), "primary"),
        rated_button(voice, choice.casual, replace(choice, casual=1 - choice.casual).press(FORM_PRESS)),
    )
    return Card(join([title, join(chosen, " · "), *terms_lines(terms, voice)]), rows=(*rows, last))


async def press_form(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle a choice in the form of a new league, or a page of its list of games."""
    page = read_page((pressed.path or ("0",))[0])
    if page is not None:
        return Reply(league_games_card(asker.mine, page), private=True, update=bool(pressed.rest))
    return Reply(form_card(asker.mine, await _read_choice(context, pressed)), private=True, update=True)


async def press_create(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button that makes the chosen league."""
    choice = await _read_choice(context, pressed)
    reply = Reply(Card(asker.mine.of(choice.game).say("league.created")), private=True, update=True)
    await make_league(context, asker, choice.terms(), reply)
    return reply


async def _read_choice(context: Context, pressed: Press) -> LeagueChoice:
    """Return the choices in a press; Refused if the game or a choice no longer exists."""
    key, chosen, _ = read_parts(pressed)
    await check_chosen_game(context, key, games)
    bounds = [len(COMPETITION_CLOCKS), len(SEASON_DAYS), len(ENTRY_RULES), len(FILL_LEVELS), 2, *option_bounds(key)]
    clock, days, entry, fill, casual, *options = read_choices(chosen, bounds)
    return LeagueChoice(key, clock, days, entry, fill, casual, tuple(options))
