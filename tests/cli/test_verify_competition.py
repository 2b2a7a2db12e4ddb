"""`tavoliere verify` of a whole competition."""

from dataclasses import replace
from pathlib import Path

from bot.competitions.events import Left
from tests.cli.conftest import Run
from tests.competitions.files import file_of, play_whole_cup
from tests.competitions.playing import Played, make_terms


def test_verify_reports_what_was_checked(run: Run) -> None:
    for name, text in (("cup.txt", play_whole_cup("swiss").text()), ("cup.json", play_whole_cup("swiss").json())):
        Path(name).write_text(text, "utf-8")
        ran = run("verify", name)
        assert (ran.code, ran.err) == (0, "")
        for each in ("6 entrants, 4 rounds", "12 games kept the rules", "1 lot drawn again"):
            assert each in ran.out


def test_verify_reports_errors_with_their_line(run: Run) -> None:
    text = play_whole_cup("swiss").text()
    Path("cup.txt").write_text(text.replace("Format: swiss", "Format: all"), "utf-8")
    printed = run("verify", "cup.txt").refusal(1)
    assert "Format: all" in printed
    assert "line 4" in printed.lower()
    Path("cup.txt").write_text("\n".join(line for line in text.split("\n") if not line.startswith("{")), "utf-8")
    assert "It has no events." in run("verify", "cup.txt").refusal(1)
    played = Played.begun(make_terms("all", 3), 3)
    played.add(Left(0))
    file = file_of(played)
    Path("cup.txt").write_text(file.text().replace('"kind": "left"', '"kind": "stays"'), "utf-8")
    assert "Event 6 cannot have happened" in run("verify", "cup.txt").err
    broken = replace(
        play_whole_cup("swiss"),
        records={name: each.replace("drop 1", "drop 9") for name, each in play_whole_cup("swiss").records.items()},
    )
    Path("cup.txt").write_text(broken.text(), "utf-8")
    assert "Game G0" in run("verify", "cup.txt").refusal(1)


def test_verify_says_that_the_seed_of_a_running_competition_is_secret(run: Run) -> None:
    played = Played.begun(make_terms("all", 3), 3)
    played.go_on()
    Path("cup.txt").write_text(file_of(played).text(), "utf-8")
    assert "still secret" in run("verify", "cup.txt").success()
