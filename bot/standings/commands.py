"""Leaderboards and profiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Final, get_args

from bot.core.context import Context
from bot.core.question_cards import button_rows
from bot.core.request_context import RequestContext
from bot.entry.commandline import read_people
from bot.interface.cards import Button, Card, Picture
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.texts import Span, Speaker, Text, join, plain
from bot.lobby.people import known_person
from bot.pictures.artist import choose_theme
from bot.play.game_lookup import check_game_installed, resolve_game_key
from bot.play.ratings import MIN_RANKED_GAMES, OVERALL_KEY, initial_rating, rating_points, rating_spread
from bot.puzzles.own_cards import profile_words
from bot.puzzles.records import best_here, read_record, record_words, standing_words
from bot.standings.service import MAX_RANKS, MIN_TEAM_GAMES, Profile, Rank, Where, leaderboard, profile
from engine import games
from render.charts import LeaderboardRow, Point, draw_course, draw_leaderboard
from storage import Person, Rating

MAX_RANKS_DRAWN: Final = 10
MAX_RATING_POINTS_DRAWN: Final = 60
MAX_MIN_GAMES: Final = 1000
"""The greatest number of games that can be asked for."""
WHERE: Final[tuple[Where, ...]] = get_args(Where)


async def leaderboard_command(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Show who leads here, on this server, or everywhere, in one game or in all."""
    game = await resolve_game_key(context, values["game"]) if values.get("game") else None
    where = next((where for where in WHERE if where == values.get("where")), WHERE[0])
    least = int(values["least"]) if values.get("least") else None
    if least is not None and not 1 <= least <= MAX_MIN_GAMES:
        raise Refused("refusal.out-of-range", field="least", value=least, least=1, most=MAX_MIN_GAMES)
    return await show_leaderboard(context, asker, where, game, least)


async def press_leaders(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """The button Leaderboard."""
    game, *rest = pressed.path or ("",)
    where = next((where for where in WHERE if where in rest), WHERE[0])
    if game and game not in games:
        await check_game_installed(context, game)
        raise Refused("refusal.stale")
    return await show_leaderboard(context, asker, where, game or None)


async def show_leaderboard(
    context: Context, asker: RequestContext, where: Where, game: str | None, least: int | None = None
) -> Reply:
    """Show a leaderboard to all who are here, of those with at least so many games."""
    speaker = asker.ours
    ranks = await leaderboard(context, asker, where, game, least)
    title = speaker.say("leaders.title", game=speaker.of(game).line("name")) if game else speaker.say("leaders.all")
    parts = [join([title, speaker.say(f"leaders.{where}")], " ")]
    solvers = []
    if game is None and where not in ("everywhere", "channels"):
        solvers = standing_words(speaker, await best_here(context, asker, server=where == "server"))
    if not ranks:
        none = "leaders.none-yet" if where == "everywhere" or least is not None else "leaders.none"
        n = least or MIN_RANKED_GAMES
        if where == "channels":
            none, n = "leaders.no-channels", least or MIN_TEAM_GAMES
        return Reply(Card(join([*parts, speaker.say(none, n=n), *solvers])), private=False)
    parts += [rank_words(speaker, rank) for rank in ranks[:MAX_RANKS]]
    if len(ranks) > MAX_RANKS:
        parts.append(speaker.say("leaders.more", n=len(ranks) - MAX_RANKS))
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
    name = speaker.of(game).line("name") if game else speaker.line("leaders.every")
    theme = choose_theme(asker.place.settings)
    picture = await context.artist.chart(partial(draw_leaderboard, name, lines, theme), plain(words), "leaderboard.png")
    return Reply(Card(words, picture), private=False)


def rank_words(speaker: Speaker, rank: Rank) -> Text:
    """Return one line of a leaderboard."""
    words = speaker.say(
        "leaders.rank",
        place=rank.place,
        who=Span(rank.name, bold=True),
        wins=speaker.say("leaders.wins", n=rank.wins),
        draws=speaker.say("leaders.draws", n=rank.draws),
        losses=speaker.say("leaders.losses", n=rank.losses),
    )
    if rank.rating is None:
        return words
    return join([words, speaker.say("leaders.points", points=speaker.number(rating_points(rank.rating)))], " – ")


async def profile_command(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Show somebody's profile, one's own if nobody is named."""
    person = asker.person
    mentioned = read_people(values.get("who", ""))
    if mentioned:
        found = await known_person(context, asker, mentioned[0])
        if found is None:
            raise Refused("refusal.no-such-person", name=mentioned[0].name[:40])
        person = found
    return await show_profile(context, asker, person)


async def press_profile(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """The button Profile."""
    person = await context.store.people.get(int(pressed.rest)) if pressed.rest.isdecimal() else asker.person
    if person is None or not person.name:
        raise Refused("refusal.stale")
    return await show_profile(context, asker, person)


async def show_profile(context: Context, asker: RequestContext, person: Person) -> Reply:
    """Show how somebody plays: ratings, results, and the results against the person who asks."""
    speaker = asker.mine
    found = await profile(context, asker, person)
    parts = [speaker.say("profile.title", who=Span(person.name, bold=True, person=person.id))]
    if not found.results:
        parts.append(speaker.say("profile.nothing"))
    parts += [rating_words(speaker, rating) for rating in _sort_ratings(found.ratings)]
    if found.computer:
        parts.append(_computer_words(speaker, found))
    if found.met:
        parts.append(_head_to_head_words(speaker, found))
    parts += record_words(speaker, await read_record(context, asker, person))
    if person.id == asker.person.id:
        parts += profile_words(speaker, await context.store.own_moments.counts(person.id, context.clock()))
    won = await context.store.competitions.count_wins(person.id)
    if won:
        listed = [f"{speaker.of(key).line('name')} {number}" for key, number in sorted(won.items())]
        parts.append(speaker.say("profile.cups", n=sum(won.values()), games=speaker.listing(listed)))
    earned = Counter(each.game_key for each in await context.store.titles.list_for_person(person.id))
    if earned:
        listed = [f"{speaker.of(key).line('name')} {number}" for key, number in sorted(earned.items())]
        parts.append(speaker.say("profile.titles", n=earned.total(), games=speaker.listing(listed)))
    words = join(parts)
    picture = await _rating_history(context, asker, found, plain(words))
    buttons = [Button(speaker.line("button.history"), press("history", None, 0, str(person.id)))]
    return Reply(Card(words, picture, button_rows(buttons) if found.results else ()), private=True)


async def _rating_history(context: Context, asker: RequestContext, found: Profile, words: str) -> Picture | None:
    """Return the course of the rating in the game that somebody has played most, once there is one to see."""
    by_game: dict[str, list[Point]] = {}
    for result in found.results:
        if result.mu is not None and result.sigma is not None:
            point = Point(initial_rating(result.mu), rating_spread(result.sigma), result.mark)
            by_game.setdefault(result.game_key, []).append(point)
    if not by_game:
        return None
    key, points = max(by_game.items(), key=lambda item: len(item[1]))
    if len(points) < MIN_RANKED_GAMES:
        return None
    title = f"{found.person.name} · {asker.mine.of(key).line('name')}"
    theme = choose_theme(asker.person.settings, asker.place.settings)
    return await context.artist.chart(
        partial(draw_course, title, points[-MAX_RATING_POINTS_DRAWN:], theme), words, "profile.png"
    )


def rating_words(speaker: Speaker, rating: Rating) -> Text:
    """Return how somebody does in one game, or in all."""
    name = (
        speaker.line("profile.overall") if rating.game_key == OVERALL_KEY else speaker.of(rating.game_key).line("name")
    )
    if rating.played < MIN_RANKED_GAMES:
        return speaker.say("profile.young", game=Span(name, bold=True), n=rating.played)
    return speaker.say(
        "profile.rating",
        game=Span(name, bold=True),
        points=speaker.number(rating_points(rating)),
        guess=speaker.number(initial_rating(rating.mu)),
        wins=speaker.say("leaders.wins", n=rating.wins),
        draws=speaker.say("leaders.draws", n=rating.draws),
        losses=speaker.say("leaders.losses", n=rating.losses),
    )


def _computer_words(speaker: Speaker, found: Profile) -> Text:
    """Return how somebody did against computers, game by game."""
    results = [
        speaker.say(
            "profile.computer.game",
            game=Span(speaker.of(key).line("name"), bold=True),
            wins=speaker.say("leaders.wins", n=marks.get("win", 0)),
            draws=speaker.say("leaders.draws", n=marks.get("draw", 0)),
            losses=speaker.say("leaders.losses", n=marks.get("loss", 0)),
        )
        for key, marks in found.computer.items()
    ]
    return speaker.say("profile.computer", games=join(results, " · "))


def _sort_ratings(ratings: tuple[Rating, ...]) -> list[Rating]:
    """Return the overall rating, then those of the games, those that are not installed now at the end."""
    order = {key: number for number, key in enumerate((OVERALL_KEY, *games))}
    return sorted(ratings, key=lambda each: (order.get(each.game_key, len(order)), each.game_key))


def _head_to_head_words(speaker: Speaker, found: Profile) -> Text:
    """Return how two people did against each other, as the one who asks sees it."""
    ahead = sum(theirs.place_number < mine.place_number for mine, theirs in found.met)
    behind = sum(theirs.place_number > mine.place_number for mine, theirs in found.met)
    who = Span(found.person.name, bold=True)
    return speaker.say("profile.met", n=len(found.met), ahead=ahead, behind=behind, who=who)
