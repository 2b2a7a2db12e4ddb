"""Commands and buttons of leaderboards and profiles."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, get_args

from bot.boards.moment_cards import profile_words
from bot.boards.puzzles.service import best_here, read_record, record_words, standing_words
from bot.competitions.keeper import TitleKind
from bot.kernel.cards import Button, Card, PageContent, Panel, PanelItem, Picture
from bot.kernel.commandline import read_people
from bot.kernel.context import Context
from bot.kernel.features import find_page
from bot.kernel.forms import Values
from bot.kernel.pictures import choose_theme
from bot.kernel.preferences import PROFILE, PROFILE_PUBLIC
from bot.kernel.presses import Press, press
from bot.kernel.question_cards import button_rows, make_button
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.texts import Span, Speaker, Text, join, strip_styles
from bot.lobby.service import find_person
from bot.people.guesses.commands import profile_words as guess_words
from bot.people.standings.service import (
    ALL_TIME,
    MAX_RANKS,
    MIN_TEAM_GAMES,
    PERIODS,
    Profile,
    Rank,
    Where,
    compute_leaderboard,
    load_profile,
    read_period,
)
from bot.table.game_lookup import check_game_installed, resolve_game_key
from bot.table.ratings import (
    MIN_RANKED_GAMES,
    OVERALL_KEY,
    initial_rating,
    name_at_pace,
    rating_points,
    rating_spread,
)
from engine import games
from engine.record import cut_name
from render.charts import Emblem, LeaderboardRow, Point, draw_course_with_emblems, draw_emblems, draw_leaderboard
from storage import Person, Rating, Result, Title
from storage.schema import LIVE, PACES, SLOW, Pace

MAX_RANKS_DRAWN: Final = 10
MAX_RATING_POINTS_DRAWN: Final = 60
MAX_RECENT_GAMES: Final = 6
MAX_MIN_GAMES: Final = 1000
"""Maximum value of the minimum number of games."""
_TURNED: Final = "turned"
"""Marks a press on a leaderboard itself, which it changes; those on other messages bring a leaderboard of their own."""
WHERE: Final[tuple[Where, ...]] = get_args(Where)


async def leaderboard_command(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Show the leaderboard here, on this server, or everywhere, in one game or in all."""
    game = await resolve_game_key(context, values["game"]) if values.get("game") else None
    where = next((where for where in WHERE if where == values.get("where")), WHERE[0])
    least = int(values["least"]) if values.get("least") else None
    if least is not None and not 1 <= least <= MAX_MIN_GAMES:
        raise Refused("refusal.out-of-range", field="least", value=least, least=1, most=MAX_MIN_GAMES)
    period, pace = values.get("period", ALL_TIME), next((each for each in PACES if each == values.get("speed")), None)
    return await show_leaderboard(context, requester, where, game, least, period, pace)


async def press_leaders(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button Leaderboard."""
    game, *rest = pressed.path or ("",)
    turned = _TURNED in rest
    where = next((where for where in WHERE if where in rest), WHERE[0])
    if game and game not in games:
        await check_game_installed(context, game)
        raise Refused("refusal.stale")
    period = next((each for each in rest if each not in (*WHERE, *PACES, _TURNED)), ALL_TIME)
    pace = next((each for each in PACES if each in rest), None)
    shown = await show_leaderboard(context, requester, where, game or None, period=period, pace=pace)
    return replace(shown, update=turned)


async def show_leaderboard(
    context: Context,
    requester: RequestContext,
    where: Where,
    game: str | None,
    least: int | None = None,
    period: str = ALL_TIME,
    pace: Pace | None = None,
) -> Reply:
    """Show a leaderboard of a period publicly, of people with at least `least` games.

    Without a `pace` it is that of slow games, or of live games where there are only such.
    """
    if where == "channels" and period != ALL_TIME:
        raise Refused("refusal.channels-all-time")
    speaker, chosen = requester.place_speaker, await read_period(context, requester, period, game)
    boards = {each: await compute_leaderboard(context, requester, where, game, least, chosen, each) for each in PACES}
    shown = next((each for each in PACES if boards[each]), PACES[0]) if pace is None else pace
    ranks = boards[shown]
    title = speaker.say("leaders.title", game=speaker.of(game).line("name")) if game else speaker.say("leaders.all")
    parts = [join([title, speaker.say(f"leaders.{where}")], " ")]
    if chosen.words:
        parts.append(chosen.words)
    if shown == LIVE or boards[LIVE]:
        parts.append(speaker.say(f"leaders.pace.{shown}"))
    ways = button_rows(
        [
            *_period_buttons(speaker, where, game, period, () if pace is None else (pace,)),
            *(
                make_button(
                    speaker, f"button.leaders.{each}", "leaders", None, 0, game or "", where, period, _TURNED, each
                )
                for each in PACES
                if each != shown and (boards[each] or pace is not None)
            ),
        ]
    )
    solvers = []
    if game is None and period == ALL_TIME and where not in ("everywhere", "channels"):
        solvers = standing_words(speaker, await best_here(context, requester, server=where == "server"))
    if not ranks:
        none = "leaders.none-yet" if where == "everywhere" or least is not None else "leaders.none"
        n = least or MIN_RANKED_GAMES
        if where == "channels":
            none, n = "leaders.no-channels", least or MIN_TEAM_GAMES
        elif chosen.since is not None:
            none = "leaders.none-then"
        return Reply(Card(join([*parts, speaker.say(none, n=n), *solvers]), rows=ways), private=False)
    parts += [rank_words(speaker, rank) for rank in ranks[:MAX_RANKS]]
    parts.append(speaker.left_out("leaders.more", len(ranks), MAX_RANKS))
    words = join([*parts, *solvers])
    lines = [
        LeaderboardRow(
            each.place,
            each.name,
            each.wins,
            each.draws,
            each.losses,
            rating_points(each.rating) if each.rating else None,
        )
        for each in ranks[:MAX_RANKS_DRAWN]
    ]
    name = name_at_pace(speaker, speaker.of(game).line("name") if game else speaker.line("leaders.every"), shown)

    async def draw(theme: str) -> Picture | None:
        drawing = partial(draw_leaderboard, name, lines, theme)
        return await context.artist.chart(drawing, strip_styles(words), "leaderboard.png")

    picture = await context.draw_for_all(requester.place, draw)
    return Reply(Card(words, picture, ways), private=False)


def _period_buttons(
    speaker: Speaker, where: Where, game: str | None, period: str, pace: tuple[Pace, ...]
) -> list[Button]:
    """Return the buttons to the same leaderboard in other periods."""
    return [
        make_button(speaker, f"button.leaders.{each}", "leaders", None, 0, game or "", where, each, _TURNED, *pace)
        for each in PERIODS
        if each != period and where != "channels"
    ]


def rank_words(speaker: Speaker, rank: Rank) -> Text:
    """Return one line of a leaderboard."""
    words = speaker.say(
        "leaders.rank",
        place=rank.place,
        who=Span(rank.name, bold=True),
        **speaker.tally(rank.wins, rank.draws, rank.losses),
    )
    if rank.rating is None:
        return words
    return join([words, speaker.say("leaders.points", points=speaker.number(rating_points(rank.rating)))], " – ")


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
    speaker = requester.speaker
    found = await load_profile(context, requester, person)
    parts = [speaker.say("profile.title", who=Span(person.name, bold=True, person=person.id))]
    if not found.results:
        parts.append(speaker.say("profile.nothing"))
    elif not found.ratings:
        parts.append(speaker.say("profile.unrated"))
    title, ratings = len(parts), [rating_words(speaker, rating) for rating in _sort_ratings(found.ratings)]
    parts += ratings
    if found.computer:
        parts.append(_computer_words(speaker, found))
    if found.met:
        parts.append(_head_to_head_words(speaker, found))
    parts += record_words(speaker, await read_record(context, requester, person))
    if person.id == requester.id:
        parts += profile_words(speaker, await context.store.own_moments.counts(person.id, context.clock()))
        parts += guess_words(speaker, await context.store.guesses.counts_of_person(person.id))
    won = await context.store.competitions.count_wins(person.id)
    if won:
        parts.append(speaker.say("profile.cups", n=sum(won.values()), games=_list_by_game(speaker, won)))
    earned = await context.store.titles.list_for_person(person.id)
    parts += title_words(speaker, earned)
    words = join(parts)
    picture = await _profile_picture(context, requester, found, earned, strip_styles(words))
    if person.settings.get(PROFILE) == PROFILE_PUBLIC and (page := await find_page(context, "person", str(person.id))):
        parts.append(speaker.say("profile.page", address=Span(page, code=True, link=page)))
    buttons = [make_button(speaker, "button.history", "history", None, 0, str(person.id))]
    card = Card(join(parts), picture, button_rows(buttons) if found.results else ())
    if context.draws_for_readers(requester.place.platform):
        # What the panels show is not said twice.
        del parts[title : title + len(ratings)]
        card = replace(card, page=PageContent(join(parts), await _profile_panels(context, speaker, found)))
    return Reply(card)


async def _profile_panels(context: Context, speaker: Speaker, found: Profile) -> tuple[Panel, ...]:
    """Return a person's ratings as figures, and their newest games as small boards."""
    ratings = [_rating_tile(speaker, each) for each in _sort_ratings(found.ratings)]
    recent = [await _result_tile(context, speaker, each) for each in found.results[: -MAX_RECENT_GAMES - 1 : -1]]
    panels = (("profile.panel.ratings", ratings), ("profile.panel.games", recent))
    return tuple(Panel(speaker.line(title), tuple(tiles)) for title, tiles in panels if tiles)


def _rating_name(speaker: Speaker, rating: Rating) -> str:
    is_overall = rating.game_key == OVERALL_KEY
    name = speaker.line("profile.overall") if is_overall else speaker.of(rating.game_key).line("name")
    return name_at_pace(speaker, name, rating.pace)


def _rating_tile(speaker: Speaker, rating: Rating) -> PanelItem:
    if rating.played < MIN_RANKED_GAMES:
        note = speaker.line("profile.panel.young", n=rating.played, least=MIN_RANKED_GAMES)
    else:
        note = ", ".join(map(strip_styles, speaker.tally(rating.wins, rating.draws, rating.losses).values()))
    points = speaker.number(rating_points(rating))
    return PanelItem(_rating_name(speaker, rating), note, points)


async def _result_tile(context: Context, speaker: Speaker, result: Result) -> PanelItem:
    """Return a finished game, with how it ended for a person and their opponents."""
    voice = speaker.of(result.game_key)
    table = (await context.table_as_stored(result.game)).in_language(voice)
    others = [table.entry_name(each) for each in table.brief.seats if each.person != result.person]
    said = [voice.line("name"), speaker.line(f"mark.{result.mark}"), speaker.day(result.ended_at).text]
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
    return speaker.listing(f"{speaker.of(key).line('name')} {number}" for key, number in sorted(counted.items()))


async def _profile_picture(
    context: Context, requester: RequestContext, found: Profile, earned: Sequence[Title], words: str
) -> Picture | None:
    """Return the emblems of a person's titles, and the course of the rating in their most played game.

    None if there is neither yet.
    """
    by_game: dict[tuple[str, Pace], list[Point]] = {}
    for result in found.results:
        if result.mu is not None and result.sigma is not None:
            point = Point(initial_rating(result.mu), rating_spread(result.sigma), result.mark)
            by_game.setdefault((result.game_key, result.pace), []).append(point)
    (key, pace), points = max(by_game.items(), key=lambda item: len(item[1]), default=(("", SLOW), []))
    counted = Counter(each.kind for each in earned)
    emblems = [Emblem(kind, counted[kind]) for kind in TitleKind if counted[kind]]
    theme = choose_theme(requester.person.settings, requester.place.settings)
    if len(points) >= MIN_RANKED_GAMES:
        title = f"{found.person.name} · {name_at_pace(requester.speaker, requester.speaker.of(key).line('name'), pace)}"
        draw = partial(draw_course_with_emblems, title, points[-MAX_RATING_POINTS_DRAWN:], emblems, theme)
    elif emblems:
        draw = partial(draw_emblems, found.person.name, emblems, theme)
    else:
        return None
    return await context.artist.chart(draw, words, "profile.png")


def rating_words(speaker: Speaker, rating: Rating) -> Text:
    """Return a person's record in one game, or in all, at a pace."""
    game, points = Span(_rating_name(speaker, rating), bold=True), speaker.number(rating_points(rating))
    if rating.played < MIN_RANKED_GAMES:
        return speaker.say("profile.young", game=game, n=rating.played, points=points, least=MIN_RANKED_GAMES)
    return speaker.say(
        "profile.rating",
        game=game,
        points=points,
        guess=speaker.number(initial_rating(rating.mu)),
        **speaker.tally(rating.wins, rating.draws, rating.losses),
    )


def _computer_words(speaker: Speaker, found: Profile) -> Text:
    """Return a person's results against computers, game by game."""
    results = [
        speaker.say(
            "profile.computer.game",
            game=speaker.of(key).game_span,
            **speaker.tally(marks.get("win", 0), marks.get("draw", 0), marks.get("loss", 0)),
        )
        for key, marks in found.computer.items()
    ]
    return speaker.say("profile.computer", games=join(results, " · "))


def _sort_ratings(ratings: tuple[Rating, ...]) -> list[Rating]:
    """Return the overall rating, then those of the games, with uninstalled games at the end; slow before live ones."""
    order = {key: number for number, key in enumerate((OVERALL_KEY, *games))}
    return sorted(ratings, key=lambda each: (order.get(each.game_key, len(order)), each.game_key))


def _head_to_head_words(speaker: Speaker, found: Profile) -> Text:
    """Return the results of two people against each other, from the requester's point of view."""
    ahead = sum(theirs.place_number < own.place_number for own, theirs in found.met)
    behind = sum(theirs.place_number > own.place_number for own, theirs in found.met)
    who = Span(found.person.name, bold=True)
    return speaker.say("profile.met", n=len(found.met), ahead=ahead, behind=behind, who=who)
