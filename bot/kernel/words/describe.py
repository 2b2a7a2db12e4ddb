"""Positions and turns in words: the content of pictures, for people who cannot see them."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Final

from bot.kernel.cards import MAX_ALT_LENGTH
from bot.kernel.texts import Span, Speaker, Text, shorten, strip_styles
from bot.kernel.words import PositionTeller, words
from bot.kernel.words.teller import Losses, Names
from engine import CHANCE, Action, Game, Outcome, State, Turn
from render.scene import NotationWords

_FORM: Final = re.compile(
    r"(?P<mark>[^\w]|[A-Zxr])?(?P<cell>[a-z]\d+)(?:(?P<way>[-x])(?P<to>[a-z]\d+))?(?P<end>/\d+|!)?"
)
"""An action in notation: the piece or event, cells, with or without a capture, an amount or a mark."""
_ENDS: Final = {"!": "verb.sprint"}
"""The words for a mark at the end, in the games that have them."""
_GOES_ON: Final = ("line.x", "line.captures")
"""The words of a capture, and the words of a preceding group that it continues."""
_STAYING: Final = re.compile(r"stay/(\d+)")


def line_words(speaker: Speaker, actions: Iterable[Action | str]) -> Span:
    """Return actions as part of a sentence, in the words of the speaker's game.

    Consecutive actions of the same kind are combined. An action without words stays in notation.
    """
    groups: list[str | tuple[str, str, list[str]]] = []
    for action in map(str, actions):
        form = _FORM.fullmatch(action)
        captures = form is not None and form["way"] == "x"
        lists = form is not None and form["to"] is None and form["mark"] is not None
        wanted = "line.captures" if captures else f"line.{form['mark']}" if form is not None and lists else ""
        last = groups[-1] if groups else ""
        if form is None or not speaker.has(wanted):
            groups.append(_single_action(speaker, action, form, follows=bool(groups)))
        elif isinstance(last, tuple) and not captures and (wanted == last[0] or (wanted, last[0]) == _GOES_ON):
            last[2].append(form["cell"])
        else:
            groups.append((wanted, form["cell"], [form["to"] if captures else form["cell"]]))
    said = [
        each
        if isinstance(each, str)
        else speaker.line(each[0], source=each[1], cells=strip_styles(speaker.listing(each[2])))
        for each in groups
    ]
    return Span(", ".join(said), bold=True)


def typed_form(speaker: Speaker, action: Action | str) -> str:
    """Return an action in typed notation with the speaker's words: `resta/4` for `stay/4`, `giallo` for `yellow`."""
    word, slash, amount = str(action).partition("/")
    return f"{speaker.word('word', word)}{slash}{amount}"


def notation_words(speaker: Speaker, actions: Iterable[Action]) -> NotationWords:
    """Return the words of actions' notation that differ in the speaker's language, for pictures."""
    found = dict.fromkeys(action.text.partition("/")[0] for action in actions)
    return tuple((word, said) for word in found if (said := speaker.word("word", word)) != word)


def cells_taken(actions: Iterable[Action | str]) -> set[str]:
    """Return the cells that `line_words` describes as captured."""
    forms = [form for action in actions if (form := _FORM.fullmatch(str(action))) is not None]
    return {form["to"] or form["cell"] for form in forms if "x" in (form["way"], form["mark"])}


def _single_action(speaker: Speaker, action: str, form: re.Match[str] | None, *, follows: bool) -> str:
    """Return the words for a single action; `follows`: True if it follows another one."""
    if form is not None:
        if follows and form[0] == form["cell"]:
            return speaker.line("line.cell", cells=form["cell"])
        move = f"{form['cell']}-{form['to']}" if form["to"] is not None else form["cell"]
        if form["mark"] is not None:
            key = f"line.{form['mark']}"
            move = speaker.line(key, source="", cells=move) if speaker.has(key) else f"{form['mark']}{move}"
        end = form["end"] or ""
        if end.startswith("/"):
            return speaker.line("line.with", move=move, amount=end[1:])
        words = _ENDS.get(end, "")
        return f"{move} ({speaker.line(words)})" if speaker.has(words) else f"{move}{end}"
    if (staying := _STAYING.fullmatch(action)) is not None:
        return speaker.line("line.stay.with", amount=staying[1])
    known = f"line.{action}"
    return speaker.line(known) if speaker.has(known) else speaker.word("word", action)


@dataclass(frozen=True)
class BoardWords:
    """The words for a picture of a board, made on first use; `speaker` has the words of the game.

    `earlier` are turns before the last one that the picture marks, too, and `captures` the cells that it marks because
    choosing them captures.
    """

    speaker: Speaker
    state: State
    turn: Turn | None
    names: Sequence[str]
    earlier: Sequence[Turn] = ()
    captures: tuple[str, ...] = ()

    @cached_property
    def alt(self) -> str:
        """The alt text."""
        return self.fit(MAX_ALT_LENGTH)

    @cached_property
    def cells(self) -> Mapping[str, str] | None:
        """The content of the cells that are not empty; None if the game has no words for it."""
        cells = words[self.state.game.key].cells
        return None if cells is None else cells(PositionTeller(self.speaker, self.state, self.names))

    def sentences(self, *, brief: bool = False) -> list[str]:
        """Return sentences that describe the whole picture: the position, without its history, can be reconstructed."""
        speaker, state, turn = self.speaker, self.state, self.turn
        teller = PositionTeller(speaker, state, self.names, brief)
        number = state.turn if turn is None else turn.number  # as on the badge in the picture
        title = turn_number(speaker, state.game, number)
        sentences = [speaker.line("alt.title", game=speaker.game_name(), turn=title)]
        spans = [Span(name) for name in self.names]
        if not brief:
            sentences += [words for each in self.earlier if (words := strip_styles(turn_words(speaker, each, spans)))]
        turn_text = strip_styles(turn_words(speaker, turn, spans)) if turn is not None else ""
        sentences.append(turn_text or speaker.line("alt.start"))
        ended = state.outcome
        sentences += [_asked_words(teller)] if ended is None else _ending_sentences(teller, ended)
        if self.captures:
            sentences.append(speaker.line("alt.captures", cells=", ".join(self.captures)))
        sentences += position_words(teller)
        if not brief:
            for name, value in teller.position["options"].items():
                chosen = speaker.line(f"option.{name}.{value}")
                sentences.append(speaker.line("position.option", option=speaker.line(f"option.{name}"), value=chosen))
        return sentences

    def fit(self, most: int) -> str:
        """Return the sentences as one text; beyond `most` characters its essential part, and how to get the rest."""
        return fit_or_shorten(self.speaker, lambda brief: self.sentences(brief=brief), most)


def fit_or_shorten(speaker: Speaker, describe: Callable[[bool], Iterable[str]], most: int) -> str:
    """Return the whole text if it fits in `most` characters, else what fits of the brief one, and how to get the rest.

    `describe` returns the sentences of the whole text or, given True, of the brief one. The result is empty if there is
    no room for a useful text.
    """
    text = " ".join(describe(False))
    if len(text) <= most:
        return text
    more = speaker.line("alt.more")
    room = most - len(more) - 1
    return f"{shorten(' '.join(describe(True)), room)} {more}" if room > len(more) else ""


def turn_number(speaker: Speaker, game: Game, number: int) -> Text:
    """Return the name of a turn, such as `turn 12`, with the game's word for it; `speaker` has the game's words."""
    return speaker.say(f"numbered.{game.facts.turn}", number=number)


def turn_count(speaker: Speaker, game: Game, n: int) -> Text:
    """Return a number of turns, such as `12 turns`, with the game's word for them."""
    return speaker.say(f"counted.{game.facts.turn}", n=n)


def turn_words(
    speaker: Speaker,
    turn: Turn,
    names: Names,
    *,
    reader: int | None = None,
    taking: bool = True,
    brief: bool = False,
    with_chance: bool = True,
    left: Mapping[int, str] = MappingProxyType({}),
) -> Text:
    """Return the words for a turn: player, actions, captures and result; empty if there is nothing to say.

    `reader` is the seat of the only reader, if there is one; `taking`: True to describe captures, too; `brief`: True to
    describe only actions and departures; `with_chance`: True to describe rolls and deals, too. `left` are the reasons
    why seats have left the game, if known.
    """
    game = words[turn.before.game.key]
    own = turn.seat == reader
    parts: list[Text] = throw_words(speaker, turn) if own else []
    parts = parts or ([*game.chance(speaker, turn, names)] if with_chance and not brief else [])
    mine, picks = turn.own, turn.before.game.facts.picks
    who = names[turn.seat] if 0 <= turn.seat < len(names) else ""
    if mine:
        if all(action.verb in picks for action in mine):
            chosen = [speaker.say("the-colour", colour=speaker.word("word", action.value)) for action in mine]
            key = "turn.chose.you" if own else "turn.chose"
            parts.append(speaker.say(key, who=who, colours=speaker.listing(chosen)))
        else:
            line = line_words(speaker, mine)
            as_typed = line.text == moves_text(speaker, mine).text
            key = "turn.played" if as_typed else "turn.line"
            key = ("turn.played.you" if as_typed else "turn.line.you") if own else key
            parts.append(speaker.say(key, who=who, moves=line))
    if mine and taking and not brief:
        parts += _captured_words(speaker, turn, names)
    for action in turn.actions:
        if action.is_drop:
            key = f"turn.dropped.{left.get(action.value)}"
            parts.append(speaker.say(key if speaker.has(key) else "turn.dropped", who=names[action.value]))
    parts += () if brief else game.result(speaker, turn, names)
    spans_of_turn: list[Span] = []
    for part in parts:
        spans_of_turn += [Span(" "), *part] if spans_of_turn else part
    return tuple(spans_of_turn)


def captured_cells(turn: Turn) -> Losses:
    """Return the cells on which a turn captured something, by the seat that lost it."""
    found = words[turn.before.game.key].captured(turn)
    return {seat: cells for seat, cells in found.items() if cells}


def find_captured(state: State, actions: Iterable[Action]) -> Losses:
    """Return the cells on which actions of the seat to move capture something, by the seat that loses it."""
    return captured_cells(Turn(0, -1 if state.to_move is None else state.to_move, tuple(actions), state))


def _captured_words(speaker: Speaker, turn: Turn, names: Names) -> Iterator[Text]:
    """Yield the captures of a turn, by owner, that the words for its moves do not name: no cell is named twice."""
    lost = captured_cells(turn)
    named = cells_taken(turn.own) if lost else set()
    for seat, cells in lost.items():
        is_named = named.issuperset(cells)
        if is_named and turn.before.seats == 2:
            continue
        # If several players have lost something, name the losses of each.
        key = "turn.captured.named" if is_named and len(lost) == 1 else "turn.captured"
        yield speaker.say(key, who=names[seat], n=len(cells), cells=", ".join(cells))


def throw_words(speaker: Speaker, turn: Turn) -> list[Text]:
    """Return a player's throw in a turn, addressed to that player; empty if the game has no words for it."""
    by_chance = turn.before.game.facts.by_chance
    found = [action for action in turn.actions if by_chance(action) and speaker.has(f"ask.{action.verb}")]
    return [speaker.say(f"ask.{each.verb}", values=speaker.listing(map(str, each.value))) for each in found]


def moves_text(speaker: Speaker, actions: Iterable[Action | str]) -> Span:
    """Return actions in typed notation, with the language's words for colours."""
    return Span(" ".join(typed_form(speaker, action) for action in actions), code=True)


def position_words(teller: PositionTeller) -> Iterator[str]:
    """Yield sentences that describe the whole board: first each seat's own pieces, then the rest."""
    speaker, state, game = teller.speaker, teller.state, words[teller.state.game.key]
    for seat, name in enumerate(teller.names[: state.seats]):
        colour = f"seat.{seat}"
        who = f"{name} ({speaker.line(colour)})" if speaker.has(colour) else name
        parts = "; ".join(game.seat(teller, seat)) or speaker.line("position.nothing")
        yield speaker.line("position.seat", who=who, parts=parts)
    yield from game.common(teller)
    if state.dropped:
        yield speaker.line("position.dropped", who=teller.people(state.dropped), n=len(state.dropped))


def _asked_words(teller: PositionTeller) -> str:
    state = teller.state
    said = words[state.game.key].asked(teller)
    if said or state.to_move is None or state.to_move == CHANCE:
        return said
    return teller.line("alt.to-move", who=teller.names[state.to_move])


def _ending_sentences(teller: PositionTeller, outcome: Outcome) -> Iterator[str]:
    firsts = [seat for seat, place in enumerate(outcome.places) if place == 1]
    key = "over.win" if len(firsts) == 1 else "over.draw" if len(firsts) == len(outcome.places) else "over.shared"
    yield teller.line("alt.over")
    yield teller.line(key, who=teller.people(firsts))
    if teller.speaker.has(f"reason.{outcome.reason}"):
        yield teller.line(f"reason.{outcome.reason}")
    if len(outcome.places) > 2:
        ranked = sorted(range(len(outcome.places)), key=outcome.places.__getitem__)
        places = [teller.line("over.place", place=outcome.places[seat], who=teller.names[seat]) for seat in ranked]
        yield f"{', '.join(places)}."
    yield from words[teller.state.game.key].ended(teller)
