"""Rich text as Discord's markdown."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from bot.kernel.texts import Span, Timestamp, TimestampStyle, command
from bot.platforms.discord.layout import Mentions, escape, format_markdown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, with (brackets)", "plain, with (brackets)"),
        ("*stars* _lines_ ~waves~ `code` |bars|", r"\*stars\* \_lines\_ \~waves\~ \`code\` \|bars\|"),
        ("a\\b", "a\\\\b"),
        ("[link](https://a.example)", r"\[link\](https:\//a.example)"),
        ("discord.gg/abc Discord.com/invite/x", r"discord.gg\/abc Discord.com\/invite/x"),
        ("<@123> <#5> <:x:1>", r"\<@123\> \<#5\> \<:x:1\>"),
        ("@everyone and @here", "@\u200beveryone and @\u200bhere"),
        ("# no title", r"\# no title"),
        ("- no list\n  + nor this", "\\- no list\n  \\+ nor this"),
        ("-# not small", r"\-# not small"),
        ("1. no list\n12) nor this\n3 is fine", "1\\. no list\n12\\) nor this\n3 is fine"),
        ("d2-d3, 2. c3", "d2-d3, 2. c3"),
        ("> no quote", r"\> no quote"),
    ],
)
def test_user_text_is_escaped(text: str, shown: str) -> None:
    assert escape(text) == format_markdown((Span(text),)) == shown


def test_bold_text_is_one_piece_and_never_begins_with_a_space() -> None:
    text = (Span("Anna", bold=True, person=1), Span(" wins! ", bold=True), Span("Well played"))
    assert format_markdown(text) == "**Anna wins!** Well played"
    assert format_markdown((Span("a "), Span(" b ", bold=True), Span("c"))) == "a  **b** c"
    assert format_markdown((Span(" ", bold=True),)) == " "


def test_small_print_is_subtext_line_by_line() -> None:
    text = (Span("Who joins in?\n"), Span("Hash: ", small=True), Span("ab_c", code=True, small=True))
    assert format_markdown((*text, Span("\n-# typed", small=True))) == "Who joins in?\n-# Hash: `ab_c`\n-# \\-# typed"
    assert format_markdown((*text, Span("\nand more"))) == "Who joins in?\n-# Hash: `ab_c`\nand more"
    assert format_markdown((Span("x" * 30, small=True),), most=20) == f"-# {'x' * 16}…"


def test_code_is_code() -> None:
    assert format_markdown((Span("d2-d3", code=True),)) == "`d2-d3`"
    assert format_markdown((Span("a`b*", code=True),)) == "`aˋb*`"
    assert format_markdown((Span("d2", bold=True, code=True),)) == "**`d2`**"


def test_only_called_people_are_mentioned() -> None:
    text = (Span("Anna", bold=True, person=1), Span(" and "), Span("<@7>", bold=True, person=2))
    assert format_markdown(text, Mentions({1: 55})) == r"**<@55>** and **\<@7\>**"


def test_too_long_markup_is_shortened_and_closed() -> None:
    text = (Span("x" * 50), Span("*" * 100, bold=True), Span("end"))
    cut = format_markdown(text, most=80)
    assert len(cut) <= 80
    assert cut.startswith("x" * 50 + "**" + "\\*")
    assert cut.endswith("**…")
    assert format_markdown((Span("x" * 80),), most=80) == "x" * 80


@pytest.mark.parametrize(
    ("style", "shown"), [("relative", "<t:{}:R>"), ("day", "<t:{}:D> (<t:{}:R>)"), ("time", "<t:{}:f>")]
)
def test_timestamp_is_shown_by_the_clock_of_the_reader(style: TimestampStyle, shown: str) -> None:
    at = datetime(2026, 11, 22, 20, 30, tzinfo=UTC)
    span = Span("22 Nov 2026 20:30 UTC", bold=True, timestamp=Timestamp(at, style))
    second = int(at.timestamp())
    assert format_markdown((span,)) == f"**{shown.format(second, second)}**"


def test_a_command_is_a_mention_once_discord_has_numbered_it() -> None:
    text = (command("play"), Span(" or "), Span("/play annuvin", code=True))
    assert format_markdown(text, Mentions(commands={"play": 7})) == "</play:7> or `/play annuvin`"
    assert format_markdown(text, Mentions(commands={"move": 7})) == "`/play` or `/play annuvin`"


moments = st.builds(Timestamp, st.datetimes(timezones=st.just(UTC)), st.sampled_from(["relative", "day", "time"]))
spans = st.builds(Span, st.text(max_size=30), st.booleans(), st.booleans(), st.none() | st.integers(1, 3)) | st.builds(
    Span, st.text(max_size=30), timestamp=st.none() | moments, command=st.sampled_from([None, "play", "move"])
)


@given(st.lists(spans, max_size=8).map(tuple), st.integers(20, 200))
def test_it_is_never_longer_than_asked(text: tuple[Span, ...], most: int) -> None:
    assert len(format_markdown(text, Mentions({1: 10**18}, {"play": 10**18}), most)) <= most
