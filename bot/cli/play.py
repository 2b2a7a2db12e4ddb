"""`tavoliere play`: a game in the terminal, all people at one keyboard, with computers in the other seats."""

import secrets
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from bot.cli.console import OK, USAGE, CommandFailed, Console
from bot.cli.files import add_game_arguments, parse_options, see_that_it_can_be_written, whole_number, write_bytes
from bot.cli.records import board_text, format_ending
from bot.kernel.commandline import DEFAULT_LEVEL, parse_typed
from bot.kernel.names import name_player
from bot.kernel.table import computer_name
from bot.kernel.texts import Speaker
from bot.thinking.thinkers import TURN_SECONDS
from engine import CHANCE, Action, EngineError, InvalidOption, State, games
from engine.fair import Draw, draw_seats, hash_seed, public_text
from engine.record import Joining, Record
from engine.search import LEVELS, players
from storage.addresses import generate_code, make_plain

_MAX_MOVES_SHOWN: Final = 40


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare the subcommand's arguments."""
    add_game_arguments(parser, console)
    parser.add_argument("--names", metavar="A,B,...", help=console.line("arg.names"))
    level = whole_number(LEVELS[0], LEVELS[-1], console)
    parser.add_argument("--computer", type=level, metavar="LEVEL", help=console.line("arg.computer"))
    most = whole_number(1, max(game.seats[-1] for game in games.values()), console)
    parser.add_argument("--computers", type=most, metavar="N", help=console.line("arg.computers"))
    parser.add_argument("--record", metavar="FILE", help=console.line("arg.record"))


def run(options: Namespace, console: Console) -> int:
    """Play until the game is over or everybody leaves."""
    game = games[options.game]
    try:
        state = game.start(options.seats, parse_options(game, options.option))
    except InvalidOption as error:
        raise CommandFailed("bad-option", USAGE, reason=console.explain(error, game.key)) from None
    match = _Match(state, _people(options, console), options.computer or int(DEFAULT_LEVEL), console)
    if options.record is not None:
        # Checked now: after the game it would be too late.
        see_that_it_can_be_written(options.record)
    console.say("play.fair", hash=hash_seed(match.seed))
    match.play()
    if options.record is not None:
        write_bytes(options.record, match.record().to_text().encode())
        console.say("play.saved", file=options.record)
    return OK


def _people(options: Namespace, console: Console) -> tuple[str, ...]:
    """Return the names of the people; computers take the other seats, by default all but one."""
    computers = options.computers
    if computers is None:
        computers = 0 if options.computer is None else options.seats - 1
    people = options.seats - computers
    if people < 0:
        raise CommandFailed("play.too-many-computers", USAGE, n=options.seats)
    if options.names is None:
        return tuple(console.line("seat", number=seat + 1) for seat in range(people))
    names = tuple(name_player(name) for name in options.names.split(","))
    if len(set(names)) != people or len(names) != people:
        raise CommandFailed("play.names-wrong", USAGE, n=people)
    return names


@dataclass
class _Match:
    """One game at one keyboard; `line` are the actions so far, each with the state before it."""

    state: State
    people: tuple[str, ...]
    level: int
    console: Console
    seed: str = field(default_factory=lambda: secrets.token_hex(32))
    line: list[tuple[State, Action]] = field(default_factory=list)
    left: bool = False
    started: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __post_init__(self) -> None:
        self.game_id = generate_code()
        self.joined = tuple(f"terminal:{number}" for number in range(self.state.seats))
        self.public = public_text(self.game_id, self.joined)
        self.seats = draw_seats(self.seed, self.public, self.state.seats)
        self.luck = secrets.randbits(32)
        self.names = self._seat_names(self.console.texts.speaker(self.console.language))

    def _seat_names(self, voice: Speaker | None) -> tuple[str, ...]:
        """Return the names by seat; without a voice computers are named as in records."""
        several = self.state.seats - len(self.people) > 1
        numbers = range(1, self.state.seats - len(self.people) + 1)
        computers = (computer_name(voice, str(self.level), number if several else None) for number in numbers)
        joined = (*self.people, *computers)
        return tuple(joined[self.seats.index(seat)] for seat in range(self.state.seats))

    def _is_person(self, seat: int) -> bool:
        return self.seats.index(seat) < len(self.people)

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
            if self._is_person(self.state.to_move):
                self._ask(self.state.to_move)
            else:
                self._think()
        if self.left:
            self.console.say("play.left")
            return
        self.console.put(board_text(self.state, self.names, self.console))
        for text in format_ending(self.state, self.names, self.state.game.key, self.console):
            self.console.put(text)

    def record(self) -> Record:
        """Return the record of the game so far; it includes the seed, since no one plays on."""
        game = self.state.game
        return Record(
            game=game.key,
            game_id=self.game_id,
            rules_version=game.rules_version,
            options=self.state.to_json()["options"],
            names=self._seat_names(None),
            actions=tuple(action.text for _, action in self.line),
            joined=tuple(Joining(event, seat) for event, seat in zip(self.joined, self.seats, strict=True)),
            seed_hash=hash_seed(self.seed),
            seed=self.seed,
            started=self.started.date().isoformat(),
            ended=datetime.now(UTC).date().isoformat(),
        )

    def _add(self, action: Action) -> None:
        self.line.append((self.state, action))
        self.state = self.state.play(action)

    def _draw(self) -> None:
        draws = sum(before.to_move == CHANCE and not action.is_drop for before, action in self.line)
        action = self.state.sample_chance(Draw(self.seed, self.public, draws + 1))
        self._add(action)
        self.console.say("play.chance", text=action.text)

    def _think(self) -> None:
        turn = players[self.state.game.key].turn(self.state, self.level, self.luck, seconds=TURN_SECONDS)
        for action in turn:
            self.console.say("play.played", name=self.names[self.state.to_move or 0], text=action.text)
            self._add(action)

    def _ask(self, seat: int) -> None:
        name = self.names[seat]
        try:
            typed = make_plain(input(self.console.line("play.turn", name=name))).strip()
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
            actions = parse_typed(self.state, typed)
        except EngineError as error:
            self.console.put(self.console.explain(error, self.state.game.key))
            return
        turn = self.state.turn
        for action in actions:
            self._add(action)
        # The table plays the only legal action in the middle of a turn (the rules, Writing actions).
        while self.state.to_move == seat and self.state.turn == turn and len(self.state.legal_actions()) == 1:
            action = self.state.legal_actions()[0]
            self._add(action)
            self.console.say("play.forced", name=self.names[seat], text=action.text)

    def _help(self) -> None:
        self.console.say("play.help")

    def _moves(self) -> None:
        actions = [action.text for action in self.state.legal_actions()]
        if len(actions) > _MAX_MOVES_SHOWN:
            shown = " ".join(actions[:_MAX_MOVES_SHOWN])
            self.console.say("play.more-moves", moves=shown, n=len(actions) - _MAX_MOVES_SHOWN)
        else:
            self.console.say("play.moves", moves=" ".join(actions))

    def _board(self) -> None:
        self.console.put(board_text(self.state, self.names, self.console))

    def _undo(self) -> None:
        """Take back the last turn of a person, and the computers' replies."""
        at = len(self.line) - 1
        while at >= 0 and not self._is_ours(self.line[at][0]):
            at -= 1
        if at < 0:
            self.console.say("play.nothing-to-undo")
            return
        turn = self.line[at][0].turn
        while at > 0 and self._is_ours(self.line[at - 1][0]) and self.line[at - 1][0].turn == turn:
            at -= 1
        # Dice and deals stay as they fell: they are drawn again from the same seed by their number.
        self.state = self.line[at][0]
        del self.line[at:]

    def _is_ours(self, state: State) -> bool:
        return state.to_move not in (None, CHANCE) and self._is_person(state.to_move)

    def _resign(self) -> None:
        if self.state.to_move is not None:
            self._add(Action.drop(self.state.to_move))

    def _leave(self) -> None:
        self.left = True
