"""Commands and buttons of leaderboards and profiles."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, get_args

from bot.boards.puzzles.own_moments import profile_words
from bot.boards.puzzles.service import best_here, record_words, solver_words
from bot.competitions.keeper import TitleKind
from bot.kernel.cards import Button, Buttons, Card, PageContent, Panel, PanelItem, Picture
from bot.kernel.commandline import read_people
from bot.kernel.context import Context
from bot.kernel.forms import Values
from bot.kernel.names import mention
from bot.kernel.permissions import find_page
from bot.kernel.pictures import choose_theme
from bot.kernel.preferences import PROFILE, PROFILE_PUBLIC
from bot.kernel.presses import Press, press
from bot.kernel.question_cards import button_rows, make_button, person_tile, shorten_tiles
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.table import COMPUTER_POOL
from bot.kernel.texts import Span, Speaker, Text, join, strip_styles
from bot.lobby.service import find_person
from bot.people.guesses.commands import profile_words as guess_words
from bot.people.standings.service import (
    ALL_TIME,
    MAX_RANKS,
    PERIODS,
    Leaderboard,
    Period,
    Rank,
    Where,
    compute_leaderboard,
    read_period,
)
from bot.table.game_lookup import check_game_installed, resolve_game_key
from bot.table.ratings import (
    MIN_RANKED_GAMES,
    MIN_TEAM_GAMES,
    OVERALL_KEY,
    count_words,
    initial_rating,
    is_ranked,
    name_at_pace,
    rating_points,
    rating_spread,
    results_note,
)
from engine import games
from engine.record import cut_name
from render.charts import Emblem, LeaderboardRow, Point, draw_course, draw_emblems, draw_leaderboard
from storage import Person, PuzzleStanding, Rating, Result, Title
from storage.schema import LIVE, PACES, SLOW, Mark, Pace

MAX_RANKS_DRAWN: Final = 10
MAX_RATING_POINTS_DRAWN: Final = 60
MAX_RECENT_GAMES: Final = 6
_MAX_RESULTS: Final = 200
"""Maximum number of results in the course of a rating."""
MAX_MIN_GAMES: Final = 1000
"""Maximum value of the minimum number of games."""
_TURNED: Final = "turned"
"""Marks a press on a leaderboard, which it updates; presses on other messages send a new leaderboard."""
OWN_LEADERS: Final = "ranks"
"""The press on a leaderboard that only its reader sees."""
WHERE: Final[tuple[Where, ...]] = get_args(Where)


async def leaderboard_command(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Show the leaderboard here, on this server, or everywhere, in one game or in all."""
    game = await resolve_game_key(context, values["game"]) if values.get("game") else None
    least = int(values["least"]) if values.get("least") else None
    given = [values.get("where", ""), values.get("speed", "")]
    chosen = _read_choice(given, game, values.get("period", ALL_TIME), least)
    return await show_leaderboard(context, requester, chosen)


async def press_leaders(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button Leaderboard; on a platform with web pages, it opens only for the reader."""
    game, *rest = pressed.path or ("",)
    turned, own = _TURNED in rest, pressed.deed == OWN_LEADERS
    if game and game not in games:
        await check_game_installed(context, game)
        raise Refused("refusal.stale")
    period = next((each for each in rest if each not in (*WHERE, *PACES, _TURNED)), ALL_TIME)
    on_sheet = own or (not turned and context.draws_for_readers(requester.place.platform))
    shown = await show_leaderboard(context, requester, _read_choice(rest, game or None, period), on_sheet=on_sheet)
    return replace(shown, update=turned or own)


def _read_choice(given: Sequence[str], game: str | None, period: str, least: int | None = None) -> Leaderboard:
    """Return the choice of a leaderboard, with the place and the pace that are among the given words."""
    where = next((where for where in WHERE if where in given), WHERE[0])
    return Leaderboard(where, game, period, next((each for each in PACES if each in given), None), least)


async def show_leaderboard(
    context: Context, requester: RequestContext, chosen: Leaderboard, *, on_sheet: bool = False
) -> Reply:
    """Show a leaderboard publicly, or on the reader's sheet."""
    where, game = chosen.where, chosen.game
    if where == "channels" and chosen.period != ALL_TIME:
        raise Refused("refusal.channels-all-time")
    if on_sheet:
        requester = replace(requester, place_speaker=requester.speaker)
    speaker, period = requester.place_speaker, await read_period(context, requester, chosen.period, game)
    paces = PACES if chosen.pace is None else (chosen.pace,)
    found = {pace: await compute_leaderboard(context, requester, chosen, period, pace) for pace in paces}
    shown = next((pace for pace in paces if found[pace]), paces[0])
    ranks, leads_on = found[shown], chosen.pace is not None or all(found.values())
    name = speaker.game_name(game) if game else speaker.line("leaders.every")
    title = speaker.say("leaders.title", game=name) if game else speaker.say("leaders.all")
    parts = [title if on_sheet else join([title, speaker.say(f"leaders.{where}")], " "), period.words]
    if shown == LIVE or leads_on:
        parts.append(speaker.say(f"leaders.pace.{shown}"))
    has_solvers = game is None and chosen.period == ALL_TIME and where in ("here", "server")
    solvers = await best_here(context, requester, server=where == "server") if has_solvers else []
    if not ranks:
        parts.append(_empty_words(speaker, chosen, period))
    if on_sheet:
        tabs = leaderboard_tabs(speaker, chosen, shown)
        page = PageContent(join(parts), rank_panels(speaker, ranks, solvers), tabs=tabs)
        return Reply(Card(page.text, page=page), apart=True)
    _, to_paces, *to_periods = leaderboard_tabs(speaker, chosen, shown, "leaders", _TURNED)
    ways = button_rows([way for row in (*to_periods, to_paces if leads_on else ()) for way in row if way.press])
    lines = [rank_words(speaker, rank.row) for rank in ranks[:MAX_RANKS]]
    more = speaker.left_out("leaders.more", len(ranks), MAX_RANKS)
    words = join([*parts, *lines, more, *solver_words(speaker, solvers)])
    if not ranks:
        return Reply(Card(words, rows=ways), private=False)

    async def draw(theme: str) -> Picture | None:
        title = name_at_pace(speaker, name, shown)
        drawing = partial(draw_leaderboard, title, [rank.row for rank in ranks[:MAX_RANKS_DRAWN]], theme)
        return await context.artist.chart(drawing, strip_styles(words), "leaderboard.png")

    picture = await context.draw_for_all(requester.place, draw)
    return Reply(Card(words, picture, ways), private=False)


def _empty_words(speaker: Speaker, chosen: Leaderboard, period: Period) -> Text:
    """Return the reason why a leaderboard is empty."""
    if chosen.where == "channels":
        return speaker.say("leaders.no-channels", n=chosen.least or MIN_TEAM_GAMES)
    if period.since is not None:
        return speaker.say("leaders.none-then")
    none = "leaders.none-yet" if chosen.where == "everywhere" or chosen.least is not None else "leaders.none"
    return speaker.say(none, n=chosen.least or MIN_RANKED_GAMES)


def leaderboard_tabs(
    speaker: Speaker, chosen: Leaderboard, shown: Pace, deed: str = OWN_LEADERS, *marks: str
) -> tuple[Buttons, ...]:
    """Return the buttons to leaderboards of other games, paces and periods; the shown ones have no press."""

    def opens(other: Leaderboard) -> str:
        if other in (chosen, replace(chosen, pace=shown)):
            return ""
        pace = [] if other.pace is None else [other.pace]
        return press(deed, None, 0, other.game or "", other.where, other.period, *marks, *pace)

    names = {None: speaker.line("leaders.every")} | {key: speaker.game_name(key) for key in games}
    rows = [
        tuple(Button(name, opens(replace(chosen, game=key))) for key, name in names.items()),
        tuple(Button(speaker.line(f"button.leaders.{each}"), opens(replace(chosen, pace=each))) for each in PACES),
        tuple(Button(speaker.line(f"button.leaders.{each}"), opens(replace(chosen, period=each))) for each in PERIODS),
    ]
    return tuple(rows[:-1] if chosen.where == "channels" else rows)


def rank_panels(
    speaker: Speaker, ranks: Sequence[Rank], solvers: Sequence[tuple[int, PuzzleStanding]]
) -> tuple[Panel, ...]:
    """Return the people of a leaderboard, and the best at puzzles, with their faces; no panel without people."""
    tiles = shorten_tiles(speaker, [_rank_tile(speaker, each) for each in ranks])
    solved = [
        person_tile(each.name, each.person, speaker.line("leaders.puzzles.note", n=each.days, clean=each.clean), place)
        for place, each in solvers
    ]
    panels = ((speaker.line("competition.panel.table"), tiles), (strip_styles(speaker.say("leaders.puzzles")), solved))
    return tuple(Panel(title, tuple(shown)) for title, shown in panels if shown)


def _rank_tile(speaker: Speaker, rank: Rank) -> PanelItem:
    row, note = rank.row, results_note(speaker, rank.row.wins, rank.row.draws, rank.row.losses)
    if row.points is not None:
        note = f"{speaker.line('leaders.points', points=speaker.number(row.points))} · {note}"
    return person_tile(row.name, rank.person, note, row.place)


def rank_words(speaker: Speaker, row: LeaderboardRow) -> Text:
    """Return one line of a leaderboard."""
    who, counts = Span(row.name, bold=True), count_words(speaker, row.wins, row.draws, row.losses)
    words = speaker.say("leaders.rank", place=row.place, who=who, **counts)
    points = () if row.points is None else speaker.say("leaders.points", points=speaker.number(row.points))
    return join([words, points], " – ")


async def profile_command(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Show a person's profile, by default the requester's own."""
    person = requester.person
    mentioned = read_people(values.get("who", ""))
    if mentioned:
        found = await find_person(context, requester, mentioned[0])
        if found is None:
            raise Refused("refusal.no-such-person", name=cut_name(mentioned[0].name, 40))
        person = found
    return await show_profile(context, requester, person)


async def press_profile(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button Profile."""
    number = pressed.number
    person = requester.person if number is None else await context.store.people.get(number)
    if person is None or not person.name:
        raise Refused("refusal.stale")
    return await show_profile(context, requester, person)


async def show_profile(context: Context, requester: RequestContext, person: Person) -> Reply:
    """Show a person's ratings, results, and results against the requester."""
    speaker, store = requester.speaker, context.store
    ratings = await store.ratings.list_for_people([person.id])
    # The overall rating comes first, and those of uninstalled games last.
    order = {key: number for number, key in enumerate((OVERALL_KEY, *games))}
    ratings.sort(key=lambda each: (order.get(each.game_key, len(order)), each.game_key))
    results = await store.ratings.results_of_person(person.id, limit=_MAX_RESULTS)
    met = [] if person.id == requester.id else await store.ratings.head_to_head(person.id, requester.id)
    title = [speaker.say("profile.title", who=mention(person))]
    if not ratings:
        title.append(speaker.say("profile.unrated" if results else "profile.nothing"))
    rated = [rating_words(speaker, rating) for rating in ratings]
    about = [
        _computer_words(speaker, await store.ratings.count_marks(person.id, COMPUTER_POOL)),
        _head_to_head_words(speaker, person, met) if met else (),
        *await record_words(context, requester, person),
    ]
    if person.id == requester.id:
        about.append(profile_words(speaker, await store.own_moments.counts(person.id, context.clock())))
        about.append(guess_words(speaker, await store.guesses.counts_of_person(person.id)))
    if won := await store.competitions.count_wins(person.id):
        about.append(speaker.say("profile.cups", n=sum(won.values()), games=_list_by_game(speaker, won)))
    earned = await store.titles.list_for_person(person.id)
    about += title_words(speaker, earned)
    words = strip_styles(join([*title, *rated, *about]))
    picture = await _profile_picture(context, requester, person.name, results, earned, words)
    if person.settings.get(PROFILE) == PROFILE_PUBLIC and (page := await find_page(context, "person", str(person.id))):
        about.append(speaker.say("profile.page", address=Span(page, code=True, link=page)))
    history = make_button(speaker, "button.history", "history", None, 0, str(person.id))
    card = Card(join([*title, *rated, *about]), picture, button_rows([history if results else None]))
    if context.draws_for_readers(requester.place.platform):
        # The ratings are in the panels.
        panels = await _profile_panels(context, speaker, ratings, results)
        card = replace(card, page=PageContent(join([*title, *about]), panels))
    return Reply(card)


async def _profile_panels(
    context: Context, speaker: Speaker, ratings: Sequence[Rating], results: Sequence[Result]
) -> tuple[Panel, ...]:
    """Return a person's ratings as figures, and their newest games as small boards."""
    rated = [_rating_tile(speaker, each) for each in ratings]
    recent = [await _result_tile(context, speaker, each) for each in results[: -MAX_RECENT_GAMES - 1 : -1]]
    panels = (("profile.panel.ratings", rated), ("profile.panel.games", recent))
    return tuple(Panel(speaker.line(title), tuple(tiles)) for title, tiles in panels if tiles)


def _rating_name(speaker: Speaker, rating: Rating) -> str:
    is_overall = rating.game_key == OVERALL_KEY
    name = speaker.line("profile.overall") if is_overall else speaker.game_name(rating.game_key)
    return name_at_pace(speaker, name, rating.pace)


def _rating_tile(speaker: Speaker, rating: Rating) -> PanelItem:
    if not is_ranked(rating):
        note = speaker.line("profile.panel.young", n=rating.played, least=MIN_RANKED_GAMES)
    else:
        note = results_note(speaker, rating.wins, rating.draws, rating.losses)
    points = speaker.number(rating_points(rating))
    return PanelItem(_rating_name(speaker, rating), note, points)


async def _result_tile(context: Context, speaker: Speaker, result: Result) -> PanelItem:
    """Return the tile of a finished game, with the opponents and the result for a person."""
    voice = speaker.of(result.game_key)
    table = (await context.table_as_stored(result.game)).in_language(voice)
    others = [table.entry_name(each) for each in table.brief.seats if each.person != result.person]
    said = [voice.game_name(), speaker.line(f"mark.{result.mark}"), speaker.day(result.ended_at).text]
    return PanelItem(
        ", ".join(others) or said[0],
        " · ".join(said),
        press=press("replay", result.game, 0),
        code=result.game,
        game=result.game_key,
        revision=table.row.revision,
    )


def title_words(speaker: Speaker, earned: Sequence[Title]) -> list[Text]:
    """Return a person's titles by kind, with their games."""
    lines = []
    for kind in TitleKind:
        counted = Counter(each.game_key for each in earned if each.kind == kind)
        if counted:
            lines.append(speaker.say(f"title.{kind}", n=counted.total(), games=_list_by_game(speaker, counted)))
    return lines


def _list_by_game(speaker: Speaker, counted: Mapping[str, int]) -> Text:
    return speaker.listing(f"{speaker.game_name(key)} {number}" for key, number in sorted(counted.items()))


async def _profile_picture(
    context: Context,
    requester: RequestContext,
    name: str,
    results: Sequence[Result],
    earned: Sequence[Title],
    words: str,
) -> Picture | None:
    """Return the emblems of a person's titles, and the course of the rating in their most played game.

    None if there are neither emblems nor ratings.
    """
    by_game: dict[tuple[str, Pace], list[Point]] = {}
    for result in results:
        if result.mu is not None and result.sigma is not None:
            point = Point(initial_rating(result.mu), rating_spread(result.sigma), result.mark)
            by_game.setdefault((result.game_key, result.pace), []).append(point)
    (key, pace), points = max(by_game.items(), key=lambda item: len(item[1]), default=(("", SLOW), []))
    counted = Counter(each.kind for each in earned)
    emblems = [Emblem(kind, counted[kind]) for kind in TitleKind if counted[kind]]
    theme = choose_theme(requester.person.settings, requester.place.settings)
    if len(points) >= MIN_RANKED_GAMES:
        title = f"{name} · {name_at_pace(requester.speaker, requester.speaker.game_name(key), pace)}"
        draw = partial(draw_course, title, points[-MAX_RATING_POINTS_DRAWN:], theme, emblems)
    elif emblems:
        draw = partial(draw_emblems, name, emblems, theme)
    else:
        return None
    return await context.artist.chart(draw, words, "profile.png")


def rating_words(speaker: Speaker, rating: Rating) -> Text:
    """Return a person's record in one game, or in all, at a pace."""
    game, points = Span(_rating_name(speaker, rating), bold=True), speaker.number(rating_points(rating))
    if not is_ranked(rating):
        return speaker.say("profile.young", game=game, n=rating.played, points=points, least=MIN_RANKED_GAMES)
    return speaker.say(
        "profile.rating",
        game=game,
        points=points,
        guess=speaker.number(initial_rating(rating.mu)),
        **count_words(speaker, rating.wins, rating.draws, rating.losses),
    )


def _computer_words(speaker: Speaker, counted: Mapping[str, Mapping[Mark, int]]) -> Text:
    """Return a person's results against computers, game by game; empty without any."""
    if not counted:
        return ()
    results = [
        speaker.say(
            "profile.computer.game",
            game=speaker.of(key).game_span,
            **count_words(speaker, marks.get("win", 0), marks.get("draw", 0), marks.get("loss", 0)),
        )
        for key in dict.fromkeys((*games, *sorted(counted)))
        if (marks := counted.get(key))
    ]
    return speaker.say("profile.computer", games=join(results, " · "))


def _head_to_head_words(speaker: Speaker, person: Person, met: Sequence[tuple[Result, Result]]) -> Text:
    """Return the results of two people against each other, from the requester's point of view."""
    ahead = sum(theirs.place_number < own.place_number for own, theirs in met)
    behind = sum(theirs.place_number > own.place_number for own, theirs in met)
    who = Span(person.name, bold=True)
    return speaker.say("profile.met", n=len(met), ahead=ahead, behind=behind, who=who)
