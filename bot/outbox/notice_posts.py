"""Posts of notices: a message about one subject to one person, and the daily digest of all that waits for them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.kernel.cards import Button, Card, filter_buttons
from bot.kernel.context import Context
from bot.kernel.features import read_notice_content
from bot.kernel.post_kinds import PostKind, Rendering, Showing, digest_of_card
from bot.kernel.preferences import CHANNEL_ROUTES_SETTING, ROUTE_SETTING, NoticeKind, Route
from bot.kernel.presses import TEAM_SUGGEST, press, read_press
from bot.kernel.question_cards import button_rows, game_button, new_game_button
from bot.kernel.requests import Undeliverable
from bot.kernel.table import GamePeople, Table, last_moved_revision
from bot.kernel.texts import Span, Speaker, Text, join
from bot.lobby.cards import LobbyContext, brief_words, lobby_card, read_lobby_context
from bot.table.card_parts import clock_words, offer_card
from bot.table.cards import board_card
from bot.table.clocks import timezone_of
from bot.table.notices import offers_by_subject, promised_revision, with_mentions, with_private_mention
from bot.table.service import store_step
from engine import games as installed
from engine.record import FORGOTTEN_NAME
from storage import NewEvent, Notice, Person, PlaceRow, Post
from storage.notices import DIGEST_KIND

MAX_GAMES_IN_DIGEST: Final = 30
"""Maximum number of games that a digest lists."""
MAX_BUTTONS: Final = 20
_INVITATION_PRESSES: Final = ("join", "leave", "rules", "details", "learn")


def notice_card(table: Table, speaker: Speaker, notice: Notice, person: Person, around: LobbyContext) -> Card | None:
    """Return the card of a person's notice about a game; None if there is nothing left to report."""
    voice = table.words_for(speaker)
    spoken, look = table.in_language(voice), game_button(voice, table.row, "look", "show", style="primary")
    if notice.kind == NoticeKind.CHALLENGE:
        if not table.row.is_lobby:
            return None
        card = lobby_card(table, speaker, around)
        rows = filter_buttons(card.rows, lambda button: _is_for(button, notice.person))
        return Card(card.text, rows=rows, mention=notice.person)
    if notice.kind == NoticeKind.OFFER:
        offer = offers_by_subject(table.row).get(notice.subject)
        if offer is None:
            return None
        card = offer_card(table, voice, offer)
        return Card(card.text, rows=(*card.rows, (look,)), mention=notice.person)
    parts, below = [brief_words(spoken, speaker, notice.person)], [look]
    if notice.kind == NoticeKind.PLAN:
        parts.append(voice.say(f"plan.stopped.{notice.subject.rpartition(':')[2]}"))
        below.append(game_button(voice, table.row, "try"))
    elif notice.kind == NoticeKind.OVER:
        parts.append(board_card(table, speaker, table.seat_of(notice.person)).text)
        below += [game_button(voice, table.row, "rematch"), new_game_button(voice)]
    elif notice.kind == NoticeKind.TEAM:
        team = table.voting_team
        if team is None or promised_revision(notice) < last_moved_revision(table.row):
            return None
        parts.append(voice.say("notice.team", who=spoken.person_span(team.id)))
        below.append(game_button(voice, table.row, "team.suggest", TEAM_SUGGEST))
    elif table.row.to_move != notice.person:
        return None
    else:
        zone = timezone_of(person.settings) if person.settings.get("timezone") else None
        parts += [voice.say("notice.turn"), *clock_words(spoken, voice, zone)]
    return Card(join(parts), rows=(tuple(below),), mention=notice.person)


def _is_for(button: Button, person: int) -> bool:
    """Return True if a button of a challenge is meant for an invited person."""
    deed = read_press(button.press).deed
    return deed in _INVITATION_PRESSES and (deed != "learn" or person in button.people)


def digest_card(game_list: Sequence[tuple[GamePeople, Sequence[Notice]]], speaker: Speaker, person: int) -> Card:
    """Return the daily digest: every game that waits for the person, or has ended."""
    lines: list[Text] = [speaker.say("digest.title", n=len(game_list))]
    buttons: list[Button] = []
    for game_people, notices in game_list[:MAX_GAMES_IN_DIGEST]:
        kinds = dict.fromkeys(notice.kind for notice in notices)
        what = join([speaker.say(f"digest.{kind}") for kind in kinds], ", ")
        brief = game_people.brief
        lines.append(join([brief_words(game_people, speaker, person), what], " – "))
        label = f"{speaker.game_name(brief.game)} {brief.id}"
        if brief.is_lobby:
            buttons.append(Button(f"{speaker.line('button.accept')}: {label}", press("join", brief.id, brief.revision)))
        else:
            buttons.append(Button(label, press("show", brief.id, brief.revision)))
    lines.append(speaker.left_out("digest.more", len(game_list), MAX_GAMES_IN_DIGEST))
    return Card(join(lines), rows=button_rows(buttons[:MAX_BUTTONS]), mention=person)


NOTICE: Final = "notice"
"""The post kind of a notice to one person; its subject identifies the notice."""
DIGEST: Final = "digest"
"""The post kind of a person's daily digest; its subject is the person and the date."""

SETTLED_KINDS: Final = frozenset(
    {NoticeKind.TURN, NoticeKind.TIME, NoticeKind.OFFER, NoticeKind.CHALLENGE, NoticeKind.TEAM}
)
"""Notices that are settled as the game goes on; their messages then lose their buttons."""

GameWithNotices = tuple[GamePeople, Sequence[Notice]]


def notice_subject(notice: Notice) -> str:
    """Return the subject of a notice's post; row ids are reused once a notice is gone."""
    return f"{notice.person}-{notice.kind}-{notice.subject}"


class NoticePost(PostKind):
    """A message to one person: in their language in their private chat, or in a channel with a mention."""

    waits = False
    is_kept = False

    async def render(self, showing: Showing) -> Rendering | None:
        """Return the message of a notice, None if the notice is settled or out of date."""
        post, store = showing.post, self._store
        notice = await self._find(post)
        person = await store.people.get(notice.person) if notice is not None else None
        if notice is None or person is None or (notice.delivered_at is not None and post.message is None):
            return None
        speaker = self._speaker(showing, person)
        card, listed = await self._write(post, notice, person, speaker)
        if card is None:
            await store.notices.record_delivered(listed, self._clock())
            return None
        if post.place.kind == "private":
            addressed = with_private_mention(card, person.id)
        else:
            name = Span(person.name or FORGOTTEN_NAME, bold=True, person=person.id)
            addressed = with_mentions(card, {person.id: name}, speaker=speaker)
        return Rendering(
            addressed,
            edited=card,
            revision=post.revision,
            content=digest_of_card(card),
            notices=tuple(each for each in listed if each.delivered_at is None),
            once=True,
            last=notice.kind not in SETTLED_KINDS,
        )

    async def on_shown(self, post: Post) -> None:
        """Record that the private chat accepts messages, and in the game that its reminder has arrived."""
        notice = await self._find(post)
        if notice is None:
            return
        people = self._store.people
        for identity in await people.identities(notice.person) if post.place.kind == "private" else ():
            if identity.platform == post.place.platform and identity.can_dm is False:
                await people.record_reachability(identity.platform, identity.user_id, can_dm=True)
        await record_reminder(self._context, notice, is_delivered=True)

    async def on_undeliverable(self, post: Post, error: Undeliverable) -> None:
        """Route the notice again: to another private chat, or as the last resort to a channel."""
        notice, store, now = await self._find(post), self._store, self._clock()
        if notice is None or notice.delivered_at is not None:
            return
        if post.place.kind == "private":
            await store.notices.reroute(notice, notice.route or Route.PRIVATE, None, now)
            self._context.signals.wake("notices")
        else:
            await record_reminder(self._context, notice, is_delivered=False)
            await store.notices.record_delivered([notice], now)

    async def _find(self, post: Post) -> Notice | None:
        """Return the notice of a post, None if it is settled."""
        person, kind, subject = post.subject.split("-", 2)
        return await self._store.notices.find(int(person), kind, subject)

    async def _write(
        self, post: Post, notice: Notice, person: Person, speaker: Speaker
    ) -> tuple[Card | None, Sequence[Notice]]:
        """Return the card, None if there is nothing left to report, and the notices that it delivers."""
        if notice.game is None:
            found = await read_notice_content(self._context, notice)
            return None if found is None else found.write(speaker), [notice]
        table = await self._context.table(notice.game)
        around = await read_lobby_context(self._context, table.row)
        return notice_card(table, speaker, notice, person, around), [notice]

    def _speaker(self, showing: Showing, person: Person) -> Speaker:
        if showing.post.place.kind != "private":
            return self._context.place_speaker(showing.post.place)
        showing.language = self._context.person_language(person)
        return self._context.speaker(showing.language, showing.adapter.platform)


class DigestPost(NoticePost):
    """A daily digest of every game that waits for a person, or has ended."""

    async def on_undeliverable(self, post: Post, error: Undeliverable) -> None:
        """Route the digest again: to another private chat, or to channels."""
        if (notice := await self._find(post)) is not None:
            await self._store.notices.postpone(notice, self._clock())
            self._context.signals.wake("notices")

    async def _find(self, post: Post) -> Notice | None:
        return await self._store.notices.find(int(post.subject.partition("-")[0]), DIGEST_KIND, "")

    async def _write(
        self, post: Post, notice: Notice, person: Person, speaker: Speaker
    ) -> tuple[Card | None, Sequence[Notice]]:
        """Return the digest and its notices; in a channel, only those of games that are shown there."""
        listed = await list_digest_games(self._context, person)
        if post.place.kind != "private":
            places = await fallback_places(self._context, person, listed)
            listed = [each for each, place in zip(listed, places, strict=True) if place == post.place.id]
        held = [each for _, notices in listed for each in notices]
        return digest_card(listed, speaker, person.id) if listed else None, held


async def list_digest_games(context: Context, person: Person) -> list[GameWithNotices]:
    """Return the games of a person's digest, each with its unreported notices."""
    if person.settings.get(ROUTE_SETTING) != Route.DIGEST:
        apart = person.settings.get(CHANNEL_ROUTES_SETTING)
        if not apart or Route.DIGEST not in (await context.store.notices.choices(person.id)).values():
            return []
    held = await context.store.notices.list_for_person(person.id, Route.DIGEST)
    listed: list[GameWithNotices] = []
    for game in dict.fromkeys(each.game for each in held if each.game is not None):
        # A finished game is reported once, a waiting one every day.
        reported = [
            each for each in held if each.game == game and (each.kind != NoticeKind.OVER or not each.delivered_at)
        ]
        table = await context.table_as_stored(game) if reported else None
        if table is not None and table.row.game in installed:
            listed.append((table, reported))
    return listed


async def fallback_place(context: Context, person: Person, shown: Sequence[Post]) -> PlaceRow | None:
    """Return the oldest shared place where a game is shown to a person, or None."""
    platforms = {identity.platform for identity in await context.store.people.identities(person.id)}
    for place in (post.place for post in shown):
        if place.platform in platforms and place.kind != "private" and not context.edits_alone(place):
            return place
    return None


async def fallback_places(context: Context, person: Person, listed: Sequence[GameWithNotices]) -> list[int | None]:
    """Return the ids of the oldest shared places where the games of a person's digest are shown to them."""
    shown = [await context.store.posts.list_for_game(waiting.brief.id) for waiting, _ in listed]
    places = [await fallback_place(context, person, posts) for posts in shown]
    return [place.id if place is not None else None for place in places]


async def record_reminder(context: Context, notice: Notice, *, is_delivered: bool) -> None:
    """Record in a game whether a clock reminder has reached a player; its board shows if it has not."""
    if notice.kind != NoticeKind.TIME or notice.game is None:
        return
    table = await context.table(notice.game)
    seat, known = table.seat_of(notice.person), table.row.progress.unreminded
    if seat is None or not table.row.is_playing or (seat not in known) is is_delivered:
        return
    progress = replace(table.row.progress, unreminded=known ^ {seat})
    event = NewEvent("reminded" if is_delivered else "unreminded", {"seat": seat})
    await store_step(context, table, replace(table.row, progress=progress), [event])
