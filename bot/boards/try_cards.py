"""Texts and buttons of a board to try lines out on: the tried line, outcomes of chance, and ways through the tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from bot.kernel.advice import Suggestion, are_hints_allowed
from bot.kernel.cards import Button, Card, Menu, Row, TreeLine
from bot.kernel.explanations import explain_turn
from bot.kernel.presses import GUESS, GUESS_TURN, TEAM_PROPOSE
from bot.kernel.question_cards import PAGE_SIZE, button_rows, items_on_page, make_button
from bot.kernel.texts import Span, Speaker, Text, join, pin_text, strip_styles
from bot.kernel.tree import AnalysisTree, position_digest
from bot.kernel.words.describe import line_words, turn_number, typed_form
from bot.table.service import may_be_planned
from engine import Action
from engine.search import Judged

if TYPE_CHECKING:
    from bot.boards.tries import TrialBoard

BACK: Final = "back"
ON: Final = "on"
OTHER: Final = "other"
GO: Final = "go"
CUT: Final = "cut"
CUT_YES: Final = "cutyes"
ROLL: Final = "roll"
DICE: Final = "dice"
THINK: Final = "think"
WORDS: Final = "words"
END: Final = "end"
END_YES: Final = "endyes"
PLAN: Final = "plan"
UNPLAN: Final = "unplan"
"""The actions on such a board, except playing."""

_MAX_LINE_LENGTH: Final = 300
"""Maximum length of the tried line in characters; older turns are left out."""
_MAX_LABEL_LENGTH: Final = 44
_MAX_PLANS_LISTED: Final = 3
_MAX_NEXT_TURNS_LISTED: Final = 6


def lines_card(trial: TrialBoard, page: int) -> Card:
    """Return the list of all tried lines, with a button to each, and of the positions where they begin."""
    voice, tree = trial.voice, trial.tree
    ends = [*tree.leaves, *(number for number in tree.roots if not tree.children(number))]
    ends.sort(key=lambda number: (tree.roots[tree.root_of(number)].at, number))
    at, shown = items_on_page(ends, page)
    buttons = [
        Button(_label(trial, number), trial.control(GO, str(number)), "primary" if number == tree.here else "plain")
        for number in shown
    ]
    ways = [
        _current_node_button(trial, "button.back"),
        Button("◀", trial.control(OTHER, str(at - 1))) if at else None,
        Button("▶", trial.control(OTHER, str(at + 1))) if (at + 1) * PAGE_SIZE < len(ends) else None,
        trial.button("button.try.end", END, style="danger"),
    ]
    text = join([title(trial), voice.say("try.lines", n=len(tree.leaves), turns=len(tree.nodes))])
    return Card(text, rows=(*button_rows(buttons), *button_rows(ways)), tree=tree_lines(trial))


def confirm_card(trial: TrialBoard, key: str, turns: int, action: str) -> Card:
    """Return the question (`key`) whether to delete some turns; `action` is the action of the button for yes."""
    words = join([title(trial), pin_text(trial.voice.say(key, n=turns))])
    yes = trial.button("button.try.yes", action, style="danger")
    return Card(words, rows=((yes, _current_node_button(trial, "button.try.no")),))


def evaluation_words(trial: TrialBoard, found: Suggestion) -> Text:
    """Return the computer's view of a position: its turn, the reason, and the chances of each seat."""
    voice, names = trial.voice, trial.table.name_spans
    reasons = explain_turn(trial.speaker, found.before, found.actions, names, found.judged)
    thought = voice.say("try.thought", move=line_words(voice, found.actions))
    return join([thought, reasons, _evaluation(voice, names, found.judged[0])], " ")


def tree_lines(trial: TrialBoard) -> tuple[TreeLine, ...]:
    """Return the tree as a web page shows it next to the board: one line per turn, branches indented."""
    tree = trial.tree

    def list_below(number: int, depth: int) -> Iterator[TreeLine]:
        yield _tree_line(trial, number, depth)
        after = tree.children(number)
        for each in after:
            yield from list_below(each, depth + (len(after) > 1))

    roots = sorted(tree.roots, key=lambda each: tree.roots[each].at)
    return tuple(line for root in roots for line in list_below(root, 0))


def _tree_line(trial: TrialBoard, number: int, depth: int) -> TreeLine:
    node, press, here = trial.tree.nodes.get(number), trial.control(GO, str(number)), number == trial.tree.here
    if node is None:
        return TreeLine(_root_name(trial, number), press, depth, here=here)
    label = strip_styles((line_words(trial.voice, node.play),))
    return TreeLine(label, press, depth, here=here, note=node.note, plan=node.plan)


def title(trial: TrialBoard) -> Text:
    """Return the text above the board."""
    return trial.voice.say("try.title", game=trial.voice.game_name(), code=trial.code)


def tried_words(trial: TrialBoard) -> list[Text]:
    """Return the line so far: its start in the game, the tried turns, a note, and the next tried turns."""
    tree, voice = trial.tree, trial.voice
    turns = [line_words(voice, tree.nodes[each].play) for each in tree.path_to(tree.here)]
    if tree.begun:
        turns.append(line_words(voice, [text for press in tree.begun for text in press]))
    shown = list[Span]()
    for each in reversed(turns):
        if shown and sum(len(span.text) for span in shown) + len(each.text) > _MAX_LINE_LENGTH:
            shown.append(Span("…"))
            break
        shown.append(each)
    start = _root_name(trial, tree.root_of(tree.here))
    line = join([(each,) for each in reversed(shown)], " · ")
    node, after = tree.current, [] if tree.begun else tree.children(tree.here)
    tried = [line_words(voice, tree.nodes[each].play) for each in after[:_MAX_NEXT_TURNS_LISTED]]
    return [
        voice.say("try.line", start=start, line=line) if turns else voice.say("try.start", start=start),
        voice.say("try.note", note=Span(node.note)) if node is not None and node.note else (),
        voice.say("try.tried", moves=voice.listing(tried), n=len(after)) if after else (),
    ]


def list_outcomes(trial: TrialBoard) -> list[Action]:
    """Return the outcomes of chance on offer; empty if chance is not to move, or if there are too many outcomes."""
    return sorted((action for action, _ in trial.line.state.chance_outcomes()), key=str)


def chance_rows(trial: TrialBoard) -> list[Row]:
    """Return the buttons of chance if it is to move: a random outcome, or one of a few to choose from."""
    if not trial.waits_for_chance:
        return []
    roll = trial.button("button.try.roll", ROLL, style="primary")
    outcomes = tuple(
        Button(
            ", ".join(map(str, action.value)) if isinstance(action.value, tuple) else typed_form(trial.voice, action),
            trial.control(DICE, str(at)),
        )
        for at, action in enumerate(list_outcomes(trial))
    )
    return [(roll,), *([Menu(trial.voice.line("try.choose"), outcomes)] if outcomes else [])]


def plans_words(tree: AnalysisTree, voice: Speaker) -> Text:
    """Return the plans as short text, each with the opponent's turn and the planned answer."""
    found = []
    for number in tree.plans[:_MAX_PLANS_LISTED]:
        before, own = tree.nodes.get(tree.nodes[number].up), line_words(voice, tree.nodes[number].play)
        if before is not None:
            found.append(voice.say("plan.pair", theirs=line_words(voice, before.play), mine=own))
    return join([*found, voice.left_out("plan.more", len(tree.plans), _MAX_PLANS_LISTED)], "; ")


def navigation_rows(trial: TrialBoard) -> list[Row]:
    """Return the buttons that move through the tree."""
    tree, table, node = trial.tree, trial.table, trial.tree.current
    before = tree.path_to(tree.here)
    may_propose = table.voting_team is not None and (before or trial.waits_for_chance)
    has_plans = any(tree.nodes[each].plan for each in (*before, *tree.subtree(tree.here)[1:]))
    is_seated = table.seat_of(trial.requester.id) is not None
    may_plan = is_seated and may_be_planned(table.row) and node is not None and not node.plan
    propose = (TEAM_PROPOSE, trial.code, trial.stored.revision)
    ways = [
        *(_guess_buttons(trial) if tree.guesses and table.row.is_playing else ()),
        make_button(trial.voice, "button.team.propose", *propose, style="primary") if may_propose else None,
        None if trial.at_root else trial.button("button.try.back", BACK),
        None if tree.next_turn is None else trial.button("button.try.on", ON),
        trial.button("button.try.other", OTHER) if tree.nodes else None,
        trial.button("button.plan.off", UNPLAN, style="danger") if has_plans else None,
        trial.button("button.plan", PLAN, style="primary") if may_plan else None,
    ]
    others = [
        None if node is None else trial.button("button.try.cut", CUT),
        trial.button("button.try.think", THINK) if may_evaluate(trial) else None,
        trial.button("button.words", WORDS),
    ]
    return [*button_rows(ways), *button_rows(others)]


def _guess_buttons(trial: TrialBoard) -> list[Button | None]:
    """Return the buttons of a guessing board: guess the tried turn, or go to the game's position."""
    code, tree, voice = trial.code, trial.tree, trial.voice
    has_turn = tree.path_to(tree.here) or trial.waits_for_chance or trial.line.state.to_move is None
    is_behind = tree.roots[tree.root_of(tree.here)].digest != position_digest(trial.table.playing.state)
    this_turn = (GUESS_TURN, code, trial.stored.revision)
    return [
        make_button(voice, "button.guess.this", *this_turn, style="primary") if has_turn else None,
        make_button(voice, "button.guess.next", GUESS, code) if is_behind else None,
    ]


def may_evaluate(trial: TrialBoard) -> bool:
    """Return True if the computer may show its view: if hints are allowed, or once the game is over."""
    return trial.asks and (trial.table.row.is_over or are_hints_allowed(trial.table))


def _label(trial: TrialBoard, number: int) -> str:
    """Return a short label of a line: its start, and its note or its end, by which it differs most from others."""
    tree = trial.tree
    start = _root_name(trial, tree.root_of(number))
    way = tree.path_to(number)
    if not way:
        return start
    line = " · ".join(strip_styles((line_words(trial.voice, tree.nodes[each].play),)) for each in way)
    most = _MAX_LABEL_LENGTH - len(start)
    line = line if len(line) <= most else f"… {line[-most:].partition(' ')[2]}"
    return f"{start}: {tree.nodes[number].note or line}"[:80]


def _root_name(trial: TrialBoard, number: int) -> str:
    root, voice = trial.tree.roots[number], trial.voice
    if root.at == 0 or not root.turn:
        return voice.line("try.beginning")
    return strip_styles(turn_number(voice, trial.table.game, root.turn))


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


def _current_node_button(trial: TrialBoard, key: str) -> Button:
    return trial.button(key, GO, str(trial.tree.here))
