"""What nobody can choose about is not asked for: the table plays it, says so, and it can be taken back and replayed."""

import random

import pytest

from engine import games
from tests.bot.party import Party, button
from tests.support.present import present

PICKS = [key for key, game in games.items() if game.facts.picks]
NAMES = ("anna", "bruno", "carla", "dario", "elena")


@pytest.mark.parametrize("key", PICKS)
async def test_the_last_colour_costs_no_message_no_call_and_no_press(party: Party, key: str) -> None:
    seats, chance, picks = games[key].seats[-1], random.Random(key), games[key].facts.picks
    code = await party.started(f"/play {key} seats:{seats}", *NAMES[1:seats])

    async def by_itself() -> list[str]:
        events = await party.store.games.events(code)
        return [event.data["action"] for event in events if event.data.get("auto")]

    while not await by_itself():
        before, last, shown = await party.table(code), party.mover, len(party.shown)
        choices = before.playing.state.legal_actions()
        assert len(choices) > 1, "what is a matter of course was asked for"
        await party.say(last, f"/move {chance.choice([each for each in choices if each.verb in picks] or choices)}")
    table = await party.table(code)
    (alone,) = await by_itself()
    assert alone in {choice.text for choice in choices}
    # One message notifies the next player and lists the automatic turns.
    assert len(party.shown) <= shown + 1
    assert party.newest.card.mention == table.person_at(present(table.mover))
    assert "nothing else to choose" in party.newest.text
    party.front = party.restarted()
    assert (await party.table(code)).playing == table.playing
    # Taken back, both are open again.
    await party.say(last, f"/undo {code}")
    for other in NAMES[:seats]:
        if other != last:
            await party.press(other, button(party.newest.card, "agree"))
    assert (await party.table(code)).playing.state == before.playing.state
    assert party.mover == last
    await party.say(last, f"/move {alone}")
    assert (await party.table(code)).playing.state.legal_actions()[0].verb not in picks
