"""Parts of a game's card besides the board, and the views of its board.

The parts are the headline, offers, clocks, links, and the position in words. A view says from which side a board is
drawn, whose goals are highlighted, and in which theme.

Shared boards keep one orientation for the whole game, with seat 0 at the bottom. If only one human player is in the
place, boards are drawn from that player's side. A setting turns boards to the player to move.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from typing import Any, Final

from bot.kernel.cards import Attachment, Button, Buttons, Card, Headline, Rows, SeatHeadline
from bot.kernel.context import Context
from bot.kernel.line import read_contributions
from bot.kernel.pictures import BoardView, choose_theme, list_captures
from bot.kernel.preferences import ORIENTATION, ORIENTATION_MOVER
from bot.kernel.presses import GUESS, press
from bot.kernel.question_cards import button_rows, make_button
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import GameLink
from bot.kernel.table import (
    Table,
    computer_name,
    last_moved_revision,
    list_asked_people,
    list_awaited_people,
    list_recent_turns,
    load_level,
)
from bot.kernel.texts import Span, Speaker, Text, join, pin_text, strip_styles
from bot.kernel.words import PositionTeller
from bot.kernel.words.describe import BoardWords, fit_or_shorten, position_words
from bot.table.clocks import ClockReading, read_clock
from bot.table.notices import TIMEOUT_REASON
from bot.table.ratings import is_known_early
from engine import State, games
from render.scene import Choices, Hint
from storage import GameRow, Offer, OfferKind, OfferNews, Person, PlaceRow, Stage

MIN_TOLD_SECONDS: Final = 60
"""Minimum seconds of a moved deadline for boards to mention it."""
_CLOCK_WORDS: Final = {Stage.NONE: "clock.until", Stage.REMINDER: "clock.reminder", Stage.WARNING: "clock.warning"}


def offer_words(table: Table, voice: Speaker) -> list[Text]:
    """Return a sentence for every pending offer, and for an offer that was just declined or accepted."""
    offers = table.row.offers
    words = [pin_text(text) for offer in offers.pending for text in _pending_offer_words(table, voice, offer)]
    return words + [_news_words(table, voice, news) for news in offers.news]


def _pending_offer_words(table: Table, voice: Speaker, offer: Offer) -> list[Text]:
    if offer.kind == OfferKind.WAIT:
        return [voice.say("offer.wait", who=_list_seats(table, voice, offer.agreed))]
    if offer.kind == OfferKind.SEAT and offer.seat is not None:
        if offer.computer is not None:
            newcomer = Span(computer_name(voice, str(load_level(offer.computer))))
        else:
            newcomer = table.person_span(offer.person or 0)
        return [voice.say("offer.seat", who=newcomer, seat=table.name_span(offer.seat))]
    if offer.by is None:
        return []
    words = [voice.say(f"offer.{_clock_offer_kind(table, offer.kind)}", who=table.name_span(offer.by))]
    others = [seat for seat in offer.agreed if seat != offer.by]
    if others:
        words.append(voice.say("offer.agreed", who=_list_seats(table, voice, others), n=len(others)))
    if offer.kind == OfferKind.DRAW and is_known_early(table):
        words.append(voice.say("offer.draw.early"))
    return words


def _news_words(table: Table, voice: Speaker, news: OfferNews) -> Text:
    if news.accepted:
        key = f"offer.accepted.{'resume' if news.kind == OfferKind.PAUSE else news.kind}"
    elif news.own:
        key = "offer.withdrawn"
    else:
        key = f"offer.declined.{_clock_offer_kind(table, news.kind)}"
    return voice.say(key, who=table.name_span(news.by))


def offer_made_words(table: Table, voice: Speaker, kind: OfferKind, *, computer: bool = False) -> Text:
    """Return the reply to a person who has made an offer; `computer`: the seat to move is offered to a computer."""
    if kind != OfferKind.SEAT or table.mover is None:
        return voice.say(f"offer.made.{_clock_offer_kind(table, kind)}")
    return voice.say(
        "offer.made.seat.computer" if computer else "offer.made.seat",
        seat=table.in_language(voice).name_span(table.mover),
    )


def offer_card(table: Table, voice: Speaker, offer: Offer) -> Card:
    """Return the message of an offer: its kind, the people asked, and the buttons that answer it."""
    table = table.in_language(voice)
    asked = tuple(list_asked_people(table, offer))
    about = _about_offer(table, voice, join(_pending_offer_words(table, voice, offer), " "))
    who = voice.say("offer.asked", who=voice.listing([table.person_span(person) for person in asked]))
    rows = offer_rows(table, voice, offer)
    return Card(join([about, who]), rows=rows, mention=asked[0] if asked else None, also=asked[1:])


def _about_offer(table: Table, voice: Speaker, said: Text) -> Text:
    return voice.say("offer.about", game=voice.game_name(), code=table.id, offer=said)


def answered_offer_card(table: Table, voice: Speaker, subject: str) -> Card:
    """Return the message of an offer that no one can answer any more; `subject` identifies the offer."""
    table = table.in_language(voice)
    kind = subject.split(":")[1]
    settled = voice.say("offer.ended" if table.row.is_over else "offer.closed")
    news = (_news_words(table, voice, each) for each in table.row.offers.news if each.kind == kind)
    return Card(_about_offer(table, voice, next(news, settled)))


def offer_rows(table: Table, voice: Speaker, offer: Offer) -> Rows:
    """Return the buttons that answer an offer; each label names the offer."""
    asked = tuple(list_asked_people(table, offer))
    maker = table.person_at(offer.by) if offer.by is not None else offer.person
    kind, about = offer.kind, (table.id, offer.revision, offer.kind)
    buttons = [make_button(voice, f"button.agree.{kind}", "agree", *about, style="primary", people=asked)]
    if kind != OfferKind.WAIT:
        whose = asked if maker is None else (*asked, maker)
        buttons.append(make_button(voice, f"button.refuse.{kind}", "refuse", *about, people=whose))
    return button_rows(buttons)


def time_left_words(table: Table, voice: Speaker, now: datetime | None = None) -> list[Text]:
    """Return each player's time left, by default at the last change; empty if the deadline of the turn is enough.

    In a live game without a reserve it is the time left for the turn.
    """
    row = table.row
    has_reserve = bool(row.terms.reserve or row.progress.reserves)
    reading = read_clock(row, now or row.updated_at)
    if reading is None or not row.is_playing or not (has_reserve or reading.is_live):
        return []
    seats = [seat for seat in reading.left if has_reserve or seat == reading.running]
    times = [
        voice.say("clock.left.of", who=table.name_span(seat), time=format_time_left(voice, reading, seat))
        for seat in seats
    ]
    return [voice.say("clock.left", times=join(times, " · "))] if times else []


def format_time_left(voice: Speaker, reading: ClockReading, seat: int) -> str:
    """Return a player's time left: 14:32 or 1:05:00 in a live game, otherwise `29 d 3 h` or `3 h 14 min`."""
    minutes, seconds = divmod(reading.left[seat] // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    if reading.is_live:
        return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    days, hours = divmod(hours, 24)
    if days:
        return voice.line("clock.short.days", days=days, hours=hours)
    return voice.line("clock.short.hours", hours=hours, minutes=minutes)


def clock_words(table: Table, voice: Speaker, zone: tzinfo | None = None, now: datetime | None = None) -> list[Text]:
    """Return the state of the clock: a pause, or the time left and the deadline of the turn; and each player's time.

    Where a platform cannot show times in the reader's time zone they are in `zone`, by default UTC. The time left is
    that at `now`, by default at the game's last change.
    """
    if table.row.progress.paused:
        return [voice.say("clock.paused"), *time_left_words(table, voice)]
    deadline = table.row.deadline
    if deadline is None:
        return time_left_words(table, voice, now)
    stage = table.row.reminder.stage if table.row.reminder is not None else Stage.NONE
    moved = table.row.progress.moved_seconds
    left = voice.since(deadline, now or table.row.updated_at + timedelta(seconds=moved))
    said = time_left_words(table, voice, now)
    # A live turn ends soon: the time of day would add nothing to the time left.
    if not table.row.terms.is_live:
        said.insert(0, voice.say(_CLOCK_WORDS[stage], left=left, when=voice.time(deadline, zone)))
    elif stage != Stage.NONE:
        said.insert(0, voice.say("clock.warning.live"))
    if abs(moved) >= MIN_TOLD_SECONDS:
        said.append(voice.say("clock.moved", time=voice.duration(abs(moved))))
    return said


def unreminded_words(table: Table, voice: Speaker) -> list[Text]:
    """Return which players clock reminders do not reach, while they play or after they have left by timeout."""
    progress, going = table.row.progress, table.row.is_playing
    who = [
        table.name_span(seat)
        for seat in sorted(progress.unreminded)
        if progress.left.get(seat) == TIMEOUT_REASON or (going and seat not in progress.left)
    ]
    return [voice.say("clock.unreminded", who=voice.listing(who))] if who else []


def list_reaches(table: Table, seat: int) -> list[tuple[int, frozenset[str]]]:
    """Return the cells that the others can reach in one turn, by seat; empty if the game does not support it."""
    state = table.playing.state
    reaches = [(other, state.find_reach(other)) for other in range(state.seats) if other != seat]
    return [(other, cells) for other, cells in reaches if cells]


def _clock_offer_kind(table: Table, kind: OfferKind) -> str:
    """Return a kind of offer; for a pause, the kind that describes its effect."""
    return "resume" if kind == OfferKind.PAUSE and table.row.progress.paused else kind


def _list_seats(table: Table, voice: Speaker, seats: Sequence[int]) -> Text:
    return voice.listing([table.name_span(seat) for seat in seats])


_INTRODUCTIONS: Final = {"lobby": "share", "playing": "share.playing", "over": "share.over"}
"""The introduction, by the status of the game."""


def guess_buttons(table: Table, voice: Speaker) -> Buttons:
    """Return the spectators' button for guessing the turn, if all players have agreed and it has not begun."""
    if not table.row.progress.guesses or table.mover is None or table.playing.has_acted:
        return ()
    return (Button(voice.line("button.guess.board"), press(GUESS, table.id)),)


def share_card(row: GameRow, speaker: Speaker, ways: Mapping[str, GameLink], page: str | None = None) -> Card:
    """Return the links to a game by platform, and what to type where the bot is a member already.

    `page` is the public address of the game, if there is one.
    """
    voice = speaker.of(row.game)
    parts = [voice.say(_INTRODUCTIONS[row.status], game=voice.game_name())]
    typed = Span(f"/join {row.id}", code=True)
    for platform, way in sorted(ways.items()):
        # The name is a link, and the address can be copied.
        name = Span(voice.line(f"share.{platform}"), bold=True, link=way.address)
        key = "share.link.typed" if way.typed else "share.link"
        said = {"typed": typed} if way.typed else {}
        parts.append(voice.say(key, platform=name, address=Span(way.address, code=True), **said))
    parts.append(voice.say("share.here", typed=typed))
    if page is not None:
        parts.append(voice.say("share.page", address=Span(page, code=True, link=page)))
    # A button makes it a real message, so that addresses can be copied even on platforms with fleeting replies.
    rules = Button(voice.line("button.rules"), press("rules", None, 0, row.game))
    return Card(join(parts), rows=((rules,),))


def headline(table: Table) -> Headline:
    """Return the headline of a game; it needs no language."""
    row = table.row
    entries = sorted(
        (entry for entry in row.seats if entry.state in ("joined", "invited")),
        key=lambda entry: (entry.seat if entry.seat is not None else len(row.seats), entry.number),
    )
    sitting = [
        SeatHeadline(table.entry_name(entry), entry.person)
        if entry.computer is None
        else SeatHeadline("", None, str(load_level(entry.computer)), table.computer_number(entry))
        for entry in entries
    ]
    options = games[row.game].options if row.game in games else {}
    places = (row.outcome or {}).get("places", ())
    seated = [entry.seat for entry in entries]
    return Headline(
        row.id,
        row.game,
        row.status,
        row.revision,
        last_moved_revision(row),
        tuple(sitting),
        seated.index(table.mover) if table.mover is not None and table.mover in seated else None,
        tuple(at for at, seat in enumerate(seated) if seat is not None and seat < len(places) and places[seat] == 1),
        _chain_heads(row),
        list_awaited_people(row),
        row.progress.rematch or None,
        unusual=any(row.options.get(name, option.default) != option.default for name, option in options.items()),
        live=row.terms.is_live,
    )


def _chain_heads(row: GameRow) -> dict[int, str]:
    """Return, by person, the chain head that their next link has to open, for people who can give a link now.

    It is empty for a person without a chain, who can begin one.
    """
    if row.chance is None or row.is_over:
        return {}
    given, heads = read_contributions(row.chance), dict[int, str]()
    for entry in row.seats:
        who = entry.person if row.is_lobby else entry.seat
        if entry.person is not None and entry.state == "joined" and who is not None and given.accepts_link(who):
            heads[entry.person] = given.heads.get(who, "")
    return heads


def seed_hash_words(row: GameRow, voice: Speaker) -> Text:
    """Return the hash of a game's seed, visible from the opening of the lobby until the game is over."""
    return voice.say("lobby.seal", seal=row.seed_hash) if row.seed_hash else ()


MAX_CAPTION_LENGTH: Final = 1000
"""Maximum length of a card's text for every platform to show it below a picture (Telegram: 1024)."""
MAX_TEXT_LENGTH: Final = 1900
"""Maximum length of a card's text for every platform to show it at all (Discord: 2000)."""


def wants_text(*settings: Mapping[str, Any]) -> bool:
    """Return True if boards should be described in words; the first settings with a value decide."""
    for chosen in settings:
        for name in ("text", "own_text"):
            if chosen.get(name) is not None:
                return bool(chosen[name])
    return False


def with_position(text: Text, voice: Speaker, state: State, names: Sequence[str], separator: str = "\n") -> Text:
    """Return a text followed by the position in words, as far as there is room below a picture."""
    room = MAX_CAPTION_LENGTH - len(strip_styles(text)) - len(separator)
    words = fit_or_shorten(voice, lambda brief: position_words(PositionTeller(voice, state, names, brief)), room)
    return join([text, (Span(words),)], separator) if words else text


def with_position_in_words(card: Card, table: Table, speaker: Speaker) -> Card:
    """Return a board's card with the position in words below its text."""
    voice = table.words_for(speaker)
    return replace(card, text=with_position(card.text, voice, table.playing.state, table.in_language(voice).names))


def words_card(table: Table, speaker: Speaker, reader: int | None = None) -> Card:
    """Return a card without a picture that describes the picture, and the turns since the reader's last turn."""
    voice, line = table.words_for(speaker), table.playing
    table = table.in_language(voice)
    earlier = list_recent_turns(table, reader)[:-1]
    captures = list_captures(line.first_question.selectable_cells)
    words = BoardWords(voice, line.state, line.shown_turn, table.names, earlier, captures)
    sentences = words.sentences()
    whole = "\n".join(sentences)
    if len(whole) <= MAX_TEXT_LENGTH:
        return Card((Span(whole),))
    file = Attachment(f"{table.row.game}-{table.id}.txt", f"{whole}\n".encode())
    brief = replace(words, captures=()).sentences(brief=True)
    fitting: list[str] = []
    for sentence in [*brief, *(line for line in sentences if line not in brief)]:
        if len("\n".join([*fitting, sentence])) > MAX_TEXT_LENGTH:
            break
        fitting.append(sentence)
    return Card((Span("\n".join(fitting)),), file=file)


async def shared_view(context: Context, table: Table, place: PlaceRow) -> BoardView:
    """Return the view of a board for everybody in a place, with the choices of its question."""
    wide = context.shows_small_pictures(place.platform)
    view = BoardView(theme=choose_theme(place.effective), wide=wide, choices=_first_choices(table, shared=True))
    return await _orient_in_place(view, context, table, place)


async def private_view(
    context: Context,
    requester: RequestContext,
    table: Table,
    *,
    choices: Choices | None = None,
    hint: Hint | None = None,
    still: bool = False,
) -> BoardView:
    """Return the view of a board shown to one person only, turned like the place's board.

    Where every reader gets a separate drawing (`Context.draws_for_readers`), it is from the reader's side. `still`:
    True to ignore the mover, because not (only) the current position is shown.
    """
    place, seat = requester.place, table.seat_of(requester.id)
    view = BoardView(
        choices=choices,
        hint=hint,
        theme=choose_theme(requester.person.settings, place.effective),
        wide=context.shows_small_pictures(place.platform),
        reader=seat,
    )
    if context.draws_for_readers(place.platform):
        turns = requester.person.settings.get(ORIENTATION) == ORIENTATION_MOVER
        return _orient_view(view, table, seat, turns=turns and not still)
    seen = await _orient_in_place(view, context, table, place, still=still)
    return seen if seat is None else replace(seen, goals_of=seat)


def reader_view(table: Table, person: Person, *, theme: str = "", side: int | None = None) -> BoardView:
    """Return the view of a board drawn for one reader: from their side, in their theme.

    `theme` is used if the reader has chosen none. `side` is the seat to which the reader has turned the board. Moves
    since the reader's last turn are marked as new: pass `BoardView.reader` to `board_card` as well.
    """
    settings, seat = person.settings, table.seat_of(person.id)
    choices = _first_choices(table) if seat is not None and seat == table.mover else None
    view = BoardView(theme=choose_theme(settings, {"theme": theme}), reader=seat, choices=choices)
    if side is not None and side < table.row.seat_count:
        return replace(view, viewer=side, goals_of=_mover_or_last(table) if seat is None else seat)
    return _orient_view(view, table, seat, turns=settings.get(ORIENTATION) == ORIENTATION_MOVER)


def _orient_view(view: BoardView, table: Table, only: int | None, *, turns: bool) -> BoardView:
    """Return a view turned to the mover (`turns`), to the only player in the place, or to seat 0."""
    mover = _mover_or_last(table)
    side = mover if turns else only
    return replace(view, viewer=side or 0, goals_of=mover if side is None else side)


def _mover_or_last(table: Table) -> int:
    """Return the seat to move; at the end the seat of the last turn, so that the board does not turn again."""
    if table.mover is not None:
        return table.mover
    shown = table.playing.shown_turn
    return max(0, shown.seat) if shown is not None else 0


async def _orient_in_place(
    view: BoardView, context: Context, table: Table, place: PlaceRow, *, still: bool = False
) -> BoardView:
    """Return a view turned to the mover if a place wants that, to the only player who is in the place, or to seat 0."""
    # By its setting or, in a private chat, its person's.
    chosen = place.effective.get(ORIENTATION) or place.settings.get(f"own_{ORIENTATION}")
    if chosen == ORIENTATION_MOVER and not still:
        return _orient_view(view, table, None, turns=True)
    seats = {
        entry.person: entry.seat for entry in table.row.seats if entry.person is not None and entry.seat is not None
    }
    here = set(seats)
    if len(seats) > 1:
        here &= await context.store.places.players_seen(place.id, table.row.id)
    if table.row.terms.team is not None:
        here |= {team.id for team in table.teams if team.team_place == place.id}
    return _orient_view(view, table, seats[next(iter(here))] if len(here) == 1 else None, turns=False)


def _first_choices(table: Table, *, shared: bool = False) -> Choices | None:
    """Return the first choices of the person to move, None if no person is to move; `shared`: for a shared picture."""
    if table.mover is None or table.level_at(table.mover) is not None or table.voting_team is not None:
        return None
    asked = table.playing.first_question
    return asked.shared_marks if shared else asked.selectable_cells
