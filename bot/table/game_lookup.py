"""Find the game that a person means, and check that they may see it."""

from collections.abc import Callable, Sequence
from datetime import datetime

from bot.kernel.cards import Button
from bot.kernel.context import Context
from bot.kernel.permissions import check_not_departed, find_page
from bot.kernel.presses import Press, press
from bot.kernel.question_cards import button_rows
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.table import GamePeople, Table
from bot.table.ratings import OVERALL_KEY
from engine import games
from storage import CompetitionRow, GameBrief, GameRow, read_code


async def check_may_take_part(context: Context, requester: RequestContext, row: GameRow | CompetitionRow) -> None:
    """Raise Refused if the requester has left all groups that show a game or a competition.

    People who were never in such a group are allowed: they may have been sent the code. Raises MembershipUnknown if the
    members of a group cannot be determined.
    """
    if requester.place.id == row.place:
        return
    posts = context.store.posts
    found = await (posts.list_for_game(row.id) if isinstance(row, GameRow) else posts.list_of_competition(row.id))
    shown = {post.place.id: post.place for post in found}
    if row.place not in shown and (home := await context.store.places.get(row.place)) is not None:
        shown[home.id] = home
    await check_not_departed(context, requester, shown.values())


async def check_may_see(context: Context, requester: RequestContext, table: Table) -> None:
    """Raise Refused like `check_may_take_part`, unless the requester has a seat or the game has a public page."""
    if table.entry_of(requester.id) is not None:
        return
    try:
        await check_may_take_part(context, requester, table.row)
    except Refused:
        if await find_page(context, "game", table.id) is None:
            raise


async def check_may_see_code(context: Context, requester: RequestContext, code: str) -> None:
    """Raise Refused like `check_may_see` for the game with a code; do nothing if there is none."""
    found = await context.store.games.get_with_people(code)
    if found is not None:
        row, people = found
        await check_may_see(context, requester, Table(brief=row, row=row, people=people, line=None))


MAX_GAMES_OFFERED = 10


async def resolve_game_key(context: Context, text: str) -> str:
    """Return the key of a game by its name; Refused if none matches, it is not installed, or several match."""
    found = context.game_names.find(text)
    if len(found) == 1:
        return found[0]
    await check_game_installed(context, text.strip().lower())
    closest, speaker = None if found else context.game_names.closest(text), context.speaker(None)
    if closest is not None:
        raise Refused("refusal.like-a-game", name=text[:40], closest=speaker.game_name(closest))
    key = "refusal.which-game-name" if found else "refusal.unknown-game"
    names = [speaker.game_name(game) for game in (found or games)]
    raise Refused(key, name=text[:40], games=tuple(names))


async def check_game_installed(context: Context, key: str) -> None:
    """Raise Refused for a known game that is not installed: its package was removed or set aside."""
    aside = {each.source.key for each in games.set_aside} - set(games)
    if key in aside or (key not in (*games, OVERALL_KEY) and await context.store.games.is_kind_known(key)):
        raise not_installed_refusal(context, key)


def not_installed_refusal(context: Context, key: str) -> Refused:
    """Return the refusal of a game that is not installed now."""
    names = [context.speaker(None).game_name(game) for game in games]
    return Refused("refusal.kind-not-installed", name=key, games=tuple(names))


async def load_table_by_code(context: Context, requester: RequestContext, code: str, *, joining: bool = False) -> Table:
    """Return the game with a typed code; Refused if there is none, with advice that depends on `joining`.

    Also Refused for people who have left the groups that show the game.
    """
    read = read_code(code)
    if read is None:
        raise Refused("refusal.no-code.join" if joining else "refusal.no-code", code=code[:40])
    return await _visible_table(context, requester, read)


async def _visible_table(context: Context, requester: RequestContext, code: str) -> Table:
    table = await context.table(code)
    await check_may_see(context, requester, table)
    return table


async def open_table(context: Context, requester: RequestContext) -> Table | None:
    """Return the game whose board the requester has open or replies to; None if there is none."""
    board = requester.request.board
    if board is not None and board.kind in ("game", "try"):
        code = read_code(board.code)
        if code is not None and await context.store.games.get(code) is not None:
            return await _visible_table(context, requester, code)
    return await find_answered_table(context, requester)


async def last_played_table(context: Context, requester: RequestContext) -> Table:
    """Return the game that the requester finished last; Refused if there is none."""
    results = await context.store.ratings.results_of_person(requester.id, limit=1)
    if not results:
        raise Refused("refusal.nothing-to-repeat")
    return await context.table(results[-1].game)


async def resolve_past_table(
    context: Context, requester: RequestContext, code: str | None, is_meant: Callable[[Table], bool]
) -> Table:
    """Return the game with a code; without one the open game if it `is_meant`, otherwise the last finished one."""
    if code:
        return await load_table_by_code(context, requester, code)
    opened = await open_table(context, requester)
    return opened if opened is not None and is_meant(opened) else await last_played_table(context, requester)


async def find_answered_table(context: Context, requester: RequestContext) -> Table | None:
    """Return the game in the message that the requester replies to; None if there is none."""
    request = requester.request
    if request.message is None:
        return None
    post = await context.store.posts.find_by_message(request.place.platform, request.place.channel, request.message)
    return None if post is None else await context.table(post.subject)


async def next_game(context: Context, table: Table) -> Table | None:
    """Return the rematch of a finished game; None if there is none or it is over."""
    if not table.row.progress.rematch:
        return None
    again = await context.table(table.row.progress.rematch)
    return again if not again.row.is_over else None


async def resolve_my_table(
    context: Context,
    requester: RequestContext,
    code: str | None,
    action: str,
    rest: str = "",
    *,
    waiting: bool = False,
    seated: bool = True,
    voting: bool = False,
) -> Table:
    """Return the meant game: by its code, the open one, or the only one; otherwise Refused, with `action` buttons.

    Games in this place take precedence. With `waiting`, so do games that wait for the person, and with `voting`, games
    here that wait for a team. With `seated` False, games of others in this place are included. The running game of a
    board that is open or replied to is always meant, so that typed text never goes to another game. If a puzzle or
    lesson is open or replied to, the person is asked which game they mean.
    """
    if code:
        return await load_table_by_code(context, requester, code)
    opened = await open_table(context, requester)
    if opened is not None and opened.row.is_playing:
        return opened
    own = [brief for brief in await context.store.games.list_for_person(requester.id) if brief.is_playing]
    if seated:
        # A game that is not installed is meant only if there is no other.
        own = [brief for brief in own if brief.game in games] or own
    here = await context.store.games.list_in_place(requester.place.id)
    local = {brief.id for brief in here}
    teams = await _list_voting_games(context, own, here) if voting else []
    groups = [
        [*(brief for brief in own if brief.waiting and brief.id in local), *teams],
        [brief for brief in own if brief.waiting],
        [brief for brief in own if brief.id in local],
        own,
        [] if seated else [brief for brief in here if brief.is_playing],
    ]
    if not waiting:
        groups = groups[2:]
    elif requester.place.thread is not None:
        # In a thread, its game takes precedence whether it waits or not.
        groups[1], groups[2] = groups[2], groups[1]
    found = next(filter(None, groups), [])
    board = requester.request.board
    if len(found) == 1 and (board is None or board.kind not in ("puzzle", "lesson")):
        return await context.table(found[0].id)
    if not found:
        raise Refused("refusal.no-game")
    raise await which_game_refusal(context, requester, found, action, rest)


async def _list_voting_games(context: Context, own: Sequence[GameBrief], here: Sequence[GameBrief]) -> list[GameBrief]:
    """Return the games shown in a place that wait for a team, without those in which the person has a seat."""
    ids = {brief.id for brief in own}
    teams = [brief for brief in here if brief.is_playing and brief.terms.team and brief.id not in ids]
    movers = {brief.to_move for brief in teams if brief.to_move is not None}
    people = (await context.store.people.get_many(movers)).values() if movers else ()
    waiting = {person.id for person in people if person.team_place is not None}
    return [brief for brief in teams if brief.to_move in waiting]


def is_any_newer(games_of_person: Sequence[GameBrief], touched_at: datetime) -> bool:
    """Return True if a turn was finished in one of a person's games after they used a private board."""
    return any(brief.waiting_since > touched_at for brief in games_of_person)


async def which_game_refusal(
    context: Context, requester: RequestContext, briefs: Sequence[GameBrief], action: str, rest: str = ""
) -> Refused:
    """Return the refusal that asks which of several games is meant, with a button for each.

    A button whose payload would be too long shows its game instead.
    """
    buttons = []
    for each in await context.people_of_games(briefs[:MAX_GAMES_OFFERED]):
        wanted = Press(action, each.brief.id, each.brief.revision, rest)
        shown = str(wanted) if wanted.fits else press("show", each.brief.id, each.brief.revision)
        buttons.append(Button(game_label(requester, each)[:80], shown))
    return Refused("refusal.which-game", rows=button_rows(buttons))


def game_label(requester: RequestContext, game_people: GamePeople) -> str:
    """Return a short label of a game, for one of its players."""
    brief, game_people = game_people.brief, game_people.in_language(requester.speaker)
    others = [
        game_people.entry_name(entry)
        for entry in brief.seats
        if entry.person != requester.id and entry.state in ("joined", "invited")
    ]
    name = requester.speaker.game_name(brief.game)
    return f"{name} · {', '.join(others)} · {brief.id}" if others else f"{name} · {brief.id}"
