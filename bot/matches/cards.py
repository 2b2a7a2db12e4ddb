"""Parts of cards that all competitions share: names, menus to exclude people, confirmation questions."""

from collections.abc import Iterable, Sequence
from typing import Final

from bot.interface.cards import Button, Card, Menu
from bot.interface.presses import press
from bot.language.texts import Span, Speaker, Text
from bot.matches.stored import StoredCompetition

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


def out_menus(found: StoredCompetition, voice: Speaker, inside: Sequence[int]) -> list[Menu]:
    """Return menus of the people who can be excluded."""
    return [
        Menu(
            voice.line("cup.out") if at == 0 else voice.line("cup.out-more", number=at // MENU_SIZE + 1),
            tuple(
                Button(found.name(each), press(found.row.kind, None, 0, "out", found.row.id, str(each)))
                for each in inside[at : at + MENU_SIZE]
            ),
        )
        for at in range(0, min(len(inside), _MAX_MENUS * MENU_SIZE), MENU_SIZE)
    ]


def sure_card(found: StoredCompetition, speaker: Speaker, verb: str, rest: Sequence[str], back: Button) -> Card:
    """Return the confirmation question for an action that cannot be undone; `rest` may have an entrant's number."""
    voice, kind = speaker.of(found.row.game_key), found.row.kind
    who = (Span(found.name(int(rest[0])), bold=True),) if rest else ()
    done = press(kind, None, 0, f"{verb}!", found.row.id, *rest)
    yes = Button(voice.line(f"button.cup.{verb}!"), done, "danger")
    return Card(voice.say(f"{kind}.sure.{verb}", who=who), rows=((yes, back),))
