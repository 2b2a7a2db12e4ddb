"""Explanations of a turn in one sentence: the part that all games share. Each game's reasons are in its own module."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.kernel.explanations import candidate
from bot.kernel.explanations.candidate import OF_LAST, OF_WIN, Candidate, GameReasons, Reason
from bot.kernel.texts import Speaker, Text, join
from bot.kernel.words.teller import Names
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
    names: Names,
    judged: Sequence[Judged] = (),
    *,
    telling_move: bool = False,
) -> Text:
    """Return one sentence on what a turn, or the rest of one, achieves; empty if there is nothing to say.

    `judged` is a search's judgement of the first action and its alternatives. The sentence has the turn as its subject
    and names only the other players, so it suits any reader. With `telling_move` it names the turn, for places that
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
    speaker: Speaker, before: State, played: Sequence[Action], better: Sequence[Action], names: Names
) -> Text:
    """Return one sentence on what a turn allowed that a better one would not have; empty if nothing is found."""
    voice = speaker.of(before.game.key)
    game = explained[before.game.key]
    case, other = (Candidate(voice, before, tuple(actions), names) for actions in (played, better))
    found = [*candidate.let_win(case, other)] if game.foresees(case) else []
    if not found and game.takes(case):
        found = [*candidate.let_take(case, other)]
    return found[0].text if found else ()


def explain_oversight(
    speaker: Speaker, before: State, played: Sequence[Action], answer: Sequence[Action], names: Names
) -> Text:
    """Return what a turn overlooks, in the game's own terms: its concession, and the effect of the reply.

    Empty if there is nothing to say, if dice come next, or if the game is over.
    """
    voice = speaker.of(before.game.key)
    case = Candidate(voice, before, tuple(played), names)
    said = list(explained[before.game.key].concedes(case))
    if answer and case.after.to_move is not None and case.after.to_move != CHANCE:
        # The reply has just been named: do not write out a reply of several steps again.
        telling_move = bool(said) or len(answer) == 1
        said.append(explain_turn(speaker, case.after, answer, names, telling_move=telling_move))
    return join([text for text in said if text], " ")


def find_reasons(case: Candidate) -> list[Reason]:
    """Return the weightiest reasons for a turn, at most two, in the order of the sentence."""
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
