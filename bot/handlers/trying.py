"""Trying lines out: a board of one's own, for all seats, beside a game or a finished one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import SystemRandom
from typing import Final

from bot.context.asker import Asker
from bot.context.context import Context
from bot.entry.choices import NoSuchChoice, Question, question
from bot.entry.talk import is_talk
from bot.explanations import why
from bot.handlers.finding import my_table, open_table, table_called
from bot.interface.cards import Button, Card
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused, engine_words
from bot.interface.requests import Reply
from bot.language.rich_text import Text
from bot.pictures.artist import View, theme_of
from bot.pictures.hint_marks import marks
from bot.presenters import tries as cards
from bot.presenters.analysis import described
from bot.presenters.in_words import text_wanted
from bot.presenters.picking import page_in
from bot.services import tries
from bot.services.plans import may_be_planned
from bot.services.tries import Trial
from bot.tables.table import Table
from bot.tables.told import with_begun
from bot.tables.tree import MOST_NOTE
from engine import Action, EngineError
from render.marks import Hint
from storage import read_code

NEXT_TURN: Final = ";"
"""Stands between turns that are typed in one line."""

_dice: Final = SystemRandom()


async def try_out(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Open a board to try lines out on, with a game's code or where that was done last; play what is typed there."""
    code, moves = await code_and_moves(context, values)
    table, meant = await _table_meant(context, asker, code)
    typed, note = moves.strip(), values.get("note", "").strip()
    trial = await tries.going_on(context, asker, table) if typed or note or not meant else None
    trial = trial or await tries.opened(context, asker, table)
    trial, said = _typed(asker, trial, typed)
    if note:
        trial = _noted(trial, note)
    reply = await kept(context, asker, trial, said)
    # What was typed on goes on in the message that is there, where the platform can.
    return reply if typed or note else replace(reply, update=False)


async def own_trial(context: Context, asker: Asker, code: str) -> Trial | None:
    """Return somebody's board beside a game, where they have left it; None where there is none (any more)."""
    read = read_code(code)
    if read is None or await context.store.game(read) is None:
        return None
    return await tries.going_on(context, asker, await context.table(read))


async def typed_on(context: Context, asker: Asker, trial: Trial, text: str, *, talk: bool) -> Reply | None:
    """Play a typed line on a board; None where it is just talk, if `talk` says that it may be."""
    if talk and is_talk(trial.line.state, text.partition(NEXT_TURN)[0]):
        return None
    return await kept(context, asker, *_typed(asker, trial, text))


async def hint_on(context: Context, asker: Asker, trial: Trial) -> Reply | None:
    """Show what the computer thinks of a position; None where it is not asked there."""
    return await _thought(context, asker, trial) if cards.thinks(trial) else None


def _typed(asker: Asker, trial: Trial, typed: str) -> tuple[Trial, list[Text]]:
    """Return the board after the turns of a typed line, and what is said of one that cannot be played."""
    for turn in filter(None, (each.strip() for each in typed.split(NEXT_TURN))):
        try:
            trial = tries.acted(trial, typed_actions(trial, turn))
        except EngineError as error:
            return trial, [engine_words(asker.mine, trial.table.row.game, error)]
    return trial, []


async def press_try(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button Try it out: at a game as it is, or as it was after a turn."""
    table = await context.table(pressed.game or "")
    number = int(pressed.rest) if pressed.rest.isdecimal() and len(pressed.rest) < 6 else None
    trial = await tries.opened(context, asker, table, number)
    return replace(await kept(context, asker, trial), update=False)


async def open_plan(context: Context, asker: Asker, table: Table) -> Reply:
    """Open somebody's board where their plan in a game ends; where it stands if there is none."""
    trial = await tries.going_on(context, asker, table) or await tries.opened(context, asker, table)
    about = [] if trial.tree.plans else [asker.mine.say("plan.about")]
    if trial.tree.plans:
        trial = tries.at(trial, trial.tree.gone(trial.tree.plans[-1]))
    return replace(await kept(context, asker, trial, about), update=False)


async def press_answer(context: Context, asker: Asker, pressed: Press) -> Reply:
    """An answer in the tree of choices on such a board."""
    trial = await board_of(context, asker, pressed)
    if trial.kept.revision != pressed.revision or cards.asked_now(trial) is None:
        return await shown(context, asker, trial)
    try:
        asked = question(trial.table.game.facts, trial.line.state.legal_actions(), pressed.path)
    except NoSuchChoice as error:
        raise Refused("refusal.stale") from error
    if isinstance(asked, Question):
        return await shown(context, asker, trial, asked=asked)
    return await kept(context, asker, tries.acted(trial, [asked]))


async def press_way(context: Context, asker: Asker, pressed: Press) -> Reply:
    """A button that leads through the tree, or throws dice, or asks what the computer thinks."""
    trial = await board_of(context, asker, pressed)
    if trial.kept.revision != pressed.revision:
        return await shown(context, asker, trial)
    tree, deed, rest = trial.tree, pressed.path[0] if pressed.path else "", pressed.path[1:]
    number = int(rest[0]) if rest and rest[0].isdecimal() and len(rest[0]) < 6 else None
    if deed == cards.BACK:
        return await kept(context, asker, tries.at(trial, tree.back()))
    if deed == cards.ON and tree.onward is not None:
        return await kept(context, asker, tries.at(trial, tree.gone(tree.onward)))
    if deed == cards.GO and number is not None and (number in tree.nodes or number in tree.roots):
        same = number == tree.here
        return await (
            shown(context, asker, trial) if same else kept(context, asker, tries.at(trial, tree.gone(number)))
        )
    if deed == cards.OTHER:
        return told_alone(cards.lines_card(trial, asker.mine, page_in(rest[0]) or 0 if rest else 0))
    if deed == cards.WORDS:
        return told_alone(cards.words_card(trial, asker.mine))
    if deed == cards.CUT and tree.here in tree.nodes:
        if len(tree.under(tree.here)) > 1:
            return told_alone(cards.sure_card(trial, asker.mine, cards.CUT_YES))
        return await kept(context, asker, tries.at(trial, tree.without(tree.here)))
    if deed == cards.CUT_YES and tree.here in tree.nodes:
        return await kept(context, asker, tries.at(trial, tree.without(tree.here)))
    if deed == cards.END:
        return told_alone(cards.sure_card(trial, asker.mine, cards.END_YES))
    if deed == cards.END_YES:
        reply = told_alone(Card(asker.mine.say("try.ended")))
        await tries.dropped(context, asker, trial, reply)
        return reply
    if deed == cards.THINK and cards.thinks(trial):
        return await _thought(context, asker, trial)
    if deed in (cards.ROLL, cards.DICE) and trial.waits_for_chance:
        return await kept(context, asker, tries.acted(trial, [_chance(trial, number if deed == cards.DICE else None)]))
    raise Refused("refusal.stale")


def told_alone(card: Card) -> Reply:
    """Return a card for nobody but the asker, in the place of the one that was pressed."""
    return Reply(card, private=True, update=True, apart=True, secret=True)


def _chance(trial: Trial, number: int | None) -> Action:
    """Return what chance does: the outcome chosen, else one that is thrown now."""
    state = trial.line.state
    if number is None:
        return state.sample_chance(_dice)
    outcomes = sorted((action for action, _ in state.chance_outcomes()), key=str)
    if not 0 <= number < len(outcomes):
        raise Refused("refusal.stale")
    return outcomes[number]


def typed_actions(trial: Trial, text: str) -> Sequence[Action]:
    """Return the actions that a line stands for where it is typed; the errors of the engine."""
    state = trial.line.state
    return [state.read(text)] if trial.waits_for_chance else state.parse(text)


def _noted(trial: Trial, note: str) -> Trial:
    """Return the board with a note at the turn that was played last; Refused where there is none."""
    if trial.tree.here not in trial.tree.nodes:
        raise Refused("refusal.try-note")
    if len(note) > MOST_NOTE:
        raise Refused("refusal.try-note-long", most=MOST_NOTE)
    return tries.at(trial, trial.tree.noted(" ".join(note.split())))


async def code_and_moves(context: Context, values: Mapping[str, str]) -> tuple[str, str]:
    """Return the code of a game, given by itself or before the moves, and the moves."""
    code, moves = values.get("game", ""), values.get("moves") or values.get("line", "")
    first, _, rest = moves.partition(" ")
    if not code and (read := read_code(first)) is not None and await context.store.game(read) is not None:
        return read, rest
    return code, moves


async def _table_meant(context: Context, asker: Asker, code: str) -> tuple[Table, bool]:
    """Return the game that somebody means, and whether they say so: else where they have tried last, or their own."""
    if code:
        return await table_called(context, code), True
    opened = await open_table(context, asker)
    if opened is not None and opened.line is not None:
        return opened, asker.request.board is None or asker.request.board.kind != "try"
    known = await context.store.tries_of(asker.person.id)
    if known:
        return await context.table(known[0].game), False
    return await my_table(
        context, asker, None, lambda brief: press("try", brief.id, brief.revision), waiting=True
    ), True


async def board_of(context: Context, asker: Asker, pressed: Press) -> Trial:
    """Return the board of a press; Refused if there is none (any more)."""
    trial = await tries.going_on(context, asker, await context.table(pressed.game or ""))
    if trial is None:
        again = Button(asker.mine.line("button.try"), press("try", pressed.game, 0))
        raise Refused("refusal.try-gone", rows=((again,),))
    return trial


async def _thought(context: Context, asker: Asker, trial: Trial) -> Reply:
    """Show what the computer thinks of a position, with the turn that it would play marked."""
    found = await context.advice.hint(replace(trial.table, line=trial.line), asker.person.id)
    if found is None:
        return await shown(context, asker, trial, [asker.mine.say("hint.thinking")])
    names = [trial.table.spoken(asker.mine).span(seat) for seat in range(trial.table.row.seat_count)]
    reasons = why(asker.mine, found.before, found.actions, names, found.judged)
    said = cards.thought(trial, asker.mine, found, reasons)
    hint = marks(trial.table.game.facts, found.actions)
    return await shown(context, asker, trial, [said], hint=hint)


async def kept(
    context: Context, asker: Asker, trial: Trial, said: Sequence[Text] = (), *, plans: bool = False
) -> Reply:
    """Keep a board as it is now and show it; where somebody was faster, what they have left."""

    def answer(after: Trial) -> Reply:
        return told_alone(_card(asker, after, said, cards.asked_now(after)))

    try:
        after, reply = await tries.keep(context, asker, trial, answer, plans=plans)
    except Refused as refused:
        known = await tries.going_on(context, asker, trial.table)
        if refused.key != "refusal.moved-on" or known is None or plans:
            raise
        return await shown(context, asker, known)
    return await _with_picture(context, asker, after, reply, cards.asked_now(after))


async def shown(
    context: Context,
    asker: Asker,
    trial: Trial,
    said: Sequence[Text] = (),
    *,
    asked: Question | None = None,
    hint: Hint | None = None,
) -> Reply:
    """Show a board as it is."""
    asked = asked or cards.asked_now(trial)
    reply = told_alone(_card(asker, trial, said, asked))
    return await _with_picture(context, asker, trial, reply, asked, hint)


def _card(asker: Asker, trial: Trial, said: Sequence[Text], asked: Question | None) -> Card:
    wanted = text_wanted(asker.person.settings, asker.place.effective)
    news = [asker.mine.say("try.lapsed")] if trial.lapsed else []
    if trial.stopped:
        news.append(asker.mine.say(f"plan.stopped.{trial.stopped}"))
    plannable = may_be_planned(trial.table.row) and trial.table.seat_of(asker.person.id) is not None
    return cards.trial_card(trial, asker.mine, said=[*news, *said], asked=asked, in_words=wanted, plannable=plannable)


async def _with_picture(
    context: Context, asker: Asker, trial: Trial, reply: Reply, asked: Question | None, hint: Hint | None = None
) -> Reply:
    if reply.card is None:
        return reply
    table, line, caption = trial.table, trial.line, asker.mine.line(cards.caption(trial)[0])
    mover = line.state.to_move
    view = View(
        viewer=table.seat_of(asker.person.id) or 0,
        choices=asked.marks if asked and hint is None else None,
        theme=theme_of(asker.person.settings, asker.place.effective),
        hint=hint,
        wide=context.shows_low(asker.place.platform),
        goals_of=mover if mover is not None and mover >= 0 else None,
        tried=caption,
    )
    voice = asker.mine.of(table.row.game)
    earlier = with_begun(line, line.newest[-1:])[:-1]
    picture = await context.artist.scene(line.state, line.shown, voice, view, table.spoken(asker.mine).names, earlier)
    told = described(picture, asker.mine.say(cards.caption(trial)[1]))
    return replace(reply, card=replace(reply.card, picture=told))
