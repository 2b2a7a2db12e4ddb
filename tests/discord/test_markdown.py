"""Rich text as Discord's markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.discord.markdown import escaped, markdown
from bot.language.rich_text import Span


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, with (brackets)", "plain, with (brackets)"),
        ("*stars* _lines_ ~waves~ `code` |bars|", r"\*stars\* \_lines\_ \~waves\~ \`code\` \|bars\|"),
        ("a\\b", "a\\\\b"),
        ("[link](https://a.example)", r"\[link\](https:\//a.example)"),
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
def test_nothing_typed_is_markup(text: str, shown: str) -> None:
    assert escaped(text) == shown
    assert markdown((Span(text),)) == shown


def test_bold_text_is_one_piece_and_never_begins_with_a_space() -> None:
    text = (Span("Anna", bold=True, person=1), Span(" wins! ", bold=True), Span("Well played"))
    assert markdown(text) == "**Anna wins!** Well played"
    assert markdown((Span("a "), Span(" b ", bold=True), Span("c"))) == "a  **b** c"
    assert markdown((Span(" ", bold=True),)) == " "


def test_code_is_code() -> None:
    assert markdown((Span("d2-d3", code=True),)) == "`d2-d3`"
    assert markdown((Span("a`b*", code=True),)) == "`aˋb*`"
    assert markdown((Span("d2", bold=True, code=True),)) == "**`d2`**"


def test_only_those_who_are_called_are_mentioned() -> None:
    text = (Span("Anna", bold=True, person=1), Span(" and "), Span("<@7>", bold=True, person=2))
    assert markdown(text, {1: 55}) == r"**<@55>** and **\<@7\>**"


def test_what_is_too_long_is_cut_within_its_markup() -> None:
    text = (Span("x" * 50), Span("*" * 100, bold=True), Span("end"))
    cut = markdown(text, most=80)
    assert len(cut) <= 80
    assert cut.startswith("x" * 50 + "**" + "\\*")
    assert cut.endswith("**…")
    assert markdown((Span("x" * 80),), most=80) == "x" * 80


spans = st.builds(Span, st.text(max_size=30), st.booleans(), st.booleans(), st.none() | st.integers(1, 3))


@given(st.lists(spans, max_size=8).map(tuple), st.integers(20, 200))
def test_it_is_never_longer_than_asked(text: tuple[Span, ...], most: int) -> None:
    assert len(markdown(text, {1: 10**18}, most)) <= most
