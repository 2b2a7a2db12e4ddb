"""Cards of ladders: the order, challenges and their answers, and the actions of those who run a ladder."""

from typing import Final

from bot.competitions.ladder.events import LadderTerms
from bot.competitions.ladder.ladder import Challenge
from bot.competitions.ladder.rules import list_challengeable
from bot.core.context import Context
from bot.core.question_cards import button_rows
from bot.interface.cards import Button, Card, Menu, Picture
from bot.ladders.service import StoredLadder
from bot.language.texts import Speaker, Text, join
from bot.matches.cards import (
    MENU_SIZE,
    code_words,
    deed_press,
    list_people,
    name_span,
    options_lines,
    out_menus,
    page_buttons,
    page_lines,
    season_title,
)

MAX_PLACES_IN_MESSAGE: Final = 8
MAX_CHALLENGES_IN_MESSAGE: Final = 6
ROWS_PER_PAGE: Final = 16


def ladder_card(ladder: StoredLadder, speaker: Speaker, picture: Picture | None = None) -> Card:
    """Return the card that shows a ladder: its first places, its open challenges, and its buttons."""
    voice, stands = speaker.of(ladder.row.game_key), ladder.stands
    parts = [season_title(ladder, voice)]
    if stands.over:
        parts.append(voice.say("ladder.over"))
    elif not stands.order:
        parts.append(voice.say("ladder.empty"))
    parts += place_lines(ladder, voice, 0, MAX_PLACES_IN_MESSAGE)
    if len(stands.order) > MAX_PLACES_IN_MESSAGE:
        parts.append(voice.say("ladder.more", n=len(stands.order) - MAX_PLACES_IN_MESSAGE))
    parts += challenge_lines(ladder, voice)
    if not stands.over:
        parts += terms_lines(stands.terms, voice)
        parts.append(code_words(ladder, voice))
    return Card(join(parts), picture, button_rows(_buttons(ladder, voice)))


def terms_lines(terms: LadderTerms, voice: Speaker) -> list[Text]:
    """Return the terms that the title does not say."""
    lines = options_lines(terms, voice)
    lines.append(voice.say("ladder.rules", n=terms.days))
    if not terms.rated:
        lines.append(voice.say("cup.unrated"))
    return lines


def place_lines(ladder: StoredLadder, voice: Speaker, first: int, most: int) -> list[Text]:
    """Return up to `most` places in words, beginning with index `first`."""
    order = ladder.stands.order[first : first + most]
    return [
        voice.say("ladder.place", place=place, who=name_span(ladder, each))
        for place, each in enumerate(order, start=first + 1)
    ]


def challenge_lines(ladder: StoredLadder, voice: Speaker) -> list[Text]:
    """Return the newest open challenges in words."""
    lines = []
    for each in sorted(ladder.stands.open.values(), key=lambda each: -each.number)[:MAX_CHALLENGES_IN_MESSAGE]:
        who, other = name_span(ladder, each.challenger), name_span(ladder, each.challenged)
        if each.game is not None:
            lines.append(voice.say("ladder.playing", who=who, other=other, code=each.game))
        else:
            lines.append(voice.say("ladder.waiting", who=who, other=other, when=voice.time(each.answer_by)))
    return lines


def table_card(
    ladder: StoredLadder, speaker: Speaker, page: int, picture: Picture | None, address: str | None = None
) -> Card:
    """Return a page of the places, with buttons to the others, and the address of the ladder's public page."""
    voice = speaker.of(ladder.row.game_key)
    parts = [season_title(ladder, voice), *place_lines(ladder, voice, page * ROWS_PER_PAGE, ROWS_PER_PAGE)]
    if not ladder.stands.order:
        parts.append(voice.say("ladder.empty"))
    ways = page_buttons(ladder, voice, page, 0, page_count(ladder) - 1)
    ways.append(Button(voice.line("button.cup.export"), deed_press(ladder, "export")))
    return Card(join([*parts, *page_lines(voice, address)]), picture, (tuple(ways),))


def page_count(ladder: StoredLadder) -> int:
    """Return the number of pages of a ladder."""
    return max(1, -(-len(ladder.stands.order) // ROWS_PER_PAGE))


def own_card(context: Context, ladder: StoredLadder, speaker: Speaker, mine: int) -> Card:
    """Return a person's place, their open challenges, and whom they can challenge."""
    voice, stands = speaker.of(ladder.row.game_key), ladder.stands
    parts = [season_title(ladder, voice), voice.say("ladder.yours", place=stands.place(mine) or 0, n=len(stands.order))]
    rows: list[tuple[Button, ...] | Menu] = []
    given, made = stands.incoming(mine), stands.outgoing(mine)
    if given is not None and not given.accepted:
        parts.append(_given_words(ladder, voice, given))
        rows.append(_answers(ladder, voice, given))
    if made is not None and not made.accepted:
        other = name_span(ladder, made.challenged)
        parts.append(voice.say("ladder.made", other=other, when=voice.time(made.answer_by)))
        rows.append((Button(voice.line("button.ladder.withdraw"), deed_press(ladder, "withdraw", str(made.number))),))
    there = list_challengeable(stands, mine, context.clock(), ladder.blocked)
    if there:
        buttons = tuple(
            Button(f"{stands.place(each)}. {ladder.name(each)}", deed_press(ladder, "challenge", str(each)))
            for each in there[-MENU_SIZE:]
        )
        rows.append(Menu(voice.line("ladder.whom"), buttons))
    elif made is None:
        parts.append(voice.say("ladder.first" if stands.place(mine) == 1 else "ladder.nobody"))
    rows.append((Button(voice.line("button.leave"), deed_press(ladder, "leave")),))
    return Card(join(parts), rows=tuple(rows))


def challenge_card(ladder: StoredLadder, speaker: Speaker, number: int) -> Card | None:
    """Return the notice of a challenge; None if it is no longer open."""
    challenge = ladder.stands.open.get(number)
    if challenge is None or challenge.accepted:
        return None
    voice = speaker.of(ladder.row.game_key)
    parts = [season_title(ladder, voice), _given_words(ladder, voice, challenge)]
    return Card(join(parts), rows=(_answers(ladder, voice, challenge),))


def sinking_card(ladder: StoredLadder, speaker: Speaker, entrant: int) -> Card | None:
    """Return the warning that a person will sink; None if they have played or left."""
    stands = ladder.stands
    if entrant not in stands.order or stands.climbers[entrant].warned_at is None:
        return None
    voice = speaker.of(ladder.row.game_key)
    words = voice.say("ladder.sinks", n=stands.step, when=voice.time(stands.sinks_at(entrant)))
    way = Button(voice.line("button.ladder.mine"), deed_press(ladder, "mine"), "primary")
    return Card(join([season_title(ladder, voice), words]), rows=((way,),))


def manage_card(ladder: StoredLadder, speaker: Speaker) -> Card:
    """Return the buttons for those who run a ladder."""
    voice = speaker.of(ladder.row.game_key)
    menus = out_menus(ladder, voice, ladder.stands.order)
    end = Button(voice.line("button.cup.end"), deed_press(ladder, "end"), "danger")
    return Card(join([season_title(ladder, voice), voice.say("cup.run")]), rows=((end,), *menus))


def _given_words(ladder: StoredLadder, voice: Speaker, challenge: Challenge) -> Text:
    who, place = name_span(ladder, challenge.challenger), ladder.stands.place(challenge.challenged) or 0
    return voice.say("ladder.given", who=who, place=place, when=voice.time(challenge.answer_by))


def _answers(ladder: StoredLadder, voice: Speaker, challenge: Challenge) -> tuple[Button, ...]:
    number = str(challenge.number)
    return (
        Button(voice.line("button.accept"), deed_press(ladder, "accept", number), "primary"),
        Button(voice.line("button.ladder.concede"), deed_press(ladder, "concede", number)),
    )


def _buttons(ladder: StoredLadder, voice: Speaker) -> list[Button]:
    table = Button(voice.line("button.cup.table"), deed_press(ladder, "table"))
    if ladder.stands.over:
        return [table]
    people = list_people(ladder, ladder.stands.order)
    return [
        Button(voice.line("button.join"), deed_press(ladder, "join"), "primary", without=people),
        Button(voice.line("button.ladder.mine"), deed_press(ladder, "mine"), people=people),
        table,
        Button(voice.line("button.cup.run"), deed_press(ladder, "run")),
    ]
