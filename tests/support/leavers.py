"""Everything by which a game or a competition may be named from elsewhere: for the tests of those who have left."""

from collections.abc import Iterator, Mapping
from typing import Final

from bot.kernel.features import commands_on, load_presses
from bot.kernel.presses import game_of_press
from bot.kernel.requests import Place, Reply, User
from bot.kernel.texts import strip_styles
from bot.platforms.app import Tavoliere
from storage import CompetitionKind
from tests.support.rights import answer_to, is_refused

REFUSAL_WORDS: Final = "any more. You can finish the games in which you have a seat"
ONLY_IN_CHANNELS: Final = "team"
"""The command that is refused in private chats, whatever it names."""
NO_GAME_CODES: Final = frozenset({"link"})
"""Commands whose code is none of a game."""
VERBS: Final = ("join", "show", "table", "mine", "export", "json", "stay")
LADDER_VERBS: Final = ("challenge.0", "accept.1")


def lines_with_code(platform: str, game: str, competitions: Mapping[CompetitionKind, str]) -> Iterator[str]:
    """Return a line for each way in which a command takes a code."""
    for name, command in commands_on(platform).items():
        code = next((code for kind, code in competitions.items() if kind == name), game)
        moves = next((each for each in command.parameters if each.kind == "move"), None)
        for parameter in command.parameters:
            if parameter.kind not in ("code", "mygame") and parameter.name != "code":
                continue
            if name in NO_GAME_CODES:
                continue
            if moves is not None:
                yield f"/{name} {moves.name}:d5-d6 {parameter.name}:{code}"
            if moves is None or not moves.required:
                yield f"/{name} {parameter.name}:{code}"
            if parameter.kind != "code" and (moves is None or not moves.required):
                yield f"/{name} {code}"
    for code in competitions.values():
        yield f"/export code:{code}"


def presses_with_code(game: str, competitions: Mapping[CompetitionKind, str]) -> Iterator[str]:
    """Return a press of each kind that names a game or a competition."""
    for deed in load_presses():
        if game_of_press(found := f"{deed}:{game}:1") is not None:
            yield found
    for kind, code in competitions.items():
        for verb in (*VERBS, *(LADDER_VERBS if kind == "ladder" else ())):
            action, _, rest = verb.partition(".")
            yield f"{kind}={action}.{code}{f'.{rest}' if rest else ''}"


def said(reply: Reply) -> str:
    """Return the words of a reply."""
    return strip_styles(reply.card.text) if reply.card is not None else ""


async def check_nothing_is_shown(
    front: Tavoliere, user: User, place: Place, game: str, competitions: Mapping[CompetitionKind, str]
) -> None:
    """Have somebody who has left try every command and press with a code; all are refused for that reason."""
    lines = [*lines_with_code(user.platform, game, competitions), *presses_with_code(game, competitions)]
    assert len(lines) > 60
    for line in lines:
        if place.kind == "private" and line.startswith(f"/{ONLY_IN_CHANNELS} "):
            continue
        answer = said(await answer_to(front, user, place, line))
        assert REFUSAL_WORDS in answer or (place.kind == "group" and is_refused(answer)), (line, answer)


async def check_all_is_shown(
    front: Tavoliere, user: User, place: Place, game: str, competitions: Mapping[CompetitionKind, str]
) -> None:
    """Have somebody who has not left try the same; nothing is refused for that reason."""
    for line in lines_with_code(user.platform, game, competitions):
        assert REFUSAL_WORDS not in said(await answer_to(front, user, place, line)), line
