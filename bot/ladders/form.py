"""Choosing a ladder and how it is played, step by step; every step is in its buttons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from bot.competitions.ladder.events import LadderTerms
from bot.core.context import Context
from bot.core.game_pages import picking_rows, read_page
from bot.core.request_context import RequestContext
from bot.interface.cards import Button, Card, Menu, Row
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.ladders.cards import terms_lines
from bot.ladders.service import make_ladder
from bot.language.texts import Span, Speaker, join
from bot.matches.stored import Entry
from bot.play.clocks import CLOCKS, NO_CLOCK
from bot.play.game_lookup import check_game_installed
from engine import games

FORM_PRESS: Final = "laddernew"
CREATE_PRESS: Final = "ladderpost"
LADDER_CLOCKS: Final = tuple(name for name in CLOCKS if name != NO_CLOCK)
DEFAULT_CLOCK: Final = "1d"
ANSWER_DAYS: Final = (1, 2, 3, 5, 7, 14)
DEFAULT_ANSWER_DAYS: Final = 3
ENTRY_RULES: Final[tuple[Entry, ...]] = ("here", "group", "code")
_BASE_36_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class LadderChoice:
    """What has been chosen so far, each as the number of a choice."""

    game: str
    clock: int = LADDER_CLOCKS.index(DEFAULT_CLOCK)
    days: int = ANSWER_DAYS.index(DEFAULT_ANSWER_DAYS)
    entry: int = 0
    casual: int = 0
    options: tuple[int, ...] = ()

    def press(self, deed: str) -> str:
        """Return what a button with this choice carries."""
        chosen = (self.clock, self.days, self.entry, self.casual, *self.options)
        return press(deed, None, 0, self.game, "".join(_BASE_36_DIGITS[each] for each in chosen))

    def terms(self) -> LadderTerms:
        """Return the terms that it stands for."""
        options = {
            name: list(option.values)[at]
            for (name, option), at in zip(games[self.game].options.items(), self.options, strict=True)
        }
        return LadderTerms(
            game=self.game,
            clock=CLOCKS[LADDER_CLOCKS[self.clock]] or 0,
            options=dict(games[self.game].checked_options(2, options)),
            days=ANSWER_DAYS[self.days],
            entry=ENTRY_RULES[self.entry],
            rated=not self.casual,
        )


def list_ladder_games() -> list[str]:
    """Return the keys of the games that two can play."""
    return [key for key, game in games.items() if 2 in game.seats]


def default_ladder_choice(key: str) -> LadderChoice:
    """Return the choice of a game with everything as usual."""
    usual = tuple(list(option.values).index(option.default) for option in games[key].options.values())
    return LadderChoice(key, options=usual)


def ladder_games_card(speaker: Speaker, page: int = 0) -> Card:
    """Return the question which game a ladder is to be of."""

    def button(key: str) -> Button:
        return Button(speaker.of(key).line("name"), default_ladder_choice(key).press(FORM_PRESS))

    rows = picking_rows(speaker, list_ladder_games(), page, button, lambda other: press(FORM_PRESS, None, 0, other))
    return Card(speaker.say("ladder.which"), rows=rows)


def form_card(speaker: Speaker, choice: LadderChoice) -> Card:
    """Return what has been chosen, with what else can be, and the button that makes the ladder."""
    voice, game = speaker.of(choice.game), games[choice.game]
    terms = choice.terms()
    chosen = [
        voice.say("cup.chosen.clock", clock=voice.line(f"clock.{LADDER_CLOCKS[choice.clock]}")),
        voice.say(f"cup.entry.{terms.entry}"),
    ]
    title = voice.say("ladder.new", game=Span(voice.line("name"), bold=True))
    rows: list[Row] = [
        _menu(
            voice.line("cup.choose.clock"),
            [voice.line(f"clock.{name}") for name in LADDER_CLOCKS],
            lambda at: replace(choice, clock=at),
        ),
        _menu(
            voice.line("ladder.choose.days"),
            [voice.line("ladder.days", n=n) for n in ANSWER_DAYS],
            lambda at: replace(choice, days=at),
        ),
        _menu(
            voice.line("cup.choose.entry"),
            [voice.line(f"cup.entry.{each}") for each in ENTRY_RULES],
            lambda at: replace(choice, entry=at),
        ),
    ]
    for number, (name, option) in enumerate(game.options.items()):
        labels = [voice.line(f"option.{name}.{value}") for value in option.values]
        rows.append(_menu(voice.line(f"option.{name}"), labels, partial(_with_option, choice, number)))
    rated = "button.cup.rated" if choice.casual else "button.cup.casual"
    last = (
        Button(voice.line("button.ladder.make"), choice.press(CREATE_PRESS), "primary"),
        Button(voice.line(rated), replace(choice, casual=1 - choice.casual).press(FORM_PRESS)),
    )
    return Card(join([title, join(chosen, " · "), *terms_lines(terms, voice)]), rows=(*rows, last))


async def press_form(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """A choice made in the form of a new ladder, or another page of the games."""
    page = read_page((pressed.path or ("0",))[0])
    if page is not None:
        return Reply(ladder_games_card(asker.mine, page), private=True, update=bool(pressed.rest))
    return Reply(form_card(asker.mine, await _read_choice(context, pressed)), private=True, update=True)


async def press_create(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """The button that makes the ladder that was chosen."""
    choice = await _read_choice(context, pressed)
    reply = Reply(Card(asker.mine.of(choice.game).say("ladder.created")), private=True, update=True)
    await make_ladder(context, asker, choice.terms(), reply)
    return reply


async def _read_choice(context: Context, pressed: Press) -> LadderChoice:
    """Return what a press carries; Refused if there is no such game or choice any more."""
    key, chosen = (*pressed.path, "", "")[:2]
    await check_game_installed(context, key)
    if key not in list_ladder_games() or not all(each in _BASE_36_DIGITS for each in chosen):
        raise Refused("refusal.stale")
    numbers = [_BASE_36_DIGITS.index(each) for each in chosen]
    bounds = [len(LADDER_CLOCKS), len(ANSWER_DAYS), len(ENTRY_RULES), 2]
    bounds += [len(option.values) for option in games[key].options.values()]
    if len(numbers) != len(bounds) or any(at >= bound for at, bound in zip(numbers, bounds, strict=True)):
        raise Refused("refusal.stale")
    clock, days, entry, casual = numbers[:4]
    return LadderChoice(key, clock, days, entry, casual, tuple(numbers[4:]))


def _menu(label: str, labels: list[str], changed: Callable[[int], LadderChoice]) -> Menu:
    return Menu(label, tuple(Button(each, changed(at).press(FORM_PRESS)) for at, each in enumerate(labels)))


def _with_option(choice: LadderChoice, number: int, at: int) -> LadderChoice:
    return replace(choice, options=(*choice.options[:number], at, *choice.options[number + 1 :]))
