"""What lies on the table beside the board: offers, pauses, clocks, and the list of what else can be done."""

from __future__ import annotations

from typing import Final

from bot.cards import Button, Card, Row, Span, Text
from bot.presenters.asking import button_rows
from bot.presses import press
from bot.services.advice import hints_allowed
from bot.services.offers import ACCEPTED, DECLINED, DRAW, PAUSE, SEAT, TOGETHER, UNDO, WAIT
from bot.services.tables import Table, computer_name
from bot.texts import Speaker

MOST_SHOWN: Final = 2


def offer_words(table: Table, voice: Speaker) -> list[Text]:
    """Return a sentence for every offer that lies there, and for one that was just turned down or agreed to."""
    words = []
    for kind, lying in table.row.offers.items():
        if kind == WAIT:
            words.append(voice.say("offer.wait", who=_agreed(table, voice, lying["agreed"])))
        elif kind == SEAT:
            taken = lying.get("computer")
            newcomer = table.person_span(lying["person"]) if taken is None else Span(computer_name(voice, taken))
            words.append(voice.say("offer.seat", who=newcomer, seat=table.span(lying["seat"])))
        elif kind == DECLINED:
            key = (
                "offer.withdrawn" if lying.get("own") else f"offer.declined.{_of_clock(table, lying.get('what', DRAW))}"
            )
            words.append(voice.say(key, who=table.span(lying["by"])))
        elif kind == ACCEPTED:
            key = "resume" if lying["what"] == PAUSE else lying["what"]
            words.append(voice.say(f"offer.accepted.{key}", who=table.span(lying["by"])))
        elif kind in (DRAW, UNDO, TOGETHER, PAUSE):
            key = f"offer.{_of_clock(table, kind)}"
            others = [seat for seat in lying["agreed"] if seat != lying["by"]]
            words.append(voice.say(key, who=table.span(lying["by"])))
            if others:
                words.append(voice.say("offer.agreed", who=_agreed(table, voice, others), n=len(others)))
    return words


def made_words(table: Table, voice: Speaker, kind: str, *, computer: bool = False) -> Text:
    """Return what is said to somebody who has made an offer; `computer`: it is to have the seat on the move."""
    if kind != SEAT or table.mover is None:
        return voice.say(f"offer.made.{_of_clock(table, kind)}")
    return voice.say(
        "offer.made.seat.computer" if computer else "offer.made.seat", seat=table.spoken(voice).span(table.mover)
    )


def offer_rows(table: Table, voice: Speaker) -> tuple[Row, ...]:
    """Return the buttons that answer the offers: each says what to, wherever it stands."""
    buttons: list[Button] = []
    kinds = [kind for kind in table.row.offers if kind in (DRAW, UNDO, TOGETHER, PAUSE, SEAT)]
    for kind in kinds[:MOST_SHOWN]:
        code, revision = table.row.id, table.row.revision
        buttons.append(Button(voice.line(f"button.agree.{kind}"), press("agree", code, revision, kind), "primary"))
        buttons.append(Button(voice.line(f"button.refuse.{kind}"), press("refuse", code, revision, kind)))
    return button_rows(buttons)


def clock_words(table: Table, voice: Speaker) -> list[Text]:
    """Return what there is to say of the clock: a pause, or until when the turn must be made."""
    if table.row.terms.get("paused"):
        return [voice.say("clock.paused")]
    deadline = table.row.deadline
    if deadline is None:
        return []
    when = f"{voice.day(deadline)} {deadline:%H:%M} UTC"
    stage = table.row.offers.get("clock", {}).get("stage", 0)
    return [voice.say(("clock.until", "clock.reminder", "clock.warning")[stage], when=when)]


def more_card(table: Table, voice: Speaker, *, seat: int, early: bool, absent: bool = False) -> Card:
    """Return the list of what a player can do besides moving; `early`: not everybody has had a turn yet.

    `absent`: the seat on the move can be given to a computer.
    """
    code, revision = table.row.id, table.row.revision
    buttons = []
    if table.mover == seat and hints_allowed(table):
        buttons.append(Button(voice.line("button.hint"), press("hint", code, revision), "primary"))
    buttons.append(Button(voice.line("button.words"), press("words", code, revision)))
    if table.playing.shown is not None:
        buttons.append(Button(voice.line("button.undo"), press("undo", code, revision)))
    buttons.append(Button(voice.line("button.draw"), press("offer", code, revision, DRAW)))
    if table.row.terms.get("clock"):
        label = "button.resume" if table.row.terms.get("paused") else "button.pause"
        buttons.append(Button(voice.line(label), press("offer", code, revision, PAUSE)))
        if table.mover != seat:
            buttons.append(Button(voice.line("button.wait"), press("offer", code, revision, WAIT)))
    if absent:
        buttons.append(Button(voice.line("button.seat"), press("seat", code, revision)))
    if early:
        buttons.append(Button(voice.line("button.off"), press("off", code, revision)))
    else:
        buttons.append(Button(voice.line("button.together"), press("offer", code, revision, TOGETHER)))
    buttons.append(Button(voice.line("button.resign"), press("resign", code, revision), "danger"))
    return Card(voice.say("more", game=voice.line("name")), rows=button_rows(buttons))


def _of_clock(table: Table, kind: str) -> str:
    """Return a kind of offer, with that about the clock by what it would do to it."""
    return "resume" if kind == PAUSE and table.row.terms.get("paused") else kind


def _agreed(table: Table, voice: Speaker, seats: list[int]) -> Text:
    return voice.listing([table.span(seat) for seat in seats])
