"""The form of a new cup, step by step; the buttons carry all choices made so far."""

from dataclasses import astuple, dataclass, replace
from datetime import timedelta
from typing import Any, Final

from bot.competitions.events import MAX_ROUND_ROBIN_ENTRANTS, CupTerms, Format
from bot.core.context import Context
from bot.core.game_pages import read_page
from bot.core.request_context import RequestContext
from bot.cups.cards import terms_lines
from bot.cups.service import make_cup
from bot.interface.cards import Button, Card, Menu, Row
from bot.interface.presses import Press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.texts import Span, Speaker, join
from bot.matches.form import (
    COMPETITION_CLOCKS,
    DEFAULT_CLOCK,
    ENTRY_RULES,
    FILL_LEVELS,
    check_chosen_game,
    choice_menu,
    choice_press,
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

FORM_PRESS: Final = "cupnew"
DETAILS_PRESS: Final = "cupmore"
CREATE_PRESS: Final = "cuppost"

FORMATS: Final = tuple(Format)
ENTRANT_COUNTS: Final = (4, 6, 8, 10, 12, 16, 24, 32, 48, 64)
START_HOURS: Final = (0, 1, 6, 24, 72, 168)
"""Hours until the start; 0: when it is full, or by hand."""
ROUND_COUNTS: Final = tuple(range(13))
"""Number of rounds; 0: as many as fit the number of entrants."""
MIN_ENTRANT_COUNTS: Final = (3, 4, 5, 6, 8, 10, 12, 16)
HOLIDAY_DAYS: Final = (0, 1, 2, 3, 5, 7, 14, 30)


@dataclass(frozen=True, slots=True)
class CupDetails:
    """Choices that are rarely made, each as the index of an option; `seats` counts from the largest downwards."""

    rounds: int = 0
    least: int = 0
    lapses: int = 0
    fill: int = 0
    holidays: int = 0
    casual: int = 0
    seats: int = 0


@dataclass(frozen=True, slots=True)
class CupChoice:
    """The choices made so far, each as the index of an option; `double` and `options` only if the game has them."""

    game: str
    format: int = 0
    clock: int = DEFAULT_CLOCK
    size: int = ENTRANT_COUNTS.index(8)
    entry: int = 0
    start: int = 0
    double: int = 0
    options: tuple[int, ...] = ()
    details: CupDetails = CupDetails()

    def press(self, deed: str) -> str:
        """Return the payload of a button with this choice."""
        chosen = (self.format, self.clock, self.size, self.entry, self.start, self.double, *self.options)
        parts = [chosen] if self.details == CupDetails() else [chosen, astuple(self.details)]
        return choice_press(deed, self.game, *parts)

    def terms(self, context: Context) -> CupTerms:
        """Return the terms of this choice, with times counted from now."""
        game, hours = games[self.game], START_HOURS[self.start]
        kind, more = FORMATS[self.format], self.details
        most = ENTRANT_COUNTS[self.size]
        most = min(most, MAX_ROUND_ROBIN_ENTRANTS) if kind in (Format.ALL, Format.TWICE) else most
        seats = list_table_sizes(game)[more.seats] if kind == Format.TABLES else 2
        return CupTerms(
            game=self.game,
            format=kind,
            clock=CLOCKS[COMPETITION_CLOCKS[self.clock]] or 0,
            options={
                name: option.values[at] for (name, option), at in zip(game.options.items(), self.options, strict=True)
            },
            seats=seats,
            fewest=min(seats, max(2, game.seats[0], 3 if kind == Format.TABLES else 2)),
            rounds=ROUND_COUNTS[more.rounds],
            least=min(MIN_ENTRANT_COUNTS[more.least], most),
            most=most,
            starts_at=context.clock() + timedelta(hours=hours) if hours else None,
            lapses=bool(more.lapses),
            entry=ENTRY_RULES[self.entry],
            computers=FILL_LEVELS[more.fill],
            holidays=HOLIDAY_DAYS[more.holidays],
            rated=not more.casual,
            double=tuple(sorted(game.facts.grand)) if self.double else (),
        )


def list_formats(game: Game) -> tuple[int, ...]:
    """Return the indexes of the formats in which a game can be played."""
    found = [at for at, each in enumerate(FORMATS) if each != Format.TABLES]
    found = found if game.seats[0] <= 2 else []
    return tuple([*found, FORMATS.index(Format.TABLES)] if game.seats[-1] > 2 else found)


def list_table_sizes(game: Game) -> tuple[int, ...]:
    """Return the table sizes of a game, the largest first; always at least one."""
    return tuple(seats for seats in reversed(game.seats) if seats > 2) or (2,)


def default_cup_choice(key: str) -> CupChoice:
    """Return the choice of a game with everything as usual."""
    return CupChoice(key, format=list_formats(games[key])[0], options=usual_options(key))


def cup_games_card(speaker: Speaker, page: int = 0) -> Card:
    """Return the question of which game a competition is to be."""

    def pressing(key: str) -> str:
        return default_cup_choice(key).press(FORM_PRESS)

    return which_game_card(speaker, speaker.say("cup.which"), FORM_PRESS, list(games), page, pressing)


def form_card(context: Context, speaker: Speaker, choice: CupChoice) -> Card:
    """Return the form: the choices made, menus for the others, and the button that creates the cup."""
    voice, game = speaker.of(choice.game), games[choice.game]
    terms = choice.terms(context)
    parts = [voice.say("cup.new", game=Span(voice.line("name"), bold=True)), *terms_lines(terms, voice)]
    all_play_all = terms.format in (Format.ALL, Format.TWICE)
    starts = [(at, _start_words(voice, hours)) for at, hours in enumerate(START_HOURS)]
    kinds = [(at, voice.line(f"cup.format.{FORMATS[at]}")) for at in list_formats(game)]
    sizes = [
        (at, voice.line("cup.size", most=size))
        for at, size in enumerate(ENTRANT_COUNTS)
        if size <= MAX_ROUND_ROBIN_ENTRANTS or not all_play_all
    ]

    def pressing(**changed: Any) -> str:
        return replace(choice, **changed).press(FORM_PRESS)

    rows: list[Row] = [
        choice_menu(voice.line("cup.choose.format"), kinds, lambda at: pressing(format=at)),
        clock_menu(voice, lambda at: pressing(clock=at)),
        choice_menu(voice.line("cup.choose.size"), sizes, lambda at: pressing(size=at)),
        entry_menu(voice, lambda at: pressing(entry=at)),
        choice_menu(voice.line("cup.choose.start"), starts, lambda at: pressing(start=at)),
        *option_menus(voice, choice.game, choice.options, lambda options: pressing(options=options)),
    ]
    last = [Button(voice.line("button.cup.make"), choice.press(CREATE_PRESS), "primary")]
    if game.facts.grand:
        label = "button.cup.single" if choice.double else "button.cup.double"
        last.append(
            Button(
                voice.line(label, grand=voice.of(game.key).line("grand")),
                replace(choice, double=1 - choice.double).press(FORM_PRESS),
            )
        )
    last.append(Button(voice.line("button.more"), choice.press(DETAILS_PRESS)))
    chosen = [
        voice.say("cup.chosen.format", format=voice.line(f"cup.format.{terms.format}")),
        voice.say("cup.chosen.clock", clock=voice.line(f"clock.{COMPETITION_CLOCKS[choice.clock]}")),
        voice.say("cup.chosen.size", most=terms.most),
        voice.say(f"cup.entry.{terms.entry}"),
        (Span(_start_words(voice, START_HOURS[choice.start])),),
    ]
    return Card(join([parts[0], join(chosen, " · "), *parts[1:]]), rows=(*rows, tuple(last)))


def details_card(context: Context, speaker: Speaker, choice: CupChoice) -> Card:
    """Return the form's rarely used choices, with buttons back and on."""
    voice, game, more = speaker.of(choice.game), games[choice.game], choice.details
    terms = choice.terms(context)

    def with_(**changed: int) -> CupChoice:
        return replace(choice, details=replace(more, **changed))

    def menu(key: str, labels: list[str], name: str) -> Menu:
        return choice_menu(voice.line(key), enumerate(labels), lambda at: with_(**{name: at}).press(DETAILS_PRESS))

    rows: list[Row] = []
    if terms.format in (Format.SWISS, Format.TABLES):
        rounds = [voice.line("cup.more.rounds", n=n) if n else voice.line("cup.more.rounds-fit") for n in ROUND_COUNTS]
        rows.append(menu("cup.choose.rounds", rounds, "rounds"))
    if terms.format == Format.TABLES and len(list_table_sizes(game)) > 1:
        rows.append(
            menu("cup.choose.seats", [voice.line("cup.more.seats", n=n) for n in list_table_sizes(game)], "seats")
        )
    leasts = [voice.line("cup.more.least", n=n) for n in MIN_ENTRANT_COUNTS if n <= terms.most]
    rows.append(menu("cup.choose.least", leasts, "least"))
    rows.append(fill_menu(voice, lambda at: with_(fill=at).press(DETAILS_PRESS)))
    rows.append(menu("cup.choose.holidays", [voice.line("cup.more.holidays", n=n) for n in HOLIDAY_DAYS], "holidays"))
    lapse = "button.cup.wait" if more.lapses else "button.cup.lapse"
    toggles = (
        Button(voice.line(lapse), with_(lapses=1 - more.lapses).press(DETAILS_PRESS)),
        rated_button(voice, more.casual, with_(casual=1 - more.casual).press(DETAILS_PRESS)),
    )
    ways = (
        Button(voice.line("button.cup.make"), choice.press(CREATE_PRESS), "primary"),
        Button(voice.line("button.back"), choice.press(FORM_PRESS)),
    )
    few = voice.say("cup.more.lapses" if terms.lapses else "cup.more.waits", least=terms.least)
    title = voice.say("cup.new", game=Span(voice.line("name"), bold=True))
    return Card(join([title, *terms_lines(terms, voice), few]), rows=(*rows, toggles, ways))


async def press_details(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button for the form's rarely used choices."""
    choice = await _read_choice(context, pressed)
    return Reply(details_card(context, asker.mine, choice), private=True, update=True)


async def press_form(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle a choice in the form of a new cup, or another page of the games."""
    first = (pressed.path or ("0",))[0]
    page = read_page(first)
    if page is not None:
        return Reply(cup_games_card(asker.mine, page), private=True, update=bool(pressed.rest))
    choice = await _read_choice(context, pressed)
    return Reply(form_card(context, asker.mine, choice), private=True, update=True)


async def press_create(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button that creates the chosen cup."""
    choice = await _read_choice(context, pressed)
    reply = Reply(Card(asker.mine.of(choice.game).say("cup.made")), private=True, update=True)
    await make_cup(context, asker, choice.terms(context), reply)
    return reply


async def _read_choice(context: Context, pressed: Press) -> CupChoice:
    """Return what a press carries; Refused if there is no such game or choice any more."""
    key, chosen, detailed = read_parts(pressed)
    await check_chosen_game(context, key, games)
    game = games[key]
    most = [
        len(FORMATS),
        len(COMPETITION_CLOCKS),
        len(ENTRANT_COUNTS),
        len(ENTRY_RULES),
        len(START_HOURS),
        1 + bool(game.facts.grand),
        *option_bounds(key),
    ]
    bounds = [
        len(ROUND_COUNTS),
        len(MIN_ENTRANT_COUNTS),
        2,
        len(FILL_LEVELS),
        len(HOLIDAY_DAYS),
        2,
        len(list_table_sizes(game)),
    ]
    kind, clock, size, entry, start, double, *options = read_choices(chosen, most)
    details = CupDetails(*read_choices(detailed, bounds)) if detailed else CupDetails()
    choice = CupChoice(key, kind, clock, size, entry, start, double, tuple(options), details)
    if choice.format not in list_formats(game):
        raise Refused("refusal.stale")
    return choice


def _start_words(voice: Speaker, hours: int) -> str:
    return voice.line("cup.start-in", time=voice.duration(hours * 3600)) if hours else voice.line("cup.start-full")
