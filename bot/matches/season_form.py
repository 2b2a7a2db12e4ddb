"""The form for a new ladder or league; its buttons carry everything chosen so far."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, TypeVar

from bot.competitions.events import CommonTerms
from bot.core.context import Context
from bot.core.game_pages import read_page
from bot.core.request_context import RequestContext
from bot.interface.cards import Button, Card, Row
from bot.interface.presses import Press
from bot.interface.requests import Reply
from bot.language.texts import Span, Speaker, Text, join
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

T = TypeVar("T", bound=CommonTerms)


@dataclass(frozen=True, slots=True)
class SeasonChoice:
    """What has been chosen so far, each as an index into its list of choices."""

    game: str
    days: int
    clock: int = DEFAULT_CLOCK
    entry: int = 0
    fill: int = 0
    casual: int = 0
    options: tuple[int, ...] = ()

    def common_terms(self, seats: int) -> dict[str, Any]:
        """Return the terms that ladders and leagues share."""
        return {
            "game": self.game,
            "clock": CLOCKS[COMPETITION_CLOCKS[self.clock]] or 0,
            "options": dict(chosen_options(self.game, seats, self.options)),
            "entry": ENTRY_RULES[self.entry],
            "rated": not self.casual,
        }


@dataclass(frozen=True)
class SeasonForm(Generic[T]):
    """The form of ladders, or that of leagues, where computers fill up (`fills`).

    `days` are the choices for how long something lasts; `make_terms`, `terms_lines` and `make` turn choices into terms,
    tell them, and make the competition.
    """

    kind: Literal["ladder", "league"]
    days: Sequence[int]
    default_days: int
    fills: bool
    list_games: Callable[[], Sequence[str]]
    make_terms: Callable[[SeasonChoice], T]
    terms_lines: Callable[[T, Speaker], list[Text]]
    make: Callable[[Context, RequestContext, T, Reply], Awaitable[str]]

    @property
    def form_press(self) -> str:
        """The first word of the payloads of its menus."""
        return f"{self.kind}new"

    @property
    def create_press(self) -> str:
        """The first word of the payload of the button that makes the competition."""
        return f"{self.kind}post"

    def default_choice(self, key: str) -> SeasonChoice:
        """Return the default choices for a game."""
        return SeasonChoice(key, self.days.index(self.default_days), options=usual_options(key))

    def games_card(self, speaker: Speaker, page: int = 0) -> Card:
        """Return the card that asks for the game."""

        def pressing(key: str) -> str:
            return self._press(self.form_press, self.default_choice(key))

        return which_game_card(
            speaker, speaker.say(f"{self.kind}.which"), self.form_press, self.list_games(), page, pressing
        )

    def form_card(self, speaker: Speaker, choice: SeasonChoice) -> Card:
        """Return the form: what is chosen, menus for the rest, and the button that makes the competition."""
        voice, terms = speaker.of(choice.game), self.make_terms(choice)
        chosen = [
            voice.say("cup.chosen.clock", clock=voice.line(f"clock.{COMPETITION_CLOCKS[choice.clock]}")),
            voice.say(f"cup.entry.{terms.entry}"),
        ]
        title = voice.say(f"{self.kind}.new", game=Span(voice.line("name"), bold=True))
        days = enumerate(voice.line(f"{self.kind}.days", n=n) for n in self.days)

        def pressing(**changed: Any) -> str:
            return self._press(self.form_press, replace(choice, **changed))

        rows: list[Row] = [
            clock_menu(voice, lambda at: pressing(clock=at)),
            choice_menu(voice.line(f"{self.kind}.choose.days"), days, lambda at: pressing(days=at)),
            entry_menu(voice, lambda at: pressing(entry=at)),
            *([fill_menu(voice, lambda at: pressing(fill=at))] if self.fills else ()),
            *option_menus(voice, choice.game, choice.options, lambda options: pressing(options=options)),
        ]
        last = (
            Button(voice.line(f"button.{self.kind}.make"), self._press(self.create_press, choice), "primary"),
            rated_button(voice, choice.casual, pressing(casual=1 - choice.casual)),
        )
        return Card(join([title, join(chosen, " · "), *self.terms_lines(terms, voice)]), rows=(*rows, last))

    async def handle_form(self, context: Context, asker: RequestContext, pressed: Press) -> Reply:
        """Handle a choice in the form, or a page of its list of games."""
        page = read_page((pressed.path or ("0",))[0])
        if page is not None:
            return Reply(self.games_card(asker.mine, page), private=True, update=bool(pressed.rest))
        return Reply(self.form_card(asker.mine, await self._read_choice(context, pressed)), private=True, update=True)

    async def handle_create(self, context: Context, asker: RequestContext, pressed: Press) -> Reply:
        """Handle the button that makes the chosen competition."""
        choice = await self._read_choice(context, pressed)
        reply = Reply(Card(asker.mine.of(choice.game).say(f"{self.kind}.created")), private=True, update=True)
        await self.make(context, asker, self.make_terms(choice), reply)
        return reply

    def _press(self, deed: str, choice: SeasonChoice) -> str:
        fill = (choice.fill,) if self.fills else ()
        chosen = (choice.clock, choice.days, choice.entry, *fill, choice.casual, *choice.options)
        return choice_press(deed, choice.game, chosen)

    async def _read_choice(self, context: Context, pressed: Press) -> SeasonChoice:
        """Return the choices in a press; Refused if the game or a choice no longer exists."""
        key, chosen, _ = read_parts(pressed)
        await check_chosen_game(context, key, self.list_games())
        fills = [len(FILL_LEVELS)] if self.fills else []
        bounds = [len(COMPETITION_CLOCKS), len(self.days), len(ENTRY_RULES), *fills, 2, *option_bounds(key)]
        clock, days, entry, *rest = read_choices(chosen, bounds)
        fill, casual, *options = rest if self.fills else (0, *rest)
        return SeasonChoice(key, days, clock, entry, fill, casual, tuple(options))
