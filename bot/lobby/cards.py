"""Cards of games before they start, and the offer of a rematch."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from bot.boards.lessons import learn_button
from bot.kernel.cards import Button, Card, Rows
from bot.kernel.context import Context
from bot.kernel.presses import press
from bot.kernel.question_cards import button_rows, game_button, make_button, new_game_button
from bot.kernel.request_context import list_seated_people
from bot.kernel.rulebook.lessons import lesson_of
from bot.kernel.table import (
    GamePeople,
    Table,
    has_computer,
    list_awaited_people,
    list_joined_seats,
    list_manual_starters,
)
from bot.kernel.texts import Span, Speaker, Text, join, pin_text
from bot.table.card_parts import seed_hash_words
from bot.table.cards import rules_button
from bot.table.clocks import SECONDS_PER_MINUTE, TimeControl
from bot.table.ratings import shares_one_browser
from engine import Game, games
from engine.search import LEVELS
from storage import GameBrief, GameRow, PlaceRow, Terms


@dataclass(frozen=True, slots=True)
class LobbyContext:
    """Facts about the people of a lobby and its place.

    `beginners` are invited people who can learn the game first, because it is new to them. `one_browser`: True if the
    game will be unrated because two of them share a browser. `pressed`: True if messages in its place only change
    after a press. `quiet`: True if changes in its place notify no one. `late`: True if boards of a live game may come
    late.
    """

    beginners: frozenset[int] = frozenset()
    one_browser: bool = False
    pressed: bool = False
    quiet: bool = False
    late: bool = False


EMPTY_LOBBY_CONTEXT: Final = LobbyContext()


async def read_lobby_context(context: Context, row: GameRow, place: PlaceRow | None = None) -> LobbyContext:
    """Return the context of a lobby, and of its place if that is given.

    The context is empty once the game has begun or was called off.
    """
    if not row.is_lobby:
        return EMPTY_LOBBY_CONTEXT
    asked = list_seated_people(row, ("invited",))
    taught = lesson_of(row.game) is not None
    new = frozenset([person for person in asked if taught and await context.store.lessons.is_new_to(person, row.game)])
    around = LobbyContext(new, await shares_one_browser(context, row))
    if place is None:
        return around
    late = await boards_come_late(context, row, place)
    return replace(around, pressed=place.guest, quiet=context.edits_alone(place), late=late)


BUSY_GAMES: Final = 4
"""Minimum number of running games in a busy channel."""


async def boards_come_late(context: Context, row: GameRow, place: PlaceRow) -> bool:
    """Return True if boards of a live game may come late in a place: in a busy channel, or a group with a limit."""
    if not row.terms.is_live or place.kind != "group" or context.draws_for_readers(place.platform):
        return False
    adapter = context.adapters.get(place.platform)
    if adapter is not None and adapter.limits_groups:
        return True
    return len(await context.store.games.list_in_place(place.id, BUSY_GAMES, status="playing")) == BUSY_GAMES


def lobby_card(table: Table, speaker: Speaker, around: LobbyContext = EMPTY_LOBBY_CONTEXT) -> Card:
    """Return the card of a challenge or of open seats; it mentions the people who are challenged."""
    row, voice = table.row, table.words_for(speaker)
    table = table.in_language(voice)
    if row.is_over:
        solo = make_button(voice, "button.computer", "solo", None, 0, row.game)
        unanswered = (row.outcome or {}).get("reason") in ("expired", "declined")
        new = new_game_button(voice)
        return Card(text=_called_off_words(table, voice), rows=((solo, new),) if unanswered else ((new,),))
    challenged = [entry for entry in row.seats if entry.state == "invited"]
    starter, game = table.person_span(row.starter), voice.game_span
    if any(entry.state in ("invited", "declined") for entry in row.seats):
        asked = [entry for entry in row.seats if entry.state in ("invited", "declined") or entry.person != row.starter]
        who = voice.listing([table.entry_span(entry) for entry in asked if entry.state != "open"])
        head = voice.say("lobby.challenge", who=starter, whom=who, game=game)
    else:
        head = voice.say("lobby.open", who=starter, game=game)
    parts = [
        head,
        _unusual_words(row, voice),
        _team_words(table, voice),
        voice.say("lobby.browser") if around.one_browser else (),
        voice.say("lobby.late") if around.late else (),
        _seats_words(table, voice),
        _waiting_words(table, voice),
    ]
    called = tuple(entry.person for entry in challenged if entry.person is not None) + list_manual_starters(row)
    return Card(
        text=join(parts),
        rows=_lobby_rows(row, voice, around.beginners),
        mention=called[0] if called else None,
        also=called[1:],
    )


def details_card(row: GameRow, speaker: Speaker, around: LobbyContext = EMPTY_LOBBY_CONTEXT) -> Card:
    """Return what the lobby card of a game omits: options, terms, code, and the hash of its seed."""
    voice = speaker.of(row.game)
    parts = [
        join([(voice.game_span,), voice.say("tagline")], " – "),
        options_words(voice, games[row.game], row.options),
        terms_words(voice, row.terms),
        _calling_words(row, voice, around),
        voice.say("lobby.with-computer") if row.terms.rated and has_computer(row) else (),
        voice.say("lobby.code", code=row.id) if row.is_lobby else (),
        seed_hash_words(row, voice),
    ]
    return Card(join(parts))


def options_words(voice: Speaker, game: Game, options: dict[str, str | int]) -> Text:
    """Return the options of a game; empty if it has none."""
    return join([_option_words(voice, name, options[name]) for name in game.options if name in options], " · ")


def _option_words(voice: Speaker, name: str, value: str | int) -> Text:
    return voice.say("lobby.option", option=voice.line(f"option.{name}"), value=voice.line(f"option.{name}.{value}"))


def _team_words(table: Table, voice: Speaker) -> Text:
    """Return the words for a channel that plays as one, and how the other side can join; empty for other games."""
    rules, who = table.row.terms.team, [table.person_span(team.id) for team in table.teams]
    return voice.say(f"lobby.team.{rules.against}", who=voice.listing(who), code=table.id) if rules else ()


def _unusual_words(row: GameRow, voice: Speaker) -> Text:
    """Return one line with the differences from a default game: options, clock, rated or not; empty without any."""
    usual = games[row.game].checked_options(row.seat_count, {})
    said = [_option_words(voice, name, value) for name, value in row.options.items() if usual.get(name) != value]
    if row.terms.has_clock:
        said.append((Span(clock_name(voice, TimeControl.of(row.terms))),))
    if not row.terms.rated or has_computer(row):
        said.append(voice.say("lobby.unrated"))
    if row.terms.hints is not None:
        said.append(voice.say("lobby.hints.brief" if row.terms.hints else "lobby.no-hints.brief"))
    if not row.terms.tries:
        said.append(voice.say("lobby.no-tries.brief"))
    return join(said, " · ")


def clock_name(voice: Speaker, control: TimeControl) -> str:
    """Return a time control as text."""
    key = f"clock.{control.name}"
    if voice.has(key):
        return voice.line(key)
    each, reserve = voice.duration(control.turn or 0), control.reserve or 0
    if control.kind == "evening":
        minutes = reserve // SECONDS_PER_MINUTE
        key = "clock.evening" if control.increment else "clock.evening.flat"
        return voice.line(key, clock=control.name, minutes=minutes, seconds=control.increment)
    if control.kind == "reserve":
        return voice.line("clock.reserve", clock=control.name, time=each, reserve=voice.duration(reserve))
    return voice.line("clock.each", time=each)


def terms_words(voice: Speaker, terms: Terms) -> Text:
    """Return the agreed terms that differ from the defaults, without the options."""
    said = []
    if terms.has_clock:
        said.append(voice.say("lobby.clock", clock=clock_name(voice, TimeControl.of(terms))))
    if not terms.rated:
        said.append(voice.say("lobby.casual"))
    if terms.hints is not None:
        said.append(voice.say("lobby.hints" if terms.hints else "lobby.no-hints"))
    if not terms.tries:
        said.append(voice.say("lobby.no-tries"))
    return join(said, " ")


def _calling_words(row: GameRow, voice: Speaker, around: LobbyContext) -> Text:
    """Return how the clock works in a place whose boards notify no one; empty for other places, or without a clock."""
    if not row.terms.has_clock or not (around.pressed or around.quiet):
        return ()
    said = [voice.say("lobby.clock.private"), voice.say("lobby.clock.pressed") if around.pressed else ()]
    return join(said, " ")


def _seats_words(table: Table, voice: Speaker) -> Text:
    """Return who has joined besides the starter, who has declined, and how many seats are free."""
    parts = []
    for state in ("joined", "declined"):
        entries = [entry for entry in table.row.seats if entry.state == state]
        if entries and [entry.person for entry in entries] != [table.row.starter]:
            who = voice.listing([table.entry_span(entry) for entry in entries])
            parts.append(voice.say(f"lobby.{state}", who=who, n=len(entries)))
    if free := sum(entry.state == "open" for entry in table.row.seats):
        parts.append(voice.say("lobby.free", n=free))
    return join(parts, " ")


def _waiting_words(table: Table, voice: Speaker) -> Text:
    """Return the people whose contributions to the lot a full lobby waits for; empty if it waits for none."""
    who = [table.person_span(person) for person in list_awaited_people(table.row)]
    return voice.say("lobby.awaited", who=voice.listing(who)) if who else ()


def _lobby_rows(row: GameRow, voice: Speaker, beginners: Collection[int]) -> Rows:
    button = partial(game_button, voice, row)
    inside = tuple(entry.person for entry in row.seats if entry.state == "joined" and entry.person is not None)
    guests = tuple(person for person in inside if person != row.starter)
    invited = [entry for entry in row.seats if entry.state == "invited"]
    opens = any(entry.state == "open" for entry in row.seats)
    named = tuple(entry.person for entry in invited if entry.person is not None)
    # Anybody may own the name for which a seat is reserved.
    asked = named if len(named) == len(invited) else ()
    least, most, team = games[row.game].seats[0], games[row.game].seats[-1], row.terms.team
    buttons = []
    if people := list_awaited_people(row):
        buttons.append(button("begin", style="primary", people=people))
    if (invited or opens) and (team is None or team.against != "channel"):
        name, whose = "accept" if invited else "join", () if opens else asked
        buttons.append(button(name, "join", style="primary", people=whose, without=inside))
    if invited:
        buttons.append(button("decline", "leave", people=asked, without=inside))
    if guests and team is None:
        # Each payload must be unique on a card.
        buttons.append(button("leave", "leave", "out" if invited else "", people=guests))
    if team is None and most > least:
        buttons.append(button("start", people=(row.starter,), disabled=len(list_joined_seats(row)) < least))
    buttons.append(button("withdraw", people=(row.starter,)))
    if opens and team is None:
        buttons.append(button("computer" if row.seat_count == 2 else "computer.add", "robot", people=inside))
    if opens or (invited and not asked):
        # Anyone who follows a link can take a seat.
        buttons.append(button("share"))
    buttons += [rules_button(row, voice), button("details")]
    if beginners:
        buttons.append(replace(learn_button(voice, row.game), people=tuple(sorted(beginners))))
    return button_rows(buttons)


def _called_off_words(table: Table, voice: Speaker) -> Text:
    row, game = table.row, voice.game_span
    reason = (row.outcome or {}).get("reason", "withdrawn")
    if reason == "expired":
        return voice.say("lobby.was-expired", game=game)
    if row.started_at is not None:
        return voice.say(f"ended.{reason}")  # the game had started: its position was damaged
    if reason == "closed":
        return voice.say("lobby.was-closed", game=game)
    if reason == "declined":
        who = [table.entry_span(entry) for entry in row.seats if entry.state == "declined"]
        return voice.say("lobby.was-declined", who=voice.listing(who), game=game)
    return voice.say("lobby.was-withdrawn", who=table.person_span(row.starter), game=game)


def brief_words(game_people: GamePeople, speaker: Speaker, reader: int) -> Text:
    """Return a game in one line: its name, the players besides the reader, and its code."""
    brief, voice = game_people.brief, game_people.words_for(speaker)
    game_people = game_people.in_language(voice)
    there = [entry for entry in brief.seats if entry.state in ("joined", "invited")]
    others = [game_people.entry_span(entry) for entry in there if entry.person != reader]
    key = "brief" if others else "brief.alone"
    return voice.say(key, game=voice.game_span, who=voice.listing(others), code=brief.id)


def again_words(again: Table, speaker: Speaker) -> Text:
    """Return the state of a rematch: the people it waits for, or that it has begun."""
    voice, row = again.words_for(speaker), again.row
    if not row.is_lobby:
        return voice.say("rematch.begun")
    starter = again.person_span(row.starter)
    waited = [again.entry_span(entry) for entry in row.seats if entry.state == "invited"]
    if not waited:
        return voice.say("rematch.offered", who=starter)
    return voice.say("rematch.waits", who=starter, whom=voice.listing(waited))


def with_next_game(card: Card, over: Table, again: Table, speaker: Speaker, person: int) -> Card:
    """Return the card of a finished game with the state of its rematch, in place of *Play again*."""
    voice, own = over.words_for(speaker), again.entry_of(person)
    inside = own is not None and own.state == "joined"
    name = "rematch.open" if inside or not again.row.is_lobby else "accept"
    wanted = [game_button(voice, over.row, name, "rematch", style="primary")]
    if own is not None and own.state == "invited":
        wanted.append(game_button(voice, again.row, "decline", "leave"))
    rows = []
    for row in card.rows:
        buttons = row if isinstance(row, tuple) else ()
        rest = tuple(button for button in buttons if button.press != wanted[0].press)
        rows.append(row if len(rest) == len(buttons) else (*wanted, *rest))
    return replace(card, text=join([card.text, pin_text(again_words(again, speaker))]), rows=tuple(rows))


def levels_card(speaker: Speaker, brief: GameBrief, action: str) -> Card:
    """Return the card with the question how strong a computer player should be."""
    buttons = tuple(Button(str(level), press(action, brief.id, brief.revision, str(level))) for level in LEVELS)
    about = [speaker.say(f"computer.{level}") for level in LEVELS]
    return Card(join([speaker.say("computer.how-strong"), *about]), rows=(buttons,))
