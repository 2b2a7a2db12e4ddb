"""What cups say and show: their terms, their standings, the pairings of a round."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

from bot.competitions.boards import CupGame
from bot.competitions.course import may_force_pairing
from bot.competitions.events import COMPUTER_ENTRANT, CupTerms, Ending, Format
from bot.competitions.sheets import ROWS_PER_PAGE, bracket_sheet, current_page, page_count, results_sheet
from bot.competitions.standings import StandingRow, ranking, winners
from bot.cups.service import CUPS, Cup
from bot.interface.cards import Card, LotCall
from bot.language.texts import Parameter, Span, Speaker, Text, join
from bot.lobby.cards import clock_name
from bot.matches.cards import (
    MAX_ENTRANTS_ASKED,
    Presenter,
    asked_lines,
    code_words,
    grid_lines,
    list_asked,
    list_names,
    name_span,
    page_title,
    points_words,
    standing_words,
)
from bot.tables.table import computer_name
from engine.fair import CHAIN_PREFIX
from render.charts import Chart
from render.tournaments import BracketTie, draw_bracket, draw_grid

MAX_RANKS_IN_MESSAGE: Final = 8
"""Rows of the table in the message; the button Table shows the rest."""
MAX_ENTRANTS_NAMED: Final = 24


class CupPresenter(Presenter[Cup]):
    """What cups say and show."""

    keeper = CUPS

    def title(self, found: Cup, voice: Speaker) -> Text:
        """Return a cup's title: its game, its format and its clock."""
        terms = found.stands.terms
        return voice.say(
            "cup.title",
            game=Span(voice.line("name"), bold=True),
            format=voice.line(f"cup.format.{terms.format}"),
            clock=clock_name(voice, terms.clock),
        )

    def line(self, found: Cup, voice: Speaker) -> Text:
        """Return the line for the list of a place."""
        return join([self.title(found, voice), voice.say(f"cup.stage.{found.stands.stage}")], " – ")

    def own_terms_lines(self, terms: CupTerms, voice: Speaker) -> list[Text]:
        """Return the terms that only cups have."""
        lines = [voice.say(f"cup.format.{terms.format}.about")]
        if terms.format in (Format.SWISS, Format.TABLES) and terms.rounds:
            lines.append(voice.say("cup.rounds", n=terms.rounds))
        return lines

    def lines(self, found: Cup, voice: Speaker) -> list[Text]:
        """Return what the message says below the title: before the start, the terms and the entrants."""
        stands = found.stands
        if stands.stage == "open":
            return [*self._open_lines(found, voice), _code(found, voice)]
        lines = _end_lines(found, voice) if stands.over else _running_lines(found, voice)
        return [*lines, *_rows(found, voice, 0, MAX_RANKS_IN_MESSAGE), _code(found, voice)]

    def _open_lines(self, found: Cup, voice: Speaker) -> list[Text]:
        return [*self.terms_lines(found.stands.terms, voice), *_entry_lines(found, voice)]

    def verbs(self, found: Cup) -> Sequence[str]:
        """Return the actions of the buttons below the message."""
        stands = found.stands
        join_ = ["join"] if stands.stage == "open" and stands.closed is None else []
        stay = ["stay"] if not stands.over and list_asked(found) else []
        details = ["details"] if stands.stage == "open" else []
        return [*join_, *stay, "table", *details, *([] if stands.over else ["leave", "run"])]

    def run_verbs(self, found: Cup) -> Sequence[str]:
        """Return the actions of those who run it, besides ending it."""
        if found.stands.stage == "running":
            return ("resume" if found.stands.paused else "pause",)
        return ("start",) if found.stands.stage == "open" and found.stands.closed is None else ()

    def pages(self, found: Cup) -> range:
        """Return the numbers of the table's pages; none before the start."""
        return range(page_count(found.stands) if found.stands.lots else 0)

    def newest_page(self, found: Cup) -> int:
        """Return the page that the message shows: the one that matters now."""
        return current_page(found.stands)

    def table_lines(self, found: Cup, voice: Speaker, page: int) -> list[Text]:
        """Return a page of the table in words; before the start, the terms and the entrants."""
        if not found.stands.lots:
            return self._open_lines(found, voice)
        return _rows(found, voice, page * ROWS_PER_PAGE, ROWS_PER_PAGE)

    def table_verbs(self, found: Cup) -> Sequence[str]:
        """Return the actions of the buttons below the table."""
        if not found.stands.lots:
            return ()
        return ("ties", "export") if ranking(found.stands).rules else ("export",)

    def lot_call(self, found: Cup) -> LotCall | None:
        """Return for browsers what the lot waits for, None if it waits for nothing."""
        stands = found.stands
        people = {number: person.id for number in stands.awaited if (person := found.person_of(number)) is not None}
        heads = {person: stands.entrants[number].cause.removeprefix(CHAIN_PREFIX) for number, person in people.items()}
        return LotCall(found.row.id, stands.revision, heads) if heads else None

    def newest_news(self, found: Cup) -> int:
        """Return the number of the newest round whose games are open, one more at the end."""
        newest = len(found.stands.rounds) + found.stands.over
        return 0 if found.stands.games_to_open() else newest

    def news(self, found: Cup, voice: Speaker) -> list[Text]:
        """Return a round's pairings, or the result."""
        stands = found.stands
        if stands.over:
            return _end_lines(found, voice)
        if not stands.rounds:
            return []
        newest = stands.rounds[-1]
        lines = [voice.say("cup.round-over", number=newest.number - 1)] if newest.number > 1 else []
        lines.append(voice.say("cup.round", number=newest.number, last=stands.planned))
        lines += [_pairing(found, voice, board.last) for board in newest.boards]
        lines += [
            voice.say("cup.walkover", who=name_span(found, each.winner), other=name_span(found, each.loser))
            for each in newest.walkovers
        ]
        if newest.byes:
            lines.append(voice.say("cup.bye", who=list_names(found, voice, newest.byes)))
        return lines

    def draw(self, found: Cup, voice: Speaker, page: int) -> tuple[Callable[[str], Chart], Iterable[Text]]:
        """Return what draws a page of the table in a theme, and the same in words."""
        stands = found.stands
        if stands.terms.format == Format.KNOCKOUT:
            pages, title = page_count(stands), voice.line("name")
            title = title if pages == 1 else f"{title} · {page + 1} / {pages}"
            return partial(draw_bracket, title, _bracket(found, page)), _bracket_words(found, voice, page)
        sheet = results_sheet(stands, page)
        title = page_title(voice, sheet.first, len(sheet.lines), len(stands.lots))
        words = [_result_words(found, voice, line.row) for line in sheet.lines]
        return partial(draw_grid, title, sheet.labels, grid_lines(found, sheet)), words

    def details_card(self, found: Cup, speaker: Speaker) -> Card:
        """Return all of a cup's terms, and the hash of its seed, which shows that its lots are fair."""
        voice, terms = speaker.of(found.row.game_key), found.stands.terms
        parts = [self.title(found, voice), *self.terms_lines(terms, voice), voice.say("cup.house")]
        if not terms.holidays:
            parts.append(voice.say("cup.no-holidays"))
        parts.append(
            code_words(found, voice) if found.stands.stage == "open" else voice.say("cup.code", code=found.row.id)
        )
        return Card(join([*parts, voice.say("cup.seal", seal=found.row.seed_hash)]))

    def tie_breaks_card(self, found: Cup, speaker: Speaker) -> Card:
        """Return the card that explains the tie-break rules."""
        voice = speaker.of(found.row.game_key)
        ties = ranking(found.stands).rules
        rule_names = voice.say("cup.ties", ties=voice.listing([voice.line(f"cup.tie.{tie}") for tie in ties]))
        return Card(join([self.title(found, voice), rule_names, *(voice.say(f"cup.tie.{tie}.about") for tie in ties)]))


CUP: Final = CupPresenter()


def _code(cup: Cup, voice: Speaker) -> Text:
    return code_words(cup, voice) if cup.stands.stage == "open" else voice.say("cup.code", code=cup.row.id)


def _rows(cup: Cup, voice: Speaker, first: int, most: int) -> list[Text]:
    """Return up to `most` lines of the table in words, from row `first`."""
    rows = ranking(cup.stands).rows[first:] if cup.stands.lots else ()
    lines = [standing_words(voice, row, Span(cup.name(row.entrant), bold=True)) for row in rows[:most]]
    return [*lines, voice.say("cup.more-rows", n=len(rows) - most)] if len(rows) > most else lines


def _entry_lines(cup: Cup, voice: Speaker) -> list[Text]:
    stands, terms = cup.stands, cup.stands.terms
    inside = stands.present
    lines = [voice.say("cup.inside", n=len(inside), most=terms.most)]
    if inside:
        lines.append(list_names(cup, voice, inside, MAX_ENTRANTS_NAMED))
    if cup.drawn_by is not None:
        who = list_names(cup, voice, stands.awaited, MAX_ENTRANTS_NAMED)
        lines.append(voice.say("cup.drawing", who=who, n=len(stands.awaited), when=voice.time(cup.drawn_by)))
    elif stands.until is not None:
        when = voice.time(stands.until)
        lines.append(voice.say("cup.starts-lapses" if terms.lapses else "cup.starts", when=when, least=terms.least))
    elif terms.starts_at is not None:
        lines.append(voice.say("cup.postponed", least=terms.least))
    else:
        lines.append(voice.say("cup.starts-full", most=terms.most))
    if may_force_pairing(terms.format):
        lines.append(voice.say("cup.anybody"))
    return lines


def _running_lines(cup: Cup, voice: Speaker) -> list[Text]:
    stands = cup.stands
    lines = []
    if stands.rounds:
        newest = stands.rounds[-1]
        done = sum(stands.is_done(board) for board in newest.boards)
        of = len(newest.boards)
        lines.append(voice.say("cup.going", number=newest.number, last=stands.planned, done=done, of=of, n=of))
    if cup.rests_until is not None:
        lines.append(voice.say("cup.is-paused", when=voice.time(cup.rests_until)))
    if stands.sharing:
        who = list_names(cup, voice, stands.sharing, MAX_ENTRANTS_ASKED)
        lines.append(voice.say("cup.sharing", who=who, n=len(stands.sharing)))
    return [*lines, *asked_lines(cup, voice)]


def _end_lines(cup: Cup, voice: Speaker) -> list[Text]:
    stands = cup.stands
    if stands.ending != Ending.PLAYED:
        return [voice.say(f"cup.ended.{stands.ending or Ending.STOPPED}")]
    first = winners(stands)
    if not first:
        return [voice.say("cup.nobody-won")]
    lines = [voice.say("cup.won", who=list_names(cup, voice, first), n=len(first))]
    rows = ranking(stands).rows
    ranked = stands.terms.format != Format.KNOCKOUT
    if ranked and len(first) < len(rows) and rows[0].points == rows[len(first)].points:
        lines.append(voice.say("cup.won-by-tie-break"))
    if stands.uncounted:
        who = list_names(cup, voice, stands.uncounted)
        lines.append(voice.say("cup.uncounted", who=who, n=len(stands.uncounted)))
    return lines


def _pairing(cup: Cup, voice: Speaker, game: CupGame) -> Text:
    level = cup.stands.terms.computers or "1"
    names = [
        name_span(cup, each) if each != COMPUTER_ENTRANT else Span(computer_name(voice, level), bold=True)
        for each in game.seats
    ]
    who = names[0:1]
    for name in names[1:]:
        who += [Span(" – "), name]
    return voice.say("cup.pairing", who=tuple(who), code=game.id or "")


def _bracket(cup: Cup, page: int) -> list[list[BracketTie]]:
    return [
        [
            BracketTie(
                (_name(cup, tie.one), _name(cup, tie.two)),
                None if tie.winner is None else (tie.one, tie.two).index(tie.winner),
            )
            for tie in column
        ]
        for column in bracket_sheet(cup.stands, page)
    ]


def _name(cup: Cup, entrant: int | None) -> str:
    return "" if entrant is None else cup.name(entrant)


def _result_words(cup: Cup, voice: Speaker, row: StandingRow) -> Text:
    """Return a line of a table in words: the place, the name, points and results."""
    said: dict[str, Parameter] = {
        "who": cup.name(row.entrant),
        "points": points_words(voice, row.points),
        "wins": voice.say("leaders.wins", n=row.wins),
        "draws": voice.say("leaders.draws", n=row.draws),
        "losses": voice.say("leaders.losses", n=row.losses),
    }
    if row.place is None:
        return voice.say("cup.picture.unplaced", **said)
    return voice.say("cup.picture.line", place=row.place, **said)


def _bracket_words(cup: Cup, voice: Speaker, page: int) -> list[Text]:
    """Return a page of a bracket in words, the newest round first: the pairings, who advanced, byes, the winner."""
    lines = []
    stands = cup.stands
    columns = bracket_sheet(stands, page)
    last = (len(stands.lots) - 1).bit_length()
    before = last - len(columns) if page == page_count(stands) - 1 else 0
    for number, column in reversed(list(enumerate(columns, start=before + 1))):
        for tie in column:
            people = [entrant for entrant in (tie.one, tie.two) if entrant is not None]
            if not people:
                continue
            who = voice.listing([cup.name(entrant) for entrant in people])
            if tie.winner is not None and len(people) == 1:
                lines.append(voice.say("cup.picture.bye", number=number, who=who))
            elif tie.winner is None:
                lines.append(voice.say("cup.picture.tie", number=number, who=who))
            else:
                key = "cup.picture.champion" if number == last else "cup.picture.through"
                lines.append(voice.say(key, number=number, who=who, winner=cup.name(tie.winner)))
    return lines
