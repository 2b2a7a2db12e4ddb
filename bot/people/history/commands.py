"""The commands and buttons of finished games: history, replay, film, records."""

from dataclasses import replace
from typing import Final

from bot.competitions.commands import export_competition
from bot.competitions.keeper import check_may_see
from bot.competitions.kinds import read_competition
from bot.kernel.cards import MAX_ALT_LENGTH, Animation, Attachment, Button, Card, Picture
from bot.kernel.context import Context
from bot.kernel.forms import Values
from bot.kernel.presses import Press, press
from bot.kernel.question_cards import button_rows, make_button
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.table import GamePeople, Table
from bot.kernel.texts import Span, Speaker, Text, join, shorten, strip_styles
from bot.kernel.words.describe import BoardWords, turn_count, turn_number, turn_words
from bot.lobby.teams.rounds import read_past_votes, turn_vote_words, vote_record
from bot.table.card_parts import headline, private_view
from bot.table.cards import over_card
from bot.table.commands import with_words_if_wanted
from bot.table.game_lookup import resolve_game_key, resolve_past_table
from bot.table.ratings import name_at_pace
from bot.table.replaying import export_record, line_after_turns, select_shown_turns, shown_turns_of
from engine import Turn, games
from engine.record import COMMENT_MARK
from render.pool import Show
from storage import Person, Result, read_code

ALT_SUMMARY_LENGTH: Final = 200
"""Maximum length of the part of an alt text that names the kind of picture."""


async def film_reply(context: Context, requester: RequestContext, table: Table) -> Reply | None:
    """Return a whole game as an animation; None if nothing can be shown or drawn."""
    found = await _render_show(context, requester, table)
    if found is None:
        return None
    show, turns = found
    speaker, voice = requester.speaker, requester.speaker.of(table.row.game)
    code, name, count = table.row.id, voice.line("name"), turn_count(voice, games[table.row.game], len(turns))
    still = _sheet_picture(
        show, table, _alt_text_of_show(speaker, table, turns, speaker.line("film.alt", game=name, turns=count))
    )
    moving = Animation(show.film.gif, f"{table.row.game}-{code}.gif", show.film.size)
    picture = Picture(still.png, still.alt, still.name, still.size, animation=moving)
    title = speaker.say("film.title", game=name, code=code, turns=count)
    rows = [
        make_button(speaker, "button.turns", "replay", code, 0, "0"),
        make_button(speaker, "button.sheet", "sheet", code, 0),
        make_button(speaker, "button.export", "export", code, 0),
    ]
    if table.row.status == "over":
        rows.append(make_button(speaker, "button.analyse", "analyse", code, 0))
    return Reply(Card(title, picture, rows=(tuple(rows),)))


async def sheet_reply(context: Context, requester: RequestContext, table: Table) -> Reply | None:
    """Return the key positions of a game on one sheet; None if nothing can be shown or drawn."""
    found = await _render_show(context, requester, table)
    if found is None:
        return None
    show, turns = found
    speaker, voice = requester.speaker, requester.speaker.of(table.row.game)
    title = speaker.say("sheet.title", game=voice.line("name"), code=table.row.id)
    key = f"sheet.{games[table.row.game].facts.turn}"
    said = voice.say(key, numbers=", ".join(map(str, show.sheet.numbers)))
    picture = _sheet_picture(show, table, _alt_text_of_show(speaker, table, turns, strip_styles(said)))
    return Reply(Card(join([title, said]), picture))


async def _render_show(context: Context, requester: RequestContext, table: Table) -> tuple[Show, list[Turn]] | None:
    if table.line is None:
        raise Refused("refusal.not-started", code=table.row.id)
    table = table.in_language(requester.speaker)
    async with export_record(context, table) as record:
        start, turns = record.first_state(), select_shown_turns(table, list(record.turns()))
    if not turns:
        return None
    view = await private_view(context, requester, table, still=True)
    show = await context.artist.show(table, start, turns, view.theme, view.viewer)
    return None if show is None else (show, turns)


def _sheet_picture(show: Show, table: Table, alt: str) -> Picture:
    return Picture(show.sheet.png, alt, f"{table.row.game}-{table.row.id}.png", show.sheet.size)


def _alt_text_of_show(speaker: Speaker, table: Table, turns: list[Turn], what: str) -> str:
    """Return the alt text: the kind of picture, and the game's final position."""
    first = shorten(what, ALT_SUMMARY_LENGTH)
    last, table = turns[-1], table.in_language(speaker)
    words = BoardWords(speaker.of(table.row.game), last.after, last, table.names)
    return f"{first} {words.fit(MAX_ALT_LENGTH - len(first) - 1)}"


MAX_GAMES_LISTED: Final = 10


async def history_command(context: Context, requester: RequestContext, values: Values) -> Reply:
    """List the requester's last finished games."""
    game = await resolve_game_key(context, values["game"]) if values.get("game") else None
    return await list_history(context, requester, requester.person, game)


async def press_history(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button Games played."""
    number = pressed.number
    person = requester.person if number is None else await context.store.people.get(number)
    if person is None:
        raise Refused("refusal.stale")
    return await list_history(context, requester, person, None)


async def list_history(context: Context, requester: RequestContext, person: Person, game: str | None) -> Reply:
    """List finished games, newest first, each with a button to replay it."""
    speaker = requester.speaker
    results = (await context.store.ratings.results_of_person(person.id, game, MAX_GAMES_LISTED))[::-1]
    if not results:
        return requester.answer("history.none")
    parts: list[Text] = [speaker.say("history.title", who=Span(person.name, bold=True, person=person.id))]
    buttons = []
    for result in results:
        table = await context.table_as_stored(result.game)
        parts.append(_result_words(speaker, table, result))
        label = f"{speaker.of(result.game_key).line('name')} · {result.game}"
        buttons.append(Button(label, press("replay", result.game, 0)))
    return Reply(Card(join(parts), rows=button_rows(buttons)))


async def replay(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Replay a game, animated if possible; without a code, the last finished one."""
    return await film_or_turns(
        context, requester, await resolve_past_table(context, requester, values.get("code"), _has_begun)
    )


async def film_or_turns(context: Context, requester: RequestContext, table: Table) -> Reply:
    async with context.person_queue.turn(requester.id):
        return await film_reply(context, requester, table) or await _turn_reply(context, requester, table, None)


async def press_sheet(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Handle the button that shows a game on one sheet."""
    async with context.person_queue.turn(requester.id):
        return await sheet_reply(context, requester, table) or await _turn_reply(context, requester, table, None)


async def press_replay(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the choice of a turn of the replay."""
    table = await context.table(pressed.game or "")
    return replace(await show_turn(context, requester, table, pressed.number), update=pressed.number is not None)


async def show_turn(context: Context, requester: RequestContext, table: Table, number: int | None) -> Reply:
    """Show a game's position after turn `number`, 0 for the start; by default after the last turn."""
    async with context.person_queue.turn(requester.id):
        return await _turn_reply(context, requester, table, number)


async def _turn_reply(context: Context, requester: RequestContext, table: Table, number: int | None) -> Reply:
    if table.line is None:
        raise Refused("refusal.not-started", code=table.row.id)
    speaker = requester.speaker
    turns = await shown_turns_of(context, table)
    at = len(turns) if number is None else max(0, min(number, len(turns)))
    then = replace(table, line=line_after_turns(table.line, turns, at))
    voice = speaker.of(table.row.game)
    table = table.in_language(voice)
    names = table.name_spans
    turn = turn_number(voice, then.playing.state.game, at)
    title = speaker.say("replay.title", game=voice.line("name"), code=table.row.id, turn=turn, last=len(turns))
    said = turn_words(voice, turns[at - 1], names) if at else voice.say("replay.start")
    voted = turn_vote_words(await read_past_votes(context, table), voice, turns[at - 1].number) if at else ()
    view = await private_view(context, requester, then, still=True)
    # With `turn`, the picture of an earlier turn is not taken for the newest one of the game.
    picture = await context.artist.picture(then, speaker, view, turn=at)
    return Reply(Card(join([title, said, voted]), picture, rows=_turn_rows(speaker, table, at, len(turns))))


async def show_finished_game(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Show privately how a game ended, with buttons through its turns; Refused if it never began."""
    shown = await show_turn(context, requester, table, None)
    if shown.card is None:
        return shown
    over = with_words_if_wanted(requester, table, over_card(table, requester.speaker, table.seat_of(requester.id)))
    return replace(shown, card=replace(shown.card, text=over.text, headline=headline(table)))


async def export(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Send the record of a game, or of a whole competition, as a file; without a code, that of the last game."""
    code = read_code(values.get("code", ""))
    row = await context.store.competitions.get(code) if code is not None else None
    if row is not None:
        found = await read_competition(context, row)
        await check_may_see(context, requester, found)
        return await export_competition(context, requester, found)
    return await record_reply(
        context, requester, await resolve_past_table(context, requester, values.get("code"), _has_begun)
    )


async def record_reply(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Send the record of a game; that of a running game has no seed."""
    if table.line is None:
        raise Refused("refusal.not-started", code=table.row.id)
    async with context.person_queue.turn(requester.id), export_record(context, table) as record:
        text, past = record.to_text(), await read_past_votes(context, table)
    # Once the game is over, the votes are public to everybody who can read it here.
    comments = [
        f"{COMMENT_MARK} {strip_styles(line)}"
        for line in vote_record(past, table, requester.speaker.of(table.row.game))
    ]
    text = "\n".join([text, *comments, ""]) if comments else text
    key = "export.over" if table.row.status == "over" else "export.running"
    file = Attachment(f"{table.row.game}-{table.row.id}.txt", text.encode())
    return Reply(Card(requester.speaker.say(key, code=table.row.id), file=file))


def _has_begun(table: Table) -> bool:
    return table.line is not None


def _turn_rows(speaker: Speaker, table: Table, at: int, last: int) -> tuple[tuple[Button, ...], ...]:
    buttons = []
    for which, (label, number) in enumerate((("⏮", 0), ("◀", at - 1), ("▶", at + 1), ("⏭", last))):
        wanted = max(0, min(number, last))
        # The number in place of the revision makes presses for the same turn unique on the card.
        carried = press("replay", table.row.id, which, str(wanted))
        buttons.append(Button(label, carried, disabled=wanted == at))
    steps = tuple(buttons)
    others = (
        make_button(speaker, "button.film", "film", table.row.id, 0),
        make_button(speaker, "button.export", "export", table.row.id, 0),
        *try_buttons(speaker, table, at),
    )
    return (steps, others)


def try_buttons(speaker: Speaker, table: Table, at: int) -> tuple[Button, ...]:
    """Return the button that opens a board to try lines out from a turn on; empty while the game is not over."""
    over = table.row.status == "over"
    return (make_button(speaker, "button.try", "try", table.row.id, 0, str(at)),) if over else ()


def _result_words(speaker: Speaker, game_people: GamePeople, result: Result) -> Text:
    voice = speaker.of(result.game_key)
    game_people = game_people.in_language(voice)
    others = [game_people.entry_span(entry) for entry in game_people.brief.seats if entry.person != result.person]
    return speaker.say(
        "history.game",
        day=speaker.day(result.ended_at),
        game=Span(name_at_pace(speaker, voice.line("name"), result.pace), bold=True),
        who=speaker.listing(others),
        mark=speaker.line(f"mark.{result.mark}"),
        code=result.game,
    )
