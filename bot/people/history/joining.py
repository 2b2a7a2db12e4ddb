"""Commands and presses for joining a game, rematches, and taking over for an absent player."""

from dataclasses import replace

from bot.kernel.cards import Card
from bot.kernel.context import Context
from bot.kernel.forms import Values
from bot.kernel.permissions import check_clock
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext, list_seated_people
from bot.kernel.requests import Reply
from bot.kernel.table import Table, player_key
from bot.lobby import service as lobby
from bot.lobby.cards import again_words
from bot.lobby.commands import play, take_seat
from bot.lobby.teams.starting import play_again as play_again_as_team
from bot.people.history.commands import show_finished_game
from bot.table import commands, offers
from bot.table.card_parts import offer_made_words
from bot.table.clocks import TimeControl
from bot.table.commands import show_board
from bot.table.game_lookup import (
    check_may_take_part,
    load_table_by_code,
    next_game,
    resolve_past_table,
    which_game_refusal,
)
from storage import OfferKind, Seat, Terms


async def rematch(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Repeat the last game here, or the one with a code, with the same people."""
    table = await resolve_past_table(context, requester, values.get("game"), lambda opened: opened.row.is_over)
    return await play_again(context, requester, table)


async def play_again(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Offer a rematch of a finished game, with the seats rotated by one; or join one that is already offered.

    If that one was called off, or is over as well, offer another.
    """
    row = table.row
    if not row.is_over:
        raise Refused("refusal.not-over-yet")
    if row.terms.team is not None:
        return await play_again_as_team(context, requester, table)
    offered = await next_game(context, table)
    if offered is not None:
        own = offered.entry_of(requester.id)
        if own is None or own.state != "joined":
            return await take_seat(context, requester, offered.row.id)
        return Reply(Card(again_words(offered, requester.speaker)), opens=offered.row.id)
    entries = sorted(row.seats, key=lambda entry: entry.seat or 0)
    players = tuple(map(player_key, entries))
    if requester.id not in players or 0 in players:
        raise Refused("refusal.not-your-rematch")
    invited = [Seat(0, "invited", person=person) for person in players if person > 0 and person != requester.id]
    levels = [-player for player in players if player < 0]
    order = (*players[1:], players[0])
    terms = Terms(rated=row.terms.rated, tries=row.terms.tries, rematch_of=row.id, order=order)
    terms = TimeControl.of(row.terms).apply(terms)
    reply = Reply()
    async with context.store.transaction():
        opened = await lobby.open_table(
            context,
            requester,
            row.game,
            row.options,
            terms,
            reply,
            seats=len(players),
            invited=invited,
            computers=levels,
        )
        await lobby.note_rematch(context, requester, table, opened)
    return await commands.opened_reply(context, requester, opened, reply)


async def play_or_join(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Start a game, or with a code take a seat in a game of any place."""
    if values.get("join"):
        return await join_command(context, requester, {"code": values["join"]})
    return await play(context, requester, values)


async def join_command(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Take a seat in a game by its code, or in the only one here with a free seat."""
    if values.get("code"):
        table = await load_table_by_code(context, requester, values["code"], joining=True)
        if table.row.is_playing:
            stranger = table.entry_of(requester.id) is None
            if stranger and offers.is_absent(context, table):
                return await take_over(context, requester, table)
            # The game has begun: show its board.
            return await show_board(context, requester, table)
        if table.row.is_over and table.line is not None:
            # The game is over: show its final board.
            return await show_finished_game(context, requester, table)
        return await take_seat(context, requester, table.id)
    briefs = await context.store.games.list_in_place(requester.place.id, status="lobby")
    free = [
        brief
        for brief in briefs
        if any(entry.state in ("open", "invited") for entry in brief.seats)
        and not any(entry.person == requester.id and entry.state == "joined" for entry in brief.seats)
    ]
    if not free:
        raise Refused("refusal.no-lobby")
    if len(free) > 1:
        raise await which_game_refusal(context, requester, free, "join")
    return await take_seat(context, requester, free[0].id)


async def take_over(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Offer to take over for a player of a running game who has not moved for long; the others have to agree."""
    row = table.row
    offers.check_absent(context, table)
    await check_may_take_part(context, requester, row)
    await check_clock(context, requester, row.terms, row.id)
    await lobby.check_limit(context, requester)
    reply = Reply(Card(offer_made_words(table, requester.speaker, OfferKind.SEAT)))
    offer = replace(offers.new_offer(table, requester.id, OfferKind.SEAT), seat=table.mover, person=requester.id)
    async with context.store.transaction():
        # Read the blocks within the transaction: cached ones may be outdated.
        lobby.check_players(requester, row, await context.store.people.get_many(list_seated_people(row, ("joined",))))
        await offers.make_offer(context, requester, table, offer, reply)
    return reply
