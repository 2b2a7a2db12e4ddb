"""Boards to try lines out on, for all seats of a running or finished game; there is no opponent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import chain
from random import SystemRandom
from typing import Final, Self

import structlog

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
from bot.kernel.advice import Suggestion, are_hints_allowed
from bot.kernel.cards import Button, Card, Menu, Row, TreeLine
from bot.kernel.commandline import parse_typed
from bot.kernel.context import Context
from bot.kernel.explanations import explain_turn
from bot.kernel.forms import Values
from bot.kernel.line import Line, follow_actions
from bot.kernel.pictures import BoardView
from bot.kernel.presses import GUESS, GUESS_TURN, TEAM_PROPOSE, TRY_ANSWER, TRY_CONTROL, Press, read_number
from bot.kernel.question_cards import PAGE_SIZE, button_rows, items_on_page, make_button
from bot.kernel.refusals import Refused, engine_words
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.table import BrokenGame, Table, start_state
from bot.kernel.texts import Span, Speaker, Text, join, pin_text, strip_styles
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
from bot.kernel.words.describe import line_words, turn_number, typed_form
from bot.table.cards import outcome_words
from bot.table.game_lookup import load_table_by_code, open_table, resolve_my_table
from bot.table.replaying import line_after_turns, line_of_play, may_be_tried, replay_steps, turns_of
from bot.table.service import MAX_TREES_PER_PERSON, may_be_planned, require_playing_seat
from engine import CHANCE, Action, EngineError
from engine.search import Judged
from storage import Conflict, ProcessedEvent, StoredTree, TooManyTrees, read_code

_MAX_LINE_LENGTH: Final = 300
"""Maximum length of the tried line in characters; older turns are left out."""
_MAX_LABEL_LENGTH: Final = 44
_MAX_PLANS_LISTED: Final = 3
_MAX_NEXT_TURNS_LISTED: Final = 6
RETENTION: Final = timedelta(days=7)
"""Time for which a tree is stored after the end of its game and its last use."""
_dice: Final = SystemRandom()

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class TrialBoard(PrivateBoard):
    """A person's board to try lines out on: the game's table, the stored tree, the tree and the line so far.

    `lapsed`: True if lines are gone because the game went back to before their start. `stopped` is the reason why
    plans have stopped, if it was not shown yet. `adds_plan`: a plan is added, so the game must not have changed.
    """

    stored: StoredTree
    table: Table
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
        return self.table.id

    @property
    def game(self) -> str:
        """The key of the game."""
        return self.table.row.game

    @property
    def waits_for_chance(self) -> bool:
        """True if chance is to move."""
        return self.line.state.to_move == CHANCE

    @property
    def asks(self) -> bool:
        """True if some seat is to move."""
        return self.line.state.to_move is not None and not self.waits_for_chance

    @property
    def at_root(self) -> bool:
        """True if the board is at a position of the game, without a tried turn."""
        return not self.tree.begun and self.tree.here in self.tree.roots

    @classmethod
    async def load(cls, context: Context, requester: RequestContext, code: str) -> Self:
        """Return the requester's board of a game as they left it; NoSuchBoard, or Refused if lines are forbidden."""
        board = await cls.beside(context, requester, await context.table(code))
        if not board.tree.roots:
            again = make_button(requester.speaker, "button.try", "try", code)
            raise NoSuchBoard("refusal.try-gone", rows=((again,),))
        return board

    @classmethod
    async def beside(cls, context: Context, requester: RequestContext, table: Table) -> Self:
        """Return the requester's board of a game without lapsed lines, empty if new; Refused if lines are forbidden."""
        row = table.row
        table.check_started()
        if not may_be_tried(table):
            raise Refused("refusal.try-off")
        stored = await context.store.trees.get(requester.id, row.id) or StoredTree(requester.id, row.id)
        tree = read_tree(stored.tree)
        gone, stopped = await find_lapsed_roots(context, table, tree), tree.stopped
        tree = replace(tree.without_roots(gone), checked=row.revision, stopped="")
        spoken = table.in_language(requester.speaker)
        board = cls(context, requester, stored, spoken, tree, table.playing, bool(gone), stopped)
        if not tree.roots:
            return replace(board, tree=AnalysisTree(last=tree.last, checked=row.revision, guesses=tree.guesses))
        try:
            return board.at(tree)
        except EngineError as error:
            # The tree was stored under other rules, and cannot be played any more.
            log.warning("analysis-board-unreadable", game=row.id, reason=str(error))
            return replace(board, tree=AnalysisTree(checked=row.revision), lapsed=True, stopped="")

    @classmethod
    async def begin(cls, context: Context, requester: RequestContext, table: Table, number: int | None = None) -> Self:
        """Return the requester's board at a game's current position, or at the one after `number` of its turns.

        If the played turns are in the tree, the board continues from them.
        """
        board = await cls.beside(context, requester, table)
        tree = board.tree
        if table.row.rules_version != table.game.rules_version:
            return board.at(tree.at_root(root_at(table.playing, UNKNOWN_LENGTH)))
        turns, line = await turns_of(context, table), table.playing
        if number is not None and number < len(turns):
            turns, line = turns[:number], line_after_turns(line, turns, number)
        actions = [action.text for turn in turns for action in turn.actions]
        reached = tree.node_reached(actions)
        return board.at(tree.at_root(root_at(line, len(actions))) if reached is None else tree.at_node(reached))

    def at(self, tree: AnalysisTree) -> Self:
        """Return the board with another tree, at the current node of that tree."""
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

    async def play(self, actions: Sequence[Action]) -> BoardStep:
        """Try actions of the player to move."""
        return BoardStep(self.after(actions))

    async def enter(self, text: str) -> BoardStep:
        """Try typed turns; if a later one cannot be played, show the error, and keep the turns before it."""
        board = self
        for turn in filter(None, (each.strip() for each in text.split(TURN_SEPARATOR))):
            try:
                board = board.after_typed(turn)
            except EngineError as error:
                if board is self:
                    raise
                return BoardStep(board, [engine_words(self.speaker, self.game, error)])
        return BoardStep(board)

    async def prepare(self) -> Self:
        """Return the board with its row."""
        row = replace(self.stored, tree=self.tree.to_json(), planned=self.tree.planned)
        return replace(self, stored=row)

    async def write(self, processed: ProcessedEvent) -> None:
        """Store the tree; Conflict if it (or with a plan, the game) has changed, Refused with too many trees."""
        game_at, now = self.table.row.revision if self.adds_plan else None, self.context.clock()
        try:
            await self.context.store.trees.store(self.stored, now, MAX_TREES_PER_PERSON, processed, game_at=game_at)
        except Conflict as error:
            if not self.adds_plan:
                raise
            raise Refused("refusal.moved-on") from error
        except TooManyTrees as error:
            raise Refused("refusal.try-many", most=MAX_TREES_PER_PERSON) from error

    async def suggest(self) -> BoardStep | None:
        """Show the computer's view of the position, with its turn marked; None if hints are not allowed."""
        if not self.may_evaluate:
            return None
        found = await self.context.advice.hint(replace(self.table, line=self.line), self.requester.id)
        if found is None:
            return BoardStep(self, [self.speaker.say("hint.thinking")], changed=False)
        said = self.evaluation_words(found)
        return BoardStep(self, [said], changed=False, scene=replace(self.scene, marked=found.actions))

    async def press(self, path: Sequence[str]) -> BoardStep | Reply | None:
        """Move through the tree, throw dice, plan, or ask for the computer's view."""
        tree, (action, text, *_) = self.tree, (*path, "", "")
        number = read_number(text)
        match action:
            case "back":
                return BoardStep(self.at(tree.back()))
            case "on" if tree.next_turn is not None:
                return BoardStep(self.at(tree.at_node(tree.next_turn)))
            case "go" if number is not None and (number in tree.nodes or number in tree.roots):
                is_here = number == tree.here
                return BoardStep(self, changed=False) if is_here else BoardStep(self.at(tree.at_node(number)))
            case "other":
                return reply_privately(self._lines_card(number or 0))
            case "words":
                return reply_privately(self.description_card([self.title], "go", str(tree.here)))
            case "think":
                return await self.suggest()
            case "end":
                return reply_privately(self._confirm_card("try.end.sure", len(tree.nodes), "endyes"))
            case "endyes":
                return await self._delete()
            case "cut" if tree.here in tree.nodes and (turns := len(tree.subtree(tree.here))) > 1:
                return reply_privately(self._confirm_card("try.cut.sure", turns, "cutyes"))
            case "cut" | "cutyes" if tree.here in tree.nodes:
                return BoardStep(self.at(tree.without_turn(tree.here)))
            case "roll" if self.waits_for_chance:
                return BoardStep(self.after([self.line.state.sample_chance(_dice)]))
            case "dice" if number is not None and number < len(outcomes := self._outcomes):
                return BoardStep(self.after([outcomes[number]]))
            case "plan":
                return BoardStep(await self.with_plan(), [self.speaker.say("plan.made")])
            case "unplan":
                gone = {*tree.path_to(tree.here), *tree.subtree(tree.here)}
                left = tree.with_plans([number for number in tree.plans if number not in gone])
                return BoardStep(self.at(left), [self.speaker.say("plan.off")])
        return None

    async def _delete(self) -> Reply:
        reply = reply_privately(Card(self.speaker.say("try.ended")))
        try:
            receipt = self.requester.receipt(reply)
            await self.context.store.trees.delete(self.stored, self.context.clock(), receipt)
        except Conflict as error:
            raise Refused("refusal.moved-on") from error
        return reply

    async def with_plan(self) -> Self:
        """Return the board with the requester's own turns of the line planned; Refused if that is not possible."""
        table, tree = self.table, self.tree
        seat = require_playing_seat(table, self.requester)
        if not may_be_planned(table.row):
            raise Refused("refusal.plan-not-here")
        if table.row.offers.pending:
            raise Refused("refusal.plan-offer")
        if table.row.progress.paused:
            raise Refused("refusal.plan-paused")
        actions = [action.text for turn in await turns_of(self.context, table) for action in turn.actions]
        reached, way = tree.node_reached(actions), tree.path_to(tree.here)
        if reached is None or (reached not in way and reached != tree.root_of(tree.here)):
            raise Refused("refusal.plan-elsewhere")
        own = self._own_planned_turns(seat, way[way.index(reached) + 1 :] if reached in way else way, reached)
        if not own:
            raise Refused("refusal.plan-none")
        return replace(self.at(tree.with_planned(own)), adds_plan=True)

    def _own_planned_turns(self, seat: int, way: Sequence[int], reached: int) -> list[int]:
        """Return the turns of a seat on a path through the tree that follow a turn of an opponent."""
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

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the players."""
        return self.table.names

    @property
    def scene(self) -> BoardScene:
        """The board from the requester's side, tried or planned, with the goals of the seat to move."""
        node, mover = self.tree.current, self.line.state.to_move
        kind = "plan" if node is not None and node.plan else "try"
        goals = mover if mover is not None and mover >= 0 else None
        seat = self.table.seat_of(self.requester.id) or 0
        view = BoardView(viewer=seat, goals_of=goals, tried=self.speaker.line(f"{kind}.caption"))
        return BoardScene(self.line, view, words=self.speaker.say(f"{kind}.alt"))

    def words(self, step: BoardStep, question: Sequence[Text]) -> Sequence[Text]:
        """Return the notes about lost lines or plans, the tried line, the seat to move, and the plans."""
        voice, state = self.voice, self.line.state
        to_move: Sequence[Text] = ()
        if state.outcome is not None:
            to_move = outcome_words(self.table, voice, state.outcome)
        elif self.waits_for_chance:
            to_move = [pin_text(voice.say("try.chance"))]
        elif state.to_move is not None:
            to_move = [voice.say("board.theirs", who=self.table.name_span(state.to_move))]
        shows_plans = self.tree.planned and not step.is_choosing
        return [
            self.title,
            voice.say("try.lapsed") if self.lapsed else (),
            voice.say(f"plan.stopped.{self.stopped}") if self.stopped else (),
            *step.said,
            *self._tried_words,
            *to_move,
            *question,
            voice.say("plan.stands", plans=plans_words(self.tree, voice)) if shows_plans else (),
        ]

    def rows(self, step: BoardStep) -> Sequence[Row]:
        """Return the buttons of chance, and those that move through the tree."""
        return () if step.is_choosing else (*self._chance_rows, *self._navigation_rows)

    def _lines_card(self, page: int) -> Card:
        """Return the list of all tried lines, with a button to each, and of the positions where they begin."""
        voice, tree = self.voice, self.tree
        ends = [*tree.leaves, *(number for number in tree.roots if not tree.children(number))]
        ends.sort(key=lambda number: (tree.roots[tree.root_of(number)].at, number))
        at, shown = items_on_page(ends, page)
        buttons = [
            Button(self._label(number), self.control("go", str(number)), "primary" if number == tree.here else "plain")
            for number in shown
        ]
        ways = [
            self._current_node_button("button.back"),
            Button("◀", self.control("other", str(at - 1))) if at else None,
            Button("▶", self.control("other", str(at + 1))) if (at + 1) * PAGE_SIZE < len(ends) else None,
            self.button("button.try.end", "end", style="danger"),
        ]
        text = join([self.title, voice.say("try.lines", n=len(tree.leaves), turns=len(tree.nodes))])
        return Card(text, rows=(*button_rows(buttons), *button_rows(ways)), tree=self.tree_lines)

    def _confirm_card(self, key: str, turns: int, action: str) -> Card:
        """Return the question (`key`) whether to delete some turns; `action` is the action of the button for yes."""
        words = join([self.title, pin_text(self.voice.say(key, n=turns))])
        yes = self.button("button.try.yes", action, style="danger")
        return Card(words, rows=((yes, self._current_node_button("button.try.no")),))

    def evaluation_words(self, found: Suggestion) -> Text:
        """Return the computer's view of a position: its turn, the reason, and the chances of each seat."""
        voice, names = self.voice, self.table.name_spans
        reasons = explain_turn(self.speaker, found.before, found.actions, names, found.judged)
        thought = voice.say("try.thought", move=line_words(voice, found.actions))
        return join([thought, reasons, _evaluation(voice, names, found.judged[0])], " ")

    @property
    def tree_lines(self) -> tuple[TreeLine, ...]:
        """The tree as a web page shows it next to the board: one line per turn, branches indented."""
        tree = self.tree

        def list_below(number: int, depth: int) -> Iterator[TreeLine]:
            yield self._tree_line(number, depth)
            after = tree.children(number)
            for each in after:
                yield from list_below(each, depth + (len(after) > 1))

        roots = sorted(tree.roots, key=lambda each: tree.roots[each].at)
        return tuple(line for root in roots for line in list_below(root, 0))

    def _tree_line(self, number: int, depth: int) -> TreeLine:
        node, press, here = self.tree.nodes.get(number), self.control("go", str(number)), number == self.tree.here
        if node is None:
            return TreeLine(self._root_name(number), press, depth, here=here)
        label = strip_styles((line_words(self.voice, node.play),))
        return TreeLine(label, press, depth, here=here, note=node.note, plan=node.plan)

    @property
    def title(self) -> Text:
        """The text above the board."""
        return self.voice.say("try.title", game=self.voice.game_name(), code=self.code)

    @property
    def _tried_words(self) -> list[Text]:
        """The line so far: its start in the game, the tried turns, a note, and the next tried turns."""
        tree, voice = self.tree, self.voice
        turns = [line_words(voice, tree.nodes[each].play) for each in tree.path_to(tree.here)]
        if tree.begun:
            turns.append(line_words(voice, chain.from_iterable(tree.begun)))
        shown = list[Span]()
        for each in reversed(turns):
            if shown and sum(len(span.text) for span in shown) + len(each.text) > _MAX_LINE_LENGTH:
                shown.append(Span("…"))
                break
            shown.append(each)
        start = self._root_name(tree.root_of(tree.here))
        line = join([(each,) for each in reversed(shown)], " · ")
        node, after = tree.current, [] if tree.begun else tree.children(tree.here)
        tried = [line_words(voice, tree.nodes[each].play) for each in after[:_MAX_NEXT_TURNS_LISTED]]
        return [
            voice.say("try.line", start=start, line=line) if turns else voice.say("try.start", start=start),
            voice.say("try.note", note=Span(node.note)) if node is not None and node.note else (),
            voice.say("try.tried", moves=voice.listing(tried), n=len(after)) if after else (),
        ]

    @property
    def _outcomes(self) -> list[Action]:
        """The outcomes of chance on offer; empty if chance is not to move, or if there are too many outcomes."""
        return sorted((action for action, _ in self.line.state.chance_outcomes()), key=str)

    @property
    def _chance_rows(self) -> list[Row]:
        """The buttons of chance if it is to move: a random outcome, or one of a few to choose from."""
        if not self.waits_for_chance:
            return []
        roll = self.button("button.try.roll", "roll", style="primary")
        outcomes = tuple(
            Button(
                ", ".join(map(str, action.value))
                if isinstance(action.value, tuple)
                else typed_form(self.voice, action),
                self.control("dice", str(at)),
            )
            for at, action in enumerate(self._outcomes)
        )
        return [(roll,), *([Menu(self.voice.line("try.choose"), outcomes)] if outcomes else [])]

    @property
    def _navigation_rows(self) -> list[Row]:
        """The buttons that move through the tree."""
        tree, table, node = self.tree, self.table, self.tree.current
        before = tree.path_to(tree.here)
        may_propose = table.voting_team is not None and (before or self.waits_for_chance)
        has_plans = any(tree.nodes[each].plan for each in (*before, *tree.subtree(tree.here)[1:]))
        is_seated = table.seat_of(self.requester.id) is not None
        may_plan = is_seated and may_be_planned(table.row) and node is not None and not node.plan
        propose = (TEAM_PROPOSE, self.code, self.stored.revision)
        ways = [
            *(self._guess_buttons if tree.guesses and table.row.is_playing else ()),
            make_button(self.voice, "button.team.propose", *propose, style="primary") if may_propose else None,
            None if self.at_root else self.button("button.try.back", "back"),
            None if tree.next_turn is None else self.button("button.try.on", "on"),
            self.button("button.try.other", "other") if tree.nodes else None,
            self.button("button.plan.off", "unplan", style="danger") if has_plans else None,
            self.button("button.plan", "plan", style="primary") if may_plan else None,
        ]
        others = [
            None if node is None else self.button("button.try.cut", "cut"),
            self.button("button.try.think", "think") if self.may_evaluate else None,
            self.button("button.words", "words"),
        ]
        return [*button_rows(ways), *button_rows(others)]

    @property
    def _guess_buttons(self) -> list[Button | None]:
        """The buttons of a guessing board: guess the tried turn, or go to the game's position."""
        code, tree, voice = self.code, self.tree, self.voice
        has_turn = tree.path_to(tree.here) or self.waits_for_chance or self.line.state.to_move is None
        is_behind = tree.roots[tree.root_of(tree.here)].digest != position_digest(self.table.playing.state)
        this_turn = (GUESS_TURN, code, self.stored.revision)
        return [
            make_button(voice, "button.guess.this", *this_turn, style="primary") if has_turn else None,
            make_button(voice, "button.guess.next", GUESS, code) if is_behind else None,
        ]

    @property
    def may_evaluate(self) -> bool:
        """True if the computer may show its view: if hints are allowed, or once the game is over."""
        return self.asks and (self.table.row.is_over or are_hints_allowed(self.table))

    def _label(self, number: int) -> str:
        """Return a short label of a line: its start, and its note or its end, by which it differs most from others."""
        tree = self.tree
        start = self._root_name(tree.root_of(number))
        way = tree.path_to(number)
        if not way:
            return start
        line = " · ".join(strip_styles((line_words(self.voice, tree.nodes[each].play),)) for each in way)
        most = _MAX_LABEL_LENGTH - len(start)
        line = line if len(line) <= most else f"… {line[-most:].partition(' ')[2]}"
        return f"{start}: {tree.nodes[number].note or line}"[:80]

    def _root_name(self, number: int) -> str:
        root, voice = self.tree.roots[number], self.voice
        if root.at == 0 or not root.turn:
            return voice.line("try.beginning")
        return strip_styles(turn_number(voice, self.table.game, root.turn))

    def _current_node_button(self, key: str) -> Button:
        return self.button(key, "go", str(self.tree.here))


async def try_out(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Open a board to try lines out on, by a game's code or for the last used one, and play the typed turns."""
    code, moves = await split_code_and_moves(context, values)
    table, meant = await _resolve_table(context, requester, code)
    typed, note = moves.strip(), values.get("note", "")
    board = await TrialBoard.beside(context, requester, table) if typed or note or not meant else None
    if board is None or not board.tree.roots:
        board = await TrialBoard.begin(context, requester, table)
    try:
        step = await board.enter(typed)
    except EngineError as error:
        step = BoardStep(board, [engine_words(requester.speaker, board.game, error)])
    if note and isinstance(step.board, TrialBoard):
        step = replace(step, board=step.board.with_note(note))
    reply = await show_step(step)
    # After typed turns, update the existing message if the platform allows it.
    return reply if typed or note else replace(reply, update=False)


async def press_try(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button Try it out: in a game's current position, or the one after a turn."""
    table = await context.table(pressed.game)
    return await open_board(await TrialBoard.begin(context, requester, table, pressed.number))


async def split_code_and_moves(context: Context, values: Values) -> tuple[str, str]:
    """Return the code of a game, from its own value or from the start of the moves, and the moves."""
    code, moves = values.get("game", ""), values.get("moves") or values.get("line", "")
    first, _, rest = moves.partition(" ")
    if not code and (read := read_code(first)) is not None and await context.store.games.get(read) is not None:
        return read, rest
    return code, moves


async def _resolve_table(context: Context, requester: RequestContext, code: str) -> tuple[Table, bool]:
    """Return the requested game, and False if the requester's board of it is to be continued.

    Without a code it is the game of the open message, the one of the last used board, or one of the requester's.
    """
    if code:
        return await load_table_by_code(context, requester, code), True
    opened = await open_table(context, requester)
    if opened is not None and opened.line is not None:
        return opened, requester.request.board is None or requester.request.board.kind != "try"
    known = await context.store.trees.list_for_person(requester.id, limit=1)
    if known:
        return await load_table_by_code(context, requester, known[0].game), False
    return await resolve_my_table(context, requester, None, "try", waiting=True), True


async def find_lapsed_roots(context: Context, table: Table, tree: AnalysisTree) -> list[int]:
    """Return the roots of a tree that are not positions of the game any more, because moves were taken back."""
    row = table.row
    counted = {number: root for number, root in tree.roots.items() if root.at != UNKNOWN_LENGTH}
    if tree.checked == row.revision or row.rules_version != table.game.rules_version or not counted:
        return []
    wanted, digests = {root.at for root in counted.values()}, dict[int, str]()
    state = start_state(row)
    try:
        async with replay_steps(context, row) as events:
            for at, event in enumerate([*line_of_play(events), None]):
                if at in wanted:
                    digests[at] = position_digest(state)
                if event is not None:
                    state = state.advance(state.read(event.data["action"]))
    except BrokenGame:
        return []  # the game cannot be replayed
    return [number for number, root in counted.items() if digests.get(root.at) != root.digest]


_IF_PATTERN: Final = re.compile(r"\s*\b(?:if|se)\b\s+", re.IGNORECASE)
_THEN_PATTERN: Final = re.compile(r"\s*[,:]?\s*\b(?:then|allora)\b\s+", re.IGNORECASE)


async def plan(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Plan answers to the opponent's turns, typed as `if … then …`; without a line, show the plans."""
    code, typed = await split_code_and_moves(context, values)
    table = await resolve_my_table(context, requester, code, "plan")
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
            return await show(start, [engine_words(requester.speaker, table.row.game, error)])
        board = await board.with_plan()
    return await show_step(BoardStep(board, [requester.speaker.say("plan.made")]))


async def open_plan(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Open the requester's board at the end of their plan in a game, or where they left it if there is none."""
    board = await TrialBoard.beside(context, requester, table)
    if board.tree.plans:
        return await open_board(board.at(board.tree.at_node(board.tree.plans[-1])))
    if not board.tree.roots:
        board = await TrialBoard.begin(context, requester, table)
    return await open_board(board, [requester.speaker.say("plan.about")])


async def press_unplan(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button that withdraws all plans in a game."""
    board = await TrialBoard.load(context, requester, pressed.game)
    if not board.tree.planned:
        # All plans may have been played meanwhile.
        return replace(await show(board, [requester.speaker.say("plan.nothing")]), update=False)
    return await open_board(board.at(board.tree.without_plans()), [requester.speaker.say("plan.off")])


def _read_lines(typed: str) -> list[list[str]]:
    """Return the typed plan lines, each with both players' turns in order; Refused for an invalid line."""
    found = []
    for part in filter(None, (each.strip() for each in typed.split(TURN_SEPARATOR))):
        before, *pairs = _IF_PATTERN.split(part)
        turns = [[turn.strip(" ,") for turn in _THEN_PATTERN.split(pair)] for pair in pairs]
        if before.strip() or not turns or any(len(pair) != 2 or not all(pair) for pair in turns):
            raise Refused("refusal.plan-line")
        found.append([turn for pair in turns for turn in pair])
    if not found:
        raise Refused("refusal.plan-line")
    return found


def plans_words(tree: AnalysisTree, voice: Speaker) -> Text:
    """Return the plans as short text, each with the opponent's turn and the planned answer."""
    found = []
    for number in tree.plans[:_MAX_PLANS_LISTED]:
        before, own = tree.nodes.get(tree.nodes[number].up), line_words(voice, tree.nodes[number].play)
        if before is not None:
            found.append(voice.say("plan.pair", theirs=line_words(voice, before.play), mine=own))
    return join([*found, voice.left_out("plan.more", len(tree.plans), _MAX_PLANS_LISTED)], "; ")


def _evaluation(voice: Speaker, names: Sequence[Span], best: Judged) -> Text:
    """Return the chances of each seat in a position, or the proven result; empty for one that was not searched."""
    if not best.visits:
        return ()
    if not (best.proven or best.known):
        each = [
            voice.say("try.chances.seat", who=who, value=round(100 * value))
            for who, value in zip(names, best.values, strict=True)
        ]
        return voice.say("try.chances", chances=voice.listing(each))
    winners = [seat for seat, value in enumerate(best.values) if value == 1]
    if len(winners) == 1:
        return voice.say("try.proven.wins", who=names[winners[0]])
    return voice.say("try.proven.draw")
