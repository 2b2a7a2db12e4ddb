"""`tavoliere play`: a game in the terminal, all players at one keyboard."""

from __future__ import annotations

import secrets
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.cli.boards import board_text
from bot.cli.console import OK, USAGE, CommandFailed, Console
from bot.cli.files import add_game_arguments, typed_options, write_bytes
from bot.cli.records import ending_lines
from bot.names import clean_name
from engine import CHANCE, Action, EngineError, InvalidOption, State, games
from engine.fair import Draw, commitment, lot, public_text
from engine.record import Joining, Record
from storage.codes import new_code

_MOST_SHOWN = 40


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare what the subcommand takes."""
    add_game_arguments(parser, console)
    parser.add_argument("--names", metavar="A,B,...", help=console.line("arg.names"))
    parser.add_argument("--record", metavar="FILE", help=console.line("arg.record"))


def run(options: Namespace, console: Console) -> int:
    """Play until the game is over or everybody leaves."""
    game = games[options.game]
    try:
        state = game.start(options.seats, typed_options(game, options.option))
    except InvalidOption as error:
        raise CommandFailed("bad-option", USAGE, reason=console.explain(error, game.key)) from None
    match = _Match(state, _names(options, console), console)
    console.say("play.fair", hash=commitment(match.seed))
    match.play()
    if options.record is not None:
        write_bytes(options.record, match.record().to_text().encode())
        console.say("play.saved", file=options.record)
    return OK


def _names(options: Namespace, console: Console) -> tuple[str, ...]:
    if options.names is None:
        return tuple(console.line("seat", number=seat + 1) for seat in range(options.seats))
    names = tuple(clean_name(name) for name in options.names.split(","))
    if len(set(names)) != options.seats or len(names) != options.seats:
        raise CommandFailed("play.names-wrong", USAGE, seats=options.seats)
    return names


@dataclass
class _Match:
    """One game at one keyboard; `line` are the actions so far, each with the state before it."""

    state: State
    players: tuple[str, ...]
    console: Console
    seed: str = field(default_factory=lambda: secrets.token_hex(32))
    line: list[tuple[State, Action]] = field(default_factory=list)
    left: bool = False
    started: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __post_init__(self) -> None:
        self.game_id = new_code()
        self.joined = tuple(f"terminal:{number}" for number in range(self.state.seats))
        self.public = public_text(self.game_id, self.joined)
        self.seats = lot(self.seed, self.public, self.state.seats)
        self.names = tuple(self.players[self.seats.index(seat)] for seat in range(self.state.seats))

    def play(self) -> None:
        """Ask for moves until the end."""
        shown = None
        while self.state.to_move is not None and not self.left:
            if self.state.to_move == CHANCE:
                self._draw()
                continue
            if shown != (self.state.to_move, self.state.turn):
                shown = (self.state.to_move, self.state.turn)
                self.console.put(board_text(self.state, self.names, self.console))
            self._ask()
        if self.left:
            self.console.say("play.left")
            return
        self.console.put(board_text(self.state, self.names, self.console))
        for text in ending_lines(self.state, self.names, self.state.game.key, self.console):
            self.console.put(text)

    def record(self) -> Record:
        """Return the record of the game so far; the seed is shown, since nobody plays on."""
        game = self.state.game
        return Record(
            game=game.key,
            game_id=self.game_id,
            rules_version=game.rules_version,
            options=self.state.to_json()["options"],
            names=self.names,
            actions=tuple(action.text for _, action in self.line),
            joined=tuple(Joining(event, seat) for event, seat in zip(self.joined, self.seats, strict=True)),
            seed_hash=commitment(self.seed),
            seed=self.seed,
            started=self.started.date().isoformat(),
            ended=datetime.now(UTC).date().isoformat(),
        )

    def _add(self, action: Action) -> None:
        self.line.append((self.state, action))
        self.state = self.state.play(action)

    def _draw(self) -> None:
        draws = sum(before.to_move == CHANCE and action.verb != "drop" for before, action in self.line)
        action = self.state.sample_chance(Draw(self.seed, self.public, draws + 1))
        self._add(action)
        self.console.say("play.chance", text=action.text)

    def _ask(self) -> None:
        seat = self.state.to_move
        if seat is None:
            return
        name = self.names[seat]
        try:
            typed = input(self.console.line("play.turn", name=name)).strip()
        except EOFError:
            self.console.put()
            self.left = True
            return
        commands = {
            "?": self._help,
            "help": self._help,
            "moves": self._moves,
            "board": self._board,
            "undo": self._undo,
            "quit": self._leave,
            "resign": self._resign,
        }
        if typed.lower() in commands:
            commands[typed.lower()]()
        elif typed:
            self._move(typed, seat)

    def _move(self, typed: str, seat: int) -> None:
        try:
            actions = self.state.parse(typed)
        except EngineError as error:
            self.console.put(self.console.explain(error, self.state.game.key))
            return
        turn = self.state.turn
        for action in actions:
            self._add(action)
        # The table plays what is the only choice in the middle of a turn (the rules, Writing actions).
        while self.state.to_move == seat and self.state.turn == turn and len(self.state.legal_actions()) == 1:
            action = self.state.legal_actions()[0]
            self._add(action)
            self.console.say("play.forced", name=self.names[seat], text=action.text)

    def _help(self) -> None:
        self.console.say("play.help")

    def _moves(self) -> None:
        actions = [action.text for action in self.state.legal_actions()]
        if len(actions) > _MOST_SHOWN:
            shown = " ".join(actions[:_MOST_SHOWN])
            self.console.say("play.more-moves", moves=shown, n=len(actions) - _MOST_SHOWN)
        else:
            self.console.say("play.moves", moves=" ".join(actions))

    def _board(self) -> None:
        self.console.put(board_text(self.state, self.names, self.console))

    def _undo(self) -> None:
        if not any(before.to_move != CHANCE for before, _ in self.line):
            self.console.say("play.nothing-to-undo")
            return
        # Dice and deals stay as they fell: they are drawn again from the same seed by their number.
        while self.line:
            self.state, _ = self.line.pop()
            if self.state.to_move != CHANCE:
                break
        while self.line and self.line[-1][0].turn == self.state.turn and self.line[-1][0].to_move != CHANCE:
            self.state, _ = self.line.pop()

    def _resign(self) -> None:
        if self.state.to_move is not None:
            self._add(Action.drop(self.state.to_move))

    def _leave(self) -> None:
        self.left = True
