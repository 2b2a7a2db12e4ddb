"""The rounds of a finished game in words, for its turns and its record: who voted for what."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from bot.core.context import Context
from bot.core.preferences import VOTES, VOTES_HIDDEN
from bot.explanations import capitalise
from bot.language.names import tell_all_apart
from bot.language.texts import Span, Speaker, Text, join
from bot.tables.table import Table
from bot.teams.cards import proposal_words
from bot.teams.voting import ProposalKind, count_votes, letter, ranked
from bot.thinking.analysis import Alternative, JudgedAlternative
from bot.words.describe import turn_number
from engine import State, Turn, games
from storage import Event, Person, Proposal

MIN_GAIN: Final = 0.01
"""Minimum gain in expected value for a proposal to count as better than the turn played."""
MAX_PROPOSALS_SHOWN: Final = 3
MAX_VOTERS_SHOWN: Final = 8
"""Maximum numbers of proposals, and of names for each, shown with a turn; the record of a game has all."""


@dataclass(frozen=True, slots=True)
class PastRound:
    """A finished round: its team, its turn counted from 1, the proposals, and their voters.

    `round` is the revision at which the position came about; `voters` has, by the number of a proposal, those who voted
    for it, None for each who was forgotten.
    """

    team: int
    round: int
    turn: int
    proposals: tuple[Proposal, ...]
    voters: Mapping[int, Sequence[int | None]]


@dataclass(frozen=True)
class PastVotes:
    """All rounds of a game in order, and the people who proposed or voted."""

    rounds: tuple[PastRound, ...] = ()
    people: Mapping[int, Person] | None = None

    def person_text(self, person: int | None) -> Text:
        """Return a voter's name; empty for people who were forgotten or hide their votes."""
        known = (self.people or {}).get(person or 0)
        if known is None or not known.name or known.settings.get(VOTES) == VOTES_HIDDEN:
            return ()
        return (Span(self._names[known.id]),)

    @cached_property
    def _names(self) -> Mapping[int, str]:
        """The names of all, of which no two look alike."""
        return tell_all_apart({each: found.name for each, found in (self.people or {}).items()})


async def read_past_votes(context: Context, table: Table) -> PastVotes:
    """Return all rounds of a finished game; empty for an unfinished game, or one without a team."""
    row = table.row
    if row.terms.team is None or row.status != "over" or row.position is None:
        return PastVotes()
    events = await context.store.games.events(row.id)
    proposals, votes = await context.store.teams.proposals(row.id), await context.store.teams.votes(row.id)
    turns = _turns_by_revision(games[row.game].start(row.seat_count, row.options), events)
    of_round: dict[tuple[int, int], list[Proposal]] = defaultdict(list)
    for proposal in proposals:
        of_round[proposal.round, proposal.team].append(proposal)
    voters: dict[int, dict[int, list[int | None]]] = defaultdict(lambda: defaultdict(list))
    for vote in votes:
        voters[vote.round][vote.proposal].append(vote.person)
    rounds = [
        PastRound(team, number, turns.get(number, 1), tuple(found), voters[number])
        for (number, team), found in sorted(of_round.items())
    ]
    wanted = {each.person or 0 for each in proposals} | {each.person or 0 for each in votes}
    return PastVotes(tuple(rounds), await context.store.people.get_many(wanted))


def _turns_by_revision(start: State, events: Iterable[Event]) -> dict[int, int]:
    """Return, by event number, the turn to play after the event, counted from 1."""
    states, found, played = [start], dict[int, int](), list[int]()
    for event in events:
        if event.kind == "undo":
            while played and played[-1] > event.data["to"]:
                played.pop()
                states.pop()
        elif event.kind == "action":
            states.append(states[-1].advance(states[-1].read(str(event.data["action"]))))
            played.append(event.number)
        found[event.number] = states[-1].turn + 1
    return found


def turn_vote_words(past: PastVotes, voice: Speaker, turn: int) -> Text:
    """Return a short summary of the votes on a turn; empty if nothing was proposed."""
    parts = []
    for each in past.rounds:
        if each.turn == turn:
            parts.append(voice.say("team.past"))
            best = ranked(each.proposals)
            parts += [_proposal_line(past, voice, each, one, MAX_VOTERS_SHOWN) for one in best[:MAX_PROPOSALS_SHOWN]]
            if len(best) > MAX_PROPOSALS_SHOWN:
                parts.append(voice.say("team.more", n=len(best) - MAX_PROPOSALS_SHOWN))
    return join(parts)


def vote_record(past: PastVotes, table: Table, voice: Speaker) -> list[Text]:
    """Return all rounds of a game as lines of its record, one line per proposal."""
    lines: list[Text] = []
    for each in past.rounds:
        team, game = table.in_language(voice).person_span(each.team), games[table.row.game]
        turn, total = capitalise(turn_number(voice, game, each.turn)), count_votes(each.proposals)
        lines.append(voice.say("team.past.round", turn=turn, who=team, n=total))
        lines += [_proposal_line(past, voice, each, one, None) for one in each.proposals]
    return lines


def _proposal_line(past: PastVotes, voice: Speaker, of: PastRound, proposal: Proposal, most: int | None) -> Text:
    voters = of.voters.get(proposal.number, ())
    named = [name for name in map(past.person_text, voters) if name]
    others = len(voters) - len(named[:most])
    if others:
        named = [*named[:most], voice.say("team.past.others" if named[:most] else "team.past.unnamed", n=others)]
    said = voice.say(
        "team.proposal", letter=letter(proposal.number), what=proposal_words(voice, proposal), n=len(voters)
    )
    return voice.say("team.past.line", proposal=said, who=voice.listing(named)) if named else said


def proposed_alternatives(past: PastVotes, turns: Sequence[Turn], events: Sequence[Event]) -> list[Alternative]:
    """Return the proposals that were not played, for an analysis to judge.

    `events` are the actions of the line of play, in the order of the turns' actions.
    """
    at = [(number, begun) for number, turn in enumerate(turns, 1) for begun in range(len(turn.actions))]
    rounds, found = {each.round: each for each in past.rounds}, []
    for (number, begun), event in zip(at, events, strict=False):
        cause, _, round_number = (event.cause or "").rpartition(":")
        known = rounds.get(int(round_number)) if cause.startswith("team:") and round_number.isdecimal() else None
        if known is None or not any(each.votes for each in known.proposals):
            continue
        played = tuple(action.text for action in turns[number - 1].actions[begun:])
        for each in known.proposals:
            if each.kind == ProposalKind.TURN and each.actions != played[: len(each.actions)]:
                found.append(Alternative(number, begun, each.actions, (each.round, each.number)))
    return found


def passed_over_words(past: PastVotes, voice: Speaker, table: Table, found: JudgedAlternative | None) -> Text:
    """Return the line that compares the best proposal not played with the turn that was played."""
    if found is None:
        return ()
    about, better = found.alternative, found.value - found.played >= MIN_GAIN
    known = next((each for each in past.rounds if each.round == about.key[0]), None)
    proposal = next((each for each in known.proposals if each.number == about.key[1]), None) if known else None
    if known is None or proposal is None:
        return ()
    return voice.say(
        "team.passed-over.better" if better else "team.passed-over.worse",
        turn=turn_number(voice, games[table.row.game], about.turn),
        what=proposal_words(voice, proposal),
        who=past.person_text(proposal.person) or voice.say("team.somebody"),
        votes=proposal.votes,
        n=count_votes(known.proposals),
        value=round(100 * found.value),
        played=round(100 * found.played),
    )
