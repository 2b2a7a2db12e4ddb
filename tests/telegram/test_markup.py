"""Text as Telegram takes it: nothing that people type is markup, nobody is called by accident, nothing is too long."""

import re
import string
from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from bot.kernel.texts import Span, Timestamp
from bot.platforms.telegram.markup import MAX_CAPTION_LENGTH, format_html, utf16_length
from tests.fakes.telegram.markup import read_text

WORDS = st.text(st.sampled_from(string.ascii_letters + "<>&\"'@*_`/ \n🦁è\u200b"), max_size=40)
NAMES = st.text(st.sampled_from("ab_ "), max_size=8)
SPANS = st.builds(
    Span,
    WORDS,
    bold=st.booleans(),
    code=st.booleans(),
    person=st.none() | st.integers(1, 3),
    handle=st.booleans(),
    small=st.booleans(),
)


@given(st.lists(SPANS, max_size=12))
def test_markup_keeps_text_unchanged(spans: list[Span]) -> None:
    marked = read_text(format_html(tuple(spans)), "HTML")
    said = "".join(span.text for span in spans)
    assert re.sub("[@\u200b]", "", marked.text) == re.sub("[@\u200b]", "", said)


@given(st.lists(SPANS, max_size=12))
def test_mentions_notify_each_named_person_once(spans: list[Span]) -> None:
    marked = read_text(format_html(tuple(spans), {1: 501, 2: 502}), "HTML")
    named = {span.person for span in spans if span.person is not None}
    assert set(marked.called) <= {501, 502}
    assert len(set(marked.called)) == len(marked.called)
    assert {1: 501, 2: 502}.keys() & named == {number - 500 for number in marked.called}
    assert set(marked.handles) <= {span.text for span in spans if span.handle}


@given(st.lists(st.builds(Span, NAMES, bold=st.booleans(), handle=st.booleans()), max_size=6), st.integers(2, 60))
def test_no_name_grows_by_what_follows_or_is_cut(spans: list[Span], most: int) -> None:
    marked = read_text(format_html(tuple(spans), most=most), "HTML")
    assert set(marked.handles) <= {span.text for span in spans if span.handle}


@given(st.lists(SPANS, max_size=30), st.integers(2, 60))
def test_markup_respects_the_length_limit(spans: list[Span], most: int) -> None:
    assert utf16_length(read_text(format_html(tuple(spans), {1: 501}, most), "HTML").text) <= most


def test_a_text_that_is_too_long_ends_with_an_ellipsis() -> None:
    marked = read_text(format_html((Span("a" * 600, bold=True), Span("🦁" * 600))), "HTML")
    assert not marked.text.endswith("…")
    marked = read_text(format_html((Span("a" * 600, bold=True), Span("🦁" * 600)), most=MAX_CAPTION_LENGTH), "HTML")
    assert marked.text.endswith("🦁…")
    assert MAX_CAPTION_LENGTH - 1 <= utf16_length(marked.text) <= MAX_CAPTION_LENGTH


def test_names_containing_handles_notify_nobody() -> None:
    said = format_html((Span("@everybody <b>"), Span("@channel", bold=True), Span("@code_stays", code=True)))
    assert read_text(said, "HTML").handles == []
    assert "@code_stays" in said


TYPED = ("evil.example", "www.evil.example/x?y", "https://evil.example", "tg://resolve?domain=x", "m@evil.example")
MORE = ("#tag", "$USD", "/resign", "уйди.рф", "a.b.info")


@pytest.mark.parametrize("typed", [*TYPED, *MORE])
def test_user_text_never_becomes_a_link(typed: str) -> None:
    assert read_text(typed, None).live or read_text(f"<b>{typed}</b>", "HTML").live or "@" in typed
    for span in (Span(typed), Span(typed, bold=True, person=1), Span(f"{typed} wins", person=2)):
        marked = read_text(
            format_html((Span("It is "), span, Span("’s turn: "), Span("/move", code=True)), {2: 5}), "HTML"
        )
        assert marked.live == []
        assert marked.text.replace("\u200b", "") == f"It is {span.text}’s turn: /move"
    # What we have made a link is one, and an address in code can be copied.
    meant = format_html((Span(typed, link="https://t.me/bot"), Span(typed, code=True)))
    assert "\u200b" not in meant.replace("@\u200b", "")


def test_numbers_in_a_name_do_not_become_phone_links() -> None:
    assert "\u200b" in format_html((Span("+39 333 123 4567", person=1),))
    assert "\u200b" in format_html((Span("10.0.0.1", person=1),))
    assert format_html((Span("Anna 2000", person=1),)) == "Anna 2000"
    assert format_html((Span("2.5 of 10 on 2026-11-24, 1/2"),)) == "2.5 of 10 on 2026-11-24, 1/2"


def test_small_print_is_folded() -> None:
    text = (Span("Who joins in?\n"), Span("Hash: ", small=True), Span("abc", code=True, small=True), Span("\nMore"))
    assert format_html(text) == "Who joins in?\n<blockquote expandable>Hash: <code>abc</code></blockquote>\nMore"
    assert "".join(read_text(format_html(text), "HTML").folded) == "Hash: abc"


def test_timestamps_use_the_clock_of_the_reader() -> None:
    at = datetime(2026, 11, 22, 20, tzinfo=UTC)
    read = read_text(
        format_html((Span("until "), Span("tomorrow, 20:00 UTC", bold=True, timestamp=Timestamp(at, "time")))), "HTML"
    )
    assert read.text == "until tomorrow, 20:00 UTC"
    assert read.times == [(int(at.timestamp()), "Dt", "tomorrow, 20:00 UTC")]
