"""The commands and buttons of finished games: history, replay, film, records."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from bot.competitions.commands import export_competition
from bot.competitions.keeper import check_may_see
from bot.competitions.kinds import read_competition
from bot.kernel.cards import MAX_ALT_LENGTH, Animation, Attachment, Button, Buttons, Card, Picture
from bot.kernel.context import Context
from bot.kernel.forms import Values
from bot.kernel.names import mention
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
from engine import Turn
from engine.record import COMMENT_MARK
from render.pool import Show
from storage import Person, Result, read_code

ALT_SUMMARY_LENGTH: Final = 200
"""Maximum length of the part of an alt text that names the kind of picture."""


async def show_whole_game(
    context: Context,
    requester: RequestContext,
    table: Table,
    *,
    make_card: Callable[[Speaker, Table, Show, Sequence[Turn]], Card],
) -> Reply:
    """Show a whole game on one card: as an animation, or its key positions; its last turn if nothing can be drawn."""
    if table.line is None:
        raise Refused("refusal.not-started", code=table.id)
    async with context.person_queue.turn(requester.id):
        spoken = table.in_language(requester.speaker)
        async with export_record(context, spoken) as record:
            start, turns = record.first_state(), select_shown_turns(spoken, list(record.turns()))
        view = await private_view(context, requester, spoken, still=True)
        show = await context.artist.show(spoken, start, turns, view.theme, view.viewer) if turns else None
    if show is None:
        return Reply(await _turn_card(context, requester, table, None))
    return Reply(make_card(requester.speaker, spoken, show, turns))


def film_card(speaker: Speaker, table: Table, show: Show, turns: Sequence[Turn]) -> Card:
    """Return the card with a whole game as an animation."""
    voice, code, over = table.words_for(speaker), table.id, table.row.is_over
    name, count = voice.game_name(), turn_count(voice, table.game, len(turns))
    still = _sheet_picture(speaker, table, show, turns, speaker.line("film.alt", game=name, turns=count))
    film = Animation(show.film.gif, f"{table.row.game}-{code}.gif", show.film.size)
    buttons = [
        make_button(speaker, "button.turns", "replay", code, 0, "0"),
        *(make_button(speaker, f"button.{each}", each, code) for each in ("sheet", "export")),
        *([make_button(speaker, "button.analyse", "analyse", code)] if over else []),
    ]
    title = speaker.say("film.title", game=name, code=code, turns=count)
    return Card(title, replace(still, animation=film), rows=(tuple(buttons),))


def sheet_card(speaker: Speaker, table: Table, show: Show, turns: Sequence[Turn]) -> Card:
    """Return the card with the key positions of a game on one sheet."""
    voice = table.words_for(speaker)
    title = speaker.say("sheet.title", game=voice.game_name(), code=table.id)
    numbers = ", ".join(map(str, show.sheet.numbers))
    said = voice.say(f"sheet.{table.game.facts.turn}", numbers=numbers)
    return Card(join([title, said]), _sheet_picture(speaker, table, show, turns, strip_styles(said)))


def _sheet_picture(speaker: Speaker, table: Table, show: Show, turns: Sequence[Turn], what: str) -> Picture:
    """Return the sheet; its alt text has the kind of picture, and the game's final position."""
    first, last = shorten(what, ALT_SUMMARY_LENGTH), turns[-1]
    words = BoardWords(table.words_for(speaker), last.after, last, table.names)
    end = words.fit(MAX_ALT_LENGTH - len(first) - 1)
    return Picture(show.sheet.png, f"{first} {end}", f"{table.row.game}-{table.id}.png", show.sheet.size)


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
    parts: list[Text] = [speaker.say("history.title", who=mention(person))]
    buttons = []
    for result in results:
        table = await context.table_as_stored(result.game)
        parts.append(_result_words(speaker, table, result))
        label = f"{speaker.game_name(result.game_key)} · {result.game}"
        buttons.append(Button(label, press("replay", result.game, 0)))
    return Reply(Card(join(parts), rows=button_rows(buttons)))


async def replay(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Replay a game, animated if possible; without a code, the last finished one."""
    table = await resolve_past_table(context, requester, values.get("code"), _has_begun)
    return await show_whole_game(context, requester, table, make_card=film_card)


async def press_replay(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the choice of a turn of the replay."""
    table = await context.table(pressed.game)
    card = await _turn_card(context, requester, table, pressed.number)
    return Reply(card, update=pressed.number is not None)


async def _turn_card(context: Context, requester: RequestContext, table: Table, number: int | None) -> Card:
    """Return the card with a game's position after turn `number`, 0 for the start; by default after the last turn."""
    table.check_started()
    speaker = requester.speaker
    async with context.person_queue.turn(requester.id):
        turns = await shown_turns_of(context, table)
        at = len(turns) if number is None else min(number, len(turns))
        then = replace(table, line=line_after_turns(table.playing, turns, at))
        voice = table.words_for(speaker)
        table = table.in_language(voice)
        names = table.name_spans
        turn = turn_number(voice, then.playing.state.game, at)
        title = speaker.say("replay.title", game=voice.game_name(), code=table.id, turn=turn, last=len(turns))
        said = turn_words(voice, turns[at - 1], names) if at else voice.say("replay.start")
        voted = turn_vote_words(await read_past_votes(context, table), voice, turns[at - 1].number) if at else ()
        view = await private_view(context, requester, then, still=True)
        # With `turn`, the picture of an earlier turn is not taken for the newest one of the game.
        picture = await context.artist.picture(then, speaker, view, turn=at)
        return Card(join([title, said, voted]), picture, rows=_turn_rows(speaker, table, at, len(turns)))


async def show_finished_game(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Show privately how a game ended, with buttons through its turns; Refused if it never began."""
    card = await _turn_card(context, requester, table, None)
    over = with_words_if_wanted(requester, table, over_card(table, requester.speaker, table.seat_of(requester.id)))
    return Reply(replace(card, text=over.text, headline=headline(table)))


async def export(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Send the record of a game, or of a whole competition, as a file; without a code, that of the last game."""
    code = read_code(values.get("code", ""))
    row = await context.store.competitions.get(code) if code is not None else None
    if row is not None:
        found = await read_competition(context, row)
        await check_may_see(context, requester, found)
        return await export_competition(context, requester, found)
    table = await resolve_past_table(context, requester, values.get("code"), _has_begun)
    return await record_reply(context, requester, table)


async def record_reply(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Send the record of a game; that of a running game has no seed."""
    table.check_started()
    async with context.person_queue.turn(requester.id), export_record(context, table) as record:
        text, past = record.to_text(), await read_past_votes(context, table)
    # Once the game is over, the votes are public to everybody who can read it here.
    comments = [
        f"{COMMENT_MARK} {strip_styles(line)}" for line in vote_record(past, table, table.words_for(requester.speaker))
    ]
    text = "\n".join([text, *comments, ""]) if comments else text
    key = "export.over" if table.row.is_over else "export.running"
    file = Attachment(f"{table.row.game}-{table.id}.txt", text.encode())
    return Reply(Card(requester.speaker.say(key, code=table.id), file=file))


def _has_begun(table: Table) -> bool:
    return table.line is not None


def _turn_rows(speaker: Speaker, table: Table, at: int, last: int) -> tuple[Buttons, ...]:
    steps = []
    for which, (label, number) in enumerate((("⏮", 0), ("◀", at - 1), ("▶", at + 1), ("⏭", last))):
        wanted = max(0, min(number, last))
        # The number in place of the revision makes presses for the same turn unique on the card.
        steps.append(Button(label, press("replay", table.id, which, str(wanted)), disabled=wanted == at))
    others = [make_button(speaker, f"button.{each}", each, table.id) for each in ("film", "export")]
    return (tuple(steps), (*others, *try_buttons(speaker, table, at)))


def try_buttons(speaker: Speaker, table: Table, at: int) -> Buttons:
    """Return the button that opens a board to try lines out from a turn on; empty while the game is not over."""
    over = table.row.is_over
    return (make_button(speaker, "button.try", "try", table.id, 0, str(at)),) if over else ()


def _result_words(speaker: Speaker, game_people: GamePeople, result: Result) -> Text:
    voice = speaker.of(result.game_key)
    game_people = game_people.in_language(voice)
    others = [game_people.entry_span(entry) for entry in game_people.brief.seats if entry.person != result.person]
    return speaker.say(
        "history.game",
        day=speaker.day(result.ended_at),
        game=Span(name_at_pace(speaker, voice.game_name(), result.pace), bold=True),
        who=speaker.listing(others),
        mark=speaker.line(f"mark.{result.mark}"),
        code=result.game,
    )
