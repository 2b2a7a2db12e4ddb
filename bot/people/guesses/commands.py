"""Commands and presses of guesses: `/guess`, the guessing board, the players' consent, and the tables."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.boards.board import open_board, reply_privately, show
from bot.boards.tries import TrialBoard, split_code_and_moves
from bot.kernel.cards import Button, Card
from bot.kernel.commandline import parse_typed
from bot.kernel.context import Context, Public
from bot.kernel.forms import Values
from bot.kernel.line import play_line
from bot.kernel.names import tell_apart
from bot.kernel.presses import GUESS, Press
from bot.kernel.question_cards import button_rows, make_button
from bot.kernel.refusals import Refused, engine_words
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.table import Table, last_moved_revision
from bot.kernel.texts import Span, Speaker, Text, join
from bot.kernel.words.describe import line_words
from bot.lobby.teams.service import proposed_actions, whole_turn
from bot.people.guesses.service import (
    MAX_GAMES_SETTLED,
    OFFER_BUTTON,
    agree,
    check_at_play,
    check_may_guess,
    find_missing,
    is_player,
    name_people,
    record_offer,
    settle_all,
    take_guess,
    withdraw,
)
from bot.table.game_lookup import load_table_by_code, open_table, resolve_my_table, which_game_refusal
from bot.table.notices import whole_channel
from bot.table.ratings import number_places
from bot.table.replaying import may_be_tried
from engine import EngineError
from storage import GuessCounts, StoredGuess
from storage.boards import GOOD_POINTS, HIT_POINTS

AGREE_BUTTON: Final = "guessyes"
WITHDRAW_BUTTON: Final = "guessno"
TABLE_BUTTON: Final = "guesstable"
MAX_ROWS: Final = 10
"""Maximum number of rows in a table."""


def offer_card(table: Table, speaker: Speaker, who: str) -> Card:
    """Return the public offer: players agree or decline, everybody else guesses.

    It does not name the players who have agreed, because the message is never updated.
    """
    voice, code = table.words_for(speaker), table.id
    said = [
        voice.say("guess.offer", who=Span(who, bold=True), game=voice.game_name(), code=code),
        voice.say("guess.offer.begins"),
        voice.say("guess.how", hit=HIT_POINTS, good=GOOD_POINTS),
    ]
    agree = make_button(voice, "button.guess.agree", AGREE_BUTTON, code, style="primary")
    withdraw = make_button(voice, "button.guess.withdraw", WITHDRAW_BUTTON, code)
    return Card(join(said), rows=((agree, withdraw, _guess_button(voice, code)),))


def player_card(table: Table, speaker: Speaker, missing: Text, *, agreed: bool) -> Card:
    """Return a player's card about guesses at their game, with the button to agree or to withdraw."""
    voice, code = table.words_for(speaker), table.id
    said = [
        voice.say("guess.player", game=voice.game_name(), code=code),
        voice.say("guess.player.agreed" if agreed else "guess.player.open"),
        voice.say("guess.offer.missing", who=missing) if missing else voice.say("guess.offer.all"),
    ]
    buttons = [
        make_button(voice, "button.guess.withdraw", WITHDRAW_BUTTON, code) if agreed else None,
        None if agreed else make_button(voice, "button.guess.agree", AGREE_BUTTON, code, style="primary"),
        make_button(voice, "button.guess.offer", OFFER_BUTTON, code) if missing else None,
    ]
    return Card(join(said), rows=button_rows(buttons))


def guessed_card(table: Table, speaker: Speaker, actions: Sequence[str]) -> Card:
    """Return the confirmation of a guess."""
    voice, code = table.words_for(speaker), table.id
    who = Span(table.in_language(speaker).names[table.mover or 0], bold=True)
    said = voice.say("guess.made", move=line_words(voice, actions), who=who, code=code)
    buttons = [
        make_button(voice, "button.guess.other", GUESS, code),
        make_button(voice, "button.guess.table", TABLE_BUTTON, code),
    ]
    return Card(said, rows=button_rows(buttons))


def board_words(table: Table, speaker: Speaker, own: Sequence[StoredGuess], now: int) -> list[Text]:
    """Return the text above a guessing board: what to do, the current guess, and the result of the last one."""
    voice = table.words_for(speaker)
    last = next((each for each in reversed(own) if each.revision != now and each.hit is not None), None)
    current = next((each for each in own if each.revision == now), None)
    result = "guess.last.hit" if last is not None and last.hit else "guess.last.miss"
    return [
        voice.say(result, move=line_words(voice, last.actions), n=HIT_POINTS) if last is not None else (),
        voice.say("guess.board", who=table.in_language(voice).name_span(table.mover or 0)),
        voice.say("guess.current", move=line_words(voice, current.actions)) if current is not None else (),
    ]


def game_table_card(table: Table, speaker: Speaker, counts: Sequence[GuessCounts]) -> Card:
    """Return the table of a game."""
    voice, code, row = table.words_for(speaker), table.id, table.row
    title = voice.say("guess.table", game=voice.game_name(), code=code)
    later = () if row.is_over else speaker.say("guess.table.later", n=GOOD_POINTS)
    said = [*_lines(speaker, counts), later] if counts else [speaker.say("guess.table.none")]
    return Card(join([title, *said]), rows=button_rows([_guess_button(voice, code) if row.is_playing else None]))


def month_card(speaker: Speaker, month: str, counts: Mapping[str, Sequence[GuessCounts]]) -> Card:
    """Return the table of a month, by kind of game, for games that began in a place."""
    lines = [
        line
        for key, people in counts.items()
        if people
        for line in ((speaker.of(key).game_span,), *_lines(speaker, people))
    ]
    return Card(join([speaker.say("guess.month", month=month), *(lines or [speaker.say("guess.month.none")])]))


def profile_words(speaker: Speaker, counts: GuessCounts) -> Text:
    """Return the line about guesses for a person's own profile; empty without guesses."""
    figures = {"hits": counts.hits, "good": counts.good, "points": counts.points}
    return speaker.say("profile.guesses", n=counts.guesses, **figures) if counts.guesses else ()


def _lines(speaker: Speaker, counts: Sequence[GuessCounts]) -> list[Text]:
    lines: list[Text] = []
    names = tell_apart(tuple(each.name for each in counts))
    places = number_places([each.points for each in counts])
    for place, name, each in zip(places, names, counts[:MAX_ROWS], strict=False):
        words = speaker.say("guess.table.points", n=each.points)
        hits = speaker.say("guess.table.hits", n=each.guesses, hits=each.hits, good=each.good)
        lines.append(speaker.say("guess.table.row", place=place, who=Span(name, bold=True), points=words, hits=hits))
    return [*lines, speaker.left_out("guess.table.more", len(counts), MAX_ROWS)]


def _guess_button(voice: Speaker, code: str) -> Button:
    return make_button(voice, "button.guess", GUESS, code, style="primary")


OFFER: Final = "offer"
AGREE: Final = "agree"
WITHDRAW: Final = "withdraw"
TABLE: Final = "table"
MONTH: Final = "month"
ACTIONS: Final = (OFFER, AGREE, WITHDRAW, TABLE, MONTH)
"""The values of the parameter `what`."""


def kind_of_guess(values: Values) -> Public | None:
    """Return how public the command is: offers and tables are public."""
    return Public.CHANGE if _read_action(values)[0] in (OFFER, TABLE, MONTH) else None


def _read_action(values: Values) -> tuple[str, str]:
    """Return the value of `what`, and the typed turn; a typed line may begin with a value of `what`."""
    what, typed = values.get("what", ""), values.get("move", "")
    first, _, rest = typed.partition(" ")
    return (first.lower(), rest) if not what and first.lower() in ACTIONS else (what, typed)


async def guess(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Guess the next turn of a game between others; offer guesses, agree to them, or show a table."""
    what, typed = _read_action(values)
    if what == MONTH:
        return await show_month(context, requester)
    given = {"game": values.get("game", ""), "moves": typed}
    code, text = await split_code_and_moves(context, given)
    table = await _resolve_table(context, requester, code)
    handlers = {OFFER: offer, AGREE: agree, WITHDRAW: withdraw}
    if what in handlers:
        return await handlers[what](context, requester, table)
    if what == TABLE:
        return await show_table(context, requester, table, shown_to_all=True)
    if text.strip():
        return await _guess_text(context, requester, table, text)
    return await open_guessing(context, requester, table)


async def _resolve_table(context: Context, requester: RequestContext, code: str) -> Table:
    """Return the requested game: by code, the one on the open board, or the only one here between others."""
    if code:
        return await load_table_by_code(context, requester, code)
    opened = await open_table(context, requester)
    if opened is not None and opened.line is not None:
        return opened
    here = [brief for brief in await context.store.games.list_in_place(requester.place.id) if brief.is_playing]
    watched = [brief for brief in here if all(entry.person != requester.id for entry in brief.seats)]
    if len(watched) == 1:
        return await context.table(watched[0].id)
    if watched:
        raise await which_game_refusal(context, requester, watched, GUESS)
    return await resolve_my_table(context, requester, None, GUESS)


async def press_turn(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Guess the turn that was tried on a guessing board."""
    trial = await TrialBoard.load(context, requester, pressed.game)
    await check_may_guess(context, requester, trial.table)
    actions = proposed_actions(trial)
    if actions is None:
        return await show(trial, [requester.speaker.say("guess.part")])
    return await _take(context, requester, trial.table, actions)


async def offer(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Suggest guesses to everybody in a place; a player who suggests them also agrees."""
    check_at_play(table)
    missing = await find_missing(context, table)
    if any(person.id == requester.id for person in missing):
        consented = await agree(context, requester, table)
        missing = [person for person in missing if person.id != requester.id]
        if not missing:
            return consented
    elif not missing:
        return requester.answer("guess.offer.all")
    await record_offer(context, requester, table, missing)
    who = table.person_span(requester.id).text if is_player(table, requester) else requester.person.name
    return Reply(offer_card(table, requester.place_speaker, who), private=False)


async def open_guessing(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Open a guessing board at the game's position; for players, the card for consent, after the game its table."""
    if table.row.is_over:
        return await show_table(context, requester, table)
    check_at_play(table)
    if is_player(table, requester):
        missing = await find_missing(context, table)
        agreed = requester.id not in [person.id for person in missing]
        names = name_people(table, requester.speaker, missing) if missing else ()
        return Reply(player_card(table, requester.speaker, names, agreed=agreed))
    await check_may_guess(context, requester, table)
    if not may_be_tried(table):
        raise Refused("refusal.guess-typed", code=table.id)
    await settle_all(context, [table.id])
    trial = await TrialBoard.begin(context, requester, table)
    trial = trial.at(replace(trial.tree, guesses=True))
    known = await context.store.guesses.list_in_game(table.id)
    own = [each for each in known if each.person == requester.id]
    said = board_words(table, requester.speaker, own, last_moved_revision(table.row))
    return await open_board(trial, said)


async def _guess_text(context: Context, requester: RequestContext, table: Table, text: str) -> Reply:
    """Guess a typed turn; Refused in public places, where others could read it."""
    await check_may_guess(context, requester, table)
    if not context.is_private_place(requester.place):
        raise Refused("refusal.guess-public", code=table.id)
    line = table.playing
    try:
        steps = play_line(line, parse_typed(line.state, text), None)[1]
    except EngineError as error:
        return Reply(Card(engine_words(requester.speaker, table.row.game, error)))
    actions = whole_turn(line.state, [step.action.text for step in steps])
    if actions is None:
        return requester.answer("guess.part.typed")
    return await _take(context, requester, table, actions)


async def _take(context: Context, requester: RequestContext, table: Table, actions: tuple[str, ...]) -> Reply:
    reply = replace(reply_privately(guessed_card(table, requester.speaker, actions)), update=False)
    await take_guess(context, requester, table, actions, reply)
    return reply


async def show_table(context: Context, requester: RequestContext, table: Table, *, shown_to_all: bool = False) -> Reply:
    speaker = requester.place_speaker if shown_to_all else requester.speaker
    await settle_all(context, [table.id])
    counts = await context.store.guesses.counts_in_game(table.id)
    return Reply(game_table_card(table, speaker, counts), private=not shown_to_all)


async def show_month(context: Context, requester: RequestContext) -> Reply:
    """Show the table of this month publicly in a place, by kind of game."""
    home, now = await whole_channel(context, requester.place), context.clock()
    await settle_all(context, await context.store.guesses.list_unsettled(MAX_GAMES_SETTLED, home.id))
    since = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    counts = await context.store.guesses.counts_in_place(home.id, since)
    return Reply(month_card(requester.place_speaker, f"{since:%Y-%m}", counts), private=False)
