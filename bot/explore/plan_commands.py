"""Plans: tried or typed lines that are played automatically, and withdrawing them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.explore import cards
from bot.explore import commands as trying
from bot.explore import service as tries
from bot.explore.service import Trial
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused, engine_words
from bot.interface.requests import Reply
from bot.language.texts import Text
from bot.play.game_lookup import load_table_by_code, resolve_my_table
from bot.play.plans import may_be_planned
from bot.play.records import turns_of
from bot.play.service import require_playing_seat
from bot.tables.line import follow_action
from engine import EngineError

_IF_PATTERN: Final = re.compile(r"\s*\b(?:if|se)\b\s+", re.IGNORECASE)
_THEN_PATTERN: Final = re.compile(r"\s*[,:]?\s*\b(?:then|allora)\b\s+", re.IGNORECASE)


async def plan(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Plan answers to the opponent's turns, typed as `if … then …`; without a line, show the plans."""
    code, typed = await trying.split_code_and_moves(context, values)
    if code:
        table = await load_table_by_code(context, asker, code)
    else:
        table = await resolve_my_table(context, asker, None, lambda brief: press("plan", brief.id, brief.revision))
    if not typed.strip():
        return await trying.open_plan(context, asker, table)
    seat, pairs = require_playing_seat(table, asker), _read_lines(typed)
    start = trial = await tries.open_board(context, asker, table)
    if table.mover == seat:
        raise Refused("refusal.plan-your-turn")
    said: list[Text] = []
    for lines in pairs:
        trial = tries.go_to_node(trial, trial.tree.at_node(start.tree.here))
        try:
            for text in lines:
                trial = tries.play_actions(trial, trying.parse_actions(trial, text))
        except EngineError as error:
            # All or nothing: a refusal must not leave some of the plans in place.
            said = [engine_words(asker.mine, table.row.game, error)]
            return await trying.board_reply(context, asker, start, said)
        trial = await _add_plan(context, asker, trial)
    return await trying.store_and_show(context, asker, trial, [asker.mine.say("plan.made")], plans=True)


async def press_unplan(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button that withdraws all plans in a game."""
    trial = await trying.load_board(context, asker, pressed)
    if not trial.tree.planned:
        # They may just have been played.
        return replace(await trying.board_reply(context, asker, trial, [asker.mine.say("plan.nothing")]), update=False)
    notes = [asker.mine.say("plan.off")]
    return replace(
        await trying.store_and_show(context, asker, tries.go_to_node(trial, trial.tree.without_plans()), notes),
        update=False,
    )


async def press_control(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle a button on a board to try lines out on: those for plans here, the others in `commands`."""
    if pressed.path[:1] not in ((cards.PLAN,), (cards.UNPLAN,)):
        return await trying.press_control(context, asker, pressed)
    trial = await trying.load_board(context, asker, pressed)
    if trial.stored_tree.revision != pressed.revision:
        return await trying.board_reply(context, asker, trial)
    if pressed.path[0] == cards.UNPLAN:
        tree = trial.tree
        gone = {*tree.path_to(tree.here), *tree.subtree(tree.here)}
        left = tree.with_planned([number for number in tree.plans if number not in gone], alone=True)
        return await trying.store_and_show(context, asker, tries.go_to_node(trial, left), [asker.mine.say("plan.off")])
    trial = await _add_plan(context, asker, trial)
    return await trying.store_and_show(context, asker, trial, [asker.mine.say("plan.made")], plans=True)


async def _add_plan(context: Context, asker: RequestContext, trial: Trial) -> Trial:
    """Return a board with the asker's own turns of the line planned; Refused where that is not possible."""
    table, tree = trial.table, trial.tree
    seat = require_playing_seat(table, asker)
    if not may_be_planned(table.row):
        raise Refused("refusal.plan-not-here")
    if table.row.offers.pending:
        raise Refused("refusal.plan-offer")
    if table.row.course.paused:
        raise Refused("refusal.plan-paused")
    actions = [action.text for turn in await turns_of(context, table) for action in turn.actions]
    reached, way = tree.node_reached(actions), tree.path_to(tree.here)
    if reached is None or (reached not in way and reached != tree.root_of(tree.here)):
        raise Refused("refusal.plan-elsewhere")
    mine = _own_planned_turns(trial, seat, way[way.index(reached) + 1 :] if reached in way else way, reached)
    if not mine:
        raise Refused("refusal.plan-none")
    return tries.go_to_node(trial, tree.with_planned(mine))


def _own_planned_turns(trial: Trial, seat: int, way: Sequence[int], reached: int) -> list[int]:
    """Return the turns of a seat on a path through the tree that answer one of the opponent's."""
    line, met, found = trial.tree.line_to(trial.table.game, reached), False, list[int]()
    for number in way:
        if line.state.to_move != seat:
            met = True
        elif met:
            found.append(number)
        for text in trial.tree.nodes[number].play:
            line = follow_action(line, text)
    return found


def _read_lines(typed: str) -> list[list[str]]:
    """Return the typed plan lines, each with both players' turns in order; Refused for an invalid line."""
    found = []
    for part in filter(None, (each.strip() for each in typed.split(trying.TURN_SEPARATOR))):
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
