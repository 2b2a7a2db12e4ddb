"""Guesses at the next turn of a game: permission, the players' consent, storing guesses, and their results.

The results are whether the guessed turn was played, and whether it is as good as the best one by the analysis. Both
follow from the stored game, so computing them again never adds points twice.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.kernel.context import Context
from bot.kernel.post_kinds import DueWorker, back_off_seconds
from bot.kernel.question_cards import make_button
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext, list_seated_people, people_sharing_browser
from bot.kernel.requests import Reply
from bot.kernel.table import BrokenGame, Table, last_moved_revision
from bot.kernel.texts import Speaker, Text
from bot.lobby.service import are_apart
from bot.table.replaying import export_record, line_of_play, turns_of
from bot.table.service import store_step
from bot.thinking.analysis import MIN_COST, Analysis, read_analysis
from bot.thinking.thinkers import ThinkingFailed
from engine import State, Turn, games
from storage import Event, GuessRefused, NewEvent, NewGuess, Person, ProcessedEvent, StoredGuess

MAX_GAMES_SETTLED: Final = 20
"""Maximum number of games whose guesses are compared for one table."""
TOLERANCE: Final = MIN_COST / 2
"""Maximum loss of expected value for a turn to count as good as the best one."""


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A whole turn of a game from its player's first action on, and the id of the player."""

    turn: Turn
    person: int | None

    def is_guessed_by(self, texts: Sequence[str]) -> bool:
        """Return True if a guess is this turn: the same actions up to the next chance event, or the same position."""
        turn = self.turn
        if [action.text for action in turn.actions[: len(texts)]] == list(texts):
            return True
        has_chance = any(map(turn.before.game.facts.by_chance, turn.actions))
        return not has_chance and after_texts(turn.before, texts) == turn.after


def after_texts(state: State, texts: Sequence[str]) -> State:
    """Return the position after some actions; EngineError."""
    for text in texts:
        state = state.play(state.read(text))
    return state


async def settle_guesses(context: Context, table: Table) -> None:
    """Store the guesses in a game that were hits or misses; BrokenGame if it cannot be replayed."""
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
    """Return the whole turns of a game by the number of the event of their player's first action.

    Turns in which a person left do not count, because no one has played them.
    """
    line, at, found = line_of_play(events), 0, dict[int, PlayedTurn]()
    for number, turn in enumerate(turns, 1):
        happened, at = line[at : at + len(turn.actions)], at + len(turn.actions)
        is_whole = turn.after.to_move is None or turn.after.turn != turn.before.turn
        if not turn.own or not is_whole or any(action.is_drop for action in turn.actions):
            continue
        first = turn.actions.index(turn.own[0])
        start = replace(turn, actions=turn.actions[:first]).after
        begun = happened[first]
        found[begun.number] = PlayedTurn(Turn(number, turn.seat, turn.actions[first:], start), begun.person)
    return found


async def find_turns_taken_back(
    context: Context, table: Table, events: Sequence[Event]
) -> list[tuple[int, PlayedTurn]]:
    """Return the whole turns of a game that were taken back, each with the number of the event that took it back.

    `events` are all events of the game; BrokenGame if they cannot be replayed.
    """
    undone = [event for event in events if event.kind == "undo"]
    taken_back = list[tuple[int, PlayedTurn]]()
    if not undone:
        return taken_back
    async with export_record(context, table) as record:
        for undo in undone:
            before = events[: undo.number - 1]
            actions = tuple(event.data["action"] for event in line_of_play(before))
            played = find_played_turns(list(replace(record, actions=actions).turns()), before)
            taken_back += [(undo.number, turn) for begun, turn in played.items() if begun > undo.data["to"]]
    return taken_back


def was_seen_before(
    state: State, texts: Sequence[str], revision: int, taken_back: Sequence[tuple[int, PlayedTurn]]
) -> bool:
    """Return whether a turn was played here and taken back before a revision, so that everybody has seen it."""
    return any(
        number <= revision and played.turn.before == state and played.is_guessed_by(texts)
        for number, played in taken_back
    )


def _result(
    guess: StoredGuess,
    events: Sequence[Event],
    found: Mapping[int, PlayedTurn],
    taken_back: Sequence[tuple[int, PlayedTurn]],
) -> bool | None:
    """Return whether a guess was a hit.

    None if its turn was not played, was taken back, was played by the guesser, or was seen before the guess.
    """
    played = played_turn_of(guess, events, found)
    if played is None or played.person == guess.person:
        return None
    if was_seen_before(played.turn.before, guess.actions, guess.revision, taken_back):
        return None
    return played.is_guessed_by(guess.actions)


def played_turn_of(guess: StoredGuess, events: Sequence[Event], found: Mapping[int, PlayedTurn]) -> PlayedTurn | None:
    """Return the turn that a guess is about: the one that begins with the first step of the game after the guess."""
    for event in events[guess.revision :]:
        if event.kind in ("action", "undo") and event.data.get("draw") is None:
            return found.get(event.number)
    return None


async def judge_guesses(context: Context, table: Table) -> bool:
    """Store the guesses in a finished game that are as good as the best turn; False if it has no analysis.

    ThinkingFailed if a search fails, BrokenGame.
    """
    await settle_guesses(context, table)
    analysis = read_analysis(await context.store.analyses.get(table.id))
    if analysis is None:
        return False
    events = await context.store.games.events(table.id)
    found = find_played_turns(await turns_of(context, table), events)
    known: dict[tuple[int, tuple[str, ...]], bool] = {}
    for guess in await context.store.guesses.list_in_game(table.id):
        played = played_turn_of(guess, events, found)
        if guess.hit is None or guess.good is not None or played is None:
            continue
        asked = (played.turn.number, guess.actions)
        if asked not in known:
            known[asked] = await _is_as_good(context, played.turn, guess.actions, analysis)
        await context.store.guesses.judge(guess.id, good=known[asked])
    return True


async def _is_as_good(context: Context, turn: Turn, texts: tuple[str, ...], analysis: Analysis) -> bool:
    choice = next((each for each in analysis.moments if each.turn == turn.number and not each.begun), None)
    if choice is not None and texts in (choice.better, choice.played):
        return texts == choice.better
    best = analysis.points[turn.number - 1][turn.seat] if choice is None else choice.before
    value = await context.advice.worth(after_texts(turn.before, texts), turn.seat, whose="guesses")
    if value is None:
        # If dice come first, use the values of actions from a search of the choice.
        judged = await context.advice.judge(turn.before, whose="guesses")
        values = {each.action.text: each.values[turn.seat] for each in judged}
        best, value = judged[0].values[turn.seat], values.get(texts[0], 0.0)
    return value >= best - TOLERANCE


OFFER_BUTTON: Final = "guessoffer"
"""The press that suggests guesses to the players of a game."""
OFFER_INTERVAL: Final = timedelta(days=1)
"""Minimum time between two suggestions for one game in one place."""
_VALUES: Final = "guesses"
"""The owner of the stored values of guesses, in place of a platform."""
_MAX_ATTEMPTS: Final = 5
"""Maximum number of attempts to change a game while others change it."""


def players(table: Table) -> list[Person]:
    """Return the players of a game, whose consent is required; forgotten people do not count."""
    found = [table.people[person] for person in list_seated_people(table.row, ("joined",))]
    return [person for person in found if person.name]


def check_at_play(table: Table) -> None:
    """Raise Refused for games that have not started, are over, or in which a team plays."""
    table.check_unfinished()
    table.check_started()
    if table.teams:
        raise Refused("refusal.guess-team")


def is_player(table: Table, requester: RequestContext) -> bool:
    """Return True if the requester has a seat in a game."""
    return table.entry_of(requester.id) is not None


async def find_missing(context: Context, table: Table) -> list[Person]:
    """Return the players of a game who have not agreed to guesses."""
    agreed = await context.store.guesses.consents(table.id)
    return [person for person in players(table) if person.id not in agreed]


async def record_offer(context: Context, requester: RequestContext, table: Table, missing: Sequence[Person]) -> None:
    """Record that guesses are suggested in a place; Refused if they were suggested there less than a day ago."""
    name, now = f"offer:{table.id}:{requester.place.id}", context.clock()
    noted = await context.store.key_values.get(_VALUES, name)
    if noted is not None and now - datetime.fromisoformat(noted["suggested_at"]) < OFFER_INTERVAL:
        raise Refused("refusal.guess-offered", who=name_people(table, requester.speaker, missing), code=table.id)
    await context.store.key_values.set(_VALUES, name, {"suggested_at": now.isoformat()})


def name_people(table: Table, speaker: Speaker, people: Sequence[Person]) -> Text:
    """Return the names of people at a table, without mentioning them."""
    return speaker.listing([replace(table.person_span(person.id), person=None) for person in people])


async def check_may_guess(context: Context, requester: RequestContext, table: Table) -> None:
    """Raise Refused for players, for people with a block between them and a player, and without everybody's consent."""
    check_at_play(table)
    who = players(table)
    if is_player(table, requester):
        raise Refused("refusal.guess-player")
    _check_blocks(requester, who)
    if requester.browser is not None:
        beside = await people_sharing_browser(context, requester.id)
        if not beside.isdisjoint(person.id for person in who):
            raise Refused("refusal.guess-player")
    if not who:
        raise Refused("refusal.guess-nobody", code=table.id)
    if missing := await find_missing(context, table):
        offer = make_button(requester.speaker, "button.guess.offer", OFFER_BUTTON, table.id, style="primary")
        names = name_people(table, requester.speaker, missing)
        raise Refused("refusal.guess-not-agreed", rows=((offer,),), who=names, code=table.id)
    if table.playing.has_acted or table.mover is None:
        raise Refused("refusal.guess-begun")


def _check_blocks(requester: RequestContext, who: Iterable[Person]) -> None:
    if any(are_apart(person, requester.person) for person in who):
        raise Refused("refusal.guess-blocked")


async def take_guess(
    context: Context, requester: RequestContext, table: Table, actions: tuple[str, ...], reply: Reply
) -> None:
    """Store a guess at the next turn, which replaces an earlier one; Refused if the requester may not guess."""
    await check_may_guess(context, requester, table)
    revision = last_moved_revision(table.row)
    taken_back = await find_turns_taken_back(context, table, await context.store.games.events(table.id))
    if was_seen_before(table.playing.state, actions, revision, taken_back):
        raise Refused("refusal.guess-seen")
    made = NewGuess(table.id, revision, requester.id, actions, requester.browser[1] if requester.browser else None)
    try:
        async with context.store.transaction():
            # Read the blocks within the transaction: cached ones may be outdated.
            who = await context.store.people.get_many([person.id for person in players(table)])
            _check_blocks(requester, who.values())
            await context.store.guesses.guess(made, table.row.revision, context.clock(), requester.receipt(reply))
    except GuessRefused as error:
        key = {"browser": "refusal.guess-browser", "plays": "refusal.guess-player"}.get(error.code)
        raise Refused(key or "refusal.moved-on") from error


async def agree(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Store a player's consent; the last consent puts the button on the board. Refused for people who do not play."""
    _check_plays(table, requester)
    others = [person for person in await find_missing(context, table) if person.id != requester.id]
    key, who = ("guess.agreed", name_people(table, requester.speaker, others)) if others else ("guess.agreed.all", ())
    reply = requester.answer(key, who=who, code=table.id)
    receipt, completes = requester.receipt(reply), not others and not table.row.progress.guesses
    async with context.store.transaction():
        if completes:
            await _offer_on_board(context, table, offered=True, processed=receipt)
        await context.store.guesses.agree(table.id, requester.id, context.clock(), None if completes else receipt)
    # Two players may agree at the same time: read again from the database if all have agreed.
    if others and not await find_missing(context, table):
        await _offer_after_all(context, table.id)
    return reply


async def withdraw(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Withdraw a player's consent and delete guesses at the current turn; Refused for people who do not play."""
    _check_plays(table, requester)
    await settle_all(context, [table.id])
    reply = requester.answer("guess.withdrawn", code=table.id)
    receipt, since, offered = requester.receipt(reply), last_moved_revision(table.row), table.row.progress.guesses
    async with context.store.transaction():
        # Store the step first: it locks the game before its guesses, in the same order as taking a guess.
        if offered:
            await _offer_on_board(context, table, offered=False, processed=receipt)
        await context.store.guesses.withdraw(
            table.id, requester.id, since, context.clock(), None if offered else receipt
        )
    return reply


def _check_plays(table: Table, requester: RequestContext) -> None:
    check_at_play(table)
    if not is_player(table, requester):
        raise Refused("refusal.guess-not-player")


async def _offer_after_all(context: Context, code: str) -> None:
    """Put the button on the board of a game; retry if the game changes meanwhile."""
    for _ in range(_MAX_ATTEMPTS):
        table = await context.table(code)
        if table.row.progress.guesses or not table.row.is_playing:
            return
        with suppress(Refused):
            await _offer_on_board(context, table, offered=True)


async def _offer_on_board(
    context: Context, table: Table, *, offered: bool, processed: ProcessedEvent | None = None
) -> None:
    """Store whether the board has the button; Refused if the game has changed meanwhile."""
    row = replace(table.row, progress=replace(table.row.progress, guesses=offered))
    event = NewEvent("guesses", {"on": offered})
    await store_step(context, table, row, [event], processed=processed)


async def settle_all(context: Context, codes: Sequence[str]) -> None:
    """Compare the guesses in some games with the turns played since; skip unreadable games."""
    for code in codes:
        with suppress(BrokenGame):  # reading the game has reported the error
            await settle_guesses(context, await context.table(code))


SIGNAL: Final = "analysis"
FIRST_RETRY_SECONDS: Final = 600.0
"""Seconds before the first retry of a game whose guesses could not be judged; it doubles with each retry."""
MAX_RETRY_SECONDS: Final = 86_400.0

log = structlog.get_logger(__name__)


class GuessJudging(DueWorker):
    """Judges the guesses of finished and analysed games, one game at a time."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, context.signals.event(SIGNAL), "guesses")
        self._retries: dict[str, tuple[float, int]] = {}
        """By game: the time of its next retry by the monotonic clock, and the number of failures before."""

    async def _run_due(self) -> bool:
        now = self._clock.monotonic()
        waiting = {code for code, (at, _) in self._retries.items() if at > now}
        found = await self._store.guesses.list_to_judge(1, waiting)
        for code in found:
            _, failures = self._retries.pop(code, (now, 0))
            try:
                if await judge_guesses(self._context, await self._context.table(code)):
                    continue
            except (ThinkingFailed, BrokenGame, Refused) as error:
                log.warning("guesses-not-judged", game=code, reason=str(error))
            pause = back_off_seconds(failures, FIRST_RETRY_SECONDS, MAX_RETRY_SECONDS)
            self._retries[code] = (now + pause, failures + 1)
        return bool(found)
