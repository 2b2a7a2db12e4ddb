"""Days of a crowd that votes at random: late, twice, again after a restart; every round comes to what was counted."""

from __future__ import annotations

from random import Random

from bot.interface.requests import Request
from tests.bot.party import Party
from tests.bot.test_teams import actions_of, row_of, team_game, votes_counted

PEOPLE = tuple(f"p{number}" for number in range(12))
ROUNDS = 5


async def test_a_crowd_votes_at_random_and_every_vote_counts_once(party: Party) -> None:
    rng = Random(49)
    code = await team_game(party, "/team annuvin computer 1 time:1h", *PEOPLE)
    for _ in range(ROUNDS):
        if (await row_of(party, code)).status == "over":
            break
        await _vote_at_random(party, code, rng)
    actions = [event for event in await actions_of(party, code) if "votes" in event.data]
    assert len(actions) == ROUNDS
    assert all(0 < event.data["votes"][0] <= event.data["votes"][1] <= len(PEOPLE) for event in actions)


async def _vote_at_random(party: Party, code: str, rng: Random) -> None:
    """Have a round go by: what is played must be what has most of the last votes of everybody."""
    table, before = await party.front.context.table(code), len(await actions_of(party, code))
    legal = [action.text for action in table.playing.state.legal_actions()]
    offered = rng.sample(legal, min(4, len(legal)))
    last: dict[str, int] = {}
    for number, text in enumerate(offered, start=1):
        await party.front.typed_text(party.request(PEOPLE[number]), f"/move {text} game:{code}")
        last[PEOPLE[number]] = number
    sent: list[tuple[Request, str]] = []
    revision = (await row_of(party, code)).revision
    for _ in range(30):
        who, number = rng.choice(PEOPLE), rng.randint(1, len(offered))
        request, press = party.request(who), f"vote:{code}:{revision}={number}"
        await party.front.press(request, press)
        last[who] = number
        sent.append((request, press))
        if rng.random() < 0.2:
            # The platform tells of an old event again, which must not bring an old vote back.
            await party.front.press(*rng.choice(sent))
    party.restarted()
    tally = [list(last.values()).count(number) for number in range(1, len(offered) + 1)]
    party.clock.turn(hours=1)
    late = await party.front.press(party.request(PEOPLE[0]), f"vote:{code}:{revision}=1")
    assert late.private
    await votes_counted(party)
    played = (await actions_of(party, code))[before]
    assert played.data["action"] == offered[tally.index(max(tally))]
    assert played.data["votes"] == [max(tally), len(last)]
