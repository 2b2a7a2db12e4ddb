"""Cards of cups: the current standings, the pairings of a round, and the actions of those who run a cup."""

from collections.abc import Sequence
from typing import Final

from bot.competitions.boards import CupGame
from bot.competitions.course import may_force_pairing
from bot.competitions.events import COMPUTER_ENTRANT, CupTerms, Ending, Format
from bot.competitions.sheets import ROWS_PER_PAGE, page_count
from bot.competitions.standings import format_points, ranking, winners
from bot.core.question_cards import button_rows
from bot.cups.service import Cup
from bot.interface.cards import Button, Card, LotCall, Picture
from bot.language.texts import Span, Speaker, Text, join
from bot.lobby.cards import clock_name
from bot.matches.cards import (
    code_words,
    deed_press,
    list_people,
    name_span,
    options_lines,
    out_menus,
    page_buttons,
    page_lines,
)
from bot.tables.table import computer_name
from engine import games
from engine.fair import CHAIN_PREFIX

MAX_RANKS_IN_MESSAGE: Final = 8
"""Rows of the table in the message; the button Table shows the rest."""
MAX_ENTRANTS_NAMED: Final = 24
MAX_ENTRANTS_ASKED: Final = 5


def cup_card(cup: Cup, speaker: Speaker, picture: Picture | None = None) -> Card:
    """Return the card that shows a cup: its terms, its entrants or standings, and its buttons."""
    voice = speaker.of(cup.row.game_key)
    parts = [title_words(cup, voice)]
    if cup.stands.stage == "open":
        parts += [*terms_lines(cup.stands.terms, voice), *_open_lines(cup, voice)]
    else:
        parts += [*_running_lines(cup, voice), *table_lines(cup, voice, MAX_RANKS_IN_MESSAGE)]
    parts.append(_code_words(cup, voice))
    return Card(join([each for each in parts if each]), picture, button_rows(_buttons(cup, voice)), lot=_lot_call(cup))


def details_card(cup: Cup, speaker: Speaker) -> Card:
    """Return all of a cup's terms, and the hash of its seed, which shows that its lots are fair."""
    voice = speaker.of(cup.row.game_key)
    terms = cup.stands.terms
    parts = [title_words(cup, voice), *terms_lines(terms, voice), *_usual_lines(terms, voice), _code_words(cup, voice)]
    return Card(join([*parts, voice.say("cup.seal", seal=cup.row.seed_hash)]))


def _lot_call(cup: Cup) -> LotCall | None:
    """Return for browsers what the lot waits for, None if it waits for nothing."""
    stands = cup.stands
    people = {number: person.id for number in stands.awaited if (person := cup.person_of(number)) is not None}
    heads = {person: stands.entrants[number].cause.removeprefix(CHAIN_PREFIX) for number, person in people.items()}
    return LotCall(cup.row.id, stands.revision, heads) if heads else None


def title_words(cup: Cup, voice: Speaker) -> Text:
    """Return a cup's title: its game, its format and its clock."""
    terms = cup.stands.terms
    return voice.say(
        "cup.title",
        game=Span(voice.line("name"), bold=True),
        format=voice.line(f"cup.format.{terms.format}"),
        clock=clock_name(voice, terms.clock),
    )


def terms_lines(terms: CupTerms, voice: Speaker) -> list[Text]:
    """Return the agreed terms that the title does not name, and that differ from cup to cup."""
    lines = options_lines(terms, voice)
    lines.append(voice.say(f"cup.format.{terms.format}.about"))
    if terms.format in (Format.SWISS, Format.TABLES) and terms.rounds:
        lines.append(voice.say("cup.rounds", n=terms.rounds))
    if terms.computers:
        lines.append(voice.say("cup.computers", level=terms.computers))
    if terms.double and terms.game in games:
        lines.append(voice.say("cup.double", grand=voice.of(terms.game).line("grand")))
    if not terms.rated:
        lines.append(voice.say("cup.unrated"))
    if terms.holidays:
        lines.append(voice.say("cup.holidays", n=terms.holidays))
    return lines


def _usual_lines(terms: CupTerms, voice: Speaker) -> list[Text]:
    """Return what holds in every cup, or in most."""
    return [voice.say("cup.house"), *([] if terms.holidays else [voice.say("cup.no-holidays")])]


def table_lines(cup: Cup, voice: Speaker, most: int, first: int = 0) -> list[Text]:
    """Return up to `most` lines of the table in words, from row `first`; empty before the start."""
    if not cup.stands.lots:
        return []
    rows = ranking(cup.stands).rows[first:]
    lines = [
        voice.say(
            "cup.row",
            place=row.place or "–",
            who=Span(cup.name(row.entrant), bold=True),
            points=voice.say("cup.points", n=1 if row.points == 1 else 2, points=format_points(row.points)),
        )
        for row in rows[:most]
    ]
    if len(rows) > most:
        lines.append(voice.say("cup.more-rows", n=len(rows) - most))
    return lines


def round_card(cup: Cup, speaker: Speaker) -> Card | None:
    """Return the message with a round's pairings, or with the result; None if there is nothing to announce."""
    voice, stands = speaker.of(cup.row.game_key), cup.stands
    if stands.stage == "over":
        return Card(join([title_words(cup, voice), *_end_lines(cup, voice)]))
    if not stands.rounds:
        return None
    newest = stands.rounds[-1]
    parts = [title_words(cup, voice)]
    if newest.number > 1:
        parts.append(voice.say("cup.round-over", number=newest.number - 1))
    parts.append(voice.say("cup.round", number=newest.number, last=stands.planned))
    parts += [_pairing(cup, voice, board.last) for board in newest.boards]
    parts += [
        voice.say("cup.walkover", who=name_span(cup, each.winner), other=name_span(cup, each.loser))
        for each in newest.walkovers
    ]
    if newest.byes:
        parts.append(voice.say("cup.bye", who=voice.listing([name_span(cup, each) for each in newest.byes])))
    return Card(join(parts))


def manage_card(cup: Cup, speaker: Speaker) -> Card:
    """Return the card with the actions of those who run a cup."""
    voice, stage = speaker.of(cup.row.game_key), cup.stands.stage
    buttons = []
    if stage == "open" and cup.stands.closed is None:
        buttons.append(Button(voice.line("button.cup.start"), deed_press(cup, "start"), "primary"))
    if stage == "running":
        verb = "resume" if cup.stands.paused else "pause"
        buttons.append(Button(voice.line(f"button.cup.{verb}"), deed_press(cup, verb)))
    buttons.append(Button(voice.line("button.cup.end"), deed_press(cup, "end"), "danger"))
    return Card(
        join([title_words(cup, voice), voice.say("cup.run")]),
        rows=(*button_rows(buttons), *out_menus(cup, voice, cup.stands.present)),
    )


def table_card(
    cup: Cup, speaker: Speaker, page: int = 0, picture: Picture | None = None, address: str | None = None
) -> Card:
    """Return a page of the table, with buttons to the others; before the start, the entrants.

    `address` is that of the cup's public page.
    """
    voice = speaker.of(cup.row.game_key)
    parts = [title_words(cup, voice)]
    if not cup.stands.lots:
        parts += [*terms_lines(cup.stands.terms, voice), *_open_lines(cup, voice)]
        return Card(join([*parts, *page_lines(voice, address)]))
    parts += table_lines(cup, voice, ROWS_PER_PAGE, page * ROWS_PER_PAGE)
    ways = page_buttons(cup, voice, page, 0, page_count(cup.stands) - 1)
    if ranking(cup.stands).rules:
        ways.append(Button(voice.line("button.cup.ties"), deed_press(cup, "ties")))
    ways.append(Button(voice.line("button.cup.export"), deed_press(cup, "export")))
    return Card(join([*parts, *page_lines(voice, address)]), picture, (tuple(ways),))


def tie_breaks_card(cup: Cup, speaker: Speaker) -> Card:
    """Return the card that explains the tie-break rules."""
    voice = speaker.of(cup.row.game_key)
    ties = ranking(cup.stands).rules
    rule_names = voice.say("cup.ties", ties=voice.listing([voice.line(f"cup.tie.{tie}") for tie in ties]))
    return Card(join([title_words(cup, voice), rule_names, *(voice.say(f"cup.tie.{tie}.about") for tie in ties)]))


def _open_lines(cup: Cup, voice: Speaker) -> list[Text]:
    stands, terms = cup.stands, cup.stands.terms
    inside = stands.present
    lines = [voice.say("cup.inside", n=len(inside), most=terms.most)]
    if inside:
        lines.append(_name_entrants(cup, voice, inside, MAX_ENTRANTS_NAMED))
    if cup.drawn_by is not None:
        who = _name_entrants(cup, voice, stands.awaited, MAX_ENTRANTS_NAMED)
        lines.append(voice.say("cup.drawing", who=who, n=len(stands.awaited), when=voice.time(cup.drawn_by)))
    elif stands.until is not None:
        when = voice.time(stands.until)
        lines.append(voice.say("cup.starts-lapses" if terms.lapses else "cup.starts", when=when, least=terms.least))
    elif terms.starts_at is not None:
        lines.append(voice.say("cup.postponed", least=terms.least))
    else:
        lines.append(voice.say("cup.starts-full", most=terms.most))
    if may_force_pairing(terms.format):
        lines.append(voice.say("cup.anybody"))
    return lines


def _name_entrants(cup: Cup, voice: Speaker, entrants: Sequence[int], most: int) -> Text:
    """Return the names of entrants, and how many more there are than can be named."""
    named: list[Span | str] = [name_span(cup, each) for each in entrants[:most]]
    if len(entrants) > most:
        named.append(voice.line("cup.others", n=len(entrants) - most))
    return voice.listing(named)


def _running_lines(cup: Cup, voice: Speaker) -> list[Text]:
    stands = cup.stands
    if stands.stage == "over":
        return _end_lines(cup, voice)
    lines = []
    if stands.rounds:
        newest = stands.rounds[-1]
        done = sum(stands.is_done(board) for board in newest.boards)
        of = len(newest.boards)
        lines.append(voice.say("cup.going", number=newest.number, last=stands.planned, done=done, of=of, n=of))
    if cup.rests_until is not None:
        lines.append(voice.say("cup.is-paused", when=voice.time(cup.rests_until)))
    if stands.sharing:
        who = _name_entrants(cup, voice, stands.sharing, MAX_ENTRANTS_ASKED)
        lines.append(voice.say("cup.sharing", who=who, n=len(stands.sharing)))
    asked = [number for number in stands.present if stands.entrants[number].asked]
    if asked:
        lines.append(voice.say("cup.asked", who=_name_entrants(cup, voice, asked, MAX_ENTRANTS_ASKED)))
    return lines


def _end_lines(cup: Cup, voice: Speaker) -> list[Text]:
    stands = cup.stands
    if stands.ending != Ending.PLAYED:
        return [voice.say(f"cup.ended.{stands.ending or Ending.STOPPED}")]
    first = winners(stands)
    if not first:
        return [voice.say("cup.nobody-won")]
    lines = [voice.say("cup.won", who=voice.listing([name_span(cup, each) for each in first]), n=len(first))]
    rows = ranking(stands).rows
    ranked = stands.terms.format != Format.KNOCKOUT
    if ranked and len(first) < len(rows) and rows[0].points == rows[len(first)].points:
        lines.append(voice.say("cup.won-by-tie-break"))
    if stands.uncounted:
        who = voice.listing([name_span(cup, each) for each in stands.uncounted])
        lines.append(voice.say("cup.uncounted", who=who, n=len(stands.uncounted)))
    return lines


def _code_words(cup: Cup, voice: Speaker) -> Text:
    return code_words(cup, voice) if cup.stands.stage == "open" else voice.say("cup.code", code=cup.row.id)


def _buttons(cup: Cup, voice: Speaker) -> list[Button]:
    stage, people = cup.stands.stage, list_people(cup, cup.stands.present)
    buttons = []
    if stage == "open" and cup.stands.closed is None:
        buttons.append(Button(voice.line("button.join"), deed_press(cup, "join"), "primary", without=people))
    if any(cup.stands.entrants[number].asked for number in cup.stands.present):
        buttons.append(Button(voice.line("button.cup.stay"), deed_press(cup, "stay"), "primary"))
    buttons.append(Button(voice.line("button.cup.table"), deed_press(cup, "table")))
    if stage == "open":
        buttons.append(Button(voice.line("button.details"), deed_press(cup, "details")))
    if stage != "over":
        buttons.append(Button(voice.line("button.leave"), deed_press(cup, "leave"), people=people))
        buttons.append(Button(voice.line("button.cup.run"), deed_press(cup, "run")))
    return buttons


def _pairing(cup: Cup, voice: Speaker, game: CupGame) -> Text:
    level = cup.stands.terms.computers or "1"
    names = [
        name_span(cup, each) if each != COMPUTER_ENTRANT else Span(computer_name(voice, level), bold=True)
        for each in game.seats
    ]
    who = names[0:1]
    for name in names[1:]:
        who += [Span(" – "), name]
    return voice.say("cup.pairing", who=tuple(who), code=game.id or "")
