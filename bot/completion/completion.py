"""Completions for the parameters of commands."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol

from bot.core.context import Context
from bot.core.permissions import may_manage
from bot.core.request_context import RequestContext
from bot.entry.commandline import Parameter
from bot.interface.requests import Completion, OpenBoard
from bot.language.game_names import fold_text
from bot.learn.service import find_lesson_among
from bot.learn.service import load_lesson as read_lesson
from bot.lessons import lesson_of
from bot.play.game_lookup import game_label, list_candidate_games
from bot.puzzles.cards import attempt_code
from bot.puzzles.service import board_among
from bot.puzzles.service import read_board as read_puzzle
from bot.words.describe import shorten
from engine import EngineError, State, games
from engine.notation import normalise
from storage import read_code

MAX_COMPLETIONS: Final = 25
MAX_COMPLETION_LENGTH: Final = 100
MOVE_COMMAND: Final = "move"
"""The command whose moves are those of games, lessons and puzzles."""

_TOKEN_PATTERN: Final = re.compile(r"[^\W\d]+|\d+|[\W_]+")
"""Tokens of an action's text: letters, digits, signs."""


class Completable(Protocol):
    """A command whose parameters can be completed."""

    @property
    def name(self) -> str:
        """Name of the command."""
        ...

    @property
    def parameters(self) -> Sequence[Parameter]:
        """Parameters of the command."""
        ...

    @property
    def managed(self) -> bool:
        """True if only the managers of a place may use it."""
        ...


async def complete(
    context: Context, asker: RequestContext, command: Completable, parameter: str, values: Mapping[str, str]
) -> list[Completion]:
    """Return at most 25 completions for a parameter; KeyError if the command has no such parameter."""
    known = {known.name: known for known in command.parameters}[parameter]
    typed = values.get(parameter, "")
    if command.managed and not await may_manage(context, asker):
        return []
    if known.kind == "game":
        named = (Completion(asker.mine.of(key).line("name"), key) for key in games)
        return _filter_matching(named, typed)
    if known.kind == "option":
        return _complete_option(context, asker, parameter, values.get("game", ""), typed)[:MAX_COMPLETIONS]
    if known.kind == "mygame":
        return _filter_matching(await _complete_my_games(context, asker), typed)
    if known.kind == "text":
        return _filter_matching(await _complete_codes(context, asker, command.name), typed)
    if known.kind == "move" and command.name != MOVE_COMMAND:
        return []  # other commands try moves out on a board of their own
    if known.kind == "move":
        state = await _load_position(context, asker, values.get("game"))
        return [] if state is None else complete_moves(state, typed)
    return [Completion(choice, choice) for choice in known.choices if choice.startswith(typed.lower())][
        :MAX_COMPLETIONS
    ]


async def _load_position(context: Context, asker: RequestContext, code: str | None) -> State | None:
    """Return the position in which a person is to move: of the game with a code, or of the one a move here means."""
    memory, person = context.completion_index, asker.person.id
    board = asker.request.board
    if code:
        game = read_code(code)
    elif board is not None and board.kind == "game":
        game = read_code(board.code)
    elif board is not None:
        return await _private_position(context, asker, board)
    else:
        playing = [brief for brief in await memory.games_of(person) if brief.status == "playing"]
        waiting = [brief for brief in playing if brief.waiting]
        lesson = find_lesson_among(await memory.lessons_of(person), asker, waiting)
        attempt = await memory.attempt_of(person)
        puzzle = board_among(context, attempt, asker, waiting)
        if puzzle is not None and (lesson is None or lesson.lesson.touched_at <= puzzle.attempt.touched_at):
            return puzzle.line.state
        if lesson is not None:
            return lesson.line.state
        apart = asker.place.thread is not None
        groups = list_candidate_games(playing, await memory.games_in(asker.place.id), waiting=True, apart=apart)
        game = groups[0].id if len(groups) == 1 else None
    row = await memory.game(game) if game is not None else None
    line = context.lines.read(row) if row is not None and row.status == "playing" else None
    if row is None or line is None:
        return None
    mine = next((entry.seat for entry in row.seats if entry.person == person), None)
    return line.state if mine is not None and line.state.to_move == mine else None


async def _private_position(context: Context, asker: RequestContext, board: OpenBoard) -> State | None:
    """Return the position of the lesson or puzzle that a person has open."""
    memory, person = context.completion_index, asker.person.id
    if board.kind == "lesson":
        found = [each for each in await memory.lessons_of(person) if str(each.id) == board.code]
        progress = read_lesson(found[0]) if found and lesson_of(found[0].game) is not None else None
        return progress.line.state if progress is not None and progress.asks else None
    attempt = await memory.attempt_of(person)
    if board.kind != "puzzle" or attempt is None or attempt_code(attempt.id) != board.code:
        return None
    puzzle = read_puzzle(context, attempt)
    return puzzle.line.state if puzzle.asks else None


def complete_moves(state: State, typed: str) -> list[Completion]:
    """Return lines of play that begin as typed: whole actions if they are few, otherwise their prefixes."""
    done, _, last = typed.strip().rpartition(" ")
    if done:
        try:
            for action in state.parse(done):
                state = state.play(action)
        except EngineError:
            done, last = "", typed.strip()
    wanted = normalise(last)
    actions = [action for action in state.legal_actions() if normalise(action.text).startswith(wanted)]
    lead = f"{done} " if done else ""
    if len(actions) <= MAX_COMPLETIONS:
        return [_make_completion(lead + action.text) for action in actions]
    return [
        _make_completion(lead + begun) for begun in complete_prefixes((action.text for action in actions), len(wanted))
    ]


def complete_prefixes(texts: Iterable[str], longer_than: int) -> list[str]:
    """Return at most 25 prefixes of texts, longer than what is typed and long enough to differ.

    Choosing one and asking again comes closer to a whole text each time.
    """
    cuts = [
        (text, [match.end() for match in _TOKEN_PATTERN.finditer(text) if match.end() > longer_than]) for text in texts
    ]
    best: list[str] = []
    for depth in range(max((len(ends) for _, ends in cuts), default=0)):
        found = list(dict.fromkeys(text[: ends[min(depth, len(ends) - 1)]] for text, ends in cuts if ends))
        if best and len(found) > MAX_COMPLETIONS:
            break
        best = found
    return sorted(best[:MAX_COMPLETIONS], key=_natural_sort_key)


def _natural_sort_key(text: str) -> list[tuple[bool, int, str]]:
    """Return a key that sorts d2 before d10."""
    pieces = _TOKEN_PATTERN.findall(text)
    return [(piece.isdecimal(), int(piece) if piece.isdecimal() else len(piece), piece) for piece in pieces]


def _make_completion(text: str) -> Completion:
    return Completion(text[:MAX_COMPLETION_LENGTH], text[:MAX_COMPLETION_LENGTH])


def _complete_option(context: Context, asker: RequestContext, name: str, game: str, typed: str) -> list[Completion]:
    """Return the values of an option that match what is typed, each with its meaning."""
    wanted = fold_text(typed)
    meant = context.game_names.find(game) or tuple(games)
    found: dict[str, dict[str, list[str]]] = {}
    for key in meant:
        option = games[key].options.get(name)
        voice = asker.mine.of(key)
        for value in option.values if option else ():
            word, about = voice.word(f"option.{name}", value), f"option.{name}.{value}.about"
            if wanted not in fold_text(word) and wanted not in fold_text(str(value)):
                continue
            meaning = f": {voice.line(about)}" if voice.has(about) else ""
            found.setdefault(str(value), {}).setdefault(word + meaning, []).append(voice.line("name"))
    return [
        Completion(shorten(_describe_value(asker, said), MAX_COMPLETION_LENGTH), value) for value, said in found.items()
    ]


def _describe_value(asker: RequestContext, said: Mapping[str, Sequence[str]]) -> str:
    """Return what a value means, with the names of the games where the meanings differ."""
    if len(said) == 1:
        return next(iter(said))
    return "; ".join(
        asker.mine.line("parameter.option", option=meaning, games=asker.mine.listing(names))
        for meaning, names in said.items()
    )


async def _complete_my_games(context: Context, asker: RequestContext) -> list[Completion]:
    briefs = [brief for brief in await context.completion_index.games_of(asker.person.id) if brief.status == "playing"]
    here = {brief.id for brief in await context.completion_index.games_in(asker.place.id)}
    briefs.sort(key=lambda brief: brief.id not in here)
    game_list = await context.cached_people_of_games(briefs[:MAX_COMPLETIONS])
    return [
        Completion(game_label(asker, game_people)[:MAX_COMPLETION_LENGTH], game_people.brief.id)
        for game_people in game_list
    ]


async def _complete_codes(context: Context, asker: RequestContext, command: str) -> list[Completion]:
    """Return the games whose codes a command takes: lobbies to join, or running and finished games to look at."""
    if command == "join":
        return await _complete_lobbies(context, asker)
    if command not in ("replay", "export"):
        return []
    found = {item.value: item for item in await _complete_my_games(context, asker)}
    for result in reversed(await context.completion_index.results_of(asker.person.id, MAX_COMPLETIONS)):
        name = asker.mine.of(result.game_key).line("name")
        found.setdefault(result.game, Completion(f"{name} · {result.game}"[:MAX_COMPLETION_LENGTH], result.game))
    return list(found.values())


async def _complete_lobbies(context: Context, asker: RequestContext) -> list[Completion]:
    lobbies = [brief for brief in await context.completion_index.games_in(asker.place.id) if brief.status == "lobby"]
    game_list = await context.cached_people_of_games(lobbies[:MAX_COMPLETIONS])
    return [
        Completion(game_label(asker, game_people)[:MAX_COMPLETION_LENGTH], game_people.brief.id)
        for game_people in game_list
    ]


def _filter_matching(offered: Iterable[Completion], typed: str) -> list[Completion]:
    wanted = fold_text(typed)
    return [item for item in offered if wanted in fold_text(item.label) or wanted in fold_text(item.value)][
        :MAX_COMPLETIONS
    ]
