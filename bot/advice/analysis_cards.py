"""The card that shows how the chances of a finished game went, and the card of one decisive turn."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from bot.boards.moment_cards import moments_button
from bot.core.question_cards import button_rows
from bot.explanations import capitalise, explain_mistake, explain_turn
from bot.interface.cards import Button, Card, Row
from bot.interface.presses import press
from bot.language.texts import Span, Speaker, Text, join, strip_styles
from bot.tables.line import read_actions
from bot.tables.table import GamePeople
from bot.thinking.analysis import Analysis, CostlyChoice, Swing, position_of_choice
from bot.words.describe import turn_count, turn_number
from bot.words.lines import line_words
from engine import State, Turn, games

MAX_CAPTION_LENGTH: Final = 950
"""Maximum length of a text that every platform shows below a picture."""
_DRAW_VALUE: Final = 0.5
_MAX_TURNS_IN_ALT_TEXT: Final = 8
"""Number of turns for which the picture's alt text gives the chances."""


def position_of_moment(turns: Sequence[Turn], choice: CostlyChoice) -> tuple[State, Turn | None]:
    """Return the position in which a choice was made, and the turn to show with it."""
    before = turns[choice.turn - 2] if choice.turn > 1 else None
    return position_of_choice(turns[choice.turn - 1], before, choice)


def analysis_card(
    game_people: GamePeople,
    found: Analysis,
    turns: Sequence[Turn],
    speaker: Speaker,
    reader: int | None = None,
    *,
    closing: Text = (),
) -> Card:
    """Return the card of an analysis for a person, without its picture; `closing` is never cut."""
    voice = speaker.of(game_people.brief.game)
    parts = [voice.say("analysis.title", game=voice.line("name"), code=game_people.brief.id)]
    lines = [(choice.turn, _costly_choice(game_people, choice, voice)) for choice in found.moments]
    lines += [(swing.turn, _describe_swing(game_people, swing, voice)) for swing in found.swings]
    for number, turn in enumerate(turns, 1):
        gone = [action.value for action in turn.actions if action.is_drop]
        lines += [(number, _departure_words(game_people, found, number, seat, voice)) for seat in gone]
    parts += [words for _, words in sorted(lines, key=lambda each: each[0])]
    if not lines:
        parts.append(voice.say("analysis.steady"))
    while len(strip_styles(join([*parts, closing]))) > MAX_CAPTION_LENGTH:
        parts.pop()
    parts += [closing] if closing else []
    parts.append(voice.say("analysis.estimates"))
    for choice in reversed(found.moments):
        state, _ = position_of_moment(turns, choice)
        reason = explain_turn(voice, state, read_actions(state, choice.better), _names(game_people), telling_move=True)
        where = 1 + sorted(each for each, _ in lines).index(choice.turn)
        longer = [*parts]
        longer[where : where + 1] = [join([each, reason], " ") for each in parts[where : where + 1]]
        if reason and len(strip_styles(join(longer))) <= MAX_CAPTION_LENGTH:
            parts = longer
    return Card(join(parts), rows=moment_rows(game_people, found, speaker, reader=reader))


def moment_rows(
    game_people: GamePeople, found: Analysis, speaker: Speaker, shown: int | None = None, *, reader: int | None = None
) -> tuple[Row, ...]:
    """Return a button for every decisive turn (disabled for the one shown) and the buttons to other views.

    A `reader` who played gets a button for their own moments.
    """
    code = game_people.brief.id
    buttons = [
        Button(
            strip_styles(_turn(game_people, choice.turn, speaker)),
            press("better", code, 0, str(at)),
            disabled=at == shown,
        )
        for at, choice in enumerate(found.moments)
    ]
    if shown is None:
        last = [Button(speaker.line("button.turns"), press("replay", code, 0, "0"))]
        if any(seat.person == reader and not seat.computer for seat in game_people.brief.seats):
            last.append(moments_button(speaker, code))
        return button_rows([*buttons, *last])
    last = [Button(speaker.line("button.chances"), press("analysed", code, 0))]
    before = str(found.moments[shown].turn - 1)
    last.append(Button(speaker.line("button.try"), press("try", code, 0, before)))
    return button_rows([*buttons, *last])


def moment_card(game_people: GamePeople, found: Analysis, at: int, turns: Sequence[Turn], speaker: Speaker) -> Card:
    """Return the card of one decisive turn, without its picture."""
    choice, voice = found.moments[at], speaker.of(game_people.brief.game)
    state, _ = position_of_moment(turns, choice)
    better, played = read_actions(state, choice.better), read_actions(state, choice.played)
    names = _names(game_people)
    parts = [
        _costly_choice(game_people, choice, voice),
        explain_turn(voice, state, better, names, telling_move=True),
        explain_mistake(voice, state, played, better, names),
    ]
    return Card(join(parts), rows=moment_rows(game_people, found, speaker, at))


def chances_alt(game_people: GamePeople, points: Sequence[Sequence[float]], speaker: Speaker) -> str:
    """Return the alt text of the chart of the chances."""
    last = len(points) - 1
    chosen = sorted({round(last * number / (_MAX_TURNS_IN_ALT_TEXT - 1)) for number in range(_MAX_TURNS_IN_ALT_TEXT)})
    voice, game = speaker.of(game_people.brief.game), games[game_people.brief.game]
    said = [speaker.line("analysis.alt", game=voice.line("name"), turns=turn_count(voice, game, last))]
    for seat, name in enumerate(game_people.names):
        values = [
            speaker.line("analysis.alt.at", turn=turn_number(voice, game, at + 1), value=_percent(points[at][seat]))
            for at in chosen[:-1]
        ]
        values.append(speaker.line("analysis.alt.end", value=_percent(points[last][seat])))
        said.append(speaker.line("analysis.alt.seat", who=name, values=", ".join(values)))
    return " ".join(said)


def _costly_choice(game_people: GamePeople, choice: CostlyChoice, voice: Speaker) -> Text:
    said = partial(
        voice.say,
        "analysis.proven" if choice.proven else "analysis.expected" if choice.expected else "analysis.moment",
        turn=_turn(game_people, choice.turn, voice),
        who=game_people.name_span(choice.seat),
        played=line_words(voice, choice.played),
        better=line_words(voice, choice.better),
    )
    if not choice.proven:
        return said(before=_percent(choice.before), after=_percent(choice.after))
    if choice.before == _DRAW_VALUE:
        before = voice.line("analysis.draws")
    elif choice.within is not None:
        before = voice.line("analysis.wins-own", n=choice.within)
    elif choice.turns is None:
        before = voice.line("analysis.wins")
    else:
        before = voice.line("analysis.wins-within", n=choice.turns)
    return said(before=before, after=voice.line("analysis.draws" if choice.after == _DRAW_VALUE else "analysis.loses"))


def _describe_swing(game_people: GamePeople, swing: Swing, voice: Speaker) -> Text:
    key = "analysis.lucky" if swing.after > swing.before else "analysis.unlucky"
    before, after = _percent(swing.before), _percent(swing.after)
    turn, who = _turn(game_people, swing.turn, voice), game_people.name_span(swing.seat)
    return voice.say(key, turn=turn, who=who, dice=swing.dice, before=before, after=after)


def _departure_words(game_people: GamePeople, found: Analysis, number: int, seat: int, voice: Speaker) -> Text:
    value = _percent(found.points[number - 1][seat])
    return voice.say(
        "analysis.left", turn=_turn(game_people, number, voice), who=game_people.name_span(seat), value=value
    )


def _turn(game_people: GamePeople, number: int, speaker: Speaker) -> Text:
    return capitalise(turn_number(speaker.of(game_people.brief.game), games[game_people.brief.game], number))


def _names(game_people: GamePeople) -> list[Span]:
    return [game_people.name_span(seat) for seat in range(game_people.brief.seat_count)]


def _percent(value: float) -> int:
    return round(100 * value)
