"""The shared card of a game, and the cards for a player who is choosing."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from bot.kernel.cards import Button, Card, Spots
from bot.kernel.choices import Question
from bot.kernel.line import is_drawn, is_forced_turn, join_kinds
from bot.kernel.presses import RULES_AT_PLAY, TEAM_MENU, press
from bot.kernel.question_cards import NO_SPOTS, QuestionView, game_button, make_button, new_game_button
from bot.kernel.table import Table, competition_kind, list_recent_turns, pace_of, planned_turns
from bot.kernel.texts import Parameter, Speaker, Text, join, pin_text, strip_styles
from bot.kernel.words import words
from bot.kernel.words.describe import line_words, moves_text, throw_words, turn_words
from bot.table.card_parts import (
    clock_words,
    guess_buttons,
    offer_words,
    seed_hash_words,
    unreminded_words,
)
from engine import Action, Outcome, State, Turn
from storage import GameBrief
from storage.schema import LIVE

MAX_TURNS_TEXT_LENGTH: Final = 560
"""Maximum total length of the described turns; beyond it, older turns are shortened to their moves."""
TURNS_WITH_HELP: Final = 3
"""Number of turns in which a newcomer to a game reads how to play actions that are new to them."""
LAST_SEAT_REASON: Final = "last-seat"
"""The reason of the end if only one player is left."""


def board_card(
    table: Table,
    speaker: Speaker,
    reader: int | None = None,
    spots: Spots = NO_SPOTS,
    *,
    drawn: bool = False,
    typed: bool = True,
    now: datetime | None = None,
) -> Card:
    """Return the card of a running or finished game, without its picture, in the language of the place.

    It describes the turns since the last turn of `reader`, by default of the player to move. Buttons of columns are
    ordered as in the picture with these `spots`. `drawn`: True for a single reader who clicks on the picture. `typed`:
    False where the bot receives only presses, no typed text. Clocks are those at `now`, by default at the last change.
    """
    voice = speaker.of(table.row.game)
    table = table.in_language(voice)
    if table.mover is None:
        return over_card(table, speaker, reader)
    seat = table.mover
    thinking, team = table.level_at(seat) is not None, table.voting_team
    if thinking or team is not None:
        turn = voice.say("board.thinking" if thinking else "board.team", who=table.name_span(seat))
    else:
        turn = _turn_prompt(table, voice, seat, reader, drawn=drawn, typed=typed)
    beside = offer_words(table, voice)
    if table.row.terms.has_clock:
        # A page has running clocks for live games: clocks in the text would become outdated.
        runs_beside = drawn and table.row.terms.is_live and not table.row.progress.paused
        clock = [] if runs_beside else clock_words(table, voice, now=now)
        beside = [*clock, *unreminded_words(table, voice), *beside]
    if table.row.progress.uncounted is not None and _is_at_its_beginning(table):
        beside.append(voice.say(f"uncounted.{table.row.progress.uncounted}"))
    # Players cannot guess. In a game with a team, More includes the actions of the team's members.
    guesses = guess_buttons(table, voice) if reader is None else ()
    more = "more" if table.row.terms.team is None else TEAM_MENU
    share = game_button(voice, table.row, "share")
    card = Card(
        text=join(
            [
                _describe_turns(table, voice, reader),
                pin_text(_goal_words(table, voice, seat, reader)),
                pin_text(turn),
                *beside,
            ]
        ),
        rows=((*guesses, rules_button(table.row, voice), game_button(voice, table.row, "more", more), share),),
        mention=table.person_at(seat) if team is None else None,
    )
    if thinking or team is not None:
        return card
    return question_view(table, voice, private=False).put_on(card, table.playing.first_question, spots)


def nonmember_card(table: Table, speaker: Speaker, asked: Question | None, reader: int | None = None) -> Card:
    """Return the card of a game for one person where the bot is not a member: the board and the person's choices.

    `asked` is the person's question, None if they are not to move; `reader` is their seat.
    """
    voice = table.words_for(speaker)
    shown = replace(board_card(table, speaker, reader), mention=None)
    if table.row.is_over:
        return shown
    row, first = table.row, question_view(table, voice).rows(asked) if asked is not None else ()
    look = () if asked is not None else (game_button(voice, row, "look", "show", style="primary"),)
    resign = game_button(voice, row, "resign", style="danger")
    buttons = (*look, game_button(voice, row, "undo"), rules_button(row, voice), resign)
    return replace(shown, rows=(*first, buttons), presses={}, cells=(), pieces=(), ways={})


def rules_button(brief: GameBrief, voice: Speaker) -> Button:
    """Return the button for the rules of a game that is played, or about to begin."""
    return Button(voice.line("button.rules"), press("rules", None, 0, brief.game, RULES_AT_PLAY))


def over_card(table: Table, speaker: Speaker, reader: int | None = None) -> Card:
    """Return the card of a finished game: who won and why, and the seed that proves fair chance."""
    voice = table.words_for(speaker)
    table = table.in_language(voice)
    ended = table.row.outcome or {"reason": "closed"}
    parts = [_describe_turns(table, voice, reader)]
    if "places" in ended:
        won, *others_placed = outcome_words(table, voice, Outcome(ended["reason"], tuple(ended["places"])))
        parts += [pin_text(won), *others_placed]
        if table.playing.state.outcome is not None:
            names = table.name_spans
            parts.append(join(words[table.row.game].scored(voice, table.playing.state, names), " "))
    else:
        parts.append(pin_text(voice.say(f"ended.{ended['reason']}")))
    parts += [*unreminded_words(table, voice), pin_text(points_words(table, voice))]
    if "places" in ended and table.row.progress.uncounted is not None:
        parts.append(pin_text(voice.say(f"uncounted.{table.row.progress.uncounted}")))
    players = [entry.person for entry in table.row.seats if entry.person is not None and entry.state == "joined"]
    who = tuple(players) if table.row.terms.team is None else ()
    again = game_button(voice, table.row, "rematch", style="primary", people=who)
    analyse = [game_button(voice, table.row, "analyse")] if "places" in ended else []
    buttons = (again, new_game_button(voice), *analyse, game_button(voice, table.row, "share"))
    board = ["channels"] if table.row.terms.team is not None else []
    board += [LIVE] if pace_of(table.row) == LIVE else []
    others = [
        make_button(voice, "button.leaderboard", "leaders", None, 0, table.row.game, *board),
        make_button(voice, "button.rules", "rules", None, 0, table.row.game),
    ]
    if is_drawn(table.row, table.line):
        others.append(game_button(voice, table.row, "fair"))
    return Card(text=join(parts), rows=(buttons, tuple(others)))


def points_words(table: Table, voice: Speaker) -> Text:
    """Return everybody's rating after a rated game, and its change; empty after an unrated one.

    If a person gained without winning, it says why.
    """
    changes = []
    places = list((table.row.outcome or {}).get("places", ()))
    unexpected = False
    for seat, (before, now) in sorted(table.row.progress.points.items()):
        won = seat < len(places) and places[seat] == 1 and places.count(1) == 1
        unexpected = unexpected or (now > before and not won)
        key = "rating.up" if now > before else "rating.down" if now < before else "rating.same"
        points, change = voice.number(now), voice.number(abs(now - before))
        changes.append(voice.say(key, who=table.name_span(seat), points=points, change=change))
    if not changes:
        return ()
    why = voice.say("rating.why") if unexpected else ()
    key = "rating.live" if pace_of(table.row) == LIVE else "rating"
    return join([voice.say(key, points=join(changes, " · ")), why])


def fair_card(table: Table, speaker: Speaker) -> Card:
    """Return the proof that a game's chance is fair: the hash of its seed; at the end the seed, and how to check it."""
    voice, row = table.words_for(speaker), table.row
    if not row.is_over:
        return Card(seed_hash_words(row, voice))
    key = "fair" if table.playing.draws else "fair.lot"
    parts = [voice.say(key, game=row.id), voice.say("fair.seed", seed=row.seed, seal=row.seed_hash)]
    return Card(join([*parts, voice.say("fair.check", game=row.id)]))


def outcome_words(table: Table, voice: Speaker, outcome: Outcome) -> list[Text]:
    """Return who won, why, and the places if there are more than two."""
    # The text has already said that one of the two players has left, and why.
    is_explained = outcome.reason == LAST_SEAT_REASON and len(outcome.places) == 2
    reason = voice.say(f"reason.{outcome.reason}") if voice.has(f"reason.{outcome.reason}") and not is_explained else ()
    firsts = [table.name_span(seat) for seat, place in enumerate(outcome.places) if place == 1]
    shared = "over.draw" if len(firsts) == len(outcome.places) else "over.shared"
    key = "over.win" if outcome.winner is not None else shared
    words = [join([voice.say(key, who=voice.listing(firsts)), reason], " ")]
    if len(outcome.places) > 2:
        ranked = sorted(range(len(outcome.places)), key=outcome.places.__getitem__)
        places = [voice.say("over.place", place=outcome.places[seat], who=table.name_span(seat)) for seat in ranked]
        words.append(join(places, " · "))
    return words


def choosing_card(table: Table, speaker: Speaker, asked: Question, spots: Spots = NO_SPOTS) -> Card:
    """Return the private card for a player who is choosing; its picture, with `spots`, is added later."""
    voice = table.words_for(speaker)
    return question_view(table, voice).put_on(Card(question_words(table, voice, asked)), asked, spots)


def question_view(table: Table, voice: Speaker, *, private: bool = True) -> QuestionView:
    """Return how a question at a table's position is asked, of its player alone or below the board for everybody."""
    return QuestionView(voice, table.row.id, table.row.revision, private, state=table.playing.state)


def question_words(table: Table, voice: Speaker, asked: Question) -> Text:
    """Return the question to a player who is choosing, and their actions in this turn so far."""
    said, begun = list[Text](), table.playing.begun
    if begun is not None and table.playing.has_acted:
        said = [*throw_words(voice, begun), voice.say("ask.so-far", moves=line_words(voice, begun.own))]
    return join([join(said, " "), pin_text(question_view(table, voice).question(asked))])


def confirm_card(table: Table, speaker: Speaker, action: Action, path: Sequence[str]) -> Card:
    """Return the confirmation question for a single press; `path` is the path of the action."""
    voice = table.words_for(speaker)
    asking, kind = question_view(table, voice), table.game.facts.kind_of(action)
    key = f"sure.{kind}" if voice.has(f"sure.{kind}") else "sure"
    sure = Button(voice.line("button.sure"), asking.press(*path), "primary")
    back = Button(voice.line("button.back"), asking.press())
    words = voice.say(key, what=voice.line(f"verb.{kind}"), cell=action.target or "")
    return Card(pin_text(words), rows=((sure,), (back,)))


def resign_card(table: Table, speaker: Speaker, *, early: bool = False) -> Card:
    """Return the question whether a player really wants to resign; `early`: the game would not be rated."""
    key = "resign.sure" if table.row.seat_count == 2 else "resign.sure.many"
    buttons = (
        game_button(speaker, table.row, "resign.yes", "resign!", style="danger"),
        game_button(speaker, table.row, "resign.no", "keep"),
    )
    parts = [speaker.say(key, game=speaker.game_name(table.row.game))]
    if early:
        parts.append(speaker.say("resign.early" if table.row.seat_count == 2 else "resign.early.many"))
    return Card(text=pin_text(join(parts, " ")), rows=(buttons,))


def _describe_turns(table: Table, voice: Speaker, reader: int | None) -> Text:
    """Return all described turns, oldest first, one per line, and the dice of the unfinished turn."""
    turns, begun, newest = list_recent_turns(table, reader), table.playing.begun, table.playing.newest_turns
    names = table.name_spans
    left = table.row.progress.left
    planned = [turn.number for turn in newest[len(newest) - planned_turns(table.row) :]]
    lines: list[Text] = []
    for turn in turns:
        sentences = [turn_words(voice, turn, names, with_chance=_shows_chance(table, turn, reader), left=left)]
        if turn.number in planned:
            sentences.append(voice.say("turn.planned"))
        if is_forced_turn(turn):
            sentences.append(voice.say("turn.by-itself"))
        lines.append(join(sentences, " "))
    at = 0
    while at < len(lines) - 1 and sum(len(strip_styles(line)) for line in lines) > MAX_TURNS_TEXT_LENGTH:
        # The board shows what was captured, and old dice no longer matter.
        lines[at] = turn_words(voice, turns[at], names, brief=True, left=left) or lines[at]
        at += 1
    if begun is not None and begun not in turns[-1:]:
        lines.append(turn_words(voice, begun, names, left=left))
    if not turns or _is_at_its_beginning(table):
        lines.insert(0, _start_words(table, voice))
    return join(lines)


def _is_at_its_beginning(table: Table) -> bool:
    return table.playing.finished is None and not table.playing.has_acted


def _shows_chance(table: Table, turn: Turn, reader: int | None) -> bool:
    """Return True if a turn is described with its dice or deal: not if an earlier message showed them to everybody."""
    if reader is not None or turn is table.playing.begun:
        return True
    # A person's dice were announced when their turn began; a computer's are described with its turn.
    if table.level_at(turn.seat) is not None:
        return True
    return turn.number > 1 and turn is table.playing.finished


def _start_words(table: Table, voice: Speaker) -> Text:
    """Return that the game begins, and how the seats were assigned."""
    key = "board.first.rotated" if table.row.terms.rotated else "board.first"
    if table.row.terms.cup is not None:
        key = f"board.first.{competition_kind(table.row)}"
    seated = voice.listing(table.name_spans)
    said: dict[str, Parameter] = {"cup": table.row.terms.cup} if table.row.terms.cup is not None else {}
    return voice.say(key, game=voice.game_name(), who=seated, **said)


def _turn_prompt(table: Table, voice: Speaker, seat: int, reader: int | None, *, drawn: bool, typed: bool) -> Text:
    """Return whose turn it is, and for a newcomer how to play."""
    state, who = table.playing.state, table.name_span(seat)
    if drawn and seat != reader:
        return voice.say("board.theirs", who=who)
    kind, acted = join_kinds(state.game, table.playing.legal_actions), table.playing.has_acted
    key = _instruction_key(table, voice, state, kind, acted=acted) if is_taught(table, seat) else None
    if key is None or key in _taught_before(table, voice, seat):
        key = f"choose.{kind}.brief"
        usual = "board.goes-on.brief" if acted else "board.turn.brief"
        return voice.say(key if voice.has(key) else usual, who=who)
    if not typed:
        key = f"{key}.brief" if key != "board.turn" and voice.has(f"{key}.brief") else "board.turn.press"
        return voice.say(key, who=who)
    ordered = words[table.row.game].ordered(state)
    # At the beginning an instructive example; later a reasonable one that gives no advice.
    first = voice.has(f"first.{words[table.row.game].first(state, kind)}")
    example = moves_text(voice, ordered[:1] if first else ordered[len(ordered) // 4 :][:1])
    if not drawn:
        # The bot receives a bare move neither in Discord's channels nor in Telegram's groups.
        example = replace(example, text=f"/move {example.text}")
    return voice.say(f"{key}.tap" if drawn and voice.has(f"{key}.tap") else key, who=who, example=example)


def _instruction_key(table: Table, voice: Speaker, state: State, kind: str, *, acted: bool) -> str:
    """Return the key of the words that explain to a newcomer how to play a kind of action."""
    if voice.has(f"choose.{kind}"):
        return f"choose.{kind}"
    if acted:
        return "board.goes-on"
    first = f"first.{words[table.row.game].first(state, kind)}"
    return first if voice.has(first) else "board.turn"


def _taught_before(table: Table, voice: Speaker, seat: int) -> set[str]:
    """Return the keys of the words that explained to a seat how to play in its earlier turns."""
    taught, game = set(), table.playing.state.game
    for turn in table.playing.newest_turns:
        state, acted = turn.before, False
        for at, action in enumerate(turn.actions if turn.seat == seat else ()):
            if at:
                state = state.advance(turn.actions[at - 1])
            if game.facts.by_player(action):
                kind = join_kinds(game, state.legal_actions())
                taught.add(_instruction_key(table, voice, state, kind, acted=acted))
                acted = True
    return taught


def is_taught(table: Table, seat: int) -> bool:
    """Return True if a seat gets explanations: in the first turns of a person who has never finished this game."""
    done = table.playing.turn_count(seat)
    return seat in table.row.progress.newcomers and done is not None and done < TURNS_WITH_HELP


def _goal_words(table: Table, voice: Speaker, seat: int, reader: int | None) -> Text:
    """Return the goal of a game with a newcomer's first turn; on shared cards only with the first newcomer's."""
    turns_of = table.playing.turn_count
    first = is_taught(table, seat) and not turns_of(seat)
    is_shown = reader is None and any(turns_of(other) for other in table.row.progress.newcomers)
    return voice.say("goal") if first and not is_shown and voice.has("goal") else ()
