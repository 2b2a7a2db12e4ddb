"""Days of a crowd that votes at random: late, twice, from two devices, again after a restart.

Every round must come to what was counted.
"""

import asyncio
from collections.abc import Sequence
from random import Random

import pytest

from bot.kernel.requests import Place, Request, User
from tests.bot.party import Party, words
from tests.bot.test_account import code_in, on_telegram
from tests.bot.test_teams import team_game, votes_counted, votes_of

PEOPLE = tuple(f"p{number}" for number in range(12))
ROUNDS = 2
PHONES = 3
"""So many of them have a second device."""


async def test_a_crowd_votes_at_random_and_every_vote_counts_once(party: Party) -> None:
    rng = Random(49)
    code = await team_game(party, "/team annuvin computer 1 time:1h", *PEOPLE)
    await with_phones(party, PEOPLE)
    for _ in range(ROUNDS):
        if (await party.load_row(code)).status == "over":
            break
        await _cast_votes(party, code, rng)
    votes = [votes for _, votes in await votes_of(party, code)]
    assert len(votes) == ROUNDS
    assert all(0 < most <= cast <= len(PEOPLE) for most, cast in votes)


@pytest.mark.full
@pytest.mark.parametrize(("people", "rounds"), [(3, 84), (3000, 1)])
@pytest.mark.timeout(1800)
async def test_weeks_of_a_crowd(party: Party, people: int, rounds: int) -> None:
    """A few people for weeks of two rounds a day or so, and very many for one."""
    rng = Random(people)
    names = tuple(f"p{number}" for number in range(people))
    for name in names:
        # Nothing is shown for this: without waiting for what there is to show, thousands come in soon.
        await party.front.typed_text(party.request(name), "/help")
    code = await team_game(party, "/team annuvin computer 1 time:1h", *names[:1])
    await with_phones(party, names)
    for _ in range(rounds):
        if (await party.load_row(code)).status == "over":
            code = await team_game(party, "/team annuvin computer 1 time:1h", *names[:1])
        await _cast_votes(party, code, rng, names, votes=max(30, people))


async def test_of_two_programs_that_end_a_round_one_does(party: Party) -> None:
    code = await team_game(party, "/team annuvin computer 1 time:1h", *PEOPLE[:3])
    turn = await party.legal(code)
    await party.front.typed_text(party.request(PEOPLE[0]), f"/move {turn} game:{code}")
    party.clock.turn(hours=1)
    one, other = party.front, party.restarted()
    party.thinking = False
    await asyncio.gather(one.jobs["teams"].run_until_idle(), other.jobs["teams"].run_until_idle())
    assert await votes_of(party, code) == [(turn, [1, 1])]
    await one.close()


async def with_phones(party: Party, people: Sequence[str]) -> None:
    """Have the first of some people link an account on another platform."""
    for who in people[:PHONES]:
        code = code_in(await party.say(who, "/link"))
        assert "Linked" in words(await on_telegram(party, f"{who}t", f"/link {code}"))


def on_phone(party: Party, who: str) -> Request:
    """Return a request of somebody from their other device: on another platform, in private."""
    party.numbers += 1
    user = f"{who}t"
    return Request(f"t{party.numbers}", User("telegram", user, user, "en"), Place("telegram", user, kind="private"))


async def _cast_votes(party: Party, code: str, rng: Random, people: Sequence[str] = PEOPLE, votes: int = 30) -> None:
    """Have a round go by: what is played must be what has most of the last votes of everybody."""
    # What leaves the turn open is no proposal yet.
    state = (await party.table(code)).playing.state
    legal = [each.text for each in state.legal_actions() if state.play(each).turn != state.turn]
    offered = rng.sample(legal, min(4, len(legal), len(people)))
    last: dict[str, int] = {}
    for number, text in enumerate(offered, start=1):
        await party.front.typed_text(party.request(people[number % len(people)]), f"/move {text} game:{code}")
        last[people[number % len(people)]] = number
    sent: list[tuple[Request, str]] = []
    revision = (await party.load_row(code)).revision
    for _ in range(votes):
        who, number = rng.choice(people), rng.randint(1, len(offered))
        phone = who in people[:PHONES] and rng.random() < 0.5
        request, press = on_phone(party, who) if phone else party.request(who), f"vote:{code}:{revision}={number}"
        await party.front.press(request, press)
        last[who] = number
        sent.append((request, press))
        if rng.random() < 0.2:
            # The platform tells of an old event again, which must not bring an old vote back.
            await party.front.press(*rng.choice(sent))
    party.restarted()
    tally = [list(last.values()).count(number) for number in range(1, len(offered) + 1)]
    party.clock.turn(hours=1)
    assert (await party.front.press(party.request(people[0]), f"vote:{code}:{revision}=1")).private
    await votes_counted(party)
    assert (await votes_of(party, code))[-1] == (offered[tally.index(max(tally))], [max(tally), len(last)])
