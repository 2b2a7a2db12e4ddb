"""The card that shows a game at play to everybody, and the ones for the player who is choosing."""

from __future__ import annotations

from dataclasses import replace

from bot.entry.choices import Question, question
from bot.interface.cards import Button, Card, Row
from bot.interface.presses import press
from bot.language.rich_text import Text
from bot.language.texts import Speaker, join
from bot.presenters.asking import Asking, button_rows
from bot.presenters.offers import clock_words, offer_rows, offer_words
from bot.tables.table import Table
from bot.words import words
from bot.words.describe import moves_text, thrown, turn_words
from engine import CHANCE, Action, Outcome, Turn


def board_card(table: Table, speaker: Speaker) -> Card:
    """Return the card of a game at play or over, without its picture, in the language of the place."""
    voice = speaker.of(table.row.game)
    table = table.spoken(voice)
    if table.mover is None:
        return over_card(table, speaker)
    seat = table.mover
    state = table.playing.state
    asked = question(state.game.facts, state.legal_actions())
    asking = Asking(voice, table.row.id, table.row.revision, private=False)
    rows: list[Row] = []
    presses = {}
    thinking = table.level_at(seat) is not None
    if not thinking and isinstance(asked, Question):
        rows += asking.rows(asked)
        presses = dict(asking.presses(asked))
    # What answers a question follows it: the words of an offer are the last.
    rows = [*offer_rows(table, voice), *rows, table_buttons(table, voice)]
    turn = voice.say("board.thinking", who=table.span(seat)) if thinking else _turn(table, voice, seat)
    beside = clock_words(table, voice)
    early = state.turn < table.row.seat_count and any(entry.computer for entry in table.row.seats)
    if early and state.game.has_chance(table.row.seat_count, table.row.options):
        # A game that starts at once has no lobby where everybody could have seen it.
        beside.append(voice.say("lobby.seal", seal=table.row.seed_hash))
    return Card(
        text=join([_last(table, voice), turn, *beside, *offer_words(table, voice)]),
        rows=tuple(rows),
        mention=table.person_at(seat),
        presses=presses,
    )


def nonmember_card(table: Table, speaker: Speaker, asked: Question | None) -> Card:
    """Return the card of a game for one person where nothing else can be shown: the board, and what they choose from.

    `asked` is the question put to them, None if they are not to move.
    """
    voice = speaker.of(table.row.game)
    shown = replace(board_card(table, speaker), mention=None)
    if table.row.status == "over":
        return shown
    code, revision = table.row.id, table.row.revision
    asking = Asking(voice, code, revision, private=True)
    rows: list[Row] = [*asking.rows(asked)] if asked is not None else []
    buttons = [Button(voice.line("button.undo"), press("undo", code, revision))]
    if asked is None:
        buttons.insert(0, Button(voice.line("button.look"), press("show", code, revision), "primary"))
    buttons.append(Button(voice.line("button.rules"), press("rules", None, 0, table.row.game)))
    buttons.append(Button(voice.line("button.resign"), press("resign", code, revision), "danger"))
    return replace(shown, rows=(*rows, tuple(buttons)), presses={})


def table_buttons(table: Table, voice: Speaker) -> tuple[Button, ...]:
    """Return the modest row below the choices."""
    return (
        Button(voice.line("button.rules"), press("rules", None, 0, table.row.game)),
        Button(voice.line("button.more"), press("more", table.row.id, table.row.revision)),
    )


def over_card(table: Table, speaker: Speaker) -> Card:
    """Return the card of a game that is over: who won and why, and the seed that shows that chance was fair."""
    voice = speaker.of(table.row.game)
    table = table.spoken(voice)
    ended = table.row.outcome or {"reason": "closed"}
    parts = [_last(table, voice)]
    if "places" in ended:
        parts += outcome_words(table, voice, Outcome(ended["reason"], tuple(ended["places"])))
        if table.playing.state.outcome is not None:
            names = [table.span(seat) for seat in range(table.row.seat_count)]
            parts.append(join(words[table.row.game].scored(voice, table.playing.state, names), " "))
    else:
        parts.append(voice.say(f"ended.{ended['reason']}"))
    if table.playing.draws or not table.row.terms.rotated:
        key = "over.seed" if table.playing.draws else "over.lot"
        parts.append(voice.say(key, seed=table.row.seed, game=table.row.id))
    code, revision = table.row.id, table.row.revision
    buttons = [Button(voice.line("button.rematch"), press("rematch", code, revision), "primary")]
    if "places" in ended:
        buttons.append(Button(voice.line("button.analyse"), press("analyse", code, revision)))
    buttons.append(Button(voice.line("button.leaderboard"), press("leaders", None, 0, table.row.game)))
    buttons.append(Button(voice.line("button.rules"), press("rules", None, 0, table.row.game)))
    return Card(text=join(parts), rows=button_rows(buttons))


def outcome_words(table: Table, voice: Speaker, outcome: Outcome) -> list[Text]:
    """Return who won, why, and the places where there are more than two."""
    winner = outcome.winner
    reason = voice.say(f"reason.{outcome.reason}") if voice.has(f"reason.{outcome.reason}") else ()
    if winner is not None:
        words = [join([voice.say("over.win", who=table.span(winner)), reason], " ")]
    else:
        firsts = [table.span(seat) for seat, place in enumerate(outcome.places) if place == 1]
        key = "over.draw" if len(firsts) == len(outcome.places) else "over.shared"
        words = [join([voice.say(key, who=voice.listing(firsts)), reason], " ")]
    if len(outcome.places) > 2:
        ranked = sorted(range(len(outcome.places)), key=lambda seat: (outcome.places[seat], seat))
        places = [voice.say("over.place", place=outcome.places[seat], who=table.span(seat)) for seat in ranked]
        words.append(join(places, " · "))
    return words


def choosing_card(table: Table, speaker: Speaker, asked: Question) -> Card:
    """Return the private card for somebody who is choosing, without its picture."""
    voice = speaker.of(table.row.game)
    asking = Asking(voice, table.row.id, table.row.revision, private=True)
    begun = _begun(table)
    so_far = [voice.say("ask.so-far", moves=moves_text(voice, begun.own))] if begun else []
    parts = [join([*(thrown(voice, begun) if begun else ()), *so_far], " "), asking.question(asked)]
    return Card(text=join(parts), rows=asking.rows(asked), presses=asking.presses(asked))


def played_card(table: Table, speaker: Speaker, actions: tuple[Action, ...]) -> Card:
    """Return the private confirmation that something was played."""
    voice = speaker.of(table.row.game)
    return Card(text=voice.say("ask.played", moves=moves_text(voice, actions)))


def resign_card(table: Table, speaker: Speaker) -> Card:
    """Return the question whether somebody really wants to resign."""
    key = "resign.sure" if table.row.seat_count == 2 else "resign.sure.many"
    buttons = (
        Button(speaker.line("button.resign.yes"), press("resign!", table.row.id, table.row.revision), "danger"),
        Button(speaker.line("button.resign.no"), press("keep", table.row.id, table.row.revision)),
    )
    return Card(text=speaker.say(key, game=speaker.of(table.row.game).line("name")), rows=(buttons,))


def _last(table: Table, voice: Speaker) -> Text:
    shown = table.playing.shown
    if shown is None:
        return _first(table, voice)
    names = [table.span(seat) for seat in range(table.row.seat_count)]
    told = [turn_words(voice, shown, names)]
    begun = table.playing.begun
    if begun is not None and begun is not shown:
        told.append(turn_words(voice, begun, names))
    if table.playing.finished is None and not table.playing.acted:
        told.insert(0, _first(table, voice))
    return join(told, " ")


def _first(table: Table, voice: Speaker) -> Text:
    """Return that the game begins, and how the seats were given out."""
    key = "board.first.rotated" if table.row.terms.rotated else "board.first"
    seated = voice.listing([table.span(seat) for seat in range(table.row.seat_count)])
    return voice.say(key, game=voice.line("name"), who=seated)


def _turn(table: Table, voice: Speaker, seat: int) -> Text:
    """Return whose turn it is and what is to be done: what is chosen once explains itself, moves at the beginning."""
    state = table.playing.state
    game = words[table.row.game]
    kinds = {state.game.facts.kind_of(action) for action in state.legal_actions()}
    kind = kinds.pop() if len(kinds) == 1 else "several"
    first, ordered = game.first(state, kind), game.ordered(state)
    teaches = voice.has(f"first.{first}")
    # At the beginning something that teaches; later nothing foolish, but no advice either.
    example = moves_text(voice, ordered[:1] if teaches else ordered[len(ordered) // 4 :][:1])
    if voice.has(f"choose.{kind}"):
        return voice.say(f"choose.{kind}", who=table.span(seat), example=example)
    if table.playing.acted:
        return voice.say("board.goes-on", who=table.span(seat), example=example)
    if teaches:
        return voice.say(f"first.{first}", who=table.span(seat), example=example)
    return voice.say("board.turn", who=table.span(seat), example=example)


def _begun(table: Table) -> Turn | None:
    """Return the turn in which the player to move has done something already."""
    begun = table.playing.begun
    return begun if begun is not None and begun.seat != CHANCE and table.playing.acted else None
