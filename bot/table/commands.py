"""The commands and buttons of a running game: boards, moves, resigning, links to share.

Where the bot is not a member, games are shown only in private replies, which wait for a computer's turn: the reply is
the board with the computer's turn, and every press replaces it by the current board.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from bot.kernel.cards import Button, Card, Rows
from bot.kernel.choices import NoSuchChoice, Question, cell_sort_key
from bot.kernel.commandline import parse_typed
from bot.kernel.context import Context
from bot.kernel.features import CommandHandler, PressHandler, TableHandler
from bot.kernel.forms import Values
from bot.kernel.permissions import find_page
from bot.kernel.presses import Press
from bot.kernel.question_cards import PRIVATE_CHOICE, button_rows, with_alt_prefix
from bot.kernel.refusals import Refused, engine_words, listed_options
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.table import Table, last_moved_revision, moved_row, moving_seats
from bot.kernel.texts import Text, join
from bot.kernel.words.describe import line_words
from bot.table import service as play
from bot.table.card_parts import (
    headline,
    list_reaches,
    private_view,
    share_card,
    time_left_words,
    wants_text,
    with_position_in_words,
    words_card,
)
from bot.table.cards import (
    board_card,
    choosing_card,
    confirm_card,
    fair_card,
    nonmember_card,
    question_view,
    resign_card,
)
from bot.table.game_lookup import find_answered_table, resolve_my_table
from bot.table.ratings import is_early, is_rated
from engine import Action, EngineError
from storage import GameBrief, GameRow, Unavailable


async def wait_for_computer(context: Context, game: str, timeout_seconds: float) -> None:
    """Wait until no computer is to act in a game, or it is backing off, or until the timeout."""
    signals = context.signals
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout_seconds):
            while True:
                end = signals.computer_done
                row = await context.store.games.get(game)
                if row is None or not row.thinking or game in signals.resting:
                    return
                await end.wait()


COMPUTER_REPLY_TIMEOUT_SECONDS: Final = 30.0
"""Maximum seconds that a reply waits for a computer's turn; after that it says that the computer is thinking."""


def is_answer_only(requester: RequestContext) -> bool:
    """Return True if the bot can only reply privately in the place of the request."""
    return requester.request.nonmember and not requester.request.place.guest


def shows_game_in_answers(requester: RequestContext, brief: GameBrief) -> bool:
    """Return True if a game is shown in private replies there: a solo game, or one that no one else would see."""
    others = [entry for entry in brief.seats if entry.computer is None and entry.person != requester.id]
    return requester.request.nonmember and (is_answer_only(requester) or not others)


async def is_shown_nowhere_else(context: Context, requester: RequestContext, game: str) -> bool:
    """Return True if a game is shown only in private replies in the place of the request."""
    if not requester.request.nonmember or is_answer_only(requester):
        return requester.request.nonmember
    return all(post.place.id != requester.place.id for post in await context.store.posts.list_for_game(game))


async def board_reply(context: Context, requester: RequestContext, game: str) -> Reply:
    """Return a game's board as a reply, after waiting for the computer's turn."""
    await wait_for_computer(context, game, COMPUTER_REPLY_TIMEOUT_SECONDS)
    table = await context.table(game)
    seat = table.seat_of(requester.id)
    if seat is None or table.line is None:
        raise Refused("refusal.stale")
    asked = table.line.first_question if seat == table.mover else None
    card = nonmember_card(table, requester.speaker, asked, seat)
    return Reply(await with_picture(context, requester, table, card, asked, keeps_rows=True), update=True)


async def board_if_unseen(context: Context, requester: RequestContext, game: str, reply: Reply) -> Reply:
    """Return a game's board where nothing else shows it, otherwise the reply."""
    unseen = await is_shown_nowhere_else(context, requester, game)
    return await board_reply(context, requester, game) if unseen else reply


async def opened_reply(context: Context, requester: RequestContext, row: GameRow, reply: Reply) -> Reply:
    """Return the reply to the person who offered or joined a game: its board if it is shown only in replies."""
    return (
        await board_reply(context, requester, row.id)
        if shows_game_in_answers(requester, row)
        else replace(reply, opens=row.id)
    )


def answer_with_board(handler: PressHandler) -> PressHandler:
    """Wrap a press handler: its reply becomes the board where nothing else shows it, unless it asks a question."""

    async def answer(context: Context, requester: RequestContext, pressed: Press) -> Reply:
        is_delivered = not requester.request.nonmember
        if is_delivered or not pressed.game or not await is_shown_nowhere_else(context, requester, pressed.game):
            return await handler(context, requester, pressed)
        try:
            reply = await handler(context, requester, pressed)
        except Refused as refused:
            # The message is outdated: the current board is more useful than a refusal.
            if refused.key not in ("refusal.moved-on", "refusal.is-over"):
                raise
            return await board_reply(context, requester, pressed.game)
        asks = reply.card is not None and reply.card.rows and pressed.rest
        return reply if asks else await board_reply(context, requester, pressed.game)

    return answer


IN_WORDS: Final = ("true", "false")
"""The values of the option `text`: whether to describe the board in words."""


async def play_text(context: Context, requester: RequestContext, table: Table, text: str) -> Reply:
    """Play a typed line; the reply to an illegal one names the rule."""
    play.require_moving_seat(table, requester)
    try:
        actions = parse_typed(table.playing.state, text)
    except EngineError as error:
        said = engine_words(requester.speaker, table.row.game, error)
        return Reply(Card(said, rows=rows_to_go_on(table, error)))
    reply = await play_actions(context, requester, table, actions, update=False)
    return reply if reply.card is not None else await board_if_unseen(context, requester, table.id, reply)


def rows_to_go_on(table: Table, error: EngineError) -> Rows:
    """Return a button for each possible completion of an unfinished or ambiguous text; none for other errors."""
    presses = [Press("text", table.id, table.row.revision, each) for each in listed_options(error)]
    return button_rows([Button(each.rest, str(each)) for each in presses if each.fits])


async def press_choice(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle an answer in the tree of choices: ask the next question privately, or play the chosen action."""
    private = pressed.deed == PRIVATE_CHOICE
    table = await load_current_table(context, pressed)
    play.require_moving_seat(table, requester)
    try:
        asked = table.playing.ask(pressed.path)
    except NoSuchChoice as error:
        raise Refused("refusal.stale") from error
    drawn = not requester.request.undrawn or pressed.revision != table.row.revision
    if isinstance(asked, Question):
        card = choosing_card(table, requester.speaker, asked)
        return Reply(await with_picture(context, requester, table, card, asked, drawn=drawn), update=private)
    before = None if private else table.playing.ask(pressed.path[:-1])
    if not isinstance(before, Question) or not table.game.facts.is_weighty(asked):
        return await play_actions(context, requester, table, [asked], update=private)
    # A mistake on the shared board would be costly: ask for confirmation of the single press.
    card = confirm_card(table, requester.speaker, asked, pressed.path)
    chosen = tuple(replace(entry, number=0) for entry in before.entries if entry.leaf == asked)
    only = replace(before, entries=chosen)
    return Reply(await with_picture(context, requester, table, card, only, drawn=drawn, keeps_rows=True))


async def play_actions(
    context: Context, requester: RequestContext, table: Table, actions: Sequence[Action], *, update: bool
) -> Reply:
    """Play legal actions of the seat to move; ask the next question while the turn goes on, otherwise confirm.

    Refused if the game has changed meanwhile.
    """
    table, step = await play.play_on(context, table, actions, request=requester.request)
    line, events = step.line, step.events
    row = moved_row(table.row, line, context.clock(), len(events), moved=moving_seats(events))
    after = replace(table, brief=row, row=replace(row, revision=row.revision + len(events)), line=line)
    goes_on = after.mover == table.mover and line.has_acted and line.state.turn == table.playing.state.turn
    card, voice = None, requester.speaker.of(row.game)
    if goes_on:
        card = choosing_card(after, requester.speaker, line.first_question)
    elif update:
        card = Card(voice.say("ask.played", moves=line_words(voice, actions)))
    reply = Reply(card, update=update)
    await play.commit_line(context, table, step, requester.receipt(reply), row)
    if goes_on and card is not None:
        with suppress(Unavailable):  # the action is stored: a failure now must not suggest otherwise
            reply = replace(reply, card=await with_picture(context, requester, after, card, line.first_question))
    return reply


async def board(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Post a game's board again where it is shown, or in any place for a player; show it to others privately.

    With `text` it is described in words, privately.
    """
    handler, action = (show_words, "words") if values.get("text") == "true" else (show_board, "board")
    return await on_my_table(handler, action, seated=False)(context, requester, values)


async def show_words(_context: Context, requester: RequestContext, table: Table) -> Reply:
    """Describe the picture of a board in words, privately."""
    table.check_started()
    return Reply(words_card(table, requester.speaker, table.seat_of(requester.id)))


async def show_board(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Post a board as a new message for players; spectators see it privately, since it mentions a person."""
    if table.entry_of(requester.id) is None:
        return await show_privately(context, requester, table)
    if shows_game_in_answers(requester, table.row) and table.line is not None:
        return await board_reply(context, requester, table.id)
    stays = context.draws_for_readers(requester.place.platform) or context.edits_alone(requester.place)
    known = await context.store.posts.list_for_game(table.id) if stays else []
    if any(each.place.id == requester.place.id and each.message is not None for each in known):
        # The board stays in its place: open the requester's view.
        return await show_privately(context, requester, table)
    await context.store.posts.add(table.id, requester.place.id, context.clock())
    if table.line is not None and requester.person.settings.get("text"):
        return await show_words(context, requester, table)
    # The new message shows the clocks at the last change: the reply says the time left now.
    exact = time_left_words(table.in_language(requester.speaker), requester.speaker, context.clock())
    return Reply(Card(join(exact))) if exact else Reply()


async def press_show(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Show a chosen game privately, with a note if no one else can see it."""
    if pressed.game:
        table = await context.table(pressed.game)
    else:
        # The game that the pressed message shows; if it shows none, the game that the requester can mean here.
        table = await find_answered_table(context, requester) or await resolve_my_table(
            context, requester, None, "show", waiting=True, seated=False
        )
    reply = await show_privately(context, requester, table)
    if reply.card is None or not table.row.is_playing or await context.store.posts.list_for_game(table.id):
        return reply
    text = join([reply.card.text, requester.speaker.say("games.unshown")], "\n\n")
    return replace(reply, card=replace(reply.card, text=text))


async def show_privately(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Show a board privately, with the choices if the person is to move."""
    table.check_started()
    seat = table.seat_of(requester.id)
    if seat is not None and seat == table.mover:
        asked = table.playing.first_question
        card = choosing_card(table, requester.speaker, asked)
        left = time_left_words(table.in_language(requester.speaker), requester.speaker, context.clock())
        card = replace(card, text=join([card.text, *left]))
        return Reply(await with_picture(context, requester, table, card, asked))
    whole = board_card(table, requester.speaker, seat, now=context.clock())
    card = replace(whole, mention=None, rows=(), presses={}, cells=(), headline=headline(table))
    return Reply(await with_picture(context, requester, table, card, None))


async def press_reach(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Handle the button for the reach of the others: show the board with those cells marked, in private."""
    seat, voice = play.require_playing_seat(table, requester), table.words_for(requester.speaker)
    names = table.in_language(voice)
    said, reached = list[Text](), set[str]()
    for other, cells in list_reaches(table, seat):
        reached |= cells
        shown = ", ".join(sorted(cells, key=cell_sort_key))
        said.append(voice.say("reach.cells", who=names.name_span(other), cells=shown))
    if not said:
        raise Refused("refusal.stale")
    words = join(said)
    view = replace(await private_view(context, requester, table), reach=tuple(sorted(reached, key=cell_sort_key)))
    picture = await context.artist.picture(table, requester.speaker, view)
    return Reply(Card(words, picture=with_alt_prefix(picture, words), headline=headline(table)))


async def ask_whether_to_resign(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Ask whether the person really wants to resign; the question replaces the board where nothing else shows it."""
    play.require_playing_seat(table, requester)
    early = is_rated(table.row) and await is_early(context, table)
    unseen = await is_shown_nowhere_else(context, requester, table.id)
    return Reply(resign_card(table, requester.speaker, early=early), update=unseen)


async def resign(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Resign for the person."""
    seat = play.require_playing_seat(table, requester)
    said = requester.speaker.say("resign.done.many")
    if table.row.seat_count == 2:
        said = requester.speaker.say("resign.done", who=table.in_language(requester.speaker).name_span(1 - seat))
    reply = Reply(Card(said), update=True)
    await play.drop_seat(context, table, seat, "resigned", requester.receipt(reply), requester.request)
    return reply


async def press_fair(_context: Context, requester: RequestContext, table: Table) -> Reply:
    """Handle the button Fair chance: show the hash of a game's seed; after its end, the seed and how to check it."""
    if table.row.is_over and (table.line is None or not table.row.seed):
        raise Refused("refusal.stale")
    return Reply(fair_card(table, requester.speaker))


async def press_keep(_context: Context, requester: RequestContext, _pressed: Press) -> Reply:
    """Handle the answer No."""
    return requester.answer("resign.kept", update=True)


def on_my_table(handler: TableHandler, action: str, rest: str = "", *, seated: bool = True) -> CommandHandler:
    """Return the handler of a command for the meant game; if there are several, buttons for `action` choose one.

    With `seated` False it may be a game in this place that others play.
    """

    async def handle(context: Context, requester: RequestContext, values: Values) -> Reply:
        table = await resolve_my_table(context, requester, values.get("game"), action, rest, seated=seated)
        return await handler(context, requester, table)

    return handle


def on_current_table(handler: TableHandler) -> PressHandler:
    """Return the handler of a press that is refused once its game has moved on."""

    async def handle(context: Context, requester: RequestContext, pressed: Press) -> Reply:
        return await handler(context, requester, await load_current_table(context, pressed))

    return handle


async def load_current_table(context: Context, pressed: Press) -> Table:
    """Return the game of a press; Refused if it has changed since the button was shown."""
    table = await context.table(pressed.game)
    table.check_unfinished()
    if not last_moved_revision(table.row) <= pressed.revision <= table.row.revision:
        raise Refused("refusal.moved-on")
    return table


async def with_picture(
    context: Context,
    requester: RequestContext,
    table: Table,
    card: Card,
    asked: Question | None,
    *,
    drawn: bool = True,
    keeps_rows: bool = False,
) -> Card:
    """Return a card for one person with the board in words, if they want that, and its picture unless `drawn` is False.

    If its mover is `asked` a question, the rows become those of the question in the picture, unless it `keeps_rows`.
    """
    card = with_words_if_wanted(requester, table, card)
    if not drawn:
        return card
    choices = asked.picture_choices if asked is not None else None
    view = await private_view(context, requester, table, choices=choices)
    picture = await context.artist.picture(table, requester.speaker, view)
    if picture is None or asked is None or keeps_rows:
        return replace(card, picture=picture)
    voice = table.words_for(requester.speaker)
    return replace(card, picture=picture, rows=question_view(table, voice).rows(asked, picture.spots))


def with_words_if_wanted(requester: RequestContext, table: Table, card: Card) -> Card:
    """Return a card for one person, with the board in words if the person wants that."""
    wanted = wants_text(requester.person.settings, requester.place.effective)
    return with_position_in_words(card, table, requester.speaker) if wanted else card


async def press_share(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Handle the button Share: show privately the links to the game on every connected platform."""
    if table.row.is_over and table.line is None:
        raise Refused("refusal.is-over")
    ways = {name: way for name, each in context.adapters.items() if (way := each.game_link(table.id)) is not None}
    page = await find_page(context, "game", table.id)
    return Reply(share_card(table.row, requester.speaker, ways, page))
