"""Forms on Telegram: one message in somebody's own chat, whose keyboard changes in place."""

from typing import Final

from tests.fakes.telegram.people import Person
from tests.fakes.telegram.schema import ApiError
from tests.support.comparing import missing_from
from tests.telegram.harness import Scene

PERSONAL: Final = ("/menu", "/games", "/profile", "/history", "/settings", "/block", "/puzzle")


async def test_settings_of_a_group_are_chosen_in_one_s_own_chat(scene: Scene, anna: Person) -> None:
    scene.group.status[anna.id] = "administrator"
    before = len(scene.shown)
    await scene.say_alone(anna, "/help")
    await scene.say(anna, "/settings for:channel")
    assert len(scene.shown) == before, "nothing stands in the group"
    form = scene.private(anna)[-1]
    assert "Settings of this chat" in form.text
    assert missing_from("\n".join(form.labels), "Language: automatic", "Old boards: as usual") == []
    await scene.tap(scene.alone(anna), form, "Language: automatic")
    assert missing_from("\n".join(form.labels), "Italiano", "Back") == []
    scene.telegram.fail("getChatMember", ApiError(500, "Internal Server Error"))
    with scene.telegram.refusing("Internal"):
        tap = await scene.tap(scene.alone(anna), form, "Italiano")
    assert tap.alert, "who may do so is not known now"
    await scene.tap(scene.alone(anna), form, "Italiano")
    assert "Language: Italiano" in form.labels
    assert scene.private(anna)[-1] is form, "it changes in place"
    await scene.say(anna, "/play annuvin")
    assert "cerca compagni di gioco" in scene.board.text


async def test_a_menu_asked_for_below_a_message_of_the_group_is_in_one_s_own_chat(scene: Scene, anna: Person) -> None:
    await scene.say(anna, "/help")
    guide = scene.shown[-1]
    before = len(scene.shown)
    with scene.telegram.refusing("chat not found"):
        tap = await scene.tap(anna, guide, "Menu")
    link = tap.url or ""
    assert link.startswith(f"https://t.me/{scene.telegram.bot.username}?start=p-"), link
    opened = await scene.say_alone(anna, f"/start {link.partition('?start=')[2]}")
    assert "Competitions" in opened.labels
    await scene.tap(anna, guide, "Menu")
    menu = scene.private(anna)[-1]
    assert menu is not opened
    assert menu.labels == opened.labels
    await scene.tap(anna, guide, "Everything")
    assert scene.private(anna)[-1] is not menu
    assert (len(scene.shown), guide.labels[-1]) == (before, "Everything"), "nothing stands in the group"
    await scene.tap(scene.alone(anna), scene.private(anna)[-1], "Back")
    assert scene.private(anna)[-1].labels == opened.labels


async def test_rights_are_asked_of_the_group_that_a_form_is_about(scene: Scene, anna: Person, bruno: Person) -> None:
    scene.group.status[bruno.id] = "administrator"
    await scene.say_alone(bruno, "/help")
    await scene.say(bruno, "/settings for:channel")
    form = scene.private(bruno)[-1]
    await scene.tap(scene.alone(bruno), form, "Language: automatic")
    scene.group.status[bruno.id] = "member"
    scene.bot.clock.turn(minutes=2)
    tap = await scene.tap(scene.alone(bruno), form, "Italiano")
    assert tap.alert
    assert "Only those who manage" in (tap.text or "")
    await scene.tap(scene.alone(bruno), form, "Back")
    assert "Language: automatic" not in form.labels, "what they may not change is not offered"
    assert "Language: automatic" in form.text
    scene.group.status[bruno.id] = "left"
    scene.bot.clock.turn(minutes=2)
    await scene.say(anna, "/play annuvin")
    tap = await scene.tap(scene.alone(bruno), form, "My settings")
    assert tap.text


async def test_without_an_own_chat_a_link_leads_to_the_form(scene: Scene, anna: Person) -> None:
    before = len(scene.shown)
    with scene.telegram.refusing("chat not found"):
        await scene.say(anna, "/cup annuvin")
    (line,) = scene.shown[before:]
    (link,) = line.marked.links
    assert link.startswith(f"https://t.me/{scene.telegram.bot.username}?start=p-")
    form = await scene.say_alone(anna, f"/start {link.partition('?start=')[2]}")
    assert "A new competition: Annuvin" in form.text
    me = scene.alone(anna)
    await scene.tap(me, form, "Time for a turn: 1 day a turn")
    await scene.tap(me, form, "3 days a turn")
    await scene.tap(me, form, "Make it")
    assert "is made" in form.text
    place = await scene.bot.store.places.get_or_create("telegram", str(scene.group.id))
    made = await scene.bot.store.competitions.list_in_place(place.id, 9, kind="cup")
    assert len(made) == 1, "it belongs to the group where it was asked for"


async def test_what_is_typed_answers_the_form_s_message(scene: Scene, anna: Person) -> None:
    me = scene.alone(anna)
    form = await scene.say_alone(anna, "/settings")
    await scene.tap(me, form, "Time zone: not set")
    assert "Answer this message" in form.text
    await scene.say(me, "Atlantis", answering=form)
    assert "I do not know the time zone" in form.text
    await scene.say(me, "Rome", answering=form)
    assert "Time zone: Europe/Rome" in form.labels, form.labels
    # The form itself refuses what is no hour, before the command is run.
    await scene.tap(me, form, "Daily message: 9:00")
    await scene.say(me, "99", answering=form)
    assert "from 0 to 23" in form.text
    assert scene.private(anna)[-1] is form


async def test_what_concerns_one_person_leaves_one_line_in_the_group_at_most(scene: Scene, anna: Person) -> None:
    for line in PERSONAL:
        before = {each.id for each in scene.shown}
        with scene.telegram.refusing("chat not found"):
            await scene.say(anna, line)
        (shown,) = [each for each in scene.shown if each.id not in before]
        assert shown.labels == [], line
        (link,) = shown.marked.links
        opened = await scene.say_alone(scene.person(f"Guest{line[1:]}"), f"/start {link.partition('?start=')[2]}")
        assert opened.text, line
    await scene.say_alone(anna, "/start")
    before = {each.id for each in scene.shown}
    for line in PERSONAL:
        known = len(scene.private(anna))
        await scene.say(anna, line)
        assert len(scene.private(anna)) == known + 1, line
    # Meanwhile earlier lines may have gone by themselves.
    assert {each.id for each in scene.shown} <= before
