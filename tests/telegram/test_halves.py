"""Half-made choices where several processes take the taps of one person: any of them knows what was tapped before."""

from datetime import timedelta
from typing import Any, Final

import pytest

from bot.platforms.telegram.choosing import CHOICE_LIFETIME, MAX_TAP_AGE_SECONDS
from storage import Store
from storage.errors import Unavailable
from storage.key_values import KeyValues
from tests.fakes.telegram.people import Person, tap_json
from tests.fakes.telegram.world import Message
from tests.support.present import present
from tests.telegram.harness import Scene, first_of


@pytest.fixture(autouse=True)
def others_take_taps_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have this process share its database, with nobody whose connection it could wait for."""
    monkeypatch.setattr(Store, "is_shared", True)
    monkeypatch.setattr("storage.coordination.HEARTBEAT_SECONDS", 0.0)


async def asked(scene: Scene, person: Person, board: Message) -> str:
    """Have somebody tap a piece; return the button of a cell that it can go to."""
    said = (await scene.tap(person, board, first_of(board)[0])).text or ""
    cell = said.splitlines()[-1].split(", ")[0]
    return next(label for label in board.labels if label.strip("○●…") == cell)


async def count_choices(scene: Scene) -> int:
    return len(await scene.bot.store.key_values.get_with_prefix("telegram", "half:"))


async def test_another_process_takes_the_second_tap(scene: Scene, mover: Person, other: Person) -> None:
    board, before = scene.board, scene.telegram.count("editMessageReplyMarkup")
    cell = await asked(scene, mover, board)
    assert scene.telegram.count("editMessageReplyMarkup") == before, "no call is spent on buttons"
    await scene.bot.restart()
    await scene.tap(mover, board, cell)
    assert scene.mover is other
    assert await count_choices(scene) == 0


async def test_half_chosen_move_belongs_to_its_player(scene: Scene) -> None:
    mover, other = await scene.started("/play fagocitare size:12")
    board = scene.board
    column = first_of(board)[3]
    for _ in range(2):
        answer = await scene.tap(mover, board, column)
    assert "Now tap the row" in (answer.text or "")
    refused = await scene.tap(other, board, "…4")
    assert "first" in (refused.text or "").lower(), "a row alone is the answer to nothing that they were asked"
    await scene.tap(mover, board, "…4")
    assert scene.mover is other
    assert "e4" in scene.board.text


async def test_the_queen_comes_in_by_a_second_tap_on_the_same_cell_and_not_by_one_brought_twice(
    scene: Scene, anna: Person, bruno: Person
) -> None:
    await scene.say(anna, f"/play real-queen @{bruno.account.username}")
    await scene.tap(bruno, scene.board, "Accept")
    await scene.lay(pieces=[["a1"], ["g7"]], reserve=[0, 0], extra={})
    board, mover = scene.board, scene.mover
    assert "it is your queen that comes in" in board.text
    (label,) = [each for each in board.labels if each.endswith("e3")]
    first = await scene.tap(mover, board, label)
    assert (first.text or "").startswith("Bring in your queen on e3?")
    assert (first.text or "").endswith("Tap e3 once more, and it is done.")
    await scene.telegram.update(callback_query=tap_json(first))
    await scene.bot.settle()
    assert scene.mover is mover, "only a second tap says that it is meant"
    scene.telegram.refused.clear()  # a tap is answered once
    (other,) = [each for each in board.labels if each.endswith("d3")]
    assert "on d3?" in ((await scene.tap(mover, board, other)).text or ""), "another cell is asked about anew"
    await scene.tap(mover, board, other)
    assert "queen d3" in scene.board.text
    assert scene.mover is not mover


async def test_unfinished_choice_expires(scene: Scene, mover: Person) -> None:
    board = scene.board
    cell = await asked(scene, mover, board)
    scene.bot.clock.turn(seconds=CHOICE_LIFETIME.total_seconds() + 1)
    assert await count_choices(scene) == 1
    assert "first" in ((await scene.tap(mover, board, cell)).text or "").lower()
    assert scene.mover is mover
    scene.bot.clock.turn(seconds=timedelta(hours=2).total_seconds())
    await scene.bot.restart()
    await asked(scene, mover, board)
    assert await count_choices(scene) == 1, "only the newest"


@pytest.mark.parametrize("why", ["late", "away"])
async def test_where_it_is_not_kept_buttons_say_all(scene: Scene, monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    mover, other = await scene.started()
    board, set_value = scene.board, KeyValues.set

    async def fail(subject: Any, platform: str, name: str, value: object) -> None:
        if name.startswith("half:"):
            raise Unavailable
        await set_value(subject, platform, name, value)  # type: ignore[arg-type]

    if why == "late":
        monkeypatch.setattr("bot.platforms.telegram.choosing.MAX_TAP_AGE_SECONDS", -MAX_TAP_AGE_SECONDS)
    else:
        monkeypatch.setattr("storage.key_values.KeyValues.set", fail)
    await scene.tap(mover, board, first_of(board)[0])
    assert await count_choices(scene) == 0
    whole = next(str(each["callback_data"]) for each in board.buttons if str(each["callback_data"])[0] == "p")
    assert "." in whole, "piece and cell"
    await mover.tap_data(board, whole)
    await scene.finish()
    assert scene.mover is other


ATTACK: Final = {
    "to_move": 0,
    "phase": "attack",
    "round": 1,
    "order": [1, 0],
    "man_seat": 1,
    "man": "d12",
    "attackers": [{"seat": 0, "colour": "red", "cell": "a11"}, {"seat": 0, "colour": "blue", "cell": "h3"}],
    "colours": {"red": 0, "blue": 0, "yellow": 0, "green": 0},
    "dice": [2, 4],
    "used": None,
    "man_turns": 6,
    "man_scores": [None, None],
    "extra": {},
}


async def test_which_dice_are_used_is_answered_on_the_same_buttons(scene: Scene) -> None:
    await scene.started("/play uomo-nero seats:2")
    game = await scene.lay(**ATTACK)
    board, before = scene.board, scene.board.labels
    mover = scene.people[board.text.splitlines()[-1].partition(",")[0]]
    assert {"with the 2", "with the 4", "with both dice"} <= set(before)
    assert "First tap" in ((await scene.tap(mover, board, "with the 4")).text or "")
    await scene.tap(mover, board, "●h3")
    asked = (await scene.tap(mover, board, "h5")).text or ""
    assert asked.splitlines() == ["With which dice?", "with the 2, with the 4, with both dice"]
    assert board.labels == before, "no call is spent on buttons"
    wrong = (await scene.tap(mover, board, "b12")).text or ""
    assert wrong == "b12 is not possible now. Tap one of these: with the 2, with the 4, with both dice"
    await scene.tap(mover, board, "with the 4")
    laid = present(await scene.bot.store.games.get(game.id))
    assert (laid.position or {})["used"] == {"die": 4, "attacker": "h5"}


async def test_a_piece_that_is_tapped_before_its_kind_of_action_is_chosen(scene: Scene) -> None:
    await scene.started("/play vedova-nera seats:2")
    await scene.tap(scene.mover, scene.board, "red")
    await scene.tap(scene.mover, scene.board, "blue")
    board, mover = scene.board, scene.mover
    kinds = [label for label in first_of(board) if " " in label]
    pieces = [label for label in first_of(board) if label not in kinds]
    assert "●Move a pawn" in kinds
    assert pieces
    assert ((await scene.tap(mover, board, pieces[0])).text or "").startswith(f"Where to from {pieces[0][1:]}?")
