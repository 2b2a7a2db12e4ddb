"""Commands and presses of boards to try lines out on, for all seats, beside a running or finished game."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import SystemRandom
from typing import Final

from bot.core.context import Context
from bot.core.game_pages import read_page
from bot.core.question_cards import with_alt_prefix
from bot.core.request_context import RequestContext
from bot.entry.beginnings import parse_typed
from bot.entry.choices import NoSuchChoice, Question
from bot.entry.talk import is_talk_beside_board
from bot.explanations import explain_turn
from bot.explore import cards
from bot.explore import service as tries
from bot.explore.service import Trial
from bot.interface.cards import Button, Card
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused, engine_words
from bot.interface.requests import Reply
from bot.language.texts import Text
from bot.pictures.artist import BoardView, choose_theme
from bot.pictures.hint_marks import hint_marks
from bot.play.card_parts import wants_text
from bot.play.game_lookup import load_table_by_code, open_table, resolve_my_table
from bot.play.plans import may_be_planned
from bot.tables.table import Table, with_current_turn
from bot.tables.tree import MAX_NOTE_LENGTH
from engine import Action, EngineError
from render.marks import Hint
from storage import read_code

TURN_SEPARATOR: Final = ";"
"""Separator of turns typed in one line."""

_dice: Final = SystemRandom()


async def try_out(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Open a board to try lines out on, by a game's code or where the person last did; play what is typed there."""
    code, moves = await split_code_and_moves(context, values)
    table, meant = await _resolve_table(context, asker, code)
    typed, note = moves.strip(), values.get("note", "").strip()
    trial = await tries.continue_board(context, asker, table) if typed or note or not meant else None
    trial = trial or await tries.open_board(context, asker, table)
    trial, said = _play_typed_line(asker, trial, typed)
    if note:
        trial = _add_note(trial, note)
    reply = await store_and_show(context, asker, trial, said)
    # What was typed goes on in the existing message, where the platform allows it.
    return reply if typed or note else replace(reply, update=False)


async def find_own_trial(context: Context, asker: RequestContext, code: str) -> Trial | None:
    """Return the asker's board beside a game, where they left it; None if there is none (any more)."""
    read = read_code(code)
    if read is None or await context.store.games.get(read) is None:
        return None
    return await tries.continue_board(context, asker, await load_table_by_code(context, asker, read))


async def play_typed_line(
    context: Context, asker: RequestContext, trial: Trial, text: str, *, talk: bool
) -> Reply | None:
    """Play a typed line on a board; None if it is just talk, when `talk` allows that."""
    if talk and is_talk_beside_board(trial.line.state, text.partition(TURN_SEPARATOR)[0]):
        return None
    return await store_and_show(context, asker, *_play_typed_line(asker, trial, text))


async def show_hint(context: Context, asker: RequestContext, trial: Trial) -> Reply | None:
    """Show the computer's view of a position; None where it may not be asked."""
    return await _computer_opinion(context, asker, trial) if cards.may_evaluate(trial) else None


def _play_typed_line(asker: RequestContext, trial: Trial, typed: str) -> tuple[Trial, list[Text]]:
    """Return the board after the turns of a typed line, and the refusal of one that cannot be played."""
    for turn in filter(None, (each.strip() for each in typed.split(TURN_SEPARATOR))):
        try:
            trial = tries.play_actions(trial, parse_actions(trial, turn))
        except EngineError as error:
            return trial, [engine_words(asker.mine, trial.table.row.game, error)]
    return trial, []


async def press_try(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button Try it out: in a game's current position, or the one after a turn."""
    table = await context.table(pressed.game or "")
    number = int(pressed.rest) if pressed.rest.isdecimal() and len(pressed.rest) < 6 else None
    trial = await tries.open_board(context, asker, table, number)
    return replace(await store_and_show(context, asker, trial), update=False)


async def open_plan(context: Context, asker: RequestContext, table: Table) -> Reply:
    """Open the asker's board at the end of their plan in a game; in the current position if there is none."""
    trial = await tries.continue_board(context, asker, table) or await tries.open_board(context, asker, table)
    about = [] if trial.tree.plans else [asker.mine.say("plan.about")]
    if trial.tree.plans:
        trial = tries.go_to_node(trial, trial.tree.at_node(trial.tree.plans[-1]))
    return replace(await store_and_show(context, asker, trial, about), update=False)


async def press_answer(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle an answer in the tree of choices on such a board."""
    trial = await load_board(context, asker, pressed)
    if trial.stored_tree.revision != pressed.revision or cards.find_question(trial) is None:
        return await board_reply(context, asker, trial)
    try:
        asked = trial.line.ask(pressed.path)
    except NoSuchChoice as error:
        raise Refused("refusal.stale") from error
    if isinstance(asked, Question):
        return await board_reply(context, asker, trial, asked=asked)
    return await store_and_show(context, asker, tries.play_actions(trial, [asked]))


async def press_control(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle a button that moves through the tree, throws dice, or asks for the computer's view."""
    trial = await load_board(context, asker, pressed)
    if trial.stored_tree.revision != pressed.revision:
        return await board_reply(context, asker, trial)
    tree, deed, rest = trial.tree, pressed.path[0] if pressed.path else "", pressed.path[1:]
    number = int(rest[0]) if rest and rest[0].isdecimal() and len(rest[0]) < 6 else None
    if deed == cards.BACK:
        return await store_and_show(context, asker, tries.go_to_node(trial, tree.back()))
    if deed == cards.ON and tree.next_turn is not None:
        return await store_and_show(context, asker, tries.go_to_node(trial, tree.at_node(tree.next_turn)))
    if deed == cards.GO and number is not None and (number in tree.nodes or number in tree.roots):
        same = number == tree.here
        return await (
            board_reply(context, asker, trial)
            if same
            else store_and_show(context, asker, tries.go_to_node(trial, tree.at_node(number)))
        )
    if deed == cards.OTHER:
        return reply_privately(cards.lines_card(trial, asker.mine, read_page(rest[0]) or 0 if rest else 0))
    if deed == cards.WORDS:
        return reply_privately(cards.words_card(trial, asker.mine))
    if deed == cards.CUT and tree.here in tree.nodes:
        if len(tree.subtree(tree.here)) > 1:
            return reply_privately(cards.confirm_card(trial, asker.mine, cards.CUT_YES))
        return await store_and_show(context, asker, tries.go_to_node(trial, tree.without_turn(tree.here)))
    if deed == cards.CUT_YES and tree.here in tree.nodes:
        return await store_and_show(context, asker, tries.go_to_node(trial, tree.without_turn(tree.here)))
    if deed == cards.END:
        return reply_privately(cards.confirm_card(trial, asker.mine, cards.END_YES))
    if deed == cards.END_YES:
        reply = reply_privately(Card(asker.mine.say("try.ended")))
        await tries.drop_board(context, asker, trial, reply)
        return reply
    if deed == cards.THINK and cards.may_evaluate(trial):
        return await _computer_opinion(context, asker, trial)
    if deed in (cards.ROLL, cards.DICE) and trial.waits_for_chance:
        return await store_and_show(
            context, asker, tries.play_actions(trial, [_chance_action(trial, number if deed == cards.DICE else None)])
        )
    raise Refused("refusal.stale")


def reply_privately(card: Card) -> Reply:
    """Return a reply with a card for the asker only, in place of the one that was pressed."""
    return Reply(card, private=True, update=True, apart=True, secret=True)


def _chance_action(trial: Trial, number: int | None) -> Action:
    """Return an outcome of chance: the chosen one, otherwise one thrown now."""
    state = trial.line.state
    if number is None:
        return state.sample_chance(_dice)
    outcomes = sorted((action for action, _ in state.chance_outcomes()), key=str)
    if not 0 <= number < len(outcomes):
        raise Refused("refusal.stale")
    return outcomes[number]


def parse_actions(trial: Trial, text: str) -> Sequence[Action]:
    """Return the actions of a typed line; raises the engine's errors."""
    state = trial.line.state
    return [state.read(text)] if trial.waits_for_chance else parse_typed(state, text)


def _add_note(trial: Trial, note: str) -> Trial:
    """Return the board with a note at the turn played last; Refused if there is none."""
    if trial.tree.here not in trial.tree.nodes:
        raise Refused("refusal.try-note")
    if len(note) > MAX_NOTE_LENGTH:
        raise Refused("refusal.try-note-long", most=MAX_NOTE_LENGTH)
    return tries.go_to_node(trial, trial.tree.with_note(" ".join(note.split())))


async def split_code_and_moves(context: Context, values: Mapping[str, str]) -> tuple[str, str]:
    """Return the code of a game, given by itself or before the moves, and the moves."""
    code, moves = values.get("game", ""), values.get("moves") or values.get("line", "")
    first, _, rest = moves.partition(" ")
    if not code and (read := read_code(first)) is not None and await context.store.games.get(read) is not None:
        return read, rest
    return code, moves


async def _resolve_table(context: Context, asker: RequestContext, code: str) -> tuple[Table, bool]:
    """Return the game that is meant, and whether it was named: otherwise the one last tried out, or the asker's own."""
    if code:
        return await load_table_by_code(context, asker, code), True
    opened = await open_table(context, asker)
    if opened is not None and opened.line is not None:
        return opened, asker.request.board is None or asker.request.board.kind != "try"
    known = await context.store.trees.list_for_person(asker.person.id)
    if known:
        return await load_table_by_code(context, asker, known[0].game), False
    return await resolve_my_table(
        context, asker, None, lambda brief: press("try", brief.id, brief.revision), waiting=True
    ), True


async def load_board(context: Context, asker: RequestContext, pressed: Press) -> Trial:
    """Return the board of a press; Refused if there is none (any more)."""
    trial = await tries.continue_board(context, asker, await context.table(pressed.game or ""))
    if trial is None:
        again = Button(asker.mine.line("button.try"), press("try", pressed.game, 0))
        raise Refused("refusal.try-gone", rows=((again,),))
    return trial


async def _computer_opinion(context: Context, asker: RequestContext, trial: Trial) -> Reply:
    """Show the computer's view of a position, with its turn marked."""
    found = await context.advice.hint(replace(trial.table, line=trial.line), asker.person.id)
    if found is None:
        return await board_reply(context, asker, trial, [asker.mine.say("hint.thinking")])
    names = [trial.table.in_language(asker.mine).name_span(seat) for seat in range(trial.table.row.seat_count)]
    reasons = explain_turn(asker.mine, found.before, found.actions, names, found.judged)
    said = cards.evaluation_words(trial, asker.mine, found, reasons)
    hint = hint_marks(trial.line.state, found.actions)
    return await board_reply(context, asker, trial, [said], hint=hint)


async def store_and_show(
    context: Context, asker: RequestContext, trial: Trial, said: Sequence[Text] = (), *, plans: bool = False
) -> Reply:
    """Store a board and show it; if it has changed meanwhile, show the stored one."""

    def answer(after: Trial) -> Reply:
        return reply_privately(_board_card(asker, after, said, cards.find_question(after)))

    try:
        after, reply = await tries.store_board(context, asker, trial, answer, plans=plans)
    except Refused as refused:
        known = await tries.continue_board(context, asker, trial.table)
        if refused.key != "refusal.moved-on" or known is None or plans:
            raise
        return await board_reply(context, asker, known)
    return await _with_picture(context, asker, after, reply, cards.find_question(after))


async def board_reply(
    context: Context,
    asker: RequestContext,
    trial: Trial,
    said: Sequence[Text] = (),
    *,
    asked: Question | None = None,
    hint: Hint | None = None,
) -> Reply:
    """Show a board as it is."""
    asked = asked or cards.find_question(trial)
    reply = reply_privately(_board_card(asker, trial, said, asked))
    return await _with_picture(context, asker, trial, reply, asked, hint)


def _board_card(asker: RequestContext, trial: Trial, said: Sequence[Text], asked: Question | None) -> Card:
    wanted = wants_text(asker.person.settings, asker.place.effective)
    news = [asker.mine.say("try.lapsed")] if trial.lapsed else []
    if trial.stopped:
        news.append(asker.mine.say(f"plan.stopped.{trial.stopped}"))
    plannable = may_be_planned(trial.table.row) and trial.table.seat_of(asker.person.id) is not None
    return cards.board_card(trial, asker.mine, said=[*news, *said], asked=asked, in_words=wanted, plannable=plannable)


async def _with_picture(
    context: Context,
    asker: RequestContext,
    trial: Trial,
    reply: Reply,
    asked: Question | None,
    hint: Hint | None = None,
) -> Reply:
    if reply.card is None:
        return reply
    table, line, caption = trial.table, trial.line, asker.mine.line(cards.caption_keys(trial)[0])
    mover, pressed = line.state.to_move, context.draws_for_readers(asker.place.platform)
    view = BoardView(
        viewer=table.seat_of(asker.person.id) or 0,
        choices=asked.marks(pressed=pressed) if asked and hint is None else None,
        theme=choose_theme(asker.person.settings, asker.place.effective),
        hint=hint,
        wide=context.shows_small_pictures(asker.place.platform),
        goals_of=mover if mover is not None and mover >= 0 else None,
        tried=caption,
    )
    voice = asker.mine.of(table.row.game)
    earlier = with_current_turn(line, line.newest_turns[-1:])[:-1]
    picture = await context.artist.scene(
        line.state, line.shown_turn, voice, view, table.in_language(asker.mine).names, earlier
    )
    described = with_alt_prefix(picture, asker.mine.say(cards.caption_keys(trial)[1]))
    return replace(reply, card=replace(reply.card, picture=described))
