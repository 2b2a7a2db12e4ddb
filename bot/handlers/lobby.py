"""Challenging, joining, leaving, starting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.cards import Button, Card, Menu, Row, Span
from bot.handlers.finding import game_key, table_called, which_rows
from bot.house import Asker, House
from bot.presenters.asking import button_rows
from bot.presses import Press, press
from bot.refusals import Refused
from bot.requests import Reply
from bot.services import lobby
from bot.services.people import find_invited
from bot.texts import Speaker, join
from engine import Game, games

NO_WORDS: Final = Reply()
_VALUE: Final = ":"


async def play(house: House, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Challenge people, or leave seats open; without a game, ask which."""
    if not values.get("game"):
        if values.get("opponents"):
            raise Refused("refusal.game-needed", example=f"/play {next(iter(games))} {values['opponents']}")
        return Reply(games_card(asker.mine), private=True)
    key = game_key(house, values["game"])
    invited = await find_invited(house, asker, values.get("opponents", ""))
    seats = seats_of(games[key], values, invited)
    options = games[key].checked_options(seats, options_of(asker.mine, games[key], values))
    await lobby.open_table(house, asker, lobby.Plan(key, options, seats, invited), NO_WORDS)
    return NO_WORDS


async def join_command(house: House, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Take a seat in a game by its code, or in the one that is waiting for people here."""
    if values.get("code"):
        table = await table_called(house, values["code"])
        return await take_seat(house, asker, table.row.id)
    briefs = await house.store.lobbies_in(asker.place.id)
    free = [
        brief
        for brief in briefs
        if any(entry.state in ("open", "invited") for entry in brief.seats)
        and not any(entry.person == asker.person.id and entry.state == "joined" for entry in brief.seats)
    ]
    if not free:
        raise Refused("refusal.no-lobby")
    if len(free) > 1:
        companies = await house.companies(free[:10])
        rows = which_rows(asker, companies, lambda brief: press("join", brief.id, brief.revision))
        raise Refused("refusal.which-game", rows=rows)
    return await take_seat(house, asker, free[0].id)


async def take_seat(house: House, asker: Asker, game: str) -> Reply:
    """Take a seat; where the game is not shown in this place yet, it will be."""
    reply = NO_WORDS
    row = await lobby.join(house, asker, game, reply)
    shown = {surface.place.id for surface in await house.store.surfaces(row.id)}
    if asker.place.id not in shown:
        await house.store.add_surface(row.id, asker.place.id, house.clock())
        house.wake()
    return reply


async def press_join(house: House, asker: Asker, pressed: Press) -> Reply:
    """The button Join or Accept."""
    return await take_seat(house, asker, pressed.game or "")


async def press_leave(house: House, asker: Asker, pressed: Press) -> Reply:
    """The button Leave or Decline."""
    await lobby.decline(house, asker, pressed.game or "", NO_WORDS)
    return NO_WORDS


async def press_start(house: House, asker: Asker, pressed: Press) -> Reply:
    """The button Start."""
    await lobby.start(house, asker, pressed.game or "", NO_WORDS)
    return NO_WORDS


async def press_choose(_house: House, asker: Asker, _pressed: Press) -> Reply:
    """The button that asks which game to play."""
    return Reply(games_card(asker.mine), private=True)


async def press_new(_house: House, asker: Asker, pressed: Press) -> Reply:
    """A game chosen out of the list, or one of its options."""
    key, options = read_plan(pressed)
    return Reply(options_card(asker.mine, key, options), private=True, update=True)


async def press_post(house: House, asker: Asker, pressed: Press) -> Reply:
    """The chosen game, with its options, put up for whoever wants to join."""
    key, options = read_plan(pressed)
    reply = Reply(Card(asker.mine.of(key).say("new.posted")), private=True, update=True)
    await lobby.open_table(house, asker, lobby.Plan(key, options, games[key].seats[-1]), reply)
    return reply


def games_card(speaker: Speaker) -> Card:
    """Return the list of games to choose from."""
    parts = [speaker.say("new.which")]
    buttons = []
    for key in games:
        voice = speaker.of(key)
        name = voice.line("name")
        parts.append(speaker.say("new.game", game=Span(name, bold=True), tagline=voice.say("tagline")))
        buttons.append(Button(name, press("new", None, 0, key)))
    return Card(join(parts), rows=button_rows(buttons))


def options_card(speaker: Speaker, key: str, options: Mapping[str, str | int]) -> Card:
    """Return the options of a game to choose from, with what they mean, and the button that puts it up."""
    voice, game = speaker.of(key), games[key]
    parts = [voice.say("new.game", game=Span(voice.line("name"), bold=True), tagline=voice.say("tagline"))]
    rows: list[Row] = []
    for name, option in game.options.items():
        chosen = options[name]
        about = f"option.{name}.{chosen}.about"
        value = voice.line(f"option.{name}.{chosen}")
        said = voice.say("lobby.option", option=voice.line(f"option.{name}"), value=value)
        parts.append(join([said, voice.say(about)], " – ") if voice.has(about) else said)
        entries = [
            Button(voice.line(f"option.{name}.{other}"), _plan_press("new", key, {**options, name: other}))
            for other in option.values
        ]
        rows.append(Menu(voice.line(f"option.{name}"), tuple(entries)))
    rows.append(
        (
            Button(voice.line("button.post"), _plan_press("post", key, options), "primary"),
            Button(voice.line("button.rules"), press("rules", None, 0, key)),
        )
    )
    return Card(join([*parts, voice.say("new.how", game=key)]), rows=tuple(rows))


def read_plan(pressed: Press) -> tuple[str, dict[str, str | int]]:
    """Return the game and the options that a press carries; Refused if there is no such game any more."""
    key, *chosen = pressed.path or ("",)
    if key not in games:
        raise Refused("refusal.stale")
    options = {name: option.default for name, option in games[key].options.items()}
    for pair in chosen:
        name, _, value = pair.partition(_VALUE)
        found = [known for known in games[key].options[name].values if str(known) == value] if name in options else []
        if not found:
            raise Refused("refusal.stale")
        options[name] = found[0]
    return key, options


def options_of(speaker: Speaker, game: Game, values: Mapping[str, str]) -> dict[str, str | int]:
    """Return the options that somebody named, as the rules know them; what they do not know is left as it is."""
    voice = speaker.of(game.key)
    options: dict[str, str | int] = {}
    known = {name for other in games.values() for name in other.options}
    for name in sorted(known & set(values)):
        text = values[name].strip().lower()
        option = game.options.get(name)
        fitting = [
            value
            for value in (option.values if option else ())
            if text in (str(value).lower(), voice.word(f"option.{name}", value).lower())
        ]
        options[name] = fitting[0] if fitting else text
    return options


def seats_of(game: Game, values: Mapping[str, str], invited: tuple[object, ...]) -> int:
    """Return for how many a game is put up; Refused if that cannot be."""
    least, most = game.seats[0], game.seats[-1]
    asked = int(values["seats"]) if values.get("seats") else None
    if len(invited) + 1 > most:
        raise Refused("refusal.too-many-for-game", game=game.key, most=most, n=most)
    if asked is None:
        return max(least, len(invited) + 1) if invited else most
    if not least <= asked <= most:
        key = "refusal.seats" if least < most else "refusal.seats-only"
        raise Refused(key, game=game.key, least=least, most=most, seats=asked)
    return max(asked, len(invited) + 1)


def _plan_press(deed: str, key: str, options: Mapping[str, str | int]) -> str:
    return press(deed, None, 0, key, *(f"{name}{_VALUE}{value}" for name, value in options.items()))
