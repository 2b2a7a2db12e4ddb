"""Everything is found by pressing: the way of taps from a first visit to every command, through what Telegram shows."""

from dataclasses import replace

from bot.kernel.features import commands_on
from bot.kernel.form_presses import find_rule
from bot.kernel.forms import get_for
from bot.kernel.presses import find_press
from tests.bot.test_menu import MAX_PRESSES, NEAR, deed_of
from tests.fakes.telegram.people import Person
from tests.fakes.telegram.world import Message
from tests.telegram.harness import Scene


def payloads(message: Message) -> list[str]:
    """Return what the buttons of a message carry that are ours to answer."""
    carried = (str(button["callback_data"]) for button in message.buttons if "callback_data" in button)
    return [each for each in carried if find_rule(find_press(each))[0] is not None]


def leads_on(payload: str) -> bool:
    """Return True if a tap only shows something: what changes something is found, but need not be done."""
    rule, subject = find_rule(find_press(payload))
    return rule is not None and get_for(rule.public, subject) is None


async def answer_to(scene: Scene, me: Person, shown: Message, payload: str) -> Message:
    """Tap a button of a message as it was shown; return what shows the answer."""
    message = scene.telegram.put(shown)
    tap = await me.tap_data(message, payload)
    await tap.answered.wait()
    await scene.bot.wait()
    return max(
        (each for each in scene.telegram.shown(me.here) if each.author is shown.author), key=lambda each: each.id
    )


async def test_every_command_is_a_few_taps_away_in_one_s_own_chat(scene: Scene, anna: Person) -> None:
    me, commands = scene.alone(anna), commands_on("telegram")
    first = await scene.say_alone(anna, "/start")
    assert first.labels == ["Play", "Learn", "Puzzle", "Menu"]
    found, known = dict[str, int](), set[str]()
    shown = [(0, first)]
    for depth, message in shown:
        if set(commands) <= set(found):
            # Who looks at the nearest first has found the shortest way to each.
            break
        for payload in payloads(message):
            found.setdefault(deed_of(payload), depth + 1)
            if depth + 1 < MAX_PRESSES and payload not in known and leads_on(payload):
                known.add(payload)
                answer = await answer_to(scene, me, replace(message), payload)
                shown.append((depth + 1, replace(answer)))
    assert set(commands) - set(found) == set()
    assert max(found[name] for name in commands) <= MAX_PRESSES
    assert {name: found[name] <= most for name, most in NEAR.items()} == dict.fromkeys(NEAR, True)
