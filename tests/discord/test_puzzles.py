"""Puzzles on Discord: one ephemeral message from the first question to the result, everywhere."""

from __future__ import annotations

from bot.interface.cards import Card
from bot.interface.requests import Place
from bot.language.texts import Span
from bot.puzzles.cards import open_button
from bot.puzzles.puzzle import Puzzle, puzzles_of
from bot.puzzles.solving import find_solution
from tests.discord.harness import Scene
from tests.fakes.discord.people import Person
from tests.fakes.discord.world import Message
from tests.support.program import TEXTS


def a_puzzle() -> Puzzle:
    return next(each for each in puzzles_of("annuvin").values() if len(find_solution(each).turns) == 1)


async def solve(scene: Scene, person: Person, board: Message, puzzle: Puzzle) -> None:
    (turn,) = find_solution(puzzle).turns
    source, target = turn[0].replace("x", "-").split("-")
    await scene.press(person, board, next(each for each in board.labels if each.endswith(f"· {source}")))
    await scene.press(
        person, board, next(each for each in board.labels if each.endswith((f"· {target}", f"×{target}")))
    )


async def test_channel_puzzle_is_opened_and_solved_privately(scene: Scene) -> None:
    anna, bruno, puzzle = scene.person("Anna"), scene.person("Bruno"), a_puzzle()
    place = Place("discord", str(scene.channel.id), group=str(scene.guild.id))
    button = open_button(TEXTS.speaker("en"), puzzle.id)
    await scene.bot.connection.adapter.send(place, Card((Span("Today"),), rows=((button,),)), "puzzle")
    (offered,) = scene.shown
    await scene.press(anna, offered, "Try it")
    (board,) = anna.private
    assert "seen by you alone" in board.text
    assert board.picture is not None
    await scene.press(bruno, offered, "Try it")
    await solve(scene, anna, board, puzzle)
    assert "solved at once" in board.text
    assert anna.private == [board]
    assert scene.shown == [offered]
    row = await scene.bot.store.places.get_or_create("discord", str(scene.channel.id))
    summary = await scene.bot.store.puzzles.get_solved_summary(puzzle.id, row.id)
    assert ([each.name for each in summary.newest], summary.tried) == (["Anna"], 1)
    await scene.press(anna, board, "Share")
    assert "Tavoliere puzzle · Annuvin · ★ solved at once" in board.text


async def test_it_works_where_the_bot_is_no_member(scene: Scene) -> None:
    foreign = scene.discord.guild("Elsewhere", has_bot=False)
    anna = scene.person("Anna", here=foreign.channels[0])
    await scene.command(anna, "puzzle", game="annuvin")
    (board,) = anna.private
    await scene.press(anna, board, "Hint")
    assert "It begins on" in board.text or "Look at the cells" in board.text
    await scene.press(anna, board, "Solution")
    await scene.press(anna, board, "Yes, show it")
    assert "not solved" in board.text
    await scene.press(anna, board, "Next puzzle")
    assert "Hint" in board.labels or "Hint" in anna.private[-1].labels
