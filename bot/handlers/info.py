"""Help, rules, my games, leaderboards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.cards import Button, Card, Span, Text
from bot.handlers.finding import game_key, game_label
from bot.house import Asker, House
from bot.presenters.asking import button_rows
from bot.presenters.lobby import brief_words
from bot.presses import Press, press
from bot.refusals import Refused
from bot.requests import Reply
from bot.texts import Speaker, join
from engine import games

MOST_LISTED: Final = 10


async def help_command(_house: House, asker: Asker, _values: Mapping[str, str]) -> Reply:
    """Say in a few warm words what can be done."""
    buttons = [Button(asker.mine.line("button.play"), press("choose"), "primary")]
    buttons += [Button(asker.mine.of(key).line("name"), press("rules", None, 0, key)) for key in games]
    return Reply(Card(asker.mine.say("help"), rows=button_rows(buttons)), private=True)


async def rules(house: House, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Show the rules of a game in short; without a game, ask which."""
    if not values.get("game"):
        buttons = [Button(asker.mine.of(key).line("name"), press("rules", None, 0, key)) for key in games]
        return Reply(Card(asker.mine.say("rules.which"), rows=button_rows(buttons)), private=True)
    return Reply(rules_card(asker.mine, game_key(house, values["game"])), private=True)


async def press_rules(_house: House, asker: Asker, pressed: Press) -> Reply:
    """The button Rules."""
    if pressed.rest not in games:
        raise Refused("refusal.stale")
    return Reply(rules_card(asker.mine, pressed.rest), private=True)


def rules_card(speaker: Speaker, game: str) -> Card:
    """Return the short rules of a game."""
    voice = speaker.of(game)
    title = (Span(voice.line("name"), bold=True), Span(" – "), *voice.say("tagline"))
    buttons = (Button(voice.line("button.play-this"), press("new", None, 0, game), "primary"),)
    return Card(join([title, voice.say("rules.short")], "\n\n"), rows=(buttons,))


async def games_command(house: House, asker: Asker, _values: Mapping[str, str]) -> Reply:
    """List the person's games, those waiting for them first."""
    speaker = asker.mine
    briefs = await house.store.games_of(asker.person.id)
    if not briefs:
        buttons = (Button(speaker.line("button.play"), press("choose"), "primary"),)
        return Reply(Card(speaker.say("games.none"), rows=(buttons,)), private=True)
    companies = await house.companies(briefs[:MOST_LISTED])
    now = house.clock()
    waiting = sum(brief.waiting for brief in briefs)
    parts: list[Text] = [speaker.say("games.waiting", n=waiting) if waiting else speaker.say("games.none-waiting")]
    buttons_for = []
    for company in companies:
        brief = company.brief
        since = speaker.duration((now - brief.waiting_since).total_seconds())
        if brief.status == "lobby":
            state = speaker.say("games.invited" if brief.waiting else "games.lobby")
        elif brief.waiting:
            state = speaker.say("games.you", time=since)
        else:
            who = company.person_span(brief.to_move) if brief.to_move is not None else "?"
            state = speaker.say("games.other", who=who, time=since)
        parts.append(join([brief_words(company, brief, speaker), state], " – "))
        if brief.status == "playing":
            buttons_for.append(
                Button(
                    game_label(asker, company)[:80],
                    press("show", brief.id, brief.revision),
                    "primary" if brief.waiting else "plain",
                )
            )
        elif brief.waiting:
            label = f"{speaker.line('button.accept')}: {game_label(asker, company)}"[:80]
            buttons_for.append(Button(label, press("join", brief.id, brief.revision)))
    if len(briefs) > MOST_LISTED:
        parts.append(speaker.say("games.more", n=len(briefs) - MOST_LISTED))
    return Reply(Card(join(parts), rows=button_rows(buttons_for)), private=True)
