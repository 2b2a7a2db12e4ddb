"""Cards of ladders: the order, challenges and their answers, and the actions of those who run a ladder."""

from typing import Final

from bot.competitions.ladder.events import LadderTerms
from bot.competitions.ladder.ladder import Challenge
from bot.competitions.ladder.rules import list_challengeable
from bot.core.context import Context
from bot.core.question_cards import button_rows
from bot.interface.cards import Button, Card, Menu, Picture
from bot.interface.presses import press
from bot.ladders.service import StoredLadder
from bot.language.texts import Span, Speaker, Text, join
from bot.lobby.cards import clock_name, options_words
from bot.matches.cards import MENU_SIZE, list_people, name_span, out_menus, page_lines, sure_card
from engine import games

LADDER_PRESS: Final = "ladder"
"""First word of every ladder button's payload; the path has the action, the ladder's code, and the rest."""
MAX_PLACES_IN_MESSAGE: Final = 8
MAX_CHALLENGES_IN_MESSAGE: Final = 6
ROWS_PER_PAGE: Final = 16


def ladder_press(verb: str, code: str, *rest: str) -> str:
    """Return the payload of a ladder's button."""
    return press(LADDER_PRESS, None, 0, verb, code, *rest)


def ladder_card(ladder: StoredLadder, speaker: Speaker, picture: Picture | None = None) -> Card:
    """Return the card that shows a ladder: its first places, its open challenges, and its buttons."""
    voice, stands = speaker.of(ladder.row.game_key), ladder.stands
    parts = [title_words(ladder, voice)]
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
        where = "" if stands.terms.entry == "here" else f".{stands.terms.entry}"
        parts.append(voice.say(f"ladder.code{where}", code=ladder.row.id))
    return Card(join(parts), picture, button_rows(_buttons(ladder, voice)))


def title_words(ladder: StoredLadder, voice: Speaker) -> Text:
    """Return the title of a ladder: its game and its clock."""
    clock = clock_name(voice, ladder.stands.terms.clock)
    return voice.say("ladder.title", game=Span(voice.line("name"), bold=True), clock=clock)


def terms_lines(terms: LadderTerms, voice: Speaker) -> list[Text]:
    """Return the terms that the title does not say."""
    lines = []
    if terms.options and terms.game in games:
        lines.append(options_words(voice, games[terms.game], terms.options))
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
    voice, code = speaker.of(ladder.row.game_key), ladder.row.id
    parts = [title_words(ladder, voice), *place_lines(ladder, voice, page * ROWS_PER_PAGE, ROWS_PER_PAGE)]
    if not ladder.stands.order:
        parts.append(voice.say("ladder.empty"))
    ways = []
    for label, other in (("button.back", page - 1), ("button.next", page + 1)):
        if 0 <= other < page_count(ladder):
            ways.append(Button(voice.line(label), ladder_press("table", code, str(other))))
    ways.append(Button(voice.line("button.cup.export"), ladder_press("export", code)))
    return Card(join([*parts, *page_lines(voice, address)]), picture, (tuple(ways),))


def page_count(ladder: StoredLadder) -> int:
    """Return the number of pages of a ladder."""
    return max(1, -(-len(ladder.stands.order) // ROWS_PER_PAGE))


def own_card(context: Context, ladder: StoredLadder, speaker: Speaker, mine: int) -> Card:
    """Return a person's place, their open challenges, and whom they can challenge."""
    voice, stands, code = speaker.of(ladder.row.game_key), ladder.stands, ladder.row.id
    parts = [title_words(ladder, voice), voice.say("ladder.yours", place=stands.place(mine) or 0, n=len(stands.order))]
    rows: list[tuple[Button, ...] | Menu] = []
    given, made = stands.incoming(mine), stands.outgoing(mine)
    if given is not None and not given.accepted:
        parts.append(_given_words(ladder, voice, given))
        rows.append(_answers(voice, code, given))
    if made is not None and not made.accepted:
        other = name_span(ladder, made.challenged)
        parts.append(voice.say("ladder.made", other=other, when=voice.time(made.answer_by)))
        rows.append((Button(voice.line("button.ladder.withdraw"), ladder_press("withdraw", code, str(made.number))),))
    there = list_challengeable(stands, mine, context.clock(), ladder.blocked)
    if there:
        buttons = tuple(
            Button(f"{stands.place(each)}. {ladder.name(each)}", ladder_press("challenge", code, str(each)))
            for each in there[-MENU_SIZE:]
        )
        rows.append(Menu(voice.line("ladder.whom"), buttons))
    elif made is None:
        parts.append(voice.say("ladder.first" if stands.place(mine) == 1 else "ladder.nobody"))
    rows.append((Button(voice.line("button.leave"), ladder_press("leave", code)),))
    return Card(join(parts), rows=tuple(rows))


def challenge_card(ladder: StoredLadder, speaker: Speaker, number: int) -> Card | None:
    """Return the notice of a challenge; None if it is no longer open."""
    challenge = ladder.stands.open.get(number)
    if challenge is None or challenge.accepted:
        return None
    voice = speaker.of(ladder.row.game_key)
    parts = [title_words(ladder, voice), _given_words(ladder, voice, challenge)]
    return Card(join(parts), rows=(_answers(voice, ladder.row.id, challenge),))


def sinking_card(ladder: StoredLadder, speaker: Speaker, entrant: int) -> Card | None:
    """Return the warning that a person will sink; None if they have played or left."""
    stands = ladder.stands
    if entrant not in stands.order or stands.climbers[entrant].warned_at is None:
        return None
    voice = speaker.of(ladder.row.game_key)
    words = voice.say("ladder.sinks", n=stands.step, when=voice.time(stands.sinks_at(entrant)))
    way = Button(voice.line("button.ladder.mine"), ladder_press("mine", ladder.row.id), "primary")
    return Card(join([title_words(ladder, voice), words]), rows=((way,),))


def manage_card(ladder: StoredLadder, speaker: Speaker) -> Card:
    """Return the buttons for those who run a ladder."""
    voice, code = speaker.of(ladder.row.game_key), ladder.row.id
    order = ladder.stands.order
    menus = out_menus(ladder, voice, order)
    end = Button(voice.line("button.cup.end"), ladder_press("end", code), "danger")
    return Card(join([title_words(ladder, voice), voice.say("cup.run")]), rows=((end,), *menus))


def confirm_card(ladder: StoredLadder, speaker: Speaker, verb: str, *rest: str) -> Card:
    """Return the confirmation question for an action that cannot be undone."""
    back = Button(speaker.line("button.cup.run"), ladder_press("run", ladder.row.id))
    return sure_card(ladder, speaker, verb, rest, back)


def _given_words(ladder: StoredLadder, voice: Speaker, challenge: Challenge) -> Text:
    who, place = name_span(ladder, challenge.challenger), ladder.stands.place(challenge.challenged) or 0
    return voice.say("ladder.given", who=who, place=place, when=voice.time(challenge.answer_by))


def _answers(voice: Speaker, code: str, challenge: Challenge) -> tuple[Button, ...]:
    number = str(challenge.number)
    return (
        Button(voice.line("button.accept"), ladder_press("accept", code, number), "primary"),
        Button(voice.line("button.ladder.concede"), ladder_press("concede", code, number)),
    )


def _buttons(ladder: StoredLadder, voice: Speaker) -> list[Button]:
    code = ladder.row.id
    table = Button(voice.line("button.cup.table"), ladder_press("table", code))
    if ladder.stands.over:
        return [table]
    people = list_people(ladder, ladder.stands.order)
    return [
        Button(voice.line("button.join"), ladder_press("join", code), "primary", without=people),
        Button(voice.line("button.ladder.mine"), ladder_press("mine", code), people=people),
        table,
        Button(voice.line("button.cup.run"), ladder_press("run", code)),
    ]
