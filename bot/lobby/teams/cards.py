"""Cards for a team's votes: proposals below the board, the list of all proposals, the menu of a member."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final

from bot.kernel.cards import Button, Card, Menu, Row, Rows
from bot.kernel.context import Context
from bot.kernel.names import tell_apart
from bot.kernel.presses import TEAM_SUGGEST, press
from bot.kernel.question_cards import button_rows, game_button
from bot.kernel.table import Table, last_moved_revision
from bot.kernel.texts import Span, Speaker, Text, join
from bot.kernel.words.describe import line_words
from bot.lobby.teams.service import (
    ProposalKind,
    are_together,
    count_votes,
    find_winner,
    is_home,
    is_listed,
    letter,
    ranked,
)
from render.scene import Hint, HintStep
from storage import Person, PlaceRow, Proposal

VOTE: Final = "vote"
PROPOSALS: Final = "votes"
MOTION: Final = "motion"
CALLS: Final = "teamcall"
LISTING: Final = "teamlist"
INVITATION: Final = "teamask"
JOIN: Final = "in"
DECLINE: Final = "out"
"""The answer that declines an invitation to vote with a team."""
MAX_SHOWN: Final = 5
"""Maximum number of proposals below a board; the list has all."""
MAX_MARKED: Final = 3
"""Maximum number of proposals marked in a picture."""


def proposal_words(voice: Speaker, proposal: Proposal) -> Text:
    """Return a proposal in a few words."""
    if proposal.kind == ProposalKind.TURN:
        return (line_words(voice, proposal.actions),)
    return voice.say(f"team.motion.{proposal.kind}")


def order_shown(proposals: Sequence[Proposal], *, hidden: bool) -> Sequence[Proposal]:
    """Return proposals in the order of the card: by votes; if these are hidden, without them, in that of proposing."""
    return [replace(each, votes=0) for each in proposals] if hidden else ranked(proposals)


def round_words(
    voice: Speaker, shown: Sequence[Proposal], closes_at: datetime | None, *, hidden: bool, quorum: int | None
) -> Text:
    """Return the current round: the proposals, with votes unless they are hidden, and when the round ends."""
    lines = [_proposal_line(voice, each, hidden=hidden) for each in shown[:MAX_SHOWN]]
    lines.append(voice.left_out("team.more", len(shown), MAX_SHOWN))
    if not shown:
        # Do not state that there are no proposals: the board shows new ones only some seconds later.
        lines.append(voice.say("team.proposals"))
    total = count_votes(shown)
    until = [voice.say("team.until", when=voice.time(closes_at))] if closes_at is not None else []
    if quorum is not None:
        until.append(voice.say("team.quorum", n=quorum))
    if hidden and shown:
        until.append(voice.say("team.hidden"))
    elif total:
        until.append(voice.say("team.voted", n=total))
    return join([*lines, join(until, " ")])


def _proposal_line(voice: Speaker, proposal: Proposal, *, hidden: bool) -> Text:
    name = Span(letter(proposal.number), bold=True)
    words = proposal_words(voice, proposal)
    if hidden:
        return voice.say("team.proposal.hidden", letter=name, what=words)
    return voice.say("team.proposal", letter=name, what=words, n=proposal.votes)


def last_round_words(voice: Speaker, proposals: Sequence[Proposal], played: Proposal) -> Text:
    """Return the result of the last round: the votes for the played proposal, and the runner-up."""
    others = [each for each in ranked(proposals) if each != played and each.votes]
    said = [voice.say("team.last", what=proposal_words(voice, played), votes=played.votes, n=count_votes(proposals))]
    if others:
        said.append(voice.say("team.last.next", what=proposal_words(voice, others[0]), n=others[0].votes))
    return join(said, " ")


def vote_rows(table: Table, voice: Speaker, shown: Sequence[Proposal]) -> Rows:
    """Return the buttons below a board: one per proposal, and the one to propose a turn."""
    listed = sorted(shown[:MAX_SHOWN], key=lambda each: each.number)
    votes = [_vote_button(table, voice, each) for each in listed]
    below = [game_button(voice, table.row, "team.suggest", TEAM_SUGGEST, style="primary")]
    if len(shown) > MAX_SHOWN:
        below.append(game_button(voice, table.row, "team.all", PROPOSALS))
    return (*button_rows(votes), tuple(below))


def _vote_button(table: Table, voice: Speaker, proposal: Proposal) -> Button:
    carried = press(VOTE, table.id, table.row.revision, str(proposal.number))
    return Button(voice.line("button.team.vote", letter=letter(proposal.number)), carried)


def list_card(table: Table, speaker: Speaker, shown: Sequence[Proposal], *, hidden: bool) -> Card:
    """Return the private list of all proposals of a round, with a menu to vote."""
    voice = table.words_for(speaker)
    lines = [_proposal_line(voice, each, hidden=hidden) for each in shown] or [voice.say("team.nothing")]
    options = [_vote_button(table, voice, each) for each in shown]
    rows: Rows = (Menu(voice.line("team.choose"), tuple(options[:25])),) if options else ()
    return Card(join(lines), rows=rows)


def menu_card(
    table: Table, speaker: Speaker, team: Person, motions: Sequence[ProposalKind], *, called: bool, voting: bool
) -> Card:
    """Return the private menu of a team's member: propose motions, list all proposals, be notified of each turn."""
    voice = table.words_for(speaker)
    button = partial(game_button, voice, table.row)
    parts = [voice.say("team.about", who=table.in_language(voice).person_span(team.id))]
    rows: list[Row] = []
    if voting:
        buttons = [
            button(f"team.{kind}", MOTION, kind, style="danger" if kind == ProposalKind.RESIGN else "plain")
            for kind in motions
        ]
        rows += [(button("team.suggest", TEAM_SUGGEST, style="primary"), button("team.all", PROPOSALS))]
        rows += button_rows(buttons)
        parts.append(voice.say("team.motions"))
    rows.append((button("team.uncall", CALLS, "off") if called else button("team.call", CALLS, "on"),))
    return Card(join(parts), rows=tuple(rows))


def proposed_card(table: Table, speaker: Speaker, proposal: Proposal) -> Card:
    """Return the private reply to a proposal: its letter, and that its proposer votes for it."""
    voice = table.words_for(speaker)
    name = Span(letter(proposal.number), bold=True)
    return Card(voice.say("team.proposed", letter=name, what=proposal_words(voice, proposal)))


def marks(table: Table, shown: Sequence[Proposal]) -> Hint | None:
    """Return the leading proposals as lettered marks for the picture; None if none names a cell."""
    turns = [each for each in shown if each.kind == ProposalKind.TURN]
    steps, kind = list[HintStep](), ""
    for each in turns[:MAX_MARKED]:
        state = table.playing.state
        for text in each.actions:
            action = state.read(text)
            if action.target is not None:
                captures = action in state.find_captures((action,))
                steps.append(HintStep(action.target, action.source, captures, letter(each.number)))
                kind = kind or action.verb
                break
            state = state.advance(action)
    return Hint(tuple(steps), kind) if steps else None


@dataclass(frozen=True, slots=True)
class BoardExtra:
    """The additions of a team's vote to a board in a place: text and buttons below it, marks in its picture.

    `stamp` changes with the additions, whatever the language; it tells web pages to read the board again.
    """

    text: Text = ()
    rows: Rows = ()
    hint: Hint | None = None
    stamp: str = ""

    def added_to(self, card: Card) -> Card:
        """Return a board's card with the additions."""
        line = card.headline and replace(card.headline, votes=self.stamp)
        return replace(card, text=join([card.text, self.text]), rows=(*self.rows, *card.rows), headline=line)


async def read_board_extra(context: Context, table: Table, place: PlaceRow, speaker: Speaker) -> BoardExtra:
    """Return the votes on a team's turn, the result of its last vote, and the people that the team asks to join.

    Empty outside a team's own channel.
    """
    if table.row.terms.team is None or table.line is None:
        return BoardExtra()
    here = [each for each in table.teams if await is_home(context, each, place)]
    if not here:
        return BoardExtra()
    votes = await _votes_extra(context, table, {each.id for each in here}, table.words_for(speaker))
    if table.row.is_over or not any([await is_listed(context, table, each) for each in here]):
        return votes
    return await _with_invitations(context, table, here, table.words_for(speaker), votes)


async def _with_invitations(
    context: Context, table: Table, here: Sequence[Person], voice: Speaker, votes: BoardExtra
) -> BoardExtra:
    """Return the additions with the people that the teams of a place ask to vote with them, and their buttons."""
    invitations = await context.store.teams.invitations(table.id)
    people = await context.store.people.get_many({person for _, person in invitations}) if invitations else {}
    parts, rows = [votes.text], list(votes.rows)
    for team in here:
        asked = [people[person] for asking, person in invitations if asking == team.id and person in people]
        if asked:
            names = tell_apart(tuple(person.name for person in asked))
            who = voice.listing([Span(name, bold=True) for name in names])
            parts.append(voice.say("team.asks", team=Span(team.name, bold=True), who=who, n=len(asked)))
            ids, answers = tuple(person.id for person in asked), []
            for answer in (JOIN, DECLINE):
                carried = press(INVITATION, table.id, table.row.revision, answer, str(team.id))
                answers.append(Button(voice.line(f"button.team.{answer}", team=team.name), carried, people=ids))
            rows.append(tuple(answers))
    stamp = ".".join([votes.stamp, *(f"{team}-{person}" for team, person in invitations)])
    return replace(votes, text=join(parts), rows=tuple(rows), stamp=stamp)


async def _votes_extra(context: Context, table: Table, here: Collection[int], voice: Speaker) -> BoardExtra:
    team, terms = table.voting_team, table.row.terms.team
    if team is None or terms is None:
        return BoardExtra()
    now_voting = last_moved_revision(table.row)
    known = await context.store.teams.proposals(table.id, now_voting, with_last=True)
    last = [each for each in known if each.round != now_voting and each.team in here]
    played = find_winner(last)
    parts = [last_round_words(voice, last, played) if played is not None else ()]
    if team.id not in here:
        return BoardExtra(parts[0])  # the other side votes in another channel
    hidden = await are_together(context, table, team)
    shown = order_shown([each for each in known if each.round == now_voting and each.team == team.id], hidden=hidden)
    side = next((side for side in await context.store.teams.sides(table.id) if side.team == team.id), None)
    closes_at, extended = (side.closes_at, side.extended) if side is not None else (None, False)
    if extended:
        parts.append(voice.say(f"team.extended.{terms.idle}"))
    parts.append(round_words(voice, shown, closes_at, hidden=hidden, quorum=terms.quorum))
    votes = [each.votes for each in sorted(shown, key=lambda each: each.number)]
    stamp = ".".join(map(str, [int(extended), *votes]))
    return BoardExtra(join(parts), vote_rows(table, voice, shown), marks(table, shown), stamp)
