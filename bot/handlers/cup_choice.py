"""Choosing a competition and how it is played, step by step; every step is in its buttons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
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
from engine.search import LEVELS

FORM: Final = "cupnew"
MORE: Final = "cupmore"
POST: Final = "cuppost"

Entry = Literal["here", "group", "code"]
FORMATS: Final = tuple(Format)
CUP_CLOCKS: Final = tuple(name for name in CLOCKS if name != NO_CLOCK)
USUAL_CLOCK: Final = "1d"
SIZES: Final = (4, 6, 8, 10, 12, 16, 24, 32, 48, 64)
ENTRIES: Final[tuple[Entry, ...]] = ("here", "group", "code")
STARTS: Final = (0, 1, 6, 24, 72, 168)
"""In how many hours it starts; 0 is when it is full, or by hand."""
ROUNDS: Final = tuple(range(13))
"""How many rounds; 0 is as many as fit the number of entrants."""
LEASTS: Final = (3, 4, 5, 6, 8, 10, 12, 16)
FILLS: Final = ("", *map(str, LEVELS))
AWAY: Final = (0, 1, 2, 3, 5, 7, 14, 30)
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class CupDetails:
    """What is rarely chosen, each as the number of a choice; `seats` counts from the most downwards."""

    rounds: int = 0
    least: int = 0
    lapses: int = 0
    fill: int = 0
    holidays: int = 0
    casual: int = 0
    seats: int = 0


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
    details: CupDetails = CupDetails()

    def press(self, deed: str) -> str:
        """Return what a button with this choice carries."""
        chosen = (self.format, self.clock, self.size, self.entry, self.start, self.double, *self.options)
        parts = [chosen] if self.details == CupDetails() else [chosen, astuple(self.details)]
        return press(deed, None, 0, self.game, *("".join(_DIGITS[each] for each in part) for part in parts))

    def terms(self, context: Context) -> CupTerms:
        """Return the terms that it stands for from now on."""
        game, hours = games[self.game], STARTS[self.start]
        kind, more = FORMATS[self.format], self.details
        most = SIZES[self.size]
        most = min(most, MOST_ALL) if kind in (Format.ALL, Format.TWICE) else most
        seats = tables_of(game)[more.seats] if kind == Format.TABLES else 2
        return CupTerms(
            game=self.game,
            format=kind,
            clock=CLOCKS[CUP_CLOCKS[self.clock]] or 0,
            options={
                name: option.values[at] for (name, option), at in zip(game.options.items(), self.options, strict=True)
            },
            seats=seats,
            fewest=min(seats, max(2, game.seats[0], 3 if kind == Format.TABLES else 2)),
            rounds=ROUNDS[more.rounds],
            least=min(LEASTS[more.least], most),
            most=most,
            starts_at=context.clock() + timedelta(hours=hours) if hours else None,
            lapses=bool(more.lapses),
            entry=ENTRIES[self.entry],
            computers=FILLS[more.fill],
            holidays=AWAY[more.holidays],
            rated=not more.casual,
            double=tuple(sorted(game.facts.grand)) if self.double else (),
        )


def formats_of(game: Game) -> tuple[int, ...]:
    """Return the numbers of the formats in which a game can be played."""
    found = [at for at, each in enumerate(FORMATS) if each != Format.TABLES]
    found = found if game.seats[0] <= 2 else []
    return tuple([*found, FORMATS.index(Format.TABLES)] if game.seats[-1] > 2 else found)


def tables_of(game: Game) -> tuple[int, ...]:
    """Return how many may sit at a table of a game, the most first; one choice at least."""
    return tuple(seats for seats in reversed(game.seats) if seats > 2) or (2,)


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
        last.append(
            Button(
                voice.line(label, grand=voice.of(game.key).line("grand")),
                replace(choice, double=1 - choice.double).press(FORM),
            )
        )
    last.append(Button(voice.line("button.more"), choice.press(MORE)))
    chosen = [
        voice.say("cup.chosen.format", format=voice.line(f"cup.format.{terms.format}")),
        voice.say("cup.chosen.clock", clock=voice.line(f"clock.{CUP_CLOCKS[choice.clock]}")),
        voice.say("cup.chosen.size", most=terms.most),
        voice.say(f"cup.entry.{terms.entry}"),
        (Span(_start_words(voice, STARTS[choice.start])),),
    ]
    return Card(join([parts[0], join(chosen, " · "), *parts[1:]]), rows=(*rows, tuple(last)))


def more_card(context: Context, speaker: Speaker, choice: CupChoice) -> Card:
    """Return what is rarely chosen, with the ways back and on."""
    voice, game, more = speaker.of(choice.game), games[choice.game], choice.details
    terms = choice.terms(context)

    def with_(**changed: int) -> CupChoice:
        return replace(choice, details=replace(more, **changed))

    def menu(key: str, labels: list[str], name: str) -> Menu:
        return _menu(voice, key, list(enumerate(labels)), lambda at: with_(**{name: at}), MORE)

    rows: list[Row] = []
    if terms.format in (Format.SWISS, Format.TABLES):
        rounds = [voice.line("cup.more.rounds", n=n) if n else voice.line("cup.more.rounds-fit") for n in ROUNDS]
        rows.append(menu("cup.choose.rounds", rounds, "rounds"))
    if terms.format == Format.TABLES and len(tables_of(game)) > 1:
        rows.append(menu("cup.choose.seats", [voice.line("cup.more.seats", n=n) for n in tables_of(game)], "seats"))
    leasts = [voice.line("cup.more.least", n=n) for n in LEASTS if n <= terms.most]
    fills = [voice.line("cup.more.fill", level=each) if each else voice.line("cup.more.no-fill") for each in FILLS]
    rows.append(menu("cup.choose.least", leasts, "least"))
    rows.append(menu("cup.choose.fill", fills, "fill"))
    rows.append(menu("cup.choose.holidays", [voice.line("cup.more.holidays", n=n) for n in AWAY], "holidays"))
    lapse = "button.cup.wait" if more.lapses else "button.cup.lapse"
    rated = "button.cup.rated" if more.casual else "button.cup.casual"
    toggles = (
        Button(voice.line(lapse), with_(lapses=1 - more.lapses).press(MORE)),
        Button(voice.line(rated), with_(casual=1 - more.casual).press(MORE)),
    )
    ways = (
        Button(voice.line("button.cup.make"), choice.press(POST), "primary"),
        Button(voice.line("button.back"), choice.press(FORM)),
    )
    few = voice.say("cup.more.lapses" if terms.lapses else "cup.more.waits", least=terms.least)
    title = voice.say("cup.new", game=Span(voice.line("name"), bold=True))
    return Card(join([title, *terms_lines(terms, voice), few]), rows=(*rows, toggles, ways))


async def press_more(context: Context, asker: Asker, pressed: Press) -> Reply:
    """What is rarely chosen in the form of a new competition."""
    choice = await _read(context, pressed)
    return Reply(more_card(context, asker.mine, choice), private=True, update=True)


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
    key, chosen, detailed = (*pressed.path, "", "", "")[:3]
    await see_that_it_is_not_gone(context, key)
    if key not in games or not all(each in _DIGITS for each in chosen + detailed):
        raise Refused("refusal.stale")
    game, numbers = games[key], [_DIGITS.index(each) for each in chosen]
    details = [_DIGITS.index(each) for each in detailed] or list(astuple(CupDetails()))
    bounds = [len(ROUNDS), len(LEASTS), 2, len(FILLS), len(AWAY), 2, len(tables_of(game))]
    if len(details) != len(bounds) or any(at >= bound for at, bound in zip(details, bounds, strict=True)):
        raise Refused("refusal.stale")
    most = [len(FORMATS), len(CUP_CLOCKS), len(SIZES), len(ENTRIES), len(STARTS), 1 + bool(game.facts.grand)]
    most += [len(option.values) for option in game.options.values()]
    if len(numbers) != len(most) or any(at >= bound for at, bound in zip(numbers, most, strict=True)):
        raise Refused("refusal.stale")
    kind, clock, size, entry, start, double = numbers[:6]
    choice = CupChoice(key, kind, clock, size, entry, start, double, tuple(numbers[6:]), CupDetails(*details))
    if choice.format not in formats_of(game):
        raise Refused("refusal.stale")
    return choice


def _menu(
    voice: Speaker, key: str, entries: list[tuple[int, str]], changed: Callable[[int], CupChoice], deed: str = FORM
) -> Menu:
    return Menu(voice.line(key), tuple(Button(label, changed(at).press(deed)) for at, label in entries))


def _start_words(voice: Speaker, hours: int) -> str:
    return voice.line("cup.start-in", time=voice.duration(hours * 3600)) if hours else voice.line("cup.start-full")


def _with_option(choice: CupChoice, number: int, at: int) -> CupChoice:
    return replace(choice, options=(*choice.options[:number], at, *choice.options[number + 1 :]))
