"""Logs hold no secrets, whichever library writes them."""

import json
import logging

import pytest
import structlog

from bot.kernel.operations.logs import Censor, configure
from tests.bot.party import missing

TELEGRAM = "1234567890:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw7"
DISCORD = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GabcdE.abcdefghijklmnopqrstuvwxyz0123456789AB"


@pytest.mark.parametrize(
    "text",
    [
        f"POST https://api.telegram.org/bot{TELEGRAM}/sendPhoto",
        f"Bot {DISCORD}",
        "postgresql://anna:pa55word@db/games",
        f"token={TELEGRAM}",
        "https://discord.com/api/v10/webhooks/1573669306/very-secret-very-secret-very",
        "a token aW50ZXJhY3Rpb246very-secret-very-secret-very",
    ],
)
def test_what_looks_like_a_secret_is_hidden(text: str) -> None:
    cleaned = str(Censor().clean(text))
    assert "***" in cleaned
    assert not any(secret in cleaned for secret in (TELEGRAM, DISCORD, "pa55word", "very-secret"))


def test_known_secrets_are_hidden_wherever_they_stand() -> None:
    event = {"event": "x", "deep": [{"of": ("swordfish", ValueError("swordfish"))}], "n": 3, "none": None}
    assert Censor(["swordfish"])(None, "info", event) == {
        "event": "x",
        "deep": [{"of": ["***", "***"]}],
        "n": 3,
        "none": None,
    }


def test_ordinary_words_stay(logs: None) -> None:
    text = "game K7QF2M revision 12 at http://127.0.0.1:8080/ moved d5xc4"
    assert Censor().clean(text) == text


@pytest.mark.parametrize("style", ["text", "json"])
def test_a_library_that_logs_a_token_is_censored(style: str, logs: None, capsys: pytest.CaptureFixture[str]) -> None:
    configure("debug", style, ["swordfish"])
    logging.getLogger("some.library").warning("calling %s with swordfish", f"https://x/bot{TELEGRAM}/getMe")
    try:
        raise RuntimeError("swordfish")
    except RuntimeError:
        structlog.get_logger("ours").exception("request-failed", game="K7QF2M", event_id="update:7")
    err = capsys.readouterr().err
    assert "swordfish" not in err
    assert TELEGRAM not in err
    assert missing(err, "K7QF2M", "RuntimeError") == []


def test_json_logs_are_one_object_a_line(logs: None, capsys: pytest.CaptureFixture[str]) -> None:
    configure("info", "json")
    structlog.get_logger("ours").info("board-delivered", game="K7QF2M", revision=3)
    structlog.get_logger("ours").debug("not-this")
    (line,) = capsys.readouterr().err.splitlines()
    entry = json.loads(line)
    assert (entry["event"], entry["game"], entry["revision"], entry["level"]) == (
        "board-delivered",
        "K7QF2M",
        3,
        "info",
    )
