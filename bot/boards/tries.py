"""Boards to try lines out on, for all seats, beside a running or finished game: no one answers."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from random import SystemRandom
from typing import Final, Self

import structlog

from bot.boards import try_cards as cards
from bot.boards.board import (
    TURN_SEPARATOR,
    BoardScene,
    BoardStep,
    NoSuchBoard,
    PrivateBoard,
    open_board,
    reply_privately,
    show,
    show_step,
)
from bot.kernel.cards import Button, Card, Row, TreeLine
from bot.kernel.commandline import parse_typed
from bot.kernel.context import Context
from bot.kernel.explanations import explain_turn
from bot.kernel.line import Line, follow_actions
from bot.kernel.pictures import BoardView
from bot.kernel.presses import TRY_ANSWER, TRY_CONTROL, Press, press
from bot.kernel.question_cards import read_page
from bot.kernel.refusals import Refused, engine_words
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.table import BrokenGame, Table
from bot.kernel.texts import Speaker, Text, pin_text
from bot.kernel.tree import (
    MAX_NODES,
    MAX_NOTE_LENGTH,
    UNKNOWN_LENGTH,
    AnalysisTree,
    TreeFull,
    position_digest,
    read_tree,
    root_at,
)
from bot.table.cards import outcome_words
from bot.table.game_lookup import load_table_by_code, open_table, resolve_my_table
from bot.table.replaying import line_after_turns, line_of_play, may_be_tried, replay_steps, turns_of
from bot.table.service import MAX_TREES_PER_PERSON, may_be_planned, require_playing_seat
from engine import CHANCE, Action, EngineError, games
from storage import Conflict, ProcessedEvent, StoredTree, TooManyTrees, read_code

RETENTION: Final = timedelta(days=7)
"""Time for which a tree is stored after its game has ended and it was last used."""
_dice: Final = SystemRandom()

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class TrialBoard(PrivateBoard):
    """A person's board to try lines out on: the game's table, the stored tree, the tree and the line so far.

    `lapsed`: True if lines are gone because the game went back to before they begin. `stopped` is why plans have
    stopped, if that is still to be reported. `adds_plan`: a plan is being added, for which the game must not have
    changed.
    """

    table: Table
    stored: StoredTree
    tree: AnalysisTree
    line: Line
    lapsed: bool = False
    stopped: str = ""
    adds_plan: bool = False

    kind = "try"
    answers = TRY_ANSWER
    controls = TRY_CONTROL

    @property
    def code(self) -> str:
        """The game's code."""
        return self.table.row.id

    @property
    def game(self) -> str:
        """The key of the game."""
        return self.table.row.game

    @property
    def waits_for_chance(self) -> bool:
        """True if dice are to be thrown, or something is to be dealt."""
        return self.line.state.to_move == CHANCE

    @property
    def asks(self) -> bool:
        """True if some seat is to move."""
        return self.line.state.to_move is not None and not self.waits_for_chance

    @property
    def at_root(self) -> bool:
        """True if nothing has been tried here yet: the position is the game's."""
        return not self.tree.begun and self.tree.here in self.tree.roots

    @classmethod
    async def load(cls, context: Context, requester: RequestContext, code: str) -> Self:
        """Return the requester's board beside a game, as they left it; NoSuchBoard, Refused if lines are forbidden."""
        board = await cls.beside(context, requester, await context.table(code))
        if not board.tree.roots:
            again = Button(requester.speaker.line("button.try"), press("try", code, 0))
            raise NoSuchBoard("refusal.try-gone", rows=((again,),))
        return board

    @classmethod
    async def beside(cls, context: Context, requester: RequestContext, table: Table) -> Self:
        """Return what the requester has tried out in a game, without what has lapsed; Refused where it is forbidden."""
        row = table.row
        if table.line is None:
            raise Refused("refusal.not-started", code=row.id)
        if not may_be_tried(table):
            raise Refused("refusal.try-off")
        stored = await context.store.trees.get(requester.person.id, row.id) or StoredTree(requester.person.id, row.id)
        tree = read_tree(stored.tree)
        gone, stopped = await find_lapsed_roots(context, table, tree), tree.stopped
        tree = replace(tree.without_roots(gone), checked=row.revision, stopped="")
        if not tree.roots:
            tree = AnalysisTree(last=tree.last, checked=row.revision, guesses=tree.guesses)
            return cls(table, stored, tree, table.playing, bool(gone), stopped)
        try:
            line = tree.line(table.game)
        except EngineError as error:
            # Stored under other rules: nothing of it can be played any more.
            log.warning("analysis-board-unreadable", game=row.id, reason=str(error))
            return cls(table, stored, AnalysisTree(checked=row.revision), table.playing, lapsed=True)
        return cls(table, stored, tree, line, bool(gone), stopped)

    @classmethod
    async def begin(cls, context: Context, requester: RequestContext, table: Table, number: int | None = None) -> Self:
        """Return the requester's board at a game's current position, or at the one after `number` of its turns.

        If the tried line is the one that was played, the board continues it.
        """
        board = await cls.beside(context, requester, table)
        tree = board.tree
        if table.row.rules_version != games[table.row.game].rules_version:
            return board.at(tree.at_root(root_at(table.playing, UNKNOWN_LENGTH)))
        every = await turns_of(context, table)
        turns, line = every, table.playing
        if number is not None and 0 <= number < len(every):
            turns, line = every[:number], line_after_turns(table.playing, every, number)
        actions = [action.text for turn in turns for action in turn.actions]
        reached = tree.node_reached(actions)
        if reached is not None:
            return board.at(tree.at_node(reached))
        return board.at(tree.at_root(root_at(line, len(actions))))

    def at(self, tree: AnalysisTree) -> Self:
        """Return the board with another tree, at its current node."""
        return replace(self, tree=tree, line=tree.line(self.table.game))

    def after(self, actions: Sequence[Action]) -> Self:
        """Return the board after actions of the player to move, or of chance; Refused if the tree is full."""
        try:
            tree, line = self.tree.after_actions(self.line, actions)
        except TreeFull as error:
            raise Refused("refusal.try-full", most=MAX_NODES) from error
        return replace(self, tree=tree, line=line)

    def after_typed(self, turn: str) -> Self:
        """Return the board after a typed turn, or throw; raises the engine's errors."""
        state = self.line.state
        return self.after([state.read(turn)] if self.waits_for_chance else parse_typed(state, turn))

    async def play(self, context: Context, requester: RequestContext, actions: Sequence[Action]) -> BoardStep:
        """Try actions of the player to move."""
        return BoardStep(self.after(actions))

    async def enter(self, context: Context, requester: RequestContext, text: str) -> BoardStep:
        """Try typed turns; the refusal of one that cannot be played, if it is not the first, is said."""
        board = self
        for turn in filter(None, (each.strip() for each in text.split(TURN_SEPARATOR))):
            try:
                board = board.after_typed(turn)
            except EngineError as error:
                if board is self:
                    raise
                return BoardStep(board, [engine_words(requester.speaker, self.game, error)])
        return BoardStep(board)

    async def prepare(self, context: Context, requester: RequestContext) -> Self:
        """Return the board with its row."""
        row = replace(self.stored, tree=self.tree.to_json(), planned=self.tree.planned)
        return replace(self, stored=row)

    async def write(self, context: Context, processed: ProcessedEvent) -> None:
        """Store the tree; Conflict if it has changed (with a plan, or the game), Refused without room for another."""
        game_at = self.table.row.revision if self.adds_plan else None
        try:
            await context.store.trees.store(
                self.stored, context.clock(), MAX_TREES_PER_PERSON, processed, game_at=game_at
            )
        except Conflict as error:
            if not self.adds_plan:
                raise
            raise Refused("refusal.moved-on") from error
        except TooManyTrees as error:
            raise Refused("refusal.try-many", most=MAX_TREES_PER_PERSON) from error

    async def suggest(self, context: Context, requester: RequestContext) -> BoardStep | None:
        """Show the computer's view of the position, with its turn marked; None where it may not be asked."""
        if not cards.may_evaluate(self):
            return None
        found = await context.advice.hint(replace(self.table, line=self.line), requester.person.id)
        if found is None:
            return BoardStep(self, [requester.speaker.say("hint.thinking")], changed=False)
        table = self.table.in_language(requester.speaker)
        names = table.name_spans
        reasons = explain_turn(requester.speaker, found.before, found.actions, names, found.judged)
        said = cards.evaluation_words(self, requester.speaker, found, reasons)
        return BoardStep(self, [said], changed=False, scene=replace(self.scene(requester), marked=found.actions))

    async def press(self, context: Context, requester: RequestContext, path: Sequence[str]) -> BoardStep | Reply | None:
        """Move through the tree, throw dice, plan, or ask for the computer's view."""
        tree, deed = self.tree, path[0] if path else ""
        text = path[1] if len(path) > 1 else ""
        number = int(text) if text.isdecimal() and len(text) < 6 else None
        if deed == cards.BACK:
            return BoardStep(self.at(tree.back()))
        if deed == cards.ON and tree.next_turn is not None:
            return BoardStep(self.at(tree.at_node(tree.next_turn)))
        if deed == cards.GO and number is not None and (number in tree.nodes or number in tree.roots):
            return BoardStep(self, changed=False) if number == tree.here else BoardStep(self.at(tree.at_node(number)))
        if deed == cards.OTHER:
            return reply_privately(cards.lines_card(self, requester.speaker, read_page(text) or 0 if text else 0))
        if deed == cards.WORDS:
            head = [cards.title(self, requester.speaker.of(self.game))]
            return reply_privately(self.description_card(requester, head, cards.GO, str(tree.here)))
        if deed == cards.THINK:
            return await self.suggest(context, requester)
        if deed == cards.END:
            return reply_privately(cards.confirm_card(self, requester.speaker, cards.END_YES))
        if deed == cards.END_YES:
            reply = reply_privately(Card(requester.speaker.say("try.ended")))
            try:
                await context.store.trees.delete(self.stored, context.clock(), requester.receipt(reply))
            except Conflict as error:
                raise Refused("refusal.moved-on") from error
            return reply
        if deed in (cards.CUT, cards.CUT_YES) and tree.here in tree.nodes:
            if deed == cards.CUT and len(tree.subtree(tree.here)) > 1:
                return reply_privately(cards.confirm_card(self, requester.speaker, cards.CUT_YES))
            return BoardStep(self.at(tree.without_turn(tree.here)))
        if deed in (cards.ROLL, cards.DICE) and self.waits_for_chance:
            action = self._chance_action(number if deed == cards.DICE else None)
            return None if action is None else BoardStep(self.after([action]))
        if deed == cards.PLAN:
            return BoardStep(await self.with_plan(context, requester), [requester.speaker.say("plan.made")])
        if deed == cards.UNPLAN:
            gone = {*tree.path_to(tree.here), *tree.subtree(tree.here)}
            left = tree.with_planned([number for number in tree.plans if number not in gone], alone=True)
            return BoardStep(self.at(left), [requester.speaker.say("plan.off")])
        return None

    def _chance_action(self, number: int | None) -> Action | None:
        """Return an outcome of chance: the chosen one, otherwise one thrown now; None if there is no such outcome."""
        state = self.line.state
        if number is None:
            return state.sample_chance(_dice)
        outcomes = sorted((action for action, _ in state.chance_outcomes()), key=str)
        return outcomes[number] if 0 <= number < len(outcomes) else None

    async def with_plan(self, context: Context, requester: RequestContext) -> Self:
        """Return the board with the requester's own turns of the line planned; Refused where that is not possible."""
        table, tree = self.table, self.tree
        seat = require_playing_seat(table, requester)
        if not may_be_planned(table.row):
            raise Refused("refusal.plan-not-here")
        if table.row.offers.pending:
            raise Refused("refusal.plan-offer")
        if table.row.progress.paused:
            raise Refused("refusal.plan-paused")
        actions = [action.text for turn in await turns_of(context, table) for action in turn.actions]
        reached, way = tree.node_reached(actions), tree.path_to(tree.here)
        if reached is None or (reached not in way and reached != tree.root_of(tree.here)):
            raise Refused("refusal.plan-elsewhere")
        mine = self._own_planned_turns(seat, way[way.index(reached) + 1 :] if reached in way else way, reached)
        if not mine:
            raise Refused("refusal.plan-none")
        return replace(self.at(tree.with_planned(mine)), adds_plan=True)

    def _own_planned_turns(self, seat: int, way: Sequence[int], reached: int) -> list[int]:
        """Return the turns of a seat on a path through the tree that answer one of the opponent's."""
        line, met, found = self.tree.line_to(self.table.game, reached), False, list[int]()
        for number in way:
            if line.state.to_move != seat:
                met = True
            elif met:
                found.append(number)
            line = follow_actions(line, self.tree.nodes[number].play)
        return found

    def with_note(self, note: str) -> Self:
        """Return the board with a note at the turn played last; Refused if there is none."""
        if self.tree.here not in self.tree.nodes:
            raise Refused("refusal.try-note")
        if len(note) > MAX_NOTE_LENGTH:
            raise Refused("refusal.try-note-long", most=MAX_NOTE_LENGTH)
        return self.at(self.tree.with_note(" ".join(note.split())))

    def names(self, requester: RequestContext) -> tuple[str, ...]:
        """Return the names of those who play."""
        return self.table.in_language(requester.speaker).names

    def scene(self, requester: RequestContext) -> BoardScene:
        """Return the board from the requester's side, tried or planned, with the goals of who is to move."""
        caption, alt = cards.caption_keys(self)
        mover, seat = self.line.state.to_move, self.table.seat_of(requester.person.id) or 0
        goals = mover if mover is not None and mover >= 0 else None
        view = BoardView(viewer=seat, goals_of=goals, tried=requester.speaker.line(caption))
        return BoardScene(self.line, view, words=requester.speaker.say(alt), is_tried=True)

    def words(self, requester: RequestContext, step: BoardStep, question: Sequence[Text]) -> Sequence[Text]:
        """Return the line that is tried, after what has happened to it, who is to move, and the plans."""
        speaker, state = requester.speaker, self.line.state
        voice, table = speaker.of(self.game), self.table.in_language(speaker)
        said = [speaker.say("try.lapsed")] if self.lapsed else []
        said += [speaker.say(f"plan.stopped.{self.stopped}")] if self.stopped else []
        parts = [cards.title(self, voice), *said, *step.said, *cards.tried_words(self, voice)]
        if state.outcome is not None:
            parts += outcome_words(table, voice, state.outcome)
        elif self.waits_for_chance:
            parts.append(pin_text(voice.say("try.chance")))
        elif state.to_move is not None:
            parts.append(voice.say("board.theirs", who=table.name_span(state.to_move)))
        parts += question
        if self.tree.planned and not step.is_choosing:
            parts.append(voice.say("plan.stands", plans=cards.plans_words(self.tree, voice)))
        return parts

    def rows(self, requester: RequestContext, step: BoardStep) -> tuple[Row, ...]:
        """Return the buttons that let chance act, and those through the tree."""
        if step.is_choosing:
            return ()
        voice, row = requester.speaker.of(self.game), self.table.row
        plannable = may_be_planned(row) and self.table.seat_of(requester.person.id) is not None
        chance = cards.chance_rows(self, voice) if self.waits_for_chance else []
        return (*chance, *cards.navigation_rows(self, voice, plannable=plannable))

    def tree_lines(self, speaker: Speaker) -> tuple[TreeLine, ...]:
        """Return the tree as a page shows it beside the board."""
        return cards.tree_lines(self, speaker)


async def try_out(context: Context, requester: RequestContext, values: Mapping[str, str]) -> Reply:
    """Open a board to try lines out on, by a game's code or where the person last did; play what is typed there."""
    code, moves = await split_code_and_moves(context, values)
    table, meant = await _resolve_table(context, requester, code)
    typed, note = moves.strip(), values.get("note", "").strip()
    board = await TrialBoard.beside(context, requester, table) if typed or note or not meant else None
    if board is None or not board.tree.roots:
        board = await TrialBoard.begin(context, requester, table)
    try:
        step = await board.enter(context, requester, typed)
    except EngineError as error:
        step = BoardStep(board, [engine_words(requester.speaker, board.game, error)])
    if note and isinstance(step.board, TrialBoard):
        step = replace(step, board=step.board.with_note(note))
    reply = await show_step(context, requester, step)
    # What was typed goes on in the existing message, where the platform allows it.
    return reply if typed or note else replace(reply, update=False)


async def press_try(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button Try it out: in a game's current position, or the one after a turn."""
    table = await context.table(pressed.game or "")
    number = int(pressed.rest) if pressed.rest.isdecimal() and len(pressed.rest) < 6 else None
    return await open_board(context, requester, await TrialBoard.begin(context, requester, table, number))


async def split_code_and_moves(context: Context, values: Mapping[str, str]) -> tuple[str, str]:
    """Return the code of a game, given by itself or before the moves, and the moves."""
    code, moves = values.get("game", ""), values.get("moves") or values.get("line", "")
    first, _, rest = moves.partition(" ")
    if not code and (read := read_code(first)) is not None and await context.store.games.get(read) is not None:
        return read, rest
    return code, moves


async def _resolve_table(context: Context, requester: RequestContext, code: str) -> tuple[Table, bool]:
    """Return the game that is meant, and whether it was named; if not, the one last tried out, or their own."""
    if code:
        return await load_table_by_code(context, requester, code), True
    opened = await open_table(context, requester)
    if opened is not None and opened.line is not None:
        return opened, requester.request.board is None or requester.request.board.kind != "try"
    known = await context.store.trees.list_for_person(requester.person.id, limit=1)
    if known:
        return await load_table_by_code(context, requester, known[0].game), False
    return await resolve_my_table(
        context, requester, None, lambda brief: press("try", brief.id, brief.revision), waiting=True
    ), True


async def find_lapsed_roots(context: Context, table: Table, tree: AnalysisTree) -> list[int]:
    """Return the roots of a tree that are not positions of the game any more, since moves were taken back."""
    row = table.row
    if tree.checked == row.revision or row.rules_version != games[row.game].rules_version:
        return []
    counted = {number: root for number, root in tree.roots.items() if root.at != UNKNOWN_LENGTH}
    if not counted:
        return []
    try:
        async with replay_steps(context, row) as events:
            found = _position_digests(
                table, [event.data["action"] for event in line_of_play(events)], {root.at for root in counted.values()}
            )
    except BrokenGame:
        return []  # the game cannot be replayed
    return [number for number, root in counted.items() if found.get(root.at) != root.digest]


def _position_digests(table: Table, actions: Sequence[str], wanted: Collection[int]) -> dict[int, str]:
    """Return the digests of the wanted positions, by the number of actions that lead to them."""
    state = table.game.start(table.row.seat_count, table.row.options)
    found = {0: position_digest(state)} if 0 in wanted else {}
    for number, text in enumerate(actions, start=1):
        state = state.advance(state.read(text))
        if number in wanted:
            found[number] = position_digest(state)
    return found


_IF_PATTERN: Final = re.compile(r"\s*\b(?:if|se)\b\s+", re.IGNORECASE)
_THEN_PATTERN: Final = re.compile(r"\s*[,:]?\s*\b(?:then|allora)\b\s+", re.IGNORECASE)


async def plan(context: Context, requester: RequestContext, values: Mapping[str, str]) -> Reply:
    """Plan answers to the opponent's turns, typed as `if … then …`; without a line, show the plans."""
    code, typed = await split_code_and_moves(context, values)
    if code:
        table = await load_table_by_code(context, requester, code)
    else:
        table = await resolve_my_table(context, requester, None, lambda brief: press("plan", brief.id, brief.revision))
    if not typed.strip():
        return await open_plan(context, requester, table)
    seat, pairs = require_playing_seat(table, requester), _read_lines(typed)
    start = board = await TrialBoard.begin(context, requester, table)
    if table.mover == seat:
        raise Refused("refusal.plan-your-turn")
    for lines in pairs:
        board = board.at(board.tree.at_node(start.tree.here))
        try:
            for text in lines:
                board = board.after_typed(text)
        except EngineError as error:
            # All or nothing: a refusal must not leave some of the plans in place.
            return await show(context, requester, start, [engine_words(requester.speaker, table.row.game, error)])
        board = await board.with_plan(context, requester)
    return await show_step(context, requester, BoardStep(board, [requester.speaker.say("plan.made")]))


async def open_plan(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Open the requester's board at the end of their plan in a game; in the current position if there is none."""
    board = await TrialBoard.beside(context, requester, table)
    if board.tree.plans:
        return await open_board(context, requester, board.at(board.tree.at_node(board.tree.plans[-1])))
    if not board.tree.roots:
        board = await TrialBoard.begin(context, requester, table)
    return await open_board(context, requester, board, [requester.speaker.say("plan.about")])


async def press_unplan(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button that withdraws all plans in a game."""
    board = await TrialBoard.load(context, requester, pressed.game or "")
    if not board.tree.planned:
        # They may just have been played.
        return replace(await show(context, requester, board, [requester.speaker.say("plan.nothing")]), update=False)
    return await open_board(
        context, requester, board.at(board.tree.without_plans()), [requester.speaker.say("plan.off")]
    )


def _read_lines(typed: str) -> list[list[str]]:
    """Return the typed plan lines, each with both players' turns in order; Refused for an invalid line."""
    found = []
    for part in filter(None, (each.strip() for each in typed.split(TURN_SEPARATOR))):
        turns = []
        for pair in _IF_PATTERN.split(part)[1:]:
            theirs, *mine = _THEN_PATTERN.split(pair)
            if len(mine) != 1 or not theirs.strip() or not mine[0].strip():
                raise Refused("refusal.plan-line")
            turns += [theirs.strip(" ,"), mine[0].strip(" ,")]
        if not turns or _IF_PATTERN.split(part)[0].strip():
            raise Refused("refusal.plan-line")
        found.append(turns)
    if not found:
        raise Refused("refusal.plan-line")
    return found
