"""The message that tells of a month, which calls nobody."""

from bot.core.context import Context
from bot.interface.cards import Button, Card, Picture
from bot.interface.presses import press
from bot.language.texts import Span, Speaker, Text, join
from bot.monthly.captures import Capture
from bot.monthly.highlights import Highlight
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
    parts += [_line(played, each, speaker) for each in played.highlights]
    if not played.highlights:
        parts.append(speaker.say("monthly.nothing"))
    rows = ((Button(speaker.line("button.leaderboard"), leaders_press(label)),),)
    return Card(join(parts), picture, rows)


def _line(played: PlayedMonth, found: Highlight, speaker: Speaker) -> Text:
    """Return the line of a highlight."""

    def name(person: int) -> Span:
        return Span(played.name(person), bold=True)

    return speaker.say(
        f"monthly.{found.kind}",
        who=speaker.listing([name(each) for each in found.people]),
        other=(name(found.other),) if found.other is not None else (),
        game=speaker.of(found.game_keys[0]).line("name"),
        n=found.n,
        played=found.played,
        code=found.code,
    )


async def capture_picture(
    context: Context, capture: Capture, speaker: Speaker, theme: str, *, wide: bool
) -> Picture | None:
    """Return the board after the largest capture, with the turn marked on it."""
    voice = speaker.of(capture.table.row.game)
    names = capture.table.in_language(voice).names
    view = BoardView(viewer=0, theme=theme, wide=wide)
    return await context.artist.scene(capture.turn.after, capture.turn, voice, view, names, spoken_names=names)
