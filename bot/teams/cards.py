"""Cards for a team's votes: proposals under the board, the list of all, the menu of a member."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from bot.core.question_cards import button_rows
from bot.interface.cards import Button, Card, Menu, Row
from bot.interface.presses import TEAM_SUGGEST, press
from bot.language.names import tell_apart
from bot.language.texts import Span, Speaker, Text, join
from bot.tables.table import Table
from bot.teams.voting import ProposalKind, count_votes, letter, ranked
from bot.words.lines import line_words
from render.marks import Hint, HintStep
from storage import Person, Proposal

VOTE: Final = "vote"
PROPOSALS: Final = "votes"
MOTION: Final = "motion"
CALLS: Final = "teamcall"
LISTING: Final = "teamlist"
INVITATION: Final = "teamask"
JOIN: Final = "in"
DECLINE: Final = "out"
"""The press on an invitation to vote with a team, and its answers."""
MAX_SHOWN: Final = 5
"""Maximum number of proposals under a board; the list has all."""
MAX_MARKED: Final = 3
"""Maximum number of proposals marked in a picture."""


def proposal_words(voice: Speaker, proposal: Proposal) -> Text:
    """Return what is proposed, in few words."""
    if proposal.kind == ProposalKind.TURN:
        return (line_words(voice, proposal.actions),)
    return voice.say(f"team.motion.{proposal.kind}")


def round_words(
    voice: Speaker, proposals: Sequence[Proposal], closes_at: datetime | None, *, hidden: bool, quorum: int | None
) -> Text:
    """Return the current round: what is proposed, with votes unless they are hidden, and when it ends."""
    shown = list(proposals) if hidden else ranked(proposals)
    lines = [_proposal_line(voice, each, hidden=hidden) for each in shown[:MAX_SHOWN]]
    if len(shown) > MAX_SHOWN:
        lines.append(voice.say("team.more", n=len(shown) - MAX_SHOWN))
    if not shown:
        # Not that nobody has proposed anything: the board shows proposals some seconds later.
        lines.append(voice.say("team.proposals"))
    total = count_votes(proposals)
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
    """Return the result of the last round: the votes of what was played, and the runner-up."""
    others = [each for each in ranked(proposals) if each != played and each.votes]
    said = [voice.say("team.last", what=proposal_words(voice, played), votes=played.votes, n=count_votes(proposals))]
    if others:
        said.append(voice.say("team.last.next", what=proposal_words(voice, others[0]), n=others[0].votes))
    return join(said, " ")


def invitation_words(voice: Speaker, team: Person, asked: Sequence[Person]) -> Text:
    """Return whom a team asks to vote with it, and what they can press."""
    names = tell_apart(tuple(person.name for person in asked))
    who = voice.listing([Span(name, bold=True) for name in names])
    return voice.say("team.asks", team=Span(team.name, bold=True), who=who, n=len(asked))


def invitation_row(table: Table, voice: Speaker, team: Person, asked: Sequence[Person]) -> tuple[Button, ...]:
    """Return the buttons for those whom a team asks to vote with it."""
    return tuple(
        Button(
            voice.line(f"button.team.{answer}", team=team.name),
            press(INVITATION, table.row.id, table.row.revision, answer, str(team.id)),
            people=tuple(person.id for person in asked),
        )
        for answer in (JOIN, DECLINE)
    )


def vote_rows(table: Table, voice: Speaker, proposals: Sequence[Proposal], *, hidden: bool) -> tuple[Row, ...]:
    """Return the buttons below a board: one per proposal, and the one to propose a turn."""
    code, revision = table.row.id, table.row.revision
    shown = sorted((list(proposals) if hidden else ranked(proposals))[:MAX_SHOWN], key=lambda each: each.number)
    votes = [
        Button(voice.line("button.team.vote", letter=letter(each.number)), vote_press(table, each)) for each in shown
    ]
    below = [Button(voice.line("button.team.suggest"), press(TEAM_SUGGEST, code, revision), "primary")]
    if len(proposals) > MAX_SHOWN:
        below.append(Button(voice.line("button.team.all"), press(PROPOSALS, code, revision)))
    return (*button_rows(votes), tuple(below))


def vote_press(table: Table, proposal: Proposal) -> str:
    """Return the press of the button that votes for a proposal."""
    return press(VOTE, table.row.id, table.row.revision, str(proposal.number))


def list_card(table: Table, speaker: Speaker, proposals: Sequence[Proposal], *, hidden: bool) -> Card:
    """Return the private list of all proposals of a round, with a menu to vote."""
    voice = speaker.of(table.row.game)
    shown = list(proposals) if hidden else ranked(proposals)
    lines = [_proposal_line(voice, each, hidden=hidden) for each in shown] or [voice.say("team.nothing")]
    options = [
        Button(voice.line("button.team.vote", letter=letter(each.number)), vote_press(table, each)) for each in shown
    ]
    rows: tuple[Row, ...] = (Menu(voice.line("team.choose"), tuple(options[:25])),) if options else ()
    return Card(join(lines), rows=rows)


def menu_card(
    table: Table, speaker: Speaker, team: Person, motions: Sequence[ProposalKind], *, called: bool, voting: bool
) -> Card:
    """Return the private menu of a team's member: propose motions, list all proposals, be notified of each turn."""
    voice = speaker.of(table.row.game)
    code, revision = table.row.id, table.row.revision
    parts = [voice.say("team.about", who=table.in_language(voice).person_span(team.id))]
    rows: list[Row] = []
    if voting:
        buttons = [
            Button(
                voice.line(f"button.team.{kind}"),
                press(MOTION, code, revision, str(kind)),
                "danger" if kind == ProposalKind.RESIGN else "plain",
            )
            for kind in motions
        ]
        suggest = Button(voice.line("button.team.suggest"), press(TEAM_SUGGEST, code, revision), "primary")
        rows += [(suggest, Button(voice.line("button.team.all"), press(PROPOSALS, code, revision)))]
        rows += button_rows(buttons)
        parts.append(voice.say("team.motions"))
    key = "button.team.uncall" if called else "button.team.call"
    rows.append((Button(voice.line(key), press(CALLS, code, revision, "off" if called else "on")),))
    return Card(join(parts), rows=tuple(rows))


def proposed_card(table: Table, speaker: Speaker, proposal: Proposal) -> Card:
    """Return the private reply to a proposal: its letter, and that its proposer votes for it."""
    voice = speaker.of(table.row.game)
    name = Span(letter(proposal.number), bold=True)
    return Card(voice.say("team.proposed", letter=name, what=proposal_words(voice, proposal)))


def marks(table: Table, proposals: Sequence[Proposal], *, hidden: bool) -> Hint | None:
    """Return the leading proposals as lettered marks for the picture; None if none names a cell."""
    shown = [each for each in (proposals if hidden else ranked(proposals)) if each.kind == ProposalKind.TURN]
    steps, kind = list[HintStep](), ""
    for each in shown[:MAX_MARKED]:
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
