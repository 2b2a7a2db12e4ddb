"""The message that tells of a month, which calls nobody."""

from bot.core.context import Context
from bot.interface.cards import Button, Card, Picture
from bot.interface.presses import press
from bot.language.texts import Span, Speaker, Text, join
from bot.matches.titles import TitleKind
from bot.monthly.captures import Capture
from bot.monthly.highlights import Highlights
from bot.monthly.month import PlayedMonth
from bot.pictures.artist import BoardView
from bot.standings.periods import month_words


def leaders_press(month: str) -> str:
    """Return what the button to the leaderboard of a month carries; by it the message is found again."""
    return press("leaders", None, 0, "", "here", month)


def month_card(played: PlayedMonth, speaker: Speaker, picture: Picture | None) -> Card:
    """Return the message of a month."""
    label = played.month.label
    parts = [speaker.say("monthly.title", month=month_words(speaker, label))]
    parts.append(speaker.say("monthly.games", n=played.games, people=played.players))
    parts += _champion_lines(played, speaker)
    parts += _surprise_lines(played, played.highlights, speaker)
    if played.capture is not None:
        capture = played.capture
        parts.append(
            speaker.say(
                "monthly.capture",
                who=_span(played, capture.person),
                n=capture.pieces,
                game=_game(speaker, capture.table.row.game),
                code=capture.table.row.id,
            )
        )
    if len(parts) == 2:
        parts.append(speaker.say("monthly.nothing"))
    rows = ((Button(speaker.line("button.leaderboard"), leaders_press(label)),),)
    return Card(join(parts), picture, rows)


async def capture_picture(
    context: Context, capture: Capture, speaker: Speaker, theme: str, *, wide: bool
) -> Picture | None:
    """Return the board after the largest capture, with the turn marked on it."""
    voice = speaker.of(capture.table.row.game)
    names = capture.table.in_language(voice).names
    view = BoardView(viewer=0, theme=theme, wide=wide)
    return await context.artist.scene(capture.turn.after, capture.turn, voice, view, names, spoken_names=names)


def _champion_lines(played: PlayedMonth, speaker: Speaker) -> list[Text]:
    lines = [
        speaker.say(
            "monthly.champion",
            game=_game(speaker, each.game_key),
            who=_people(played, speaker, each.people),
            n=each.wins,
            played=each.played,
        )
        for each in played.highlights.champions
    ]
    for first in played.firsts:
        key = "monthly.ladder" if first.kind == TitleKind.LADDER else "monthly.league"
        who = _people(played, speaker, first.people)
        lines.append(speaker.say(key, game=_game(speaker, first.game_key), who=who, code=first.code))
    return lines


def _surprise_lines(played: PlayedMonth, found: Highlights, speaker: Speaker) -> list[Text]:
    lines = []
    if found.streak is not None:
        who = _people(played, speaker, found.streak.people)
        lines.append(speaker.say("monthly.streak", who=who, n=found.streak.wins))
    if (gain := found.improvement) is not None:
        gainer, game = _span(played, gain.person), _game(speaker, gain.game_key)
        lines.append(speaker.say("monthly.improved", who=gainer, game=game, n=gain.points))
    if (upset := found.upset) is not None:
        lines.append(
            speaker.say(
                "monthly.upset",
                who=_span(played, upset.winner),
                other=_span(played, upset.loser),
                game=_game(speaker, upset.game_key),
                n=upset.points,
                code=upset.game,
            )
        )
    return lines


def _game(speaker: Speaker, key: str) -> str:
    return speaker.of(key).line("name")


def _span(played: PlayedMonth, person: int) -> Span:
    return Span(played.name(person), bold=True)


def _people(played: PlayedMonth, speaker: Speaker, people: tuple[int, ...]) -> Text:
    return speaker.listing([_span(played, each) for each in people])
