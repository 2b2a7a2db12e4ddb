"""Why a turn is good, in one sentence: what all games share; each game's own reasons are in a module here."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.kernel.explanations import candidate
from bot.kernel.explanations.candidate import OF_LAST, OF_WIN, Candidate, GameReasons, Reason
from bot.kernel.texts import Span, Speaker, Text, join
from engine import CHANCE, Action, State
from engine.discovery import Part, Parts
from engine.games import games
from engine.search import Judged

__all__ = ["capitalise", "explain_mistake", "explain_oversight", "explain_turn", "explained", "reasons"]

MAX_REASONS: Final = 2

REASONS: Final = Part("bot.kernel.explanations", "reasons", "REASONS")

explained: Final[Mapping[str, GameReasons]] = Parts(games, REASONS)


def explain_turn(
    speaker: Speaker,
    before: State,
    actions: Sequence[Action],
    names: Sequence[Span | str],
    judged: Sequence[Judged] = (),
    *,
    telling_move: bool = False,
) -> Text:
    """Return in one sentence what a turn, or the rest of one, is good for; empty if there is nothing to say.

    `judged` is a search's judgement of the first action and its alternatives. The sentence has the turn as its subject
    and names only the other players: it can be said to anybody. With `telling_move` it names the turn, for places that
    mention more than one.
    """
    voice = speaker.of(before.game.key)
    case = Candidate(voice, before, tuple(actions), names, judged)
    found = find_reasons(case)
    if not found:
        return ()
    listed = voice.listing([reason.text for reason in found])
    if telling_move:
        return voice.say("why.of-move", move=case.move(actions), reasons=listed)
    return capitalise(voice.say("why.sentence", reasons=listed))


def explain_mistake(
    speaker: Speaker, before: State, played: Sequence[Action], better: Sequence[Action], names: Sequence[Span | str]
) -> Text:
    """Return in one sentence what a turn allowed that a better one would not have; empty if nothing is seen."""
    voice = speaker.of(before.game.key)
    game = explained[before.game.key]
    case, other = (Candidate(voice, before, tuple(actions), names) for actions in (played, better))
    found = [*candidate.let_win(case, other)] if game.foresees(case) else []
    if not found and game.takes(case):
        found = [*candidate.let_take(case, other)]
    return found[0].text if found else ()


def explain_oversight(
    speaker: Speaker, before: State, played: Sequence[Action], answer: Sequence[Action], names: Sequence[Span | str]
) -> Text:
    """Return what a turn overlooks, in the game's own terms: what it concedes, and what the reply to it does.

    Empty if there is nothing to say, or if dice or nothing at all come next.
    """
    voice = speaker.of(before.game.key)
    case = Candidate(voice, before, tuple(played), names)
    said = list(explained[before.game.key].concedes(case))
    if answer and case.after.to_move is not None and case.after.to_move != CHANCE:
        # The reply has just been named: one of several steps is not written out again.
        telling_move = bool(said) or len(answer) == 1
        said.append(explain_turn(speaker, case.after, answer, names, telling_move=telling_move))
    return join([text for text in said if text], " ")


def find_reasons(case: Candidate) -> list[Reason]:
    """Return the weightiest reasons for a turn, at most two, in the order in which they are said."""
    game = explained[case.before.game.key]
    found = [*candidate.explain_ending(case), *game.own(case), *candidate.explain_judgement(case)]
    if game.foresees(case):
        found += candidate.wins(case)
    if game.takes(case):
        found += candidate.explain_captures(case)
    ranked = sorted(found, key=lambda reason: -reason.weight)
    if ranked and ranked[0].weight >= OF_WIN:
        return ranked[:1]
    chosen = [reason for reason in ranked if reason.weight > OF_LAST] or ranked[:1]
    return sorted(chosen[:MAX_REASONS], key=lambda reason: reason.late)


def capitalise(text: Text) -> Text:
    """Return a text with a capital first letter."""
    if not text or not text[0].text or text[0].code:
        return text
    first = text[0]
    return (replace(first, text=first.text[0].upper() + first.text[1:]), *text[1:])
