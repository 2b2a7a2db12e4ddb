"""The form for a new ladder; its buttons carry everything chosen so far."""

from dataclasses import dataclass, replace
from typing import Final

from bot.competitions.ladder.events import LadderTerms
from bot.core.context import Context
from bot.core.game_pages import read_page
from bot.core.request_context import RequestContext
from bot.interface.cards import Button, Card, Row
from bot.interface.presses import Press
from bot.interface.requests import Reply
from bot.ladders.cards import terms_lines
from bot.ladders.service import LADDERS
from bot.language.texts import Span, Speaker, join
from bot.matches.form import (
    COMPETITION_CLOCKS,
    DEFAULT_CLOCK,
    ENTRY_RULES,
    check_chosen_game,
    choice_menu,
    choice_press,
    chosen_options,
    clock_menu,
    entry_menu,
    option_bounds,
    option_menus,
    rated_button,
    read_choices,
    read_parts,
    usual_options,
    which_game_card,
)
from bot.play.clocks import CLOCKS
from engine import games

FORM_PRESS: Final = "laddernew"
CREATE_PRESS: Final = "ladderpost"
ANSWER_DAYS: Final = (1, 2, 3, 5, 7, 14)
DEFAULT_ANSWER_DAYS: Final = 3


@dataclass(frozen=True, slots=True)
class LadderChoice:
    """What has been chosen so far, each as an index into its list of choices."""

    game: str
    clock: int = DEFAULT_CLOCK
    days: int = ANSWER_DAYS.index(DEFAULT_ANSWER_DAYS)
    entry: int = 0
    casual: int = 0
    options: tuple[int, ...] = ()

    def press(self, deed: str) -> str:
        """Return the payload of a button with these choices."""
        return choice_press(deed, self.game, (self.clock, self.days, self.entry, self.casual, *self.options))

    def terms(self) -> LadderTerms:
        """Return the ladder's terms."""
        return LadderTerms(
            game=self.game,
            clock=CLOCKS[COMPETITION_CLOCKS[self.clock]] or 0,
            options=dict(chosen_options(self.game, 2, self.options)),
            days=ANSWER_DAYS[self.days],
            entry=ENTRY_RULES[self.entry],
            rated=not self.casual,
        )


def list_ladder_games() -> list[str]:
    """Return the keys of the games for two players."""
    return [key for key, game in games.items() if 2 in game.seats]


def default_ladder_choice(key: str) -> LadderChoice:
    """Return the default choices for a game."""
    return LadderChoice(key, options=usual_options(key))


def ladder_games_card(speaker: Speaker, page: int = 0) -> Card:
    """Return the card that asks for the ladder's game."""

    def pressing(key: str) -> str:
        return default_ladder_choice(key).press(FORM_PRESS)

    return which_game_card(speaker, "ladder.which", FORM_PRESS, list_ladder_games(), page, pressing)


def form_card(speaker: Speaker, choice: LadderChoice) -> Card:
    """Return the form: what is chosen, menus for the rest, and the button that makes the ladder."""
    voice, terms = speaker.of(choice.game), choice.terms()
    chosen = [
        voice.say("cup.chosen.clock", clock=voice.line(f"clock.{COMPETITION_CLOCKS[choice.clock]}")),
        voice.say(f"cup.entry.{terms.entry}"),
    ]
    title = voice.say("ladder.new", game=Span(voice.line("name"), bold=True))
    days = enumerate(voice.line("ladder.days", n=n) for n in ANSWER_DAYS)
    rows: list[Row] = [
        clock_menu(voice, lambda at: replace(choice, clock=at).press(FORM_PRESS)),
        choice_menu(voice.line("ladder.choose.days"), days, lambda at: replace(choice, days=at).press(FORM_PRESS)),
        entry_menu(voice, lambda at: replace(choice, entry=at).press(FORM_PRESS)),
        *option_menus(
            voice, choice.game, choice.options, lambda options: replace(choice, options=options).press(FORM_PRESS)
        ),
    ]
    last = (
        Button(voice.line("button.ladder.make"), choice.press(CREATE_PRESS), "primary"),
        rated_button(voice, choice.casual, replace(choice, casual=1 - choice.casual).press(FORM_PRESS)),
    )
    return Card(join([title, join(chosen, " · "), *terms_lines(terms, voice)]), rows=(*rows, last))


async def press_form(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle a choice in the form of a new ladder, or a page of its list of games."""
    page = read_page((pressed.path or ("0",))[0])
    if page is not None:
        return Reply(ladder_games_card(asker.mine, page), private=True, update=bool(pressed.rest))
    return Reply(form_card(asker.mine, await _read_choice(context, pressed)), private=True, update=True)


async def press_create(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button that makes the chosen ladder."""
    choice = await _read_choice(context, pressed)
    reply = Reply(Card(asker.mine.of(choice.game).say("ladder.created")), private=True, update=True)
    await LADDERS.make(context, asker, choice.terms(), reply)
    return reply


async def _read_choice(context: Context, pressed: Press) -> LadderChoice:
    """Return the choices in a press; Refused if the game or a choice no longer exists."""
    key, chosen, _ = read_parts(pressed)
    await check_chosen_game(context, key, list_ladder_games())
    bounds = [len(COMPETITION_CLOCKS), len(ANSWER_DAYS), len(ENTRY_RULES), 2, *option_bounds(key)]
    clock, days, entry, casual, *options = read_choices(chosen, bounds)
    return LadderChoice(key, clock, days, entry, casual, tuple(options))
