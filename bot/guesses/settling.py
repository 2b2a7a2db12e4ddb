"""Results of guesses: whether the turn was played, and whether it is as good as the best one by the analysis.

Both follow from what is stored of the game, however often it is worked out: points are never added twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.core.context import Context
from bot.play.records import export_record, turns_of
from bot.play.replaying import line_of_play
from bot.tables.table import Table
from bot.thinking.analysis import MIN_COST, Analysis, read_analysis
from engine import Action, State, Turn, games
from storage import Event, StoredGuess

MAX_GAMES_SETTLED: Final = 20
"""Maximum number of games whose guesses are compared for one table."""
TOLERANCE: Final = MIN_COST / 2
"""Maximum loss of expected value for a turn to count as good as the best one."""


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A whole turn that was played: its number in the game's list of turns, the position, and what its player did.

    `chance`: something was thrown or dealt within it; `person` is who played it.
    """

    number: int
    seat: int
    state: State
    actions: tuple[Action, ...]
    chance: bool
    person: int | None

    def is_guessed_by(self, texts: Sequence[str]) -> bool:
        """Return True if a guess is this turn: the same actions up to the next chance event, or the same position."""
        played = [action.text for action in self.actions]
        if played[: len(texts)] == list(texts):
            return True
        return not self.chance and after_texts(self.state, texts) == after_texts(self.state, played)


def after_texts(state: State, texts: Sequence[str]) -> State:
    """Return the position after some actions; EngineError."""
    for text in texts:
        state = state.play(state.read(text))
    return state


async def settle_guesses(context: Context, table: Table) -> None:
    """Store which guesses in a game were hits; BrokenGame if it cannot be replayed."""
    row = table.row
    stored = [each for each in await context.store.guesses.list_in_game(row.id) if each.checked < row.revision]
    if not stored or row.rules_version != games[row.game].rules_version:
        return
    events = await context.store.games.events(row.id)
    found = find_played_turns(await turns_of(context, table), events)
    taken_back = await find_turns_taken_back(context, table, events)
    results = {each.id: _result(each, events, found, taken_back) for each in stored}
    await context.store.guesses.settle(row.id, row.revision, results)


def find_played_turns(turns: Sequence[Turn], events: Sequence[Event]) -> dict[int, PlayedTurn]:
    """Return the whole turns of a game by the number of the event with which their player began.

    Turns in which somebody left are none: nobody has played them.
    """
    line, at, found = line_of_play(events), 0, dict[int, PlayedTurn]()
    for number, turn in enumerate(turns, 1):
        happened, at = line[at : at + len(turn.actions)], at + len(turn.actions)
        facts = turn.before.game.facts
        first = next((index for index, action in enumerate(turn.actions) if facts.by_player(action)), None)
        after = turn.after
        whole = after.to_move is None or after.turn != turn.before.turn
        if first is None or not whole or any(action.is_drop for action in turn.actions):
            continue
        state = turn.before
        for action in turn.actions[:first]:
            state = state.play(action)
        chance = any(map(facts.by_chance, turn.actions[first:]))
        begun = happened[first]
        found[begun.number] = PlayedTurn(number, turn.seat, state, turn.actions[first:], chance, begun.person)
    return found


async def find_turns_taken_back(context: Context, table: Table, events: Sequence[Event]) -> dict[int, list[PlayedTurn]]:
    """Return the whole turns of a game that were played and taken back, by the number of the event that did so.

    `events` are all events of the game; BrokenGame if they cannot be replayed.
    """
    undone = [event for event in events if event.kind == "undo"]
    taken_back = dict[int, list[PlayedTurn]]()
    if not undone:
        return taken_back
    async with export_record(context, table) as record:
        for undo in undone:
            before = events[: undo.number - 1]
            actions = tuple(event.data["action"] for event in line_of_play(before))
            played = find_played_turns(list(replace(record, actions=actions).turns()), before)
            taken_back[undo.number] = [turn for begun, turn in played.items() if begun > undo.data["to"]]
    return taken_back


def was_seen_before(
    state: State, texts: Sequence[str], revision: int, taken_back: Mapping[int, Sequence[PlayedTurn]]
) -> bool:
    """Return whether a turn was played from this position, and taken back, before a revision: all have seen it."""
    return any(
        turn.state == state and turn.is_guessed_by(texts)
        for number, turns in taken_back.items()
        for turn in turns
        if number <= revision
    )


def _result(
    guess: StoredGuess,
    events: Sequence[Event],
    found: Mapping[int, PlayedTurn],
    taken_back: Mapping[int, Sequence[PlayedTurn]],
) -> bool | None:
    """Return whether a guess was a hit.

    None where its turn was not played, or taken back, or played by the guesser, or seen before it was guessed.
    """
    turn = played_turn_of(guess, events, found)
    if turn is None or turn.person == guess.person:
        return None
    if was_seen_before(turn.state, guess.actions, guess.revision, taken_back):
        return None
    return turn.is_guessed_by(guess.actions)


def played_turn_of(guess: StoredGuess, events: Sequence[Event], found: Mapping[int, PlayedTurn]) -> PlayedTurn | None:
    """Return the turn that a guess is about: the first step of the game since then must be its beginning."""
    for event in events:
        if event.number > guess.revision and event.kind in ("action", "undo") and event.data.get("draw") is None:
            return found.get(event.number)
    return None


async def judge_guesses(context: Context, table: Table) -> bool:
    """Store which guesses in a finished game are as good as the best turn; False if it has no analysis.

    ThinkingFailed where a search does not come to an end, BrokenGame.
    """
    await settle_guesses(context, table)
    analysis = read_analysis(await context.store.analyses.get(table.row.id))
    if analysis is None:
        return False
    events = await context.store.games.events(table.row.id)
    found = find_played_turns(await turns_of(context, table), events)
    known: dict[tuple[int, tuple[str, ...]], bool] = {}
    for guess in await context.store.guesses.list_in_game(table.row.id):
        turn = played_turn_of(guess, events, found)
        if guess.hit is None or guess.good is not None or turn is None:
            continue
        asked = (turn.number, guess.actions)
        if asked not in known:
            known[asked] = await _is_as_good(context, turn, guess.actions, analysis)
        await context.store.guesses.judge(guess.id, good=known[asked])
    return True


async def _is_as_good(context: Context, turn: PlayedTurn, texts: tuple[str, ...], analysis: Analysis) -> bool:
    choice = next((each for each in analysis.moments if each.turn == turn.number and not each.begun), None)
    if choice is not None and texts in (choice.better, choice.played):
        return texts == choice.better
    best = analysis.points[turn.number - 1][turn.seat] if choice is None else choice.before
    value = await context.advice.worth(after_texts(turn.state, texts), turn.seat, whose="guesses")
    if value is None:
        # Dice come first: the search of the choice itself says what its actions are worth.
        judged = await context.advice.judge(turn.state, whose="guesses")
        values = {each.action.text: each.values[turn.seat] for each in judged}
        best, value = judged[0].values[turn.seat], values.get(texts[0], 0.0)
    return value >= best - TOLERANCE
