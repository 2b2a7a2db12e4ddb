"""Parts of cards that all competitions share: names, menus to exclude people, confirmation questions."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from bot.competitions.events import CommonTerms
from bot.interface.cards import Button, Card, Menu
from bot.interface.presses import press
from bot.language.texts import Span, Speaker, Text
from bot.lobby.cards import clock_name, options_words
from bot.matches.keeper import CompetitionWithState
from bot.matches.stored import StoredCompetition
from engine import games

MENU_SIZE: Final = 25
"""Maximum number of choices in a menu."""
_MAX_MENUS: Final = 4


def name_span(found: StoredCompetition, entrant: int) -> Span:
    """Return an entrant's name, as a mention where the platform has mentions."""
    person = found.person_of(entrant)
    return Span(found.name(entrant), bold=True, person=person.id if person is not None else None)


def page_lines(voice: Speaker, page: str | None) -> list[Text]:
    """Return the line with the address of a competition's public page; nothing without a page."""
    return [] if page is None else [voice.say("cup.page", address=Span(page, code=True, link=page))]


def list_people(found: StoredCompetition, entrants: Iterable[int]) -> tuple[int, ...]:
    """Return the ids of the people with these entrant numbers; some have none."""
    return tuple(person.id for each in entrants if (person := found.person_of(each)) is not None)


def deed_press(found: StoredCompetition, verb: str, *rest: str) -> str:
    """Return the payload of a competition's button: its kind, the action, the code, and the rest."""
    return press(found.row.kind, None, 0, verb, found.row.id, *rest)


def page_buttons(found: StoredCompetition, voice: Speaker, at: int, first: int, last: int) -> list[Button]:
    """Return the buttons that lead from a page of a table to those before and after it."""
    return [
        Button(voice.line(label), deed_press(found, "table", str(other)))
        for label, other in (("button.back", at - 1), ("button.next", at + 1))
        if first <= other <= last
    ]


def options_lines(terms: CommonTerms, voice: Speaker) -> list[Text]:
    """Return the chosen options of a competition's game, if there are any."""
    if not terms.options or terms.game not in games:
        return []
    return [options_words(voice, games[terms.game], terms.options)]


def season_title(found: CompetitionWithState[Any], voice: Speaker) -> Text:
    """Return the title of a ladder or league: its game and its clock."""
    clock = clock_name(voice, found.stands.terms.clock)
    return voice.say(f"{found.row.kind}.title", game=Span(voice.line("name"), bold=True), clock=clock)


def code_words(found: CompetitionWithState[Any], voice: Speaker) -> Text:
    """Return a competition's code, and who may enter with it."""
    kind, code, entry = found.row.kind, found.row.id, found.stands.terms.entry
    return voice.say(f"{kind}.code", code=code) if entry == "here" else voice.say(f"{kind}.code.{entry}", code=code)


def out_menus(found: StoredCompetition, voice: Speaker, inside: Sequence[int]) -> list[Menu]:
    """Return menus of the people who can be excluded."""
    return [
        Menu(
            voice.line("cup.out") if at == 0 else voice.line("cup.out-more", number=at // MENU_SIZE + 1),
            tuple(
                Button(found.name(each), deed_press(found, "out", str(each))) for each in inside[at : at + MENU_SIZE]
            ),
        )
        for at in range(0, min(len(inside), _MAX_MENUS * MENU_SIZE), MENU_SIZE)
    ]


def sure_card(found: StoredCompetition, speaker: Speaker, verb: str, *rest: str, back: str = "run") -> Card:
    """Return the confirmation question for an action that cannot be undone; `rest` may have an entrant's number.

    `back` is the button's action for who thinks better of it.
    """
    voice = speaker.of(found.row.game_key)
    who = (Span(found.name(int(rest[0])), bold=True),) if rest else ()
    yes = Button(voice.line(f"button.cup.{verb}!"), deed_press(found, f"{verb}!", *rest), "danger")
    no = Button(voice.line(f"button.cup.{back}"), deed_press(found, back))
    return Card(voice.say(f"{found.row.kind}.sure.{verb}", who=who), rows=((yes, no),))
