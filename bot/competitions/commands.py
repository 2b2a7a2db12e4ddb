"""The command and the buttons of competitions: common ones for all kinds, to which each kind adds its own."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final

from bot.competitions.cards import AnyCards, CompetitionCards, CompetitionNews, CompetitionTable
from bot.competitions.file import FILE_TYPES, CompetitionFile
from bot.competitions.games import CompetitionWorker, read_competition_notice
from bot.competitions.keeper import ActionRule, AnyStored, Entry, check_may_run, check_may_see, read_timed_event
from bot.kernel.cards import Attachment, Button, Card, PageContent, Panel
from bot.kernel.commandline import Parameter
from bot.kernel.context import Context, Public
from bot.kernel.features import (
    GAME_PARAMETER,
    Command,
    Feature,
    PressRule,
    number,
    public_deeds,
    with_options,
    yes_or_no,
)
from bot.kernel.form_presses import games_card, older_presses, open_form
from bot.kernel.forms import GAME, NO, YES, Field, Form, FormNotes, FormState, Values
from bot.kernel.permissions import Right, find_page
from bot.kernel.pictures import choose_theme
from bot.kernel.post_kinds import PostKind
from bot.kernel.preferences import NoticeKind
from bot.kernel.presses import Press, read_number
from bot.kernel.question_cards import button_rows, make_button
from bot.kernel.refusals import Refused, refusal_words
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.texts import join
from bot.lobby.form import check_seat_count, read_options
from bot.table.clocks import CLOCK_NAMES, CLOCK_PATTERN, TimeControl, parse_time_control
from bot.table.game_lookup import resolve_game_key
from bot.table.replaying import export_record
from engine import EngineError, Game, games
from engine.record import make_names_distinct
from engine.search import LEVELS
from storage import CompetitionKind, Json
from storage.competitions import news_kind

SLOW_CLOCKS: Final = CLOCK_NAMES["days"]
ROUND_CLOCKS: Final = (*CLOCK_NAMES["evening"], *SLOW_CLOCKS)
"""The clocks on offer if rounds can begin when all players are there: fast ones, too."""
ENTRY_RULES: Final[Mapping[str, Entry]] = {"here": "here", "server": "group", "code": "code"}
"""The rules of entry by their names in the catalogues."""
MAX_HOLIDAY_DAYS: Final = 30
HOLIDAYS: Final = number("holidays", 0, MAX_HOLIDAY_DAYS)
HOLIDAY_CHOICES: Final = tuple(map(str, (0, 1, 2, 3, 5, 7, 14, MAX_HOLIDAY_DAYS)))
_LEVELS: Final = tuple(map(str, LEVELS))


ReadTerms = Callable[[Context, RequestContext, Values], Any]
"""Reads the terms from the values of a form or a command; raises Refused, InvalidOption."""


GAME_FIELD: Final = Field("g", GAME_PARAMETER)
ENTRY_FIELD: Final = Field("e", Parameter("entry", "choice", choices=tuple(ENTRY_RULES)), "here")
FILL_FIELD: Final = Field("m", Parameter("fill", "choice", choices=_LEVELS), offers=("", *_LEVELS))
DOUBLE_FIELD: Final = Field("x", yes_or_no("double"), NO, asked=lambda values: bool(games[values[GAME]].facts.grand))
RATED_FIELD: Final = Field("r", yes_or_no("rated"), YES)


def clock_field(names: tuple[str, ...]) -> Field:
    """Return the field for the clock: it offers `names`; others can be typed."""
    return Field("c", Parameter("clock", "text", choices=names, pattern=CLOCK_PATTERN), "1d", names)


def read_control(values: Values, names: tuple[str, ...] = ROUND_CLOCKS) -> TimeControl:
    """Return the chosen time control; Refused without a clock."""
    control = parse_time_control(values.get("clock", ""))
    if control.kind == "none":
        raise Refused("refusal.cup-clock", clocks=names)
    return control


def read_clock(values: Values) -> int:
    """Return the chosen seconds for a turn; Refused unless the clock is in days, without a reserve."""
    control = read_control(values, SLOW_CLOCKS)
    if control.kind != "days":
        raise Refused("refusal.clock-for-rounds", clock=control.name, clocks=SLOW_CLOCKS, field="clock")
    return control.turn or 0


def read_common_terms(requester: RequestContext, game: Game, seats: int, values: Values) -> Json:
    """Return the terms that competitions of all kinds have; InvalidOption."""
    return {
        "game": game.key,
        "options": dict(game.checked_options(seats, read_options(requester.speaker, game, values))),
        "entry": ENTRY_RULES[values.get("entry", "here")],
        "rated": values.get("rated", YES) == YES,
    }


def read_table_terms(requester: RequestContext, game: Game, seats: int, values: Values) -> Json:
    """Return the terms that cups and leagues have, those of all kinds among them; Refused, InvalidOption."""
    check_seat_count(game, seats)
    is_double = values.get("double") == YES
    if is_double and not game.facts.grand:
        raise Refused("refusal.cup-no-double", game=game.key)
    return {
        **read_common_terms(requester, game, seats, values),
        "seats": seats,
        "fewest": 2 if seats == 2 else max(3, game.seats[0]),
        "computers": values.get("fill", ""),
        "double": tuple(sorted(game.facts.grand)) if is_double else (),
    }


async def export_competition(
    context: Context, requester: RequestContext, found: AnyStored, *, programs: bool = False
) -> Reply:
    """Send a whole competition as a file, for people or for programs."""
    async with context.person_queue.turn(requester.id):
        whole = await _make_file(context, found)
        content = whole.json() if programs else whole.text()
    code, kind = found.row.id, found.row.kind
    file = Attachment(f"{kind}-{code}.{'json' if programs else 'txt'}", content.encode())
    other = make_button(requester.speaker, "button.cup.json", kind, None, 0, "json", code)
    words = requester.speaker.say("cup.export.over" if whole.seed is not None else "cup.export.running", code=code)
    return Reply(Card(words, rows=() if programs else ((other,),), file=file))


async def _make_file(context: Context, found: AnyStored) -> CompetitionFile[Any]:
    """Return the file; with the seed only once no game is played, because the games' seeds follow from it."""
    form = FILE_TYPES[found.row.kind]
    events = await context.store.competitions.events(found.row.id)
    timed = tuple(read_timed_event(context.clock, form.state.codec, each) for each in events[: found.row.revision])
    names = dict(zip(found.entries, make_names_distinct([found.name(number) for number in found.entries]), strict=True))
    records: dict[str, str] = {}
    going = not found.row.is_over
    for game in form(names, timed).games():
        # Leave out games that cannot be read; the rest of the file is still valid.
        with suppress(Refused, EngineError):
            table = await context.table(game)
            going = going or not table.row.is_over
            async with export_record(context, table) as record:
                records[game] = record.to_text()
    return form(names, timed, None if going else found.row.seed, records)


MAX_LISTED: Final = 8
_ASKED_BEFORE: Final = ("end", "out")
"""The buttons of those who run a competition that only ask whether to act."""


@dataclass(frozen=True)
class CompetitionCommands:
    """The command, the form and the buttons of the competitions of one kind.

    `fields` are those of the form, `options` of them before the game's options; `which` is its question for the game,
    `playable` returns the games on offer.
    `actions` and `views` are the buttons that only this kind has: those that act, and those that show a card. `misread`
    returns a value of the command that is probably meant as a game. `older` are the kinds of buttons of older forms.
    """

    cards: type[AnyCards]
    read_terms: ReadTerms
    fields: tuple[Field, ...]
    which: str
    options: int
    actions: Mapping[str, ActionRule]
    rank: int
    older: tuple[str, ...]
    playable: Callable[[], Sequence[str]] = lambda: list(games)
    views: Mapping[str, Callable[[Any], Card]] = field(default_factory=dict)
    misread: Callable[[Values], str | None] = lambda _: None
    listed: bool = False

    @property
    def kind(self) -> CompetitionKind:
        """The kind: the name of the command, and the first word of the buttons' payloads."""
        return self.cards.keeper.kind

    @cached_property
    def form(self) -> Form:
        """The form for a new competition; it shows the chosen terms as text."""

        async def tell(context: Context, requester: RequestContext, state: FormState) -> FormNotes:
            terms = self.read_terms(context, requester, state.command_values)
            return FormNotes(self.cards.terms_lines(terms, requester.speaker.of(state.subject)))

        return Form(
            command=self.kind,
            version=1,
            subject=GAME_FIELD,
            fields=self.fields,
            title=lambda voice, _: voice.say(f"{self.kind}.new", game=voice.game_span),
            tell=tell,
            submit=f"button.{self.kind}.make",
            games=self.playable,
            which=self.which,
            options=self.options,
        )

    @cached_property
    def rules(self) -> Mapping[str, ActionRule]:
        """The actions of this kind's buttons and of the common ones."""
        keeper = self.cards.keeper
        shared = {
            "join": ActionRule(keeper.enter),
            "leave!": ActionRule(keeper.leave, update=True),
            "end!": ActionRule(keeper.end, update=True, runs=True),
            "out!": ActionRule(keeper.exclude, numbered=True, update=True, runs=True),
        }
        return {**shared, **self.actions}

    def feature(self) -> Feature:
        """Return the feature; the metrics count entering where it happens, and all other actions here."""
        kind, cards, form = self.kind, self.cards, self.form
        command = Command(
            kind,
            self.answer,
            with_options((*form.parameters, Parameter("join", "code"))),
            rank=self.rank,
            listed=self.listed,
            public=Public.BEGIN,
            forms=(form,),
            opens=True,
        )
        of_runners = {"run", *_ASKED_BEFORE, *(verb for verb, rule in self.rules.items() if rule.runs)}
        rule = PressRule(
            self.press,
            public_deeds(frozenset({*self.rules, "show"} - {"join"})),
            right=lambda pressed: Right.DEPENDS if of_runners.intersection(pressed.path[:1]) else None,
        )
        posts: dict[str, Callable[[Context], PostKind]] = {kind: partial(CompetitionTable, cards)}
        if cards.news is not CompetitionCards.news:
            posts[news_kind(kind)] = partial(CompetitionNews, cards)
        return Feature(
            commands=(command,),
            presses={kind: rule, **older_presses(form, *self.older)},
            job=partial(CompetitionWorker, cards.keeper),
            posts=posts,
            notices={NoticeKind(kind): partial(read_competition_notice, cards)},
        )

    async def answer(self, context: Context, requester: RequestContext, values: Values) -> Reply:
        """Make a competition, enter one by its code, or list those of this place."""
        if values.get("join"):
            return await self._act(context, requester, "join", values["join"])
        if values.get(GAME):
            return await self._create(context, requester, values)
        if not values:
            return await self._list_here(context, requester)
        if meant := self.misread(values):
            await resolve_game_key(context, meant)
        raise Refused(f"refusal.{self.kind}-game-needed", example=f"/{self.kind} {self.playable()[0]} clock:1d")

    async def press(self, context: Context, requester: RequestContext, pressed: Press) -> Reply:
        """Handle a button."""
        keeper, (verb, code, about, *_) = self.cards.keeper, (*pressed.path, "", "", "")
        number, rule = read_number(about), self.rules.get(verb)
        if rule is not None and (number is not None or not rule.numbered):
            return await self._act(context, requester, verb, code, number or 0)
        found = await keeper.find(context, code)
        await check_may_see(context, requester, found)
        cards = self.cards(found, requester.speaker)
        match verb:
            case "export" | "json":
                return await export_competition(context, requester, found, programs=verb == "json")
            case "show":
                return await _show_anew(context, requester, found.row.id)
            case "table":
                return replace(await self._show_table(context, requester, cards, number), update=bool(about))
        if verb in self.views:
            return Reply(self.views[verb](cards))
        if found.state.over:
            raise Refused("refusal.cup-over")
        if verb in ("run", *_ASKED_BEFORE):
            await check_may_run(context, requester, found.row)
        match verb:
            case "run":
                return Reply(cards.manage_card())
            case "end":
                return Reply(cards.sure_card(verb), update=True)
            case "out" if number not in found.state.present:
                raise Refused("refusal.cup-not-in")
            case "out":
                return Reply(cards.sure_card(verb, str(number)), update=True)
            case "leave":
                keeper.my_number(found, requester)
                return Reply(cards.sure_card(verb), update=True)
        card = cards.own_card(context, keeper.my_number(found, requester)) if verb == "mine" else None
        if card is None:
            raise Refused("refusal.stale")
        return Reply(card)

    async def _act(self, context: Context, requester: RequestContext, verb: str, code: str, number: int = 0) -> Reply:
        rule, speaker = self.rules[verb], requester.speaker

        def answer(found: AnyStored) -> Reply:
            if rule.silent:
                return Reply()
            if rule.words is not None:
                return Reply(Card(rule.words(self.cards(found, speaker), number)), update=rule.update)
            name = verb.rstrip("!")
            kind = self.kind if speaker.has(f"{self.kind}.done.{name}") else "cup"
            return requester.answer(f"{kind}.done.{name}", update=rule.update)

        return await self.cards.keeper.commit(context, requester, code, rule, number, answer)

    async def _create(self, context: Context, requester: RequestContext, values: Values) -> Reply:
        key = await resolve_game_key(context, values[GAME])
        values = {**values, GAME: key}
        if self.form.is_asked_for(values) and key in self.playable():
            return await open_form(context, requester, self.form, values)
        reply = Reply(Card(requester.speaker.of(key).say(f"{self.kind}.created")))
        await self.cards.keeper.make(context, requester, self.read_terms(context, requester, values), reply)
        return reply

    async def _list_here(self, context: Context, requester: RequestContext) -> Reply:
        """Return the list of a place's competitions of this kind, with the form for a new one."""
        kind, speaker = self.cards.keeper.kind, requester.speaker
        rows = await context.store.competitions.list_in_place(requester.place.id, MAX_LISTED, kind=kind)
        if not rows:
            which = games_card(speaker, self.form)
            return Reply(replace(which, text=join([speaker.say(f"{kind}.none"), which.text])))
        parts, shown = [speaker.say(f"{kind}.here")], list[AnyCards]()
        for row in rows:
            try:
                cards = self.cards(await self.cards.keeper.read(context, row), speaker)
            except Refused as refused:
                parts.append(refusal_words(speaker, refused))
            else:
                parts.append(cards.summary())
                shown.append(cards)
        new = Button(speaker.line(f"button.{kind}.new"), self.form.opening_press(), "primary")
        if context.draws_for_readers(requester.place.platform):
            listed = Panel(speaker.line("competition.panel.listed"), tuple(each.listed_tile() for each in shown))
            return Reply(Card(join(parts), rows=((new,),), page=PageContent(parts[0], (listed,))))
        buttons = [Button(f"{each.word('name')} · {each.found.row.id}", each.press("show")) for each in shown]
        return Reply(Card(join(parts), rows=button_rows([*buttons, new])))

    async def _show_table(
        self, context: Context, requester: RequestContext, cards: AnyCards, number: int | None
    ) -> Reply:
        row, own = cards.found.row, cards.own_page(cards.found.entrant_of(requester.id))
        page = min([number or own, *cards.pages()[-1:]])
        theme = choose_theme(requester.person.settings, requester.place.settings)
        async with context.person_queue.turn(requester.id):
            picture = await cards.picture(context, theme, page)
        address = await find_page(context, row.kind, row.id)
        card = cards.table_card(page, picture, address)
        if context.draws_for_readers(requester.place.platform):
            card = replace(card, page=await cards.page_content(context, page))
        return Reply(card)


async def _show_anew(context: Context, requester: RequestContext, code: str) -> Reply:
    """Post a competition's message again as the newest one; Refused if it is not shown in this place."""
    if requester.place.id not in {each.place.id for each in await context.store.posts.list_of_competition(code)}:
        raise Refused("refusal.cup-elsewhere")
    await context.store.competitions.add_place(code, requester.place.id, context.clock())
    return requester.answer("cup.done.show", update=True)
