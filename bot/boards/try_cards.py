"""Words and buttons of a board to try lines out on: the line tried, what can follow, and ways through the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.kernel.advice import Suggestion, are_hints_allowed
from bot.kernel.cards import Button, Card, Menu, Row, TreeLine
from bot.kernel.presses import GUESS, GUESS_TURN, TEAM_PROPOSE, press
from bot.kernel.question_cards import PAGE_SIZE, button_rows, games_on_page
from bot.kernel.table import Table
from bot.kernel.texts import Span, Speaker, Text, join, pin_text, strip_styles
from bot.kernel.tree import AnalysisTree, position_digest
from bot.kernel.words.describe import line_words, turn_number, typed_form
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
"""Actions on such a board besides playing."""

_MAX_LINE_LENGTH: Final = 300
"""Maximum length of the tried line in words; older turns are left out."""
_MAX_LABEL_LENGTH: Final = 44
_MAX_PLANS_LISTED: Final = 3


def lines_card(trial: TrialBoard, speaker: Speaker, page: int = 0) -> Card:
    """Return the list of all tried lines, with a button to each, and of the positions where they begin."""
    voice, tree = speaker.of(trial.table.row.game), trial.tree
    ends = [*tree.leaves, *(number for number in tree.roots if not tree.children(number))]
    ends.sort(key=lambda number: (tree.roots[tree.root_of(number)].at, number))
    keys = [str(number) for number in ends]
    shown = games_on_page(keys, page)
    buttons = [
        Button(_label(trial, voice, int(key)), trial.control(GO, key), "primary" if int(key) == tree.here else "plain")
        for key in shown
    ]
    ways = [_current_node_button(trial, voice, "button.back")]
    at = keys.index(shown[0]) // PAGE_SIZE if shown else 0
    if at:
        ways.append(Button("◀", trial.control(OTHER, str(at - 1))))
    if (at + 1) * PAGE_SIZE < len(keys):
        ways.append(Button("▶", trial.control(OTHER, str(at + 1))))
    ways.append(trial.button(voice, "button.try.end", END, style="danger"))
    text = join([title(trial, voice), voice.say("try.lines", n=len(tree.leaves), turns=len(tree.nodes))])
    return Card(text, rows=(*button_rows(buttons), tuple(ways)), tree=tree_lines(trial, voice))


def confirm_card(trial: TrialBoard, speaker: Speaker, deed: str) -> Card:
    """Return the question whether to delete a turn with all that follows it, or everything."""
    voice = speaker.of(trial.table.row.game)
    if deed == END_YES:
        words = voice.say("try.end.sure", n=len(trial.tree.nodes))
    else:
        words = voice.say("try.cut.sure", n=len(trial.tree.subtree(trial.tree.here)))
    yes = trial.button(voice, "button.try.yes", deed, style="danger")
    return Card(
        join([title(trial, voice), pin_text(words)]),
        rows=((yes, _current_node_button(trial, voice, "button.try.no")),),
    )


def evaluation_words(trial: TrialBoard, speaker: Speaker, found: Suggestion, reasons: Text) -> Text:
    """Return the computer's view of a position: what it would play, why, and everybody's chances."""
    voice, table = speaker.of(trial.table.row.game), trial.table.in_language(speaker)
    best = found.judged[0]
    parts = [voice.say("try.thought", move=line_words(voice, found.actions)), reasons, _evaluation(table, voice, best)]
    return join(parts, " ")


def tree_lines(trial: TrialBoard, voice: Speaker) -> tuple[TreeLine, ...]:
    """Return the tree as a page shows it beside the board: one line per turn, branches indented."""
    tree, found = trial.tree, list[TreeLine]()

    def add(number: int, depth: int) -> None:
        while True:
            found.append(_tree_line(trial, voice, number, depth))
            after = tree.children(number)
            if len(after) != 1:
                break
            number = after[0]
        for each in after:
            add(each, depth + 1)

    for root in sorted(tree.roots, key=lambda each: tree.roots[each].at):
        add(root, 0)
    return tuple(found)


def _tree_line(trial: TrialBoard, voice: Speaker, number: int, depth: int) -> TreeLine:
    tree = trial.tree
    node = tree.nodes.get(number)
    label = _root_name(trial, voice, number) if node is None else strip_styles((line_words(voice, node.play),))
    note = node.note if node is not None else ""
    return TreeLine(
        label, trial.control(GO, str(number)), depth, here=number == tree.here, note=note, plan=bool(node and node.plan)
    )


def title(trial: TrialBoard, voice: Speaker) -> Text:
    """Return the text above the board."""
    return voice.say("try.title", game=voice.line("name"), code=trial.table.row.id)


def tried_words(trial: TrialBoard, voice: Speaker) -> list[Text]:
    """Return the line so far: where it starts in the game, the tried turns, a note, and the next turns tried."""
    tree = trial.tree
    turns = [line_words(voice, tree.nodes[each].play) for each in tree.path_to(tree.here)]
    if tree.begun:
        turns.append(line_words(voice, [text for press in tree.begun for text in press]))
    shown: list[Span] = []
    for each in reversed(turns):
        if shown and sum(len(span.text) for span in shown) + len(each.text) > _MAX_LINE_LENGTH:
            shown.append(Span("…"))
            break
        shown.append(each)
    start = _root_name(trial, voice, tree.root_of(tree.here))
    line = join([(each,) for each in reversed(shown)], " · ")
    parts = [voice.say("try.line", start=start, line=line) if turns else voice.say("try.start", start=start)]
    node = tree.current
    if node is not None and node.note:
        parts.append(voice.say("try.note", note=Span(node.note)))
    after = [] if tree.begun else tree.children(tree.here)
    if after:
        tried = [line_words(voice, tree.nodes[each].play) for each in after[:6]]
        parts.append(voice.say("try.tried", moves=voice.listing(tried), n=len(after)))
    return parts


def chance_rows(trial: TrialBoard, voice: Speaker) -> list[Row]:
    """Return the buttons that let chance act: thrown, or chosen if there are few outcomes."""
    rows: list[Row] = [(trial.button(voice, "button.try.roll", ROLL, style="primary"),)]
    outcomes = sorted((action for action, _ in trial.line.state.chance_outcomes()), key=str)
    buttons = [
        Button(_outcome_label(voice, action), trial.control(DICE, str(at))) for at, action in enumerate(outcomes)
    ]
    return [*rows, Menu(voice.line("try.choose"), tuple(buttons))] if buttons else rows


def _outcome_label(voice: Speaker, action: Action) -> str:
    value = action.value
    return ", ".join(map(str, value)) if isinstance(value, tuple) else typed_form(voice, action)


def plans_words(tree: AnalysisTree, voice: Speaker) -> Text:
    """Return the plans in few words: if they play this, then that."""
    found = []
    for number in tree.plans[:_MAX_PLANS_LISTED]:
        theirs = tree.nodes.get(tree.nodes[number].up)
        mine = line_words(voice, tree.nodes[number].play)
        if theirs is not None:
            found.append(voice.say("plan.pair", theirs=line_words(voice, theirs.play), mine=mine))
    if len(tree.plans) > _MAX_PLANS_LISTED:
        found.append(voice.say("plan.more", n=len(tree.plans) - _MAX_PLANS_LISTED))
    return join(found, "; ")


def caption_keys(trial: TrialBoard) -> tuple[str, str]:
    """Return the keys of a picture's caption and alt text; planned turns differ from played ones."""
    node = trial.tree.current
    return ("plan.caption", "plan.alt") if node is not None and node.plan else ("try.caption", "try.alt")


def navigation_rows(trial: TrialBoard, voice: Speaker, *, plannable: bool) -> list[Row]:
    """Return the buttons that lead through the tree."""
    tree = trial.tree
    node = tree.current
    ways = []
    if not trial.at_root:
        ways.append(trial.button(voice, "button.try.back", BACK))
    if tree.next_turn is not None:
        ways.append(trial.button(voice, "button.try.on", ON))
    if tree.nodes:
        ways.append(trial.button(voice, "button.try.other", OTHER))
    if tree.planned and any(tree.nodes[each].plan for each in (*tree.path_to(tree.here), *tree.subtree(tree.here)[1:])):
        ways.append(trial.button(voice, "button.plan.off", UNPLAN, style="danger"))
    if plannable and node is not None and not node.plan:
        ways.append(trial.button(voice, "button.plan", PLAN, style="primary"))
    if trial.table.team_at(trial.table.mover) is not None and (tree.path_to(tree.here) or trial.waits_for_chance):
        propose = press(TEAM_PROPOSE, trial.table.row.id, trial.stored.revision)
        ways.insert(0, Button(voice.line("button.team.propose"), propose, "primary"))
    if tree.guesses and trial.table.row.status == "playing":
        ways = [*_guess_buttons(trial, voice), *ways]
    others = []
    if node is not None:
        others.append(trial.button(voice, "button.try.cut", CUT))
    if may_evaluate(trial):
        others.append(trial.button(voice, "button.try.think", THINK))
    others.append(trial.button(voice, "button.words", WORDS))
    return [*button_rows(ways), *button_rows(others)]


def _guess_buttons(trial: TrialBoard, voice: Speaker) -> list[Button]:
    """Return the buttons of a guessing board: guess the tried turn, or go to the game's position."""
    code, tree, state = trial.table.row.id, trial.tree, trial.table.playing.state
    found = []
    if tree.path_to(tree.here) or trial.waits_for_chance or trial.line.state.to_move is None:
        pressed = press(GUESS_TURN, code, trial.stored.revision)
        found.append(Button(voice.line("button.guess.this"), pressed, "primary"))
    if tree.roots and tree.roots[tree.root_of(tree.here)].digest != position_digest(state):
        found.append(Button(voice.line("button.guess.next"), press(GUESS, code)))
    return found


def may_evaluate(trial: TrialBoard) -> bool:
    """Return True if the computer may be asked for its view: where hints are allowed, or once the game is over."""
    return trial.asks and (trial.table.row.status == "over" or are_hints_allowed(trial.table))


def _label(trial: TrialBoard, voice: Speaker, number: int) -> str:
    """Return a short label of a line: its start, its end, which tells it best from others, and its note."""
    tree = trial.tree
    start = _root_name(trial, voice, tree.root_of(number))
    way = tree.path_to(number)
    if not way:
        return start
    note = tree.nodes[number].note
    texts = [strip_styles((line_words(voice, tree.nodes[each].play),)) for each in way]
    line = " · ".join(texts)
    most = _MAX_LABEL_LENGTH - len(start)
    line = line if len(line) <= most else f"… {line[-most:].partition(' ')[2]}"
    return f"{start}: {note or line}"[:80]


def _root_name(trial: TrialBoard, voice: Speaker, number: int) -> str:
    root = trial.tree.roots[number]
    if root.at == 0 or not root.turn:
        return voice.line("try.beginning")
    return strip_styles(turn_number(voice, trial.table.game, root.turn))


def _evaluation(table: Table, voice: Speaker, best: Judged) -> Text:
    """Return everybody's chances in a position, or the proven result; empty for one that was not searched."""
    if not best.visits:
        return ()
    if not (best.proven or best.known):
        each = [
            voice.say("try.chances.seat", who=table.name_span(seat), value=round(100 * value))
            for seat, value in enumerate(best.values)
        ]
        return voice.say("try.chances", chances=voice.listing(each))
    winners = [seat for seat, value in enumerate(best.values) if value == 1]
    if len(winners) == 1:
        return voice.say("try.proven.wins", who=table.name_span(winners[0]))
    return voice.say("try.proven.draw")


def _current_node_button(trial: TrialBoard, voice: Speaker, key: str) -> Button:
    return trial.button(voice, key, GO, str(trial.tree.here))
