"""Commands and presses for help, rules, and the list of a person's games."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from bot.boards.lessons import LESSON_SCOPE, learn_buttons, newcomer_rows
from bot.boards.puzzles.daily import TIMEZONE_SETTING
from bot.boards.tries import plans_words
from bot.kernel.cards import Button, Card, Menu, Row, Rows, Style
from bot.kernel.context import Context
from bot.kernel.features import commands_open_to
from bot.kernel.form_presses import MAX_LABEL_LENGTH, run_press
from bot.kernel.forms import Values
from bot.kernel.operations.process import read_version
from bot.kernel.pictures import choose_theme
from bot.kernel.preferences import place_of
from bot.kernel.presses import MENU_PRESS, PATH_SEPARATOR, RULES_AT_PLAY, TODAY_PRESS, Press, press, read_number
from bot.kernel.question_cards import button_rows, make_button, picking_rows
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Place, Reply
from bot.kernel.rulebook import rule_examples
from bot.kernel.table import BrokenGame, GamePeople
from bot.kernel.texts import Span, Speaker, Text, command as command_span, join
from bot.kernel.tree import read_tree
from bot.lobby.cards import brief_words
from bot.table.clocks import timezone_of
from bot.table.game_lookup import check_game_installed, game_label, resolve_game_key
from engine import games
from storage import GameBrief

BEGIN: Final = "begin"
BEGIN_PRESS: Final = press(MENU_PRESS, None, 0, BEGIN)
"""The press of a person who opens the bot."""
COMPETITIONS: Final = "competitions"
EVERYTHING: Final = "all"
MAX_BUTTONS: Final = 20
"""Maximum number of buttons, because of Discord's message limit; more are shown as options of menus."""
MAX_OPTIONS: Final = 25
MAX_WAITING: Final = 3
"""Maximum number of waiting games with a separate button."""
COMPETITION_COMMANDS: Final = ("cup", "league", "ladder", "team", "guess")


async def menu_command(context: Context, requester: RequestContext, _values: Values) -> Reply:
    """Show the menu."""
    return Reply(await menu_card(context, requester))


async def press_menu(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button Menu, or one that leads to a part of it; a newcomer who opens the bot gets the first steps."""
    speaker = requester.speaker
    if pressed.rest == BEGIN and await _is_new(context, requester):
        return Reply(Card(speaker.say("menu.welcome"), rows=newcomer_rows(speaker)))
    if pressed.rest in ("", BEGIN):
        return Reply(await menu_card(context, requester), update=not pressed.rest)
    known = await commands_open_to(context, requester)
    if pressed.rest == COMPETITIONS:
        names: Sequence[str] = [name for name in COMPETITION_COMMANDS if name in known]
    elif pressed.rest == EVERYTHING:
        names = [name for name in known if name not in (MENU_PRESS, "help")]
    else:
        raise Refused("refusal.stale")
    buttons = [Button(speaker.line(f"menu.{name}"), run_press(name)) for name in names]
    back = make_button(speaker, "button.back", MENU_PRESS)
    rows: Rows = button_rows([*buttons, back], 2)
    if len(buttons) > MAX_BUTTONS:
        label = speaker.line("menu.all")
        parts = [buttons[at : at + MAX_OPTIONS] for at in range(0, len(buttons), MAX_OPTIONS)]
        rows = (*(Menu(label, tuple(part)) for part in parts), (back,))
    return Reply(Card(speaker.say(f"menu.{pressed.rest}.title"), rows=rows), update=True)


async def menu_card(context: Context, requester: RequestContext) -> Card:
    """Return the menu in the reader's language, with the waiting games first."""
    speaker = requester.speaker
    waiting = [each for each in await context.store.games.list_for_person(requester.id) if each.waiting]
    parts: list[Text] = [speaker.say("menu.title")]
    rows: list[Row] = []
    if waiting:
        parts.append(speaker.say("games.waiting", n=len(waiting)))
    for each in await context.people_of_games(waiting[:MAX_WAITING]):
        brief = each.brief
        action = "show" if brief.is_playing else "join"
        parts.append(brief_words(each, speaker, requester.id))
        rows.append((_game_button(requester, each, action, style="primary"),))
    return Card(join(parts), rows=(*rows, *button_rows(menu_buttons(speaker), 2)))


def _game_button(
    requester: RequestContext, game_people: GamePeople, action: str, label: str = "", style: Style = "plain"
) -> Button:
    """Return the button for a game of the requester, with its short label after another one."""
    brief = game_people.brief
    shown = f"{label}{game_label(requester, game_people)}"[:MAX_LABEL_LENGTH]
    return Button(shown, press(action, brief.id, brief.revision), style)


def menu_buttons(speaker: Speaker) -> list[Button]:
    """Return the buttons of the menu."""
    return [
        make_button(speaker, "menu.play", "choose"),
        Button(speaker.line("menu.games"), run_press("games")),
        make_button(speaker, "menu.learn", "learn", LESSON_SCOPE),
        Button(speaker.line("menu.puzzle"), TODAY_PRESS),
        make_button(speaker, "menu.competitions", MENU_PRESS, None, 0, COMPETITIONS),
        make_button(speaker, "menu.leaderboard", "leaders"),
        Button(speaker.line("menu.profile"), run_press("profile")),
        Button(speaker.line("menu.settings"), run_press("settings")),
        Button(speaker.line("menu.help"), run_press("help")),
    ]


async def _is_new(context: Context, requester: RequestContext) -> bool:
    """Return True if a person has no game, and has finished none."""
    if await context.store.games.list_for_person(requester.id, 1):
        return False
    return not await context.store.ratings.results_of_person(requester.id, limit=1)


MAX_GAMES_LISTED: Final = 10


async def help_command(context: Context, requester: RequestContext, _values: Values) -> Reply:
    """Show a short introduction with buttons for the first steps, and the version."""
    adapter = context.adapters.get(requester.place.platform)
    opens = adapter is not None and adapter.opens_boards(place_of(requester.place))
    speaker, touching = requester.speaker, requester.speaker.say("help.app") if opens else ()
    buttons = [
        make_button(speaker, "button.play", "choose", style="primary"),
        make_button(speaker, "button.learn-any", "learn", LESSON_SCOPE),
        Button(speaker.line("button.puzzle.today"), TODAY_PRESS),
        make_button(speaker, "menu.rules", "rules"),
        make_button(speaker, "menu.menu", MENU_PRESS),
        make_button(speaker, "menu.all", MENU_PRESS, None, 0, EVERYTHING),
    ]
    version = speaker.say("version", version=read_version())
    return Reply(Card(join([speaker.say("help", touching=touching), version]), rows=button_rows(buttons)))


async def list_commands(context: Context, requester: RequestContext) -> Reply:
    """List the commands that the reader may give, each with its description."""
    known = await commands_open_to(context, requester)
    lines = [
        (command_span(command.name), Span(f" – {command.description(requester.speaker)}")) for command in known.values()
    ]
    return Reply(Card(join([requester.speaker.say("commands"), *lines])))


async def rules(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Show the short rules of a game; without a game, ask which."""
    if not values.get("game"):
        return Reply(_ask_which_rules(requester.speaker, 0))
    return Reply(rules_card(requester.speaker, await resolve_game_key(context, values["game"])))


def _ask_which_rules(speaker: Speaker, page: int) -> Card:
    rows = picking_rows(
        speaker,
        list(games),
        page,
        lambda key: make_button(speaker.of(key), "name", "rules", None, 0, key),
        lambda other: press("rules", None, 0, other),
    )
    return Card(speaker.say("rules.which"), rows=rows)


async def press_rules(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button Rules; without a game, ask which."""
    page = read_number(pressed.rest or "0")
    if page is not None:
        return Reply(_ask_which_rules(requester.speaker, page), update=bool(pressed.rest))
    key, _, asked_from = pressed.rest.partition(PATH_SEPARATOR)
    if key not in games:
        await check_game_installed(context, key)
        raise Refused("refusal.stale")
    return Reply(rules_card(requester.speaker, key, at_play=asked_from == RULES_AT_PLAY))


def rules_card(speaker: Speaker, game: str, *, at_play: bool = False) -> Card:
    """Return the card of a game's short rules; with a button that starts the game, unless it is `at_play`."""
    voice = speaker.of(game)
    title = (voice.game_span, Span(" – "), *voice.say("tagline"))
    start = make_button(voice, "button.play-this", "new", None, 0, game, style="primary")
    examples = make_button(voice, "button.examples", "example", None, 0, game, "0")
    buttons = [
        None if at_play else start,
        *learn_buttons(speaker, game),
        examples if rule_examples(game) else None,
    ]
    return Card(join([title, voice.say("rules.short")], "\n\n"), rows=button_rows(buttons))


async def press_example(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button of an illustrated example of the rules, with buttons to the others."""
    key, _, about = pressed.rest.partition(PATH_SEPARATOR)
    await check_game_installed(context, key)
    at, every = read_number(about), rule_examples(key) if key in games else ()
    if at is None or at >= len(every):
        raise Refused("refusal.stale")
    example, voice = every[at], requester.speaker.of(key)
    words = voice.say(f"example.{example.name}")
    theme = choose_theme(requester.person.settings, requester.place.effective)
    text = voice.say("rules.example", game=voice.game_name(), number=at + 1, count=len(every), words=words)
    before = make_button(voice, "button.back", "example", None, 0, key, str(at - 1))
    further = make_button(voice, "button.next", "example", None, 0, key, str(at + 1), style="primary")
    buttons = [
        make_button(voice, "button.rules", "rules", None, 0, key),
        before if at else None,
        further if at + 1 < len(every) else None,
    ]
    picture = await context.artist.example(example, voice, theme)
    return Reply(Card(text, picture, button_rows(buttons)), update=True)


async def games_command(context: Context, requester: RequestContext, _values: Values) -> Reply:
    """List the person's games, those waiting for them first."""
    speaker = requester.speaker
    briefs = await context.store.games.list_for_person(requester.id)
    if not briefs:
        buttons = (make_button(speaker, "button.play", "choose", style="primary"),)
        return Reply(Card(speaker.say("games.none"), rows=(buttons,)))
    game_list = await context.people_of_games(briefs[:MAX_GAMES_LISTED])
    damaged = {game_people.brief.id for game_people in game_list if await _is_set_aside(context, game_people.brief)}
    game_list.sort(key=lambda game_people: game_people.brief.id in damaged)
    now = context.clock()
    waiting = sum(brief.waiting and brief.id not in damaged for brief in briefs)
    parts: list[Text] = [speaker.say("games.waiting", n=waiting) if waiting else speaker.say("games.none-waiting")]
    shown_buttons, plan_buttons = list[Button](), list[Button]()
    # Show plans only in private: spectators must not learn that there are any.
    tried = await context.store.trees.list_for_person(requester.id) if context.is_private_place(requester.place) else []
    planned = {each.game: read_tree(each.tree) for each in tried if each.planned}
    for game_people in game_list:
        brief = game_people.brief
        since = speaker.since(brief.waiting_since, now)
        if brief.id in damaged:
            state = speaker.say("games.set-aside" if brief.game in games else "games.not-installed")
        elif brief.is_lobby:
            state = speaker.say("games.invited" if brief.waiting else "games.lobby")
            if brief.waiting:
                shown_buttons.append(_game_button(requester, game_people, "join", f"{speaker.line('button.accept')}: "))
        else:
            style: Style = "primary" if brief.waiting else "plain"
            shown_buttons.append(_game_button(requester, game_people, "show", style=style))
            # A computer is quick.
            state = speaker.say("games.thinking")
            if brief.to_move is not None:
                state = speaker.say("games.other", who=game_people.person_span(brief.to_move), when=since)
            if brief.waiting:
                state = join([speaker.say("games.you", when=since), _time_left_words(requester, brief, now)], ", ")
        said = [brief_words(game_people, speaker, requester.id), state]
        said.append(await _board_link(context, requester, brief))
        if plans := planned.get(brief.id):
            said.append(speaker.say("games.planned", plans=plans_words(plans, speaker.of(brief.game))))
            off = f"{speaker.line('button.plan.off')}: {brief.id}"
            plan_buttons.append(Button(off, press("unplan", brief.id), "danger"))
        parts.append(join(said, " – "))
    parts.append(speaker.left_out("games.more", len(briefs), MAX_GAMES_LISTED))
    return Reply(Card(join(parts), rows=button_rows([*shown_buttons, *plan_buttons])))


async def _board_link(context: Context, requester: RequestContext, brief: GameBrief) -> Text:
    """Return a link to a message with the game on the requester's platform; empty if there is none."""
    platform = requester.place.platform
    adapter = context.adapters.get(platform)
    if adapter is None or not adapter.has_message_links:
        return ()
    for post in await context.store.posts.list_for_game(brief.id):
        place = post.place
        # Leave out the private chats of other people.
        if place.platform == platform and post.message and (place.kind == "group" or place.id == requester.place.id):
            link = adapter.address(Place(platform, place.channel, place.thread, place.group), post.message)
            return (Span(requester.speaker.line("games.jump"), link=link),) if link else ()
    return ()


async def _is_set_aside(context: Context, brief: GameBrief) -> bool:
    """Return True if a game is damaged or not installed, and cannot be read."""
    try:
        await context.table(brief.id)
    except BrokenGame:
        return True
    return False


def _time_left_words(requester: RequestContext, brief: GameBrief, now: datetime) -> Text:
    """Return the time left for a turn, and the deadline in the reader's time zone; empty without a clock."""
    if brief.deadline is None:
        return ()
    settings = requester.person.settings
    when = requester.speaker.time(brief.deadline, timezone_of(settings) if settings.get(TIMEZONE_SETTING) else None)
    return requester.speaker.say("games.until", left=requester.speaker.since(brief.deadline, now), when=when)
