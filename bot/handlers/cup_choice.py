"""Choosing a competition and how it is played, step by step; every step is in its buttons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final, Literal

from bot.competitions.events import MOST_ALL, CupTerms, Format
from bot.context.asker import Asker
from bot.context.context import Context
from bot.handlers.finding import see_that_it_is_not_gone
from bot.interface.cards import Button, Card, Menu, Row
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.rich_text import Span
from bot.language.texts import Speaker, join
from bot.presenters.competitions import terms_lines
from bot.presenters.picking import page_in, picking_rows
from bot.services.clocks import CLOCKS, NO_CLOCK
from bot.services.competitions import make_cup
from engine import Game, games

FORM: Final = "cupnew"
POST: Final = "cuppost"

Entry = Literal["here", "group", "code"]
FORMATS: Final = tuple(Format)
CUP_CLOCKS: Final = tuple(name for name in CLOCKS if name != NO_CLOCK)
USUAL_CLOCK: Final = "1d"
SIZES: Final = (4, 6, 8, 10, 12, 16, 24, 32, 48, 64)
ENTRIES: Final[tuple[Entry, ...]] = ("here", "group", "code")
STARTS: Final = (0, 1, 6, 24, 72, 168)
"""In how many hours it starts; 0 is when it is full, or by hand."""
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class CupChoice:
    """What has been chosen so far, each as the number of a choice; `double` and `options` where the game has such."""

    game: str
    format: int = 0
    clock: int = CUP_CLOCKS.index(USUAL_CLOCK)
    size: int = SIZES.index(8)
    entry: int = 0
    start: int = 0
    double: int = 0
    options: tuple[int, ...] = ()

    def press(self, deed: str) -> str:
        """Return what a button with this choice carries."""
        chosen = (self.format, self.clock, self.size, self.entry, self.start, self.double, *self.options)
        return press(deed, None, 0, self.game, "".join(_DIGITS[each] for each in chosen))

    def terms(self, context: Context) -> CupTerms:
        """Return the terms that it stands for from now on."""
        game, hours = games[self.game], STARTS[self.start]
        kind = FORMATS[self.format]
        most = SIZES[self.size]
        return CupTerms(
            game=self.game,
            format=kind,
            clock=CLOCKS[CUP_CLOCKS[self.clock]] or 0,
            options={
                name: option.values[at] for (name, option), at in zip(game.options.items(), self.options, strict=True)
            },
            seats=game.seats[-1] if kind == Format.TABLES else 2,
            fewest=max(2, game.seats[0]),
            most=min(most, MOST_ALL) if kind in (Format.ALL, Format.TWICE) else most,
            starts_at=context.clock() + timedelta(hours=hours) if hours else None,
            entry=ENTRIES[self.entry],
            double=tuple(sorted(game.facts.grand)) if self.double else (),
        )


def formats_of(game: Game) -> tuple[int, ...]:
    """Return the numbers of the formats in which a game can be played."""
    found = [at for at, each in enumerate(FORMATS) if each != Format.TABLES]
    found = found if game.seats[0] <= 2 else []
    return tuple([*found, FORMATS.index(Format.TABLES)] if game.seats[-1] > 2 else found)


def chosen_cup(key: str) -> CupChoice:
    """Return the choice of a game with everything as usual."""
    game = games[key]
    usual = tuple(list(option.values).index(option.default) for option in game.options.values())
    return CupChoice(key, format=formats_of(game)[0], options=usual)


def cup_games_card(speaker: Speaker, page: int = 0) -> Card:
    """Return the question which game a competition is to be of."""

    def button(key: str) -> Button:
        return Button(speaker.of(key).line("name"), chosen_cup(key).press(FORM))

    rows = picking_rows(speaker, list(games), page, button, lambda other: press(FORM, None, 0, other))
    return Card(speaker.say("cup.which"), rows=rows)


def form_card(context: Context, speaker: Speaker, choice: CupChoice) -> Card:
    """Return what has been chosen, with what else can be, and the button that makes the competition."""
    voice, game = speaker.of(choice.game), games[choice.game]
    terms = choice.terms(context)
    parts = [voice.say("cup.new", game=Span(voice.line("name"), bold=True)), *terms_lines(terms, voice)]
    all_play_all = terms.format in (Format.ALL, Format.TWICE)
    starts = [(at, _start_words(voice, hours)) for at, hours in enumerate(STARTS)]
    kinds = [(at, voice.line(f"cup.format.{FORMATS[at]}")) for at in formats_of(game)]
    clocks = [(at, voice.line(f"clock.{name}")) for at, name in enumerate(CUP_CLOCKS)]
    sizes = [
        (at, voice.line("cup.size", most=size)) for at, size in enumerate(SIZES) if size <= MOST_ALL or not all_play_all
    ]
    entries = [(at, voice.line(f"cup.entry.{each}")) for at, each in enumerate(ENTRIES)]
    rows: list[Row] = [
        _menu(voice, "cup.choose.format", kinds, lambda at: replace(choice, format=at)),
        _menu(voice, "cup.choose.clock", clocks, lambda at: replace(choice, clock=at)),
        _menu(voice, "cup.choose.size", sizes, lambda at: replace(choice, size=at)),
        _menu(voice, "cup.choose.entry", entries, lambda at: replace(choice, entry=at)),
        _menu(voice, "cup.choose.start", starts, lambda at: replace(choice, start=at)),
    ]
    for number, (name, option) in enumerate(game.options.items()):
        buttons = [
            Button(voice.line(f"option.{name}.{value}"), _with_option(choice, number, at).press(FORM))
            for at, value in enumerate(option.values)
        ]
        rows.append(Menu(voice.line(f"option.{name}"), tuple(buttons)))
    last = [Button(voice.line("button.cup.make"), choice.press(POST), "primary")]
    if game.facts.grand:
        label = "button.cup.single" if choice.double else "button.cup.double"
        last.append(Button(voice.line(label), replace(choice, double=1 - choice.double).press(FORM)))
    chosen = [
        voice.say("cup.chosen.format", format=voice.line(f"cup.format.{terms.format}")),
        voice.say("cup.chosen.clock", clock=voice.line(f"clock.{CUP_CLOCKS[choice.clock]}")),
        voice.say("cup.chosen.size", most=terms.most),
        voice.say(f"cup.entry.{terms.entry}"),
        (Span(_start_words(voice, STARTS[choice.start])),),
    ]
    return Card(join([parts[0], join(chosen, " · "), *parts[1:]]), rows=(*rows, tuple(last)))


async def press_form(context: Context, asker: Asker, pressed: Press) -> Reply:
    """A choice made in the form of a new competition, or another page of the games."""
    first = (pressed.path or ("0",))[0]
    page = page_in(first)
    if page is not None:
        return Reply(cup_games_card(asker.mine, page), private=True, update=bool(pressed.rest))
    choice = await _read(context, pressed)
    return Reply(form_card(context, asker.mine, choice), private=True, update=True)


async def press_make(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button that makes the competition that was chosen."""
    choice = await _read(context, pressed)
    reply = Reply(Card(asker.mine.of(choice.game).say("cup.made")), private=True, update=True)
    await make_cup(context, asker, choice.terms(context), reply)
    return reply


async def _read(context: Context, pressed: Press) -> CupChoice:
    """Return what a press carries; Refused if there is no such game or choice any more."""
    key, chosen = (*pressed.path, "", "")[:2]
    await see_that_it_is_not_gone(context, key)
    if key not in games or not all(each in _DIGITS for each in chosen):
        raise Refused("refusal.stale")
    game, numbers = games[key], [_DIGITS.index(each) for each in chosen]
    most = [len(FORMATS), len(CUP_CLOCKS), len(SIZES), len(ENTRIES), len(STARTS), 1 + bool(game.facts.grand)]
    most += [len(option.values) for option in game.options.values()]
    if len(numbers) != len(most) or any(at >= bound for at, bound in zip(numbers, most, strict=True)):
        raise Refused("refusal.stale")
    kind, clock, size, entry, start, double = numbers[:6]
    choice = CupChoice(key, kind, clock, size, entry, start, double, tuple(numbers[6:]))
    if choice.format not in formats_of(game):
        raise Refused("refusal.stale")
    return choice


def _menu(voice: Speaker, key: str, entries: list[tuple[int, str]], changed: Callable[[int], CupChoice]) -> Menu:
    return Menu(voice.line(key), tuple(Button(label, changed(at).press(FORM)) for at, label in entries))


def _start_words(voice: Speaker, hours: int) -> str:
    return voice.line("cup.start-in", time=voice.duration(hours * 3600)) if hours else voice.line("cup.start-full")


def _with_option(choice: CupChoice, number: int, at: int) -> CupChoice:
    return replace(choice, options=(*choice.options[:number], at, *choice.options[number + 1 :]))
