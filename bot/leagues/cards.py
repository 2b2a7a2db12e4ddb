"""Cards of leagues: the season, a member's own games, and the actions of those who run a league."""

from typing import Final

from bot.competitions.league.course import people_needed
from bot.competitions.league.events import MAX_GAMES_AT_ONCE, LeagueTerms
from bot.competitions.league.league import Season
from bot.competitions.league.tables import champions, division_competition, expected_moves
from bot.competitions.standings import format_points, ranking
from bot.core.question_cards import button_rows
from bot.interface.cards import Button, Card, Menu, Picture
from bot.language.texts import Speaker, Text, join
from bot.leagues.service import StoredLeague
from bot.matches.cards import (
    code_words,
    deed_press,
    list_people,
    name_span,
    options_lines,
    out_menus,
    page_buttons,
    page_lines,
    season_title,
)
from engine import games

MAX_LINES_IN_MESSAGE: Final = 8
MAX_QUEUE_IN_MESSAGE: Final = 12


def league_card(league: StoredLeague, speaker: Speaker, picture: Picture | None = None) -> Card:
    """Return the card that shows a league: its season, its first division, and its buttons."""
    voice, stands = speaker.of(league.row.game_key), league.stands
    parts = [season_title(league, voice)]
    if stands.over:
        parts.append(voice.say("league.over"))
    if stands.season is not None:
        parts += _season_lines(league, voice, stands.season)
        parts += division_lines(league, voice, stands.season, 1, MAX_LINES_IN_MESSAGE)
        if len(stands.season.divisions) > 1:
            parts.append(voice.say("league.more", n=len(stands.season.divisions) - 1))
    if stands.queue:
        named = voice.listing([name_span(league, each) for each in stands.queue[:MAX_QUEUE_IN_MESSAGE]])
        parts.append(voice.say("league.queue", n=len(stands.queue), who=named))
    if not stands.is_season_on and not stands.over:
        parts.append(voice.say("league.waits", n=people_needed(stands)))
    if not stands.over:
        parts += terms_lines(stands.terms, voice)
        parts.append(code_words(league, voice))
    return Card(join(parts), picture, button_rows(_buttons(league, voice)))


def terms_lines(terms: LeagueTerms, voice: Speaker) -> list[Text]:
    """Return the terms that the title does not say."""
    lines = options_lines(terms, voice)
    lines.append(voice.say("league.rules", n=terms.days))
    if terms.seats > 2:
        lines.append(voice.say("league.tables", n=terms.seats))
    if terms.computers:
        lines.append(voice.say("cup.computers", level=terms.computers))
    if terms.double and terms.game in games:
        lines.append(voice.say("cup.double", grand=voice.of(terms.game).line("grand")))
    if not terms.rated:
        lines.append(voice.say("cup.unrated"))
    lines.append(voice.say("cup.holidays", n=terms.holidays) if terms.holidays else voice.say("cup.no-holidays"))
    return lines


def division_lines(league: StoredLeague, voice: Speaker, season: Season, number: int, most: int = 16) -> list[Text]:
    """Return the table of a division in words."""
    rows = ranking(division_competition(league.stands, season, number)).rows
    moves = expected_moves(league.stands, season, number)
    lines = []
    for row in rows[:most]:
        line = voice.say(
            "cup.row",
            place=row.place or "–",
            who=name_span(league, row.entrant),
            points=voice.say("cup.points", n=1 if row.points == 1 else 2, points=format_points(row.points)),
        )
        move = moves.get(row.entrant)
        lines.append(join([line, voice.say(f"league.moves.{move}")], " ") if move is not None else line)
    return lines


def table_card(
    league: StoredLeague, speaker: Speaker, number: int, picture: Picture | None, page: str | None = None
) -> Card:
    """Return the table of a division (from 1), with buttons to the others, and the address of the public page."""
    voice, season = speaker.of(league.row.game_key), league.stands.season
    parts = [season_title(league, voice)]
    ways = []
    if season is None:
        parts += terms_lines(league.stands.terms, voice)
        parts.append(voice.say("league.waits", n=people_needed(league.stands)))
    else:
        parts.append(voice.say("league.division", season=season.number, number=number, all=len(season.divisions)))
        parts += division_lines(league, voice, season, number)
        ways = page_buttons(league, voice, number, 1, len(season.divisions))
    ways.append(Button(voice.line("button.cup.export"), deed_press(league, "export")))
    return Card(join([*parts, *page_lines(voice, page)]), picture, (tuple(ways),))


def own_card(league: StoredLeague, speaker: Speaker, mine: int) -> Card:
    """Return a member's division, games, and limit of games at once."""
    voice, stands = speaker.of(league.row.game_key), league.stands
    member, season = stands.members[mine], stands.season
    parts = [season_title(league, voice)]
    rows: list[tuple[Button, ...] | Menu] = []
    number = season.division_of(mine) if season is not None and not season.is_over else None
    games_here = [each for each in season.games if mine in each.fixture.seats] if season is not None and number else []
    if season is None or number is None or mine in season.gone:
        parts.append(voice.say("league.in-queue"))  # who has left this season is back for the next
    else:
        done = sum(each.is_done for each in games_here)
        parts.append(voice.say("league.yours", number=number, done=done, n=len(games_here)))
    going = [each.game.id for each in games_here if each.is_going_on and each.game is not None and each.game.id]
    if going:
        parts.append(voice.say("league.going", n=len(going), codes=voice.listing([f"`{each}`" for each in going])))
    if member.asked:
        parts.append(voice.say("league.asked.you"))
        rows.append((Button(voice.line("button.cup.stay"), deed_press(league, "stay"), "primary"),))
    parts.append(voice.say("league.limit", n=member.most))
    limits = tuple(
        Button(voice.line("league.at-once", n=n), deed_press(league, "limit", str(n)))
        for n in range(1, MAX_GAMES_AT_ONCE + 1)
    )
    rows.append(Menu(voice.line("league.choose.limit"), limits))
    rows.append((Button(voice.line("button.leave"), deed_press(league, "leave")),))
    return Card(join(parts), rows=tuple(rows))


def question_card(league: StoredLeague, speaker: Speaker, entrant: int) -> Card | None:
    """Return the question whether a member still takes part; None if they have answered or are out."""
    member = league.stands.members.get(entrant)
    if member is None or member.state != "in" or not member.asked:
        return None
    voice = speaker.of(league.row.game_key)
    stay = Button(voice.line("button.cup.stay"), deed_press(league, "stay"), "primary")
    return Card(join([season_title(league, voice), voice.say("league.asked.you")]), rows=((stay,),))


def season_card(league: StoredLeague, speaker: Speaker) -> Card | None:
    """Return the announcement of a new season, with the champions of the previous one."""
    voice, stands = speaker.of(league.row.game_key), league.stands
    season = stands.season
    if season is None:
        return None
    parts = [season_title(league, voice)]
    over = season if season.is_over else stands.before
    if over is not None:
        first = champions(stands, over)
        if first:
            named = voice.listing([name_span(league, each) for each in first])
            parts.append(voice.say("league.champions", season=over.number, who=named, n=len(first)))
        else:
            parts.append(voice.say("league.no-champion", season=over.number))
    if not season.is_over:
        parts.append(voice.say("league.begins", season=season.number, when=voice.time(season.ends_at)))
        for number, division in enumerate(season.divisions, start=1):
            named = voice.listing([name_span(league, each) for each in division.members])
            parts.append(voice.say("league.members", number=number, who=named))
    return Card(join(parts))


def manage_card(league: StoredLeague, speaker: Speaker) -> Card:
    """Return the buttons for those who run a league."""
    voice = speaker.of(league.row.game_key)
    buttons = []
    if not league.stands.is_season_on:
        buttons.append(Button(voice.line("button.league.start"), deed_press(league, "start"), "primary"))
    buttons.append(Button(voice.line("button.cup.end"), deed_press(league, "end"), "danger"))
    menus = out_menus(league, voice, league.stands.present)
    return Card(join([season_title(league, voice), voice.say("cup.run")]), rows=(*button_rows(buttons), *menus))


def _season_lines(league: StoredLeague, voice: Speaker, season: Season) -> list[Text]:
    if season.is_over:
        return []
    done = sum(each.is_done for each in season.games)
    lines = [
        voice.say(
            "league.season", number=season.number, when=voice.time(season.ends_at), done=done, n=len(season.games)
        )
    ]
    asked = [each for each in league.stands.present if league.stands.members[each].asked]
    if asked:
        lines.append(voice.say("cup.asked", who=voice.listing([name_span(league, each) for each in asked[:5]])))
    return lines


def _buttons(league: StoredLeague, voice: Speaker) -> list[Button]:
    stands = league.stands
    table = Button(voice.line("button.cup.table"), deed_press(league, "table"))
    if stands.over:
        return [table]
    people = list_people(league, stands.present)
    buttons = [Button(voice.line("button.join"), deed_press(league, "join"), "primary", without=people)]
    if any(stands.members[each].asked for each in stands.present):
        buttons.append(Button(voice.line("button.cup.stay"), deed_press(league, "stay"), "primary"))
    return [
        *buttons,
        Button(voice.line("button.league.mine"), deed_press(league, "mine"), people=people),
        table,
        Button(voice.line("button.cup.run"), deed_press(league, "run")),
    ]
