"""`tavoliere play`, and what becomes of its record: `replay`, `verify`, `render`."""

import json
import re
from pathlib import Path

import pytest
from PIL import Image

from bot.kernel.texts import Texts
from engine import CHANCE, games
from engine.record import Record
from tests.cli.conftest import Ran, Run
from tests.support.typing_forms import TYPING_FORMS

_ANSWER = re.compile(r"^Computer \(level 1\): [a-g][1-7]-", re.MULTILINE)


def play(run: Run, key: str, *arguments: str, typed: str) -> Ran:
    return run("play", key, "--names", "Anna,Bruno", "--record", "game.txt", *arguments, typed=typed)


def recorded() -> Record:
    """Return the record that a game has written."""
    return Record.from_text(Path("game.txt").read_text(encoding="utf-8"))


def test_a_move_that_breaks_a_rule_is_explained_and_others_are_played_in_turn(run: Run) -> None:
    asked = play(run, "annuvin", typed="b1-b4\nb1-b2\nb5-b4\nquit\n").success().split("your move")
    assert "3" in asked[1]
    assert len(asked) == 5
    assert recorded().actions == ("b1-b2", "b5-b4")
    assert set(recorded().names) == {"Anna", "Bruno"}


def test_undo_takes_back_one_turn(run: Run) -> None:
    play(run, "annuvin", typed="undo\nb1-b2\nb5-b4\nundo\nd7-c6\nd6-c5\nquit\n")
    assert recorded().actions == ("b1-b2", "d6-c5")


def test_undo_keeps_dice_as_they_fell(run: Run) -> None:
    play(run, "vedova-nera", typed="red\nundo\ngreen\nundo\nquit\n")
    assert recorded().actions[0].startswith("deal ")
    assert run("verify", "game.txt").code == 0


def test_resigning_ends_a_game_of_two_and_says_why(run: Run) -> None:
    ran = play(run, "real-queen", typed="resign\n")
    record = recorded()
    assert record.actions == ("drop 0",)
    assert "The game is over" in ran.out
    assert ran.out.index(f"1. {record.names[1]}") < ran.out.index(f"2. {record.names[0]}")


def test_the_end_of_the_input_leaves_the_game(run: Run) -> None:
    assert "unfinished" in play(run, "fagocitare", typed="").out


def test_a_computer_answers_until_it_is_a_persons_turn(run: Run) -> None:
    ran = run("play", "annuvin", "--computer", "1", "--names", "Anna", "--record", "game.txt", typed="moves\nquit\n")
    record = recorded()
    first = record.names[0] == "Anna"
    assert (set(record.names), len(record.actions) == 0) == ({"Anna", "Computer (level 1)"}, first)
    assert bool(_ANSWER.search(ran.out)) != first
    assert (ran.out.count("Anna, your move"), run("verify", "game.txt").code) == (2, 0)


def test_undo_takes_back_what_computers_have_answered(run: Run) -> None:
    # The first player is drawn by lot: one of the two moves is theirs, the other is refused.
    typed = "undo\nb1-b2\nb5-b4\nundo\nundo\nquit\n"
    ran = run("play", "annuvin", "--computer", "1", "--names", "Anna", "--record", "game.txt", typed=typed)
    record = recorded()
    assert _ANSWER.search(ran.out)
    assert ran.out.count("nothing to take back") == 2
    assert len(record.actions) == (0 if record.names[0] == "Anna" else 1)


def test_unwritable_record_target_is_reported_before_the_game(run: Run) -> None:
    Path("folder").mkdir()
    for target in ("folder", "nowhere/game.txt"):
        ran = run("play", "annuvin", "--record", target, typed="resign\n")
        assert f"{target} cannot be written" in ran.sentence(1)
    assert [path.name for path in Path().rglob("*")] == ["folder"]


def test_a_record_that_is_there_stays_until_the_game_is_over(run: Run) -> None:
    Path("game.txt").write_text("an older game", encoding="utf-8")
    assert run("play", "annuvin", "--names", "Anna", "--record", "game.txt", typed="").code == 2
    assert Path("game.txt").read_text(encoding="utf-8") == "an older game"
    assert run("play", "annuvin", "--record", "game.txt", typed="resign\n").code == 0
    assert recorded().actions


def test_computers_play_to_the_end_with_italian_names_on_the_screen_and_their_own_in_the_record(run: Run) -> None:
    alone = ("--computer", "1", "--computers", "2", "--record", "game.txt")
    printed = run("play", "fagocitare", *alone, typed="", LANG="it_IT.UTF-8").success()
    assert set(recorded().names) == {"Computer 1 (level 1)", "Computer 2 (level 1)"}
    assert "Computer 1 (livello 1): " in printed
    assert "La partita è finita" in printed
    assert "tocca a te" not in printed


@pytest.mark.parametrize("key", games)
def test_every_game_can_be_played_by_typing_and_no_sentence_speaks_of_buttons(run: Run, key: str) -> None:
    state = games[key].start(2)
    printed = play(run, key, typed="moves\n?\nboard\nhello\n!\nz9\nquit\n").success()
    assert state.to_move == CHANCE or str(state.legal_actions()[0]) in printed
    assert not any(word in printed.lower() for word in ("button", "press", "pulsant", "premi"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["annuvin", "--names", "Anna"], "2 different names"), (["annuvin", "--names", "Anna,Anna"], "2 different names"),
     (["annuvin", "--computer", "1", "--names", "Anna,Bruno"], "one name"),
     (["annuvin", "--computers", "3"], "only 2 seats"), (["annuvin", "--seats", "5"], "cannot start"),
     (["fagocitare", "--option", "size=8"], "cannot start"), (["fagocitare", "--option", "size=many"], "cannot start")],
)  # fmt: skip
def test_a_game_that_cannot_start_says_why(run: Run, arguments: list[str], said: str) -> None:
    assert said in run("play", *arguments, typed="").sentence(2)


def test_replay_shows_the_turns_and_the_end(run: Run) -> None:
    play(run, "annuvin", typed="b1-b2\nb5-b4\nresign\n")
    names = recorded().names
    printed = run("replay", "game.txt").success()
    assert f"1. {names[0]}: b1-b2\n2. {names[1]}: b5-b4\n3. {names[0]} left the game.\n" in printed
    assert "The game is over" in printed


def test_replay_shows_boards_when_asked(run: Run) -> None:
    play(run, "annuvin", typed="b1-b2\nquit\n")
    assert "○" not in run("replay", "game.txt").out
    shown = run("replay", "game.txt", "--boards").out
    assert "○" in shown
    assert "the game goes on" in shown


def test_verify_says_what_draws_took(run: Run) -> None:
    play(run, "uomo-nero", typed="d13\nquit\n")
    assert "anyone who knew the seed could foresee them" in run("verify", "game.txt").success()
    newest = next((Path(__file__).parents[1] / "engine" / "records").glob("*-2.txt"))
    printed = run("verify", str(newest)).success()
    assert "also took what players gave while the game went on: 10 of 10." in printed
    assert "Chains of hashes that a browser began anew: 1." in printed
    assert "foresee" not in printed
    for said, line, number in (
        ("does not follow in the chain of hashes", "Draw 4: seat 0 by chain", 0),
        ("", "Joined: seat 1 by chain", 5),
    ):
        forged = newest.read_text(encoding="utf-8").replace(f"{line}:{number}", f"{line}:{number + 1}")
        Path("forged.txt").write_text(forged, encoding="utf-8")
        assert said in run("verify", "forged.txt").refusal(1)


def test_verify_finds_a_roll_that_was_chosen(run: Run) -> None:
    play(run, "uomo-nero", typed="quit\n")
    text = Path("game.txt").read_text(encoding="utf-8")
    dice = next(word for word in text.split("\n\n")[1].split("; ") if "roll" in word).split("roll ")[1].split()[:2]
    other = "1 1" if dice != ["1", "1"] else "6 6"
    Path("game.txt").write_text(text.replace(f"roll {' '.join(dice)}", f"roll {other}", 1), encoding="utf-8")
    assert "Traceback" not in run("verify", "game.txt").refusal(1)


def test_verify_says_when_the_seed_is_still_secret(run: Run) -> None:
    play(run, "annuvin", typed="b1-b2\nquit\n")
    lines = Path("game.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("game.txt").write_text("".join(line for line in lines if not line.startswith("Seed:")), encoding="utf-8")
    assert "not shown yet" in run("verify", "game.txt").refusal(1)


def test_render_writes_the_picture_of_a_record(run: Run) -> None:
    play(run, "annuvin", typed="b1-b2\nb5-b4\nquit\n")
    assert run("render", "game.txt", "-o", "last.png").code == 0
    assert run("render", "game.txt", "-o", "first.png", "--turn", "0", "--theme", "dark", "--choices").code == 0
    with Image.open("last.png") as last, Image.open("first.png") as first:
        assert last.size[0] == first.size[0] == 900
        assert last.convert("RGB").tobytes() != first.convert("RGB").tobytes()


def test_render_writes_the_picture_of_a_position(run: Run) -> None:
    Path("position.json").write_text(json.dumps(games["annuvin"].start(2).to_json()), encoding="utf-8")
    assert run("render", "position.json", "-o", "board.png").code == 0
    with Image.open("board.png") as board:
        assert board.format == "PNG"


def test_render_refuses_a_turn_that_was_not_played(run: Run) -> None:
    play(run, "annuvin", typed="b1-b2\nquit\n")
    assert "no turn 5" in run("render", "game.txt", "-o", "x.png", "--turn", "5").refusal(1)
    assert not Path("x.png").exists()


@pytest.mark.parametrize("command", ["replay", "verify", "render"])
@pytest.mark.parametrize(
    "content",
    [b"", b"hello", b"\xff", b"Tavoliere record 1\n",
     b"Tavoliere record 1\nGame: chess\nId: a\nRules: 1\n\n1. e2-e4\n"],
)  # fmt: skip
def test_a_broken_record_gets_one_sentence(run: Run, command: str, content: bytes) -> None:
    Path("broken.txt").write_bytes(content)
    target = ["-o", "x.png"] if command == "render" else []
    assert "broken.txt" in run(command, "broken.txt", *target).sentence(1)


def test_every_way_a_record_can_be_wrong_has_words() -> None:
    source = Path(__file__).parents[2] / "engine" / "record.py"
    codes = set(re.findall(r'InvalidRecord\(\s*"([a-z-]+)"', source.read_text()))
    assert len(codes) > 15
    for language in ("en", "it"):
        words = Texts().speaker(language).of("cli")
        assert [code for code in sorted(codes) if not words.has(f"record.{code}")] == []


@pytest.mark.parametrize("form", TYPING_FORMS)
def test_moves_and_records_are_read_in_every_form(run: Run, form: str) -> None:
    typed = TYPING_FORMS[form]
    play(run, "annuvin", typed=f"{typed('b1-b2')}\n{typed('b5-b4')}\nquit\n")
    file = Path("game.txt")
    text = file.read_text(encoding="utf-8")
    assert Record.from_text(text).actions == ("b1-b2", "b5-b4")
    file.write_text("\n".join(map(typed, text.split("\n"))), encoding="utf-8")
    assert run("replay", "game.txt").success()


def test_names_in_a_record_keep_their_typography(run: Run) -> None:
    run("play", "annuvin", "--names", "D\u2019Anna,Bruno", "--record", "game.txt", typed="resign\n")
    assert "D\u2019Anna" in run("replay", "game.txt").success()
