"""Games that are over: the list of them, looking at them again turn by turn, and taking them away as a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from bot.context.asker import Asker
from bot.context.context import Context
from bot.handlers import competing, films
from bot.handlers.finding import game_key, open_table, table_called
from bot.handlers.table import told
from bot.interface.cards import Attachment, Button, Card
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.rich_text import Span, Text
from bot.language.texts import Speaker, join
from bot.presenters.asking import button_rows
from bot.presenters.board import over_card
from bot.presenters.headline import headline
from bot.presenters.views import view_for
from bot.services.competitions import read_cup
from bot.services.records import recorded, turns_of
from bot.tables.line import Line
from bot.tables.table import Company, Table
from bot.words.describe import turn_number, turn_words
from engine import Turn
from storage import Person, Result, read_code

MOST_LISTED: Final = 10


async def history_command(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """List the games that somebody finished last."""
    game = await game_key(context, values["game"]) if values.get("game") else None
    return await history(context, asker, asker.person, game)


async def press_history(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button Games played."""
    person = await context.store.person(int(pressed.rest)) if pressed.rest.isdecimal() else asker.person
    if person is None:
        raise Refused("refusal.stale")
    return await history(context, asker, person, None)


async def history(context: Context, asker: Asker, person: Person, game: str | None) -> Reply:
    """List finished games, the newest first, each with a button to look at it again."""
    speaker = asker.mine
    results = (await context.store.results_of_person(person.id, game, MOST_LISTED))[::-1]
    if not results:
        return Reply(Card(speaker.say("history.none")), private=True)
    parts: list[Text] = [speaker.say("history.title", who=Span(person.name, bold=True, person=person.id))]
    buttons = []
    for result in results:
        table = await context.table_as_stored(result.game)
        parts.append(_result_words(speaker, table, result))
        label = f"{speaker.of(result.game_key).line('name')} · {result.game}"
        buttons.append(Button(label, press("replay", result.game, 0)))
    return Reply(Card(join(parts), rows=button_rows(buttons)), private=True)


async def replay(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Look at a game again, animated if it can be; without a code at the last one that is over."""
    return await _film(context, asker, await _table_meant(context, asker, values.get("code")))


async def press_film(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button that shows a game animated."""
    return await _film(context, asker, await context.table(pressed.game or ""))


async def _film(context: Context, asker: Asker, table: Table) -> Reply:
    async with context.one_by_one.turn(asker.person.id):
        return await films.film(context, asker, table) or await _turn_shown(context, asker, table, None)


async def press_sheet(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button that shows a game on one sheet."""
    table = await context.table(pressed.game or "")
    async with context.one_by_one.turn(asker.person.id):
        return await films.sheet(context, asker, table) or await _turn_shown(context, asker, table, None)


async def press_replay(context: Context, asker: Asker, pressed: Press) -> Reply:
    """A turn of a game chosen to be looked at."""
    table = await context.table(pressed.game or "")
    number = int(pressed.rest) if pressed.rest.isdecimal() else None
    return replace(await show_turn(context, asker, table, number), update=number is not None)


async def show_turn(context: Context, asker: Asker, table: Table, number: int | None) -> Reply:
    """Show a game as it stood after a turn, counted from 0 for the beginning; after the last one by default."""
    async with context.one_by_one.turn(asker.person.id):
        return await _turn_shown(context, asker, table, number)


async def _turn_shown(context: Context, asker: Asker, table: Table, number: int | None) -> Reply:
    if table.line is None:
        raise Refused("refusal.not-started", code=table.row.id)
    speaker = asker.mine
    turns = await turns_of(context, table)
    at = len(turns) if number is None else max(0, min(number, len(turns)))
    then = replace(table, line=line_at(table.line, turns, at))
    voice = speaker.of(table.row.game)
    table = table.spoken(voice)
    names = [table.span(seat) for seat in range(table.row.seat_count)]
    turn = turn_number(voice, then.playing.state.game, at)
    title = speaker.say("replay.title", game=voice.line("name"), code=table.row.id, turn=turn, last=len(turns))
    said = turn_words(voice, turns[at - 1], names) if at else voice.say("replay.start")
    view = await view_for(context, asker, then, still=True)
    # The picture of an earlier turn must not be taken for the newest one of the same game.
    picture = await context.artist.picture(then, speaker, view, turn=at)
    return Reply(Card(join([title, said]), picture, rows=_turn_rows(speaker, table, at, len(turns))), private=True)


async def look_back(context: Context, asker: Asker, table: Table) -> Reply:
    """Show privately how a game ended, with what leads back through its turns; Refused if it never began."""
    shown = await show_turn(context, asker, table, None)
    if shown.card is None:
        return shown
    over = told(asker, table, over_card(table, asker.mine, table.seat_of(asker.person.id)))
    return replace(shown, card=replace(shown.card, text=over.text, headline=headline(table)))


async def export(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Give the record of a game as a file, or a whole competition; without a code that of the last game."""
    code = read_code(values.get("code", ""))
    row = await context.store.competition(code) if code is not None else None
    if row is not None:
        return await competing.give_cup(context, asker, await read_cup(context, row))
    return await give_record(context, asker, await _table_meant(context, asker, values.get("code")))


async def press_export(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button that gives the record."""
    return await give_record(context, asker, await context.table(pressed.game or ""))


async def give_record(context: Context, asker: Asker, table: Table) -> Reply:
    """Give the record of a game; that of a running game is without its seed."""
    if table.line is None:
        raise Refused("refusal.not-started", code=table.row.id)
    async with context.one_by_one.turn(asker.person.id), recorded(context, table) as record:
        text = record.to_text()
    key = "export.over" if table.row.status == "over" else "export.running"
    file = Attachment(f"{table.row.game}-{table.row.id}.txt", text.encode())
    return Reply(Card(asker.mine.say(key, code=table.row.id), file=file), private=True)


async def _table_meant(context: Context, asker: Asker, code: str | None) -> Table:
    if code:
        return await table_called(context, code)
    opened = await open_table(context, asker)
    if opened is not None and opened.line is not None:
        return opened
    results = await context.store.results_of_person(asker.person.id, limit=1)
    if not results:
        raise Refused("refusal.nothing-to-repeat")
    return await context.table(results[-1].game)


def line_at(line: Line, turns: list[Turn], at: int) -> Line:
    """Return the line of a game as it stood after so many turns."""
    if at == 0:
        return Line(turns[0].before) if turns else line
    return Line(turns[at - 1].after, finished=turns[at - 1])


def _turn_rows(speaker: Speaker, table: Table, at: int, last: int) -> tuple[tuple[Button, ...], ...]:
    buttons = []
    for which, (label, number) in enumerate((("⏮", 0), ("◀", at - 1), ("▶", at + 1), ("⏭", last))):
        wanted = max(0, min(number, last))
        # The revision only tells buttons apart that lead to the same turn: no two of a card may be the same.
        carried = press("replay", table.row.id, which, str(wanted))
        buttons.append(Button(label, carried, disabled=wanted == at))
    steps = tuple(buttons)
    others = (
        Button(speaker.line("button.film"), press("film", table.row.id, 0)),
        Button(speaker.line("button.export"), press("export", table.row.id, 0)),
        *try_buttons(speaker, table, at),
    )
    return (steps, others)


def try_buttons(speaker: Speaker, table: Table, at: int) -> tuple[Button, ...]:
    """Return the button that opens a board to try lines out from a turn on; none where that may not be."""
    over = table.row.status == "over"
    return (Button(speaker.line("button.try"), press("try", table.row.id, 0, str(at))),) if over else ()


def _result_words(speaker: Speaker, company: Company, result: Result) -> Text:
    voice = speaker.of(result.game_key)
    company = company.spoken(voice)
    others = [company.entry_span(entry) for entry in company.brief.seats if entry.person != result.person]
    return speaker.say(
        "history.game",
        day=speaker.day(result.ended_at),
        game=Span(voice.line("name"), bold=True),
        who=speaker.listing(others),
        mark=speaker.line(f"mark.{result.mark}"),
        code=result.game,
    )
