"""Cards of notices: one subject for one person, and the digest of everything that waits for them."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Final

from bot.core.game_pages import new_game_button
from bot.core.notice_routes import NoticeKind
from bot.core.question_cards import button_rows
from bot.interface.cards import Button, Card
from bot.interface.presses import TEAM_SUGGEST, press, read_press
from bot.language.texts import Speaker, Text, join
from bot.lobby.cards import brief_words, lobby_card
from bot.lobby.lobby_context import EMPTY_LOBBY_CONTEXT, LobbyContext
from bot.notices.rules import offer_subject, promised_revision
from bot.play.card_parts import clock_words, offer_card
from bot.play.cards import board_card
from bot.play.clocks import timezone_of
from bot.tables.changes import last_moved_revision
from bot.tables.table import GamePeople, Table
from storage import Notice

MAX_GAMES_IN_DIGEST: Final = 30
"""Maximum number of games that a digest lists."""
MAX_BUTTONS: Final = 20
_INVITATION_PRESSES: Final = ("join", "leave", "rules", "details", "learn")


def notice_card(
    table: Table, speaker: Speaker, notice: Notice, around: LobbyContext = EMPTY_LOBBY_CONTEXT
) -> Card | None:
    """Return the card of a notice about a game; None if there is nothing left to report."""
    voice = speaker.of(table.row.game)
    spoken = table.in_language(voice)
    if notice.kind == NoticeKind.CHALLENGE:
        if table.row.status != "lobby":
            return None
        card = lobby_card(table, table.row, speaker, around)
        rows = tuple(
            buttons
            for row in card.rows
            if isinstance(row, tuple) and (buttons := tuple(each for each in row if _is_for(each, notice.person)))
        )
        return Card(card.text, rows=rows, mention=notice.person)
    if notice.kind == NoticeKind.OFFER:
        pending = {offer_subject(table.row.id, offer): offer for offer in table.row.offers.pending}
        offer = pending.get(notice.subject)
        if offer is None:
            return None
        card = offer_card(table, voice, offer)
        return Card(card.text, rows=(*card.rows, (_look(table, voice),)), mention=notice.person)
    parts = [brief_words(spoken, table.row, speaker, notice.person)]
    if notice.kind == NoticeKind.PLAN:
        parts.append(voice.say(f"plan.stopped.{notice.subject.rpartition(':')[2]}"))
        tries = Button(voice.line("button.try"), press("try", table.row.id, table.row.revision))
        return Card(join(parts), rows=((_look(table, voice), tries),), mention=notice.person)
    if notice.kind == NoticeKind.OVER:
        parts.append(board_card(table, speaker, table.seat_of(notice.person)).text)
        again = Button(voice.line("button.rematch"), press("rematch", table.row.id, table.row.revision))
        return Card(join(parts), rows=((_look(table, voice), again, new_game_button(voice)),), mention=notice.person)
    if notice.kind == NoticeKind.TEAM:
        team = table.team_at(table.mover)
        if team is None or promised_revision(notice) < last_moved_revision(table.row):
            return None
        parts.append(voice.say("notice.team", who=spoken.person_span(team.id)))
        return Card(join(parts), rows=((_look(table, voice), _propose(table, voice)),), mention=notice.person)
    if table.row.to_move != notice.person:
        return None
    parts.append(voice.say("notice.turn"))
    parts += clock_words(spoken, voice, _zone(table, notice.person))
    return Card(join(parts), rows=((_look(table, voice),),), mention=notice.person)


def _zone(table: Table, person: int) -> tzinfo | None:
    """Return the time zone that a person has set, None if none."""
    known = table.people.get(person)
    return timezone_of(known.settings) if known is not None and known.settings.get("timezone") else None


def _is_for(button: Button, person: int) -> bool:
    """Return True if a button of a challenge is meant for an invited person."""
    deed = read_press(button.press).deed
    return deed in _INVITATION_PRESSES and (deed != "learn" or person in button.people)


def digest_card(game_list: Sequence[tuple[GamePeople, Sequence[Notice]]], speaker: Speaker, person: int) -> Card:
    """Return the daily digest: every game in which something waits for the person, or that is over."""
    lines: list[Text] = [speaker.say("digest.title", n=len(game_list))]
    buttons: list[Button] = []
    for game_people, notices in game_list[:MAX_GAMES_IN_DIGEST]:
        kinds = dict.fromkeys(notice.kind for notice in notices)
        what = join([speaker.say(f"digest.{kind}") for kind in kinds], ", ")
        brief = game_people.brief
        lines.append(join([brief_words(game_people, brief, speaker, person), what], " – "))
        label = f"{speaker.of(brief.game).line('name')} {brief.id}"
        if brief.status == "lobby":
            buttons.append(Button(f"{speaker.line('button.accept')}: {label}", press("join", brief.id, brief.revision)))
        else:
            buttons.append(Button(label, press("show", brief.id, brief.revision)))
    if len(game_list) > MAX_GAMES_IN_DIGEST:
        lines.append(speaker.say("digest.more", n=len(game_list) - MAX_GAMES_IN_DIGEST))
    return Card(join(lines), rows=button_rows(buttons[:MAX_BUTTONS]), mention=person)


def _propose(table: Table, voice: Speaker) -> Button:
    return Button(voice.line("button.team.suggest"), press(TEAM_SUGGEST, table.row.id, table.row.revision))


def _look(table: Table, voice: Speaker) -> Button:
    return Button(voice.line("button.look"), press("show", table.row.id, table.row.revision), "primary")
