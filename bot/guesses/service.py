"""Decides who may guess the next turn of a game, and stores guesses and the players' consent."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from bot.core.browsers import browser_of_user, people_sharing_browser
from bot.core.context import Context
from bot.core.request_context import RequestContext, list_seated_people
from bot.entry.beginnings import parse_typed
from bot.guesses.settling import find_turns_taken_back, settle_guesses, was_seen_before
from bot.interface.cards import Button, Card
from bot.interface.presses import press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.texts import Speaker, Text
from bot.lobby.people import is_blocked_by
from bot.play.service import store_step
from bot.tables.changes import last_moved_revision
from bot.tables.line import play_line
from bot.tables.table import BrokenGame, Table
from bot.teams.service import whole_turn
from storage import GuessRefused, NewEvent, NewGuess, Person, ProcessedEvent

OFFER: Final = "guessoffer"
"""The press that suggests guesses to the players of a game."""
OFFER_INTERVAL: Final = timedelta(days=1)
"""Minimum time between two suggestions for one game in one place."""
_VALUES: Final = "guesses"
"""What the stored values of guesses belong to, in place of a platform."""
_MAX_ATTEMPTS: Final = 5
"""Maximum number of attempts to change a game that others change at the same time."""


def players(table: Table) -> list[Person]:
    """Return the players of a game, whose consent is required; forgotten people do not count."""
    found = [table.people[person] for person in list_seated_people(table.row, ("joined",))]
    return [person for person in found if person.name]


def check_at_play(table: Table) -> None:
    """Refuse games that have not started, are over, or in which a team plays."""
    if table.row.status == "lobby":
        raise Refused("refusal.not-started", code=table.row.id)
    if table.row.status == "over":
        raise Refused("refusal.is-over")
    if table.teams:
        raise Refused("refusal.guess-team")


def is_player(table: Table, asker: RequestContext) -> bool:
    """Return True if the asker has a seat in a game."""
    return table.entry_of(asker.person.id) is not None


async def find_missing(context: Context, table: Table) -> list[Person]:
    """Return the players of a game who have not agreed to guesses."""
    agreed = await context.store.guesses.consents(table.row.id)
    return [person for person in players(table) if person.id not in agreed]


async def record_offer(context: Context, asker: RequestContext, table: Table, missing: Sequence[Person]) -> None:
    """Record that guesses are suggested in a place; Refused if that was done there less than a day ago."""
    name, now = f"offer:{table.row.id}:{asker.place.id}", context.clock()
    noted = await context.store.key_values.get(_VALUES, name)
    if noted is not None and now - datetime.fromisoformat(noted["suggested_at"]) < OFFER_INTERVAL:
        raise Refused("refusal.guess-offered", who=name_people(table, asker.mine, missing), code=table.row.id)
    await context.store.key_values.set(_VALUES, name, {"suggested_at": now.isoformat()})


def name_people(table: Table, speaker: Speaker, people: Sequence[Person]) -> Text:
    """Return the names of people at a table, without mentioning them."""
    return speaker.listing([replace(table.person_span(person.id), person=None) for person in people])


async def check_may_guess(context: Context, asker: RequestContext, table: Table) -> None:
    """Refuse players, people whom a player blocks or who block one, and games without everybody's consent."""
    check_at_play(table)
    who = players(table)
    if is_player(table, asker):
        raise Refused("refusal.guess-player")
    _check_blocks(asker, who)
    if browser_of_user(context, asker.request.user) is not None:
        beside = await people_sharing_browser(context, asker.person.id)
        if any(person.id in beside for person in who):
            raise Refused("refusal.guess-player")
    missing = await find_missing(context, table)
    if missing or not who:
        offer = Button(asker.mine.line("button.guess.offer"), press(OFFER, table.row.id), "primary")
        rows = ((offer,),) if missing else ()
        key = "refusal.guess-not-agreed" if missing else "refusal.guess-nobody"
        raise Refused(key, rows=rows, who=name_people(table, asker.mine, missing), code=table.row.id)
    if table.playing.has_acted or table.mover is None:
        raise Refused("refusal.guess-begun")


def _check_blocks(asker: RequestContext, who: Iterable[Person]) -> None:
    if any(is_blocked_by(person, asker.person) or is_blocked_by(asker.person, person) for person in who):
        raise Refused("refusal.guess-blocked")


async def take_guess(
    context: Context, asker: RequestContext, table: Table, actions: tuple[str, ...], reply: Reply
) -> None:
    """Store a guess at the next turn in place of an earlier one; Refused if the asker may not guess."""
    await check_may_guess(context, asker, table)
    revision, known = last_moved_revision(table.row), browser_of_user(context, asker.request.user)
    taken_back = await find_turns_taken_back(context, table, await context.store.games.events(table.row.id))
    if was_seen_before(table.playing.state, actions, revision, taken_back):
        raise Refused("refusal.guess-seen")
    made = NewGuess(table.row.id, revision, asker.person.id, actions, known[1] if known is not None else None)
    try:
        async with context.store.transaction():
            # Within the transaction only the database says who has blocked whom.
            who = await context.store.people.get_many([person.id for person in players(table)])
            _check_blocks(asker, who.values())
            await context.store.guesses.guess(made, table.row.revision, context.clock(), asker.receipt(reply))
    except GuessRefused as error:
        key = {"browser": "refusal.guess-browser", "plays": "refusal.guess-player"}.get(error.code)
        raise Refused(key or "refusal.moved-on") from error


def typed_actions(table: Table, text: str) -> tuple[str, ...] | None:
    """Return the turn that a typed line means in a game's position, None if it is incomplete; EngineError."""
    line = table.playing
    steps = play_line(line, parse_typed(line.state, text), None)[1]
    return whole_turn(line.state, [step.action.text for step in steps])


async def agree(context: Context, asker: RequestContext, table: Table) -> Reply:
    """Store a player's consent; the last one puts the button on the board. Refused for anybody who does not play."""
    _check_plays(table, asker)
    others = [person for person in await find_missing(context, table) if person.id != asker.person.id]
    key, who = ("guess.agreed", name_people(table, asker.mine, others)) if others else ("guess.agreed.all", ())
    code, person, now = table.row.id, asker.person.id, context.clock()
    reply = Reply(Card(asker.mine.say(key, who=who, code=code)), private=True)
    if not others and not table.row.course.guesses:
        async with context.store.transaction():
            await _offer_on_board(context, table, offered=True, processed=asker.receipt(reply))
            await context.store.guesses.agree(code, person, now)
        return reply
    await context.store.guesses.agree(code, person, now, asker.receipt(reply))
    # Two may agree at the same moment: only what is stored now tells who was the last.
    if others and not await find_missing(context, table):
        await _offer_after_all(context, code)
    return reply


async def withdraw(context: Context, asker: RequestContext, table: Table) -> Reply:
    """Withdraw a player's consent and delete guesses at the current turn; Refused for anybody else."""
    _check_plays(table, asker)
    await settle_all(context, [table.row.id])
    code, person, since, now = table.row.id, asker.person.id, last_moved_revision(table.row), context.clock()
    reply = Reply(Card(asker.mine.say("guess.withdrawn", code=code)), private=True)
    if not table.row.course.guesses:
        await context.store.guesses.withdraw(code, person, since, now, asker.receipt(reply))
        return reply
    async with context.store.transaction():
        # The step comes first: it locks the game before its guesses, as taking a guess does.
        await _offer_on_board(context, table, offered=False, processed=asker.receipt(reply))
        await context.store.guesses.withdraw(code, person, since, now)
    return reply


def _check_plays(table: Table, asker: RequestContext) -> None:
    check_at_play(table)
    if not is_player(table, asker):
        raise Refused("refusal.guess-not-player")


async def _offer_after_all(context: Context, code: str) -> None:
    """Put the button on the board of a game; if it changes meanwhile, try again."""
    for _ in range(_MAX_ATTEMPTS):
        table = await context.table(code)
        if table.row.course.guesses or table.row.status != "playing":
            return
        with suppress(Refused):
            await _offer_on_board(context, table, offered=True)


async def _offer_on_board(
    context: Context, table: Table, *, offered: bool, processed: ProcessedEvent | None = None
) -> None:
    """Store whether the board has the button; Refused if the game has changed meanwhile."""
    row = replace(table.row, course=replace(table.row.course, guesses=offered))
    event = NewEvent("guesses", {"on": offered})
    await store_step(context, table, row, [event], line=table.line, processed=processed)


async def settle_all(context: Context, codes: Sequence[str]) -> None:
    """Compare the guesses in some games with the turns played since; games that cannot be read are skipped."""
    for code in codes:
        try:
            await settle_guesses(context, await context.table(code))
        except BrokenGame:
            continue  # it was reported where it was noticed
