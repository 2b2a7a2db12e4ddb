"""`tavoliere play`: a game in the terminal, all people at one keyboard, with computers in the other seats."""

import secrets
from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from bot.cli.console import OK, USAGE, CommandFailed, Console, Subcommand, argument
from bot.cli.files import GAME_ARGUMENTS, see_that_it_can_be_written, start_game, whole_number, write_bytes
from bot.cli.records import board_text, format_ending
from bot.kernel.commandline import DEFAULT_LEVEL, parse_typed
from bot.kernel.line import Line, Step, opening_line, play_line
from bot.kernel.names import name_player
from bot.kernel.table import computer_name
from bot.kernel.texts import Speaker
from bot.thinking.thinkers import TURN_SECONDS
from engine import Action, EngineError, State, games
from engine.fair import Draw, draw_seats, hash_seed, public_text
from engine.record import Joining, Record
from engine.search import LEVELS, players
from storage.addresses import generate_code, make_plain

_MAX_MOVES_SHOWN: Final = 40


def _play(options: Namespace, console: Console) -> int:
    """Play until the game is over or all have left."""
    state = start_game(options, console)
    match = _Match(state, _people(options, console), options.computer or int(DEFAULT_LEVEL), console)
    if options.record is not None:
        # Checked now, because after the game it would be too late.
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


class _Match:
    """One game at one keyboard: its line of play, the texts of all actions, and the state of both before each turn."""

    def __init__(self, start: State, people: tuple[str, ...], level: int, console: Console) -> None:
        self.people, self.level, self.console = people, level, console
        self.seed, self.luck = secrets.token_hex(32), secrets.randbits(32)
        self.game_id, self.started = generate_code(), datetime.now(UTC)
        self.joined = tuple(f"terminal:{number}" for number in range(start.seats))
        self.public = public_text(self.game_id, self.joined)
        self.seats = draw_seats(self.seed, self.public, start.seats)
        self.line, self.actions = Line(start), tuple[str, ...]()
        self.before = list[tuple[Line, tuple[str, ...]]]()
        self.left = False
        self.names = self._seat_names(console.speaker)

    def _seat_names(self, voice: Speaker | None) -> tuple[str, ...]:
        """Return the names by seat; with `voice` None computers are named as in records."""
        count = len(self.seats) - len(self.people)
        numbers = range(1, count + 1) if count > 1 else [None]
        computers = (computer_name(voice, str(self.level), number) for number in numbers)
        joined = (*self.people, *computers)
        return tuple(joined[self.seats.index(seat)] for seat in range(len(self.seats)))

    def play(self) -> None:
        """Ask for moves until the game ends or all have left."""
        shown = None
        self._after(*opening_line(self.line.state, self._draw))
        while (seat := self.line.state.to_move) is not None and not self.left:
            if shown != (seat, self.line.state.turn):
                shown = (seat, self.line.state.turn)
                self._show_board()
            if self.seats.index(seat) < len(self.people):
                self._ask(seat)
            else:
                state, key = self.line.state, self.line.state.game.key
                self._act(players[key].turn(state, self.level, self.luck, seconds=TURN_SECONDS))
        if self.left:
            self.console.say("play.left")
            return
        self._show_board()
        for text in format_ending(self.line.state, self.names, self.console):
            self.console.put(text)

    def record(self) -> Record:
        """Return the record of the game so far, including the seed, because the game does not continue."""
        game = self.line.state.game
        return Record(
            game=game.key,
            game_id=self.game_id,
            rules_version=game.rules_version,
            options=self.line.state.to_json()["options"],
            names=self._seat_names(None),
            actions=self.actions,
            joined=tuple(Joining(event, seat) for event, seat in zip(self.joined, self.seats, strict=True)),
            seed_hash=hash_seed(self.seed),
            seed=self.seed,
            started=self.started.date().isoformat(),
            ended=datetime.now(UTC).date().isoformat(),
        )

    def _draw(self, number: int) -> Draw:
        return Draw(self.seed, self.public, number)

    def _act(self, actions: Sequence[Action]) -> None:
        self._after(*play_line(self.line, actions, self._draw))

    def _after(self, line: Line, steps: Sequence[Step]) -> None:
        """Go on to a line by steps, and print the steps that no person typed."""
        for step in steps:
            text, seat = step.action.text, step.seat
            if step.draw is not None:
                self.console.say("play.chance", text=text)
            elif seat is not None and step.auto:
                self.console.say("play.forced", name=self.names[seat], text=text)
            elif seat is not None and self.seats.index(seat) >= len(self.people):
                self.console.say("play.played", name=self.names[seat], text=text)
            self.actions += (text,)
        self.line = line

    def _ask(self, seat: int) -> None:
        try:
            typed = make_plain(input(self.console.line("play.turn", name=self.names[seat]))).strip()
        except EOFError:
            self.console.put()
            typed = "quit"
        command = typed.lower()
        if command in ("?", "help"):
            self.console.say("play.help")
        elif command == "moves":
            self._list_moves()
        elif command == "board":
            self._show_board()
        elif command == "undo":
            # Take back the last turn of a person, and the computers' replies. Dice and deals do not change: they are
            # drawn again from the same seed, by number.
            if self.before:
                self.line, self.actions = self.before.pop()
            else:
                self.console.say("play.nothing-to-undo")
        elif command == "quit":
            self.left = True
        elif typed:
            try:
                actions = [Action.drop(seat)] if command == "resign" else parse_typed(self.line.state, typed)
            except EngineError as error:
                self.console.put(self.console.explain(error, self.line.state.game.key))
                return
            if not self.line.has_acted:
                self.before.append((self.line, self.actions))
            self._act(actions)

    def _list_moves(self) -> None:
        actions = [action.text for action in self.line.legal_actions]
        shown, left = " ".join(actions[:_MAX_MOVES_SHOWN]), len(actions) - _MAX_MOVES_SHOWN
        if left > 0:
            self.console.say("play.more-moves", moves=shown, n=left)
        else:
            self.console.say("play.moves", moves=shown)

    def _show_board(self) -> None:
        self.console.put(board_text(self.line.state, self.names, self.console))


SUBCOMMANDS: Final = {
    "play": Subcommand(
        _play,
        (
            *GAME_ARGUMENTS,
            argument("--names", metavar="A,B,..."),
            argument("--computer", whole_number(LEVELS[0], LEVELS[-1]), metavar="LEVEL"),
            argument("--computers", whole_number(1, max(game.seats[-1] for game in games.values())), metavar="N"),
            argument("--record", metavar="FILE"),
        ),
    )
}
