"""Channels that play as one: `/team`, proposing turns, voting, and the other actions of a team's members."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from bot.boards.board import BoardStep, open_board, reply_privately, show_step
from bot.boards.tries import TrialBoard
from bot.kernel.cards import Button, Card, PageContent, Panel, PanelItem
from bot.kernel.commandline import DEFAULT_LEVEL, Parameter, read_people
from bot.kernel.context import Context, Public
from bot.kernel.features import GAME_PARAMETER
from bot.kernel.form_presses import games_card
from bot.kernel.forms import Field, Form, FormNotes, FormState, Values
from bot.kernel.names import name_player, tell_all_apart, tell_apart
from bot.kernel.permissions import may_manage
from bot.kernel.preferences import OFF, ON, TEAM_TABLE
from bot.kernel.presses import Press, press
from bot.kernel.question_cards import button_rows, make_button, person_tile, shorten_tiles
from bot.kernel.refusals import Refused, engine_words
from bot.kernel.request_context import RequestContext, throttle
from bot.kernel.requests import Reply
from bot.kernel.table import TEAM_POOL, Table, last_moved_revision
from bot.kernel.texts import Span, Speaker, join
from bot.lobby.cards import brief_words
from bot.lobby.form import read_options
from bot.lobby.service import find_invited, find_person
from bot.lobby.teams import cards, service
from bot.lobby.teams.service import (
    BY_PLATFORM,
    MAX_PROPOSALS,
    ROLE,
    VOTERS,
    ProposalKind,
    are_together,
    ballot_of,
    is_home,
    is_listed,
    letter,
    moving_team,
    own_team,
)
from bot.lobby.teams.starting import (
    COMPUTER,
    DEFAULT_TIME,
    MAX_MEMBERS,
    MAX_QUORUM,
    OPPONENTS,
    PERSON,
    ROUND_TIMES,
    NamedTeam,
    join_game,
    open_game,
)
from bot.table.commands import load_current_table, rows_to_go_on
from bot.table.game_lookup import resolve_game_key
from bot.table.notices import whole_channel
from bot.table.offers import press_more
from bot.table.ratings import (
    MIN_TEAM_GAMES,
    OVERALL_KEY,
    count_words,
    is_ranked,
    name_at_pace,
    rating_points,
    results_note,
)
from engine import EngineError, games
from engine.search import LEVELS
from storage import Person, PlaceRow, Proposal, Rating, TeamTerms
from storage.addresses import make_plain

IDLE_RULES: Final = ("computer", "loss")
NEVER_UNNAMED: Final = r"(?!)"
"""A pattern that matches no word: names and roles are only read if their parameter is named."""
_QUORUMS: Final = ("", "3", "5", "10", "25", "50")
_ROLES: Final = "roles"
"""The key of the requester's roles in the values of the form; one role per line."""
_MAX_ROLES: Final = 24
_EVERYONE: Final = "@everyone"


async def _local(_context: Context, requester: RequestContext) -> Values:
    """Return the roles from which the requester may choose who votes."""
    roles = sorted(requester.request.user.roles - {_EVERYONE})[:_MAX_ROLES]
    return {_ROLES: "\n".join(roles)} if roles else {}


async def _tell(_context: Context, requester: RequestContext, state: FormState) -> FormNotes:
    rules = make_button(requester.speaker, "button.rules", "rules", None, 0, state.subject)
    return FormNotes([requester.speaker.of(state.subject).say("team.about")], [rules])


FORM: Final = Form(
    command="team",
    version=1,
    subject=Field("g", GAME_PARAMETER),
    fields=(
        Field("a", Parameter("against", "choice", choices=OPPONENTS), COMPUTER),
        Field("t", Parameter("time", "choice", choices=tuple(ROUND_TIMES)), DEFAULT_TIME),
        Field(
            "l",
            Parameter("computer", "level", choices=tuple(map(str, LEVELS))),
            DEFAULT_LEVEL,
            asked=lambda values: values["against"] == COMPUTER,
            needs="against",
        ),
        Field("o", Parameter("opponents", "people"), asked=lambda values: values["against"] == PERSON, needs="against"),
        Field("q", Parameter("quorum", "number", least=1, most=MAX_QUORUM), "", _QUORUMS),
        Field("i", Parameter("idle", "choice", choices=IDLE_RULES), IDLE_RULES[0]),
        Field("v", Parameter("voters", "choice", choices=VOTERS), VOTERS[0]),
        Field(
            "r",
            Parameter("role", "text", pattern=NEVER_UNNAMED),
            offers=lambda values: ("", *values[_ROLES].split("\n")),
            asked=lambda values: _ROLES in values,
        ),
        Field("n", Parameter("name", "text", pattern=NEVER_UNNAMED, prose=True)),
        Field("m", Parameter("members", "people")),
    ),
    title=lambda voice, _: voice.say("team.new", game=voice.game_span),
    tell=_tell,
    submit="button.team.begin",
    done="team.begun",
    games=lambda: list(games),
    which="team.which",
    options=4,
    local=_local,
)


async def _tell_admission(_context: Context, requester: RequestContext, _state: FormState) -> FormNotes:
    return FormNotes([requester.speaker.say("team.admission.about")])


ADMISSION: Final = Form(
    command="team",
    key="team-admit",
    version=1,
    fields=(Field("p", Parameter("admit", "people")),),
    title=lambda voice, _: voice.say("team.admission"),
    tell=_tell_admission,
    submit="button.team.admit",
)


async def team(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Start a game that the channel plays as one; without a game, list its running games and the games on offer."""
    if values.get("admit"):
        # A named team asks the people on its board, which is public.
        return await throttle(context, requester, Public.CHANGE, partial(_admit, context, requester, values["admit"]))
    if values.get("listed"):
        return await _list_channel(context, requester, values["listed"])
    if values.get("join"):
        named = await _read_named(context, requester, values)
        row = await join_game(context, requester, values["join"], named)
        return Reply(opens=row.id)
    if values.get("game"):
        key = await resolve_game_key(context, values["game"])
        game = games[key]
        options = game.checked_options(2, read_options(requester.speaker, game, values))
        terms = read_terms(requester, values)
        named = await _read_named(context, requester, values)
        invited = await find_invited(context, requester, read_people(values.get("opponents", "")))
        if len(invited) > 1:
            raise Refused("refusal.team-one-opponent")
        level, other = int(values.get("computer", DEFAULT_LEVEL)), next(iter(invited), None)
        row = await open_game(context, requester, key, options, terms, level=level, invited=other, named_team=named)
        return Reply(opens=row.id)
    if values:
        raise Refused("refusal.team-game-needed", example=f"/team {next(iter(games))} time:6h")
    return await _overview(context, requester)


async def _overview(context: Context, requester: RequestContext) -> Reply:
    """Show the running games and results of a channel's teams, and the games to choose from."""
    speaker, home = requester.speaker, await whole_channel(context, requester.place)
    tables = [await context.table_as_stored(code) for code in await context.store.teams.running_in(home.id)]
    rated = await _rated_teams(context, speaker, home)
    listed, actions = games_card(speaker, FORM), list[Button]()
    if tables:
        actions.append(Button(speaker.line("button.team.admit"), ADMISSION.opening_press(step="0")))
    if await may_manage(context, requester):
        shown = home.settings.get(TEAM_TABLE) is True
        key = "button.team.unlist" if shown else "button.team.list"
        actions.append(make_button(speaker, key, cards.LISTING, None, 0, OFF if shown else ON))
    running = [brief_words(table, speaker, 0) for table in tables]
    standing = [
        speaker.say(
            "team.standing" if is_ranked(each) else "team.young",
            who=Span(name, bold=True),
            **count_words(speaker, each.wins, each.draws, each.losses),
            points=speaker.number(rating_points(each)),
            least=MIN_TEAM_GAMES,
        )
        for name, each in rated
    ]
    words = join([*([speaker.say("team.running"), *running] if running else []), *standing, listed.text])
    if context.draws_for_readers(requester.place.platform):
        panels = await _team_panels(context, speaker, home, tables, rated)
        page = PageContent(join([speaker.say("team.teams"), speaker.say("team.about")]), panels, tuple(actions))
        return Reply(Card(words, page=page))
    ways = [
        Button(f"{speaker.game_name(each.row.game)} · {each.row.id}", press("board", each.row.id, each.row.revision))
        for each in tables
    ]
    return Reply(Card(words, rows=(*button_rows([*ways, *actions]), *listed.rows)))


async def _rated_teams(context: Context, speaker: Speaker, home: PlaceRow) -> list[tuple[str, Rating]]:
    """Return a channel's teams by name, with their results over all games; none before the first game is over."""
    ratings = await context.store.teams.rated_in(home.id, TEAM_POOL)
    people = await context.store.people.get_many([each.person for each in ratings])
    names = tell_all_apart({each: team.name for each, team in people.items()})
    return [
        (name_at_pace(speaker, names[each.person], each.pace), each) for each in ratings if each.game_key == OVERALL_KEY
    ]


async def _team_panels(
    context: Context, speaker: Speaker, home: PlaceRow, tables: Sequence[Table], rated: Sequence[tuple[str, Rating]]
) -> tuple[Panel, ...]:
    """Return a channel's teams with their games and people, the results of its teams, and the games on offer."""
    panels = [each for table in tables for each in await _side_panels(context, table.words_for(speaker), home, table)]
    results = [
        PanelItem(name, results_note(speaker, each.wins, each.draws, each.losses), speaker.number(rating_points(each)))
        for name, each in rated
    ]
    new = [PanelItem(speaker.game_name(key), press=FORM.opening_press(key), game=key) for key in games]
    if results:
        panels.append(Panel(speaker.line("team.panel.results"), tuple(results)))
    return (*panels, Panel(speaker.line("team.panel.new"), tuple(new)))


async def _side_panels(context: Context, voice: Speaker, home: PlaceRow, table: Table) -> list[Panel]:
    """Return each team of a channel in a game, with the game and the people who vote or are asked to."""
    code, row, spoken = table.id, table.row, table.in_language(voice)
    invitations = await context.store.teams.invitations(code)
    names = [spoken.entry_name(each) for each in row.seats if each.state in ("joined", "invited")]
    game = PanelItem(
        " – ".join(names),
        code,
        press=press("board", code, row.revision),
        code=code,
        game=row.game,
        revision=row.revision,
    )
    panels = []
    for team in table.teams:
        if not await is_home(context, team, home):
            continue
        roles = dict.fromkeys(await context.store.teams.admitted(code, team.id), "voter")
        roles |= {person: "asked" for side, person in invitations if side == team.id}
        if row.starter in roles:
            roles[row.starter] = "starter"
        people = await context.store.people.get_many(roles)
        shown = [
            person_tile(each.name, each.id, voice.line(f"team.role.{roles[each.id]}"))
            for each in people.values()
            if each.name
        ]
        panels.append(Panel(f"{team.name} · {voice.game_name()}", (game, *shorten_tiles(voice, shown))))
    return panels


async def press_listing(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button that lists a channel in the table of all channels, or removes it."""
    return replace(await _list_channel(context, requester, pressed.rest), update=True)


async def _list_channel(context: Context, requester: RequestContext, listed: str) -> Reply:
    """List a channel's teams in the table of all channels, or remove them, for those who manage the channel."""
    if requester.place.kind != "group":
        raise Refused("refusal.team-private")
    home = await whole_channel(context, requester.place)
    await context.store.places.change_settings(home.id, {TEAM_TABLE: True if listed == ON else None})
    return requester.answer("team.listed" if listed == ON else "team.unlisted")


async def _read_named(context: Context, requester: RequestContext, values: Values) -> NamedTeam | None:
    """Return the named team from typed values; None if the whole channel plays; Refused."""
    name = name_player(values.get("name", ""), "")
    found = await _find_people(context, requester, values.get("members", ""))
    if not name and not found:
        return None
    home = await whole_channel(context, requester.place)
    people = {person.id for person in found} | {requester.id}
    if not name or len(people) < 2:
        raise Refused("refusal.team-members", example="/team annuvin name:Reds members:@anna,@bruno")
    if len(people) > MAX_MEMBERS:
        raise Refused("refusal.team-members-many", most=MAX_MEMBERS)
    if len(await context.store.places.filter_seen(home.id, people - {requester.id})) < len(people) - 1:
        raise Refused("refusal.team-members-here")
    return NamedTeam(name, frozenset(people))


async def _find_people(context: Context, requester: RequestContext, text: str) -> list[Person]:
    """Return the people in the value of a `people` parameter; Refused if one is unknown."""
    found = [await find_person(context, requester, each) for each in read_people(text)]
    known = [person for person in found if person is not None]
    if len(known) < len(found):
        raise Refused("refusal.team-admit-unknown")
    return known


async def _admit(context: Context, requester: RequestContext, people: str) -> Reply:
    """Admit people as voters after the start, in the games that the requester started in this channel."""
    found = await _find_people(context, requester, people)
    if not found:
        raise Refused("refusal.team-admit-unknown")
    home = await whole_channel(context, requester.place)
    own = [await context.table_as_stored(code) for code in await context.store.teams.running_in(home.id)]
    if any(table.row.starter != requester.id for table in own) and not await may_manage(context, requester):
        own = [table for table in own if table.row.starter == requester.id]
    sides = [(table, await own_team(context, requester, table)) for table in own if table.row.is_playing]
    sides = [(table, side) for table, side in sides if await is_listed(context, table, side)]
    if not sides:
        raise Refused("refusal.team-admit-nothing")
    names = tell_apart(tuple(person.name for person in found))
    spans = [Span(name, bold=True, person=person.id) for name, person in zip(names, found, strict=True)]
    who = requester.speaker.listing(spans)
    reply = requester.answer("team.admitted", who=who, n=len(found))
    await service.admit(context, requester, sides, found, reply)
    return reply


def read_terms(requester: RequestContext, values: Values) -> TeamTerms:
    """Return a team's voting rules from typed values; Refused if they are invalid."""
    quorum = int(values["quorum"]) if values.get("quorum") else None
    role = values.get("role", "").strip().lstrip("@").lower() or None
    if role is not None:
        role = next((each for each in requester.request.user.roles if make_plain(each) == role), None)
        if role is None:
            raise Refused("refusal.team-role-unknown", role=values["role"][:40])
    return TeamTerms(
        role=role,
        seconds=ROUND_TIMES[values.get("time", DEFAULT_TIME)],
        quorum=quorum,
        idle=values.get("idle", IDLE_RULES[0]),
        voters=ROLE if role is not None else values.get("voters", BY_PLATFORM),
        against=PERSON if values.get("opponents") else values.get("against", COMPUTER),
    )


# Proposing.


async def press_suggest(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Handle the button Propose a turn: open a private board at the current position."""
    await _check_may_propose(context, requester, table)
    trial = await TrialBoard.begin(context, requester, table)
    return await open_board(trial, [requester.speaker.say("team.how")])


async def press_propose(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button Propose this turn on that private board."""
    trial = await TrialBoard.load(context, requester, pressed.game)
    await _check_may_propose(context, requester, trial.table)
    return await _propose_line(trial, changed=False)


async def propose_text(context: Context, requester: RequestContext, table: Table, text: str) -> Reply:
    """Propose a typed turn; an incomplete turn opens a private board to complete it."""
    await _check_may_propose(context, requester, table)
    trial = await TrialBoard.begin(context, requester, table)
    try:
        trial = trial.after_typed(text)
    except EngineError as error:
        said = engine_words(requester.speaker, table.row.game, error)
        return Reply(Card(said, rows=rows_to_go_on(table, error)))
    return await _propose_line(trial, changed=True)


async def _propose_line(trial: TrialBoard, *, changed: bool) -> Reply:
    """Propose the turn on a private board; show the board, which may have `changed`, if the turn is incomplete."""
    actions = service.proposed_actions(trial)
    if actions is None:
        said = trial.requester.speaker.say("team.part")
        return await show_step(BoardStep(trial, [said], changed=changed))
    return await _propose(trial.context, trial.requester, trial.table, ProposalKind.TURN, actions)


def takes_text(table: Table, requester: RequestContext) -> bool:
    """Return True if a typed line at a table is a proposal to the team to move."""
    return table.voting_team is not None and table.entry_of(requester.id) is None


async def press_motion(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle a button that proposes a draw, a takeback or resigning."""
    table = await load_current_table(context, pressed)
    kind = next((each for each in service.offered_motions(table) if each == pressed.rest), None)
    if kind is None:
        raise Refused("refusal.stale")
    return await _propose(context, requester, table, kind, ())


async def _propose(
    context: Context, requester: RequestContext, table: Table, kind: ProposalKind, actions: tuple[str, ...]
) -> Reply:
    def answer(number: int) -> Reply:
        proposal = Proposal(number, str(kind), actions, requester.id, context.clock(), 0, 0)
        return Reply(cards.proposed_card(table, requester.speaker, proposal), apart=True, secret=True)

    return await service.propose(context, requester, table, kind, actions, answer)


async def _check_may_propose(context: Context, requester: RequestContext, table: Table) -> None:
    """Raise Refused for people who may not propose, so that no board is opened for them."""
    found = await moving_team(context, requester, table)
    ballot = await ballot_of(context, requester, table, found)
    if not await context.store.teams.may_vote(ballot) and not await service.join_if_invited(context, ballot):
        raise Refused("refusal.team-not-listed")


async def press_invitation(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the buttons I'm in and Not me, for people who were named for a team."""
    table, (answer, about, *_) = await context.table(pressed.game), (*pressed.path, "", "")
    asking = next((each for each in table.teams if str(each.id) == about), None)
    if asking is None or answer not in (cards.JOIN, cards.DECLINE):
        raise Refused("refusal.stale")
    agrees = answer == cards.JOIN
    reply = requester.answer("team.joined" if agrees else "team.not-joined", who=Span(asking.name, bold=True))
    await service.answer_invitation(context, requester, table, asking.id, reply, agrees=agrees)
    return reply


# Voting.


async def press_vote(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button of a proposal: vote for it, replacing an earlier vote."""
    table = await load_current_table(context, pressed)
    number = pressed.number or 0
    if not 1 <= number <= MAX_PROPOSALS:
        raise Refused("refusal.stale")
    reply = requester.answer("team.vote", letter=Span(letter(number), bold=True))
    await service.vote(context, requester, table, number, reply)
    return reply


async def press_votes(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Handle the button All proposals, for members of the team only."""
    found = await moving_team(context, requester, table)
    proposals = await context.store.teams.proposals(table.id, last_moved_revision(table.row))
    hidden = await are_together(context, table, found)
    shown = cards.order_shown(proposals, hidden=hidden)
    return Reply(cards.list_card(table, requester.speaker, shown, hidden=hidden), apart=True, secret=True)


async def press_menu(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Handle the button More at a team's table: show the menu of a member, or the menu of the opponent."""
    if table.entry_of(requester.id) is not None:
        return await press_more(context, requester, table)
    table.check_unfinished()
    found = await own_team(context, requester, table)
    called = requester.id in await context.store.teams.called(table.id, found.id)
    voting = table.voting_team == found
    motions = service.offered_motions(table) if voting else []
    card = cards.menu_card(table, requester.speaker, found, motions, called=called, voting=voting)
    return Reply(card, apart=True, secret=True)


async def press_calls(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button that turns the private notice of each turn on or off."""
    table = await context.table(pressed.game)
    found = await own_team(context, requester, table)
    called = pressed.rest == "on"
    reply = reply_privately(Card(requester.speaker.say("team.called" if called else "team.uncalled")))
    await service.set_called(context, requester, table, found, reply, called=called)
    return reply
