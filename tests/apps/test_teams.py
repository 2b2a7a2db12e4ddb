"""Teams in the Mini App: a side proposes and votes there, and nobody of the other side sees any of it."""

import asyncio
from typing import Any

from bot.kernel.requests import Membership, Place
from bot.kernel.texts import strip_styles
from bot.lobby.teams.rounds import SHOW_PAUSE
from tests.apps.hosts import GROUP, Apps
from tests.bot.party import Recorder
from tests.support.counting import BEGIN, listed_statements
from tests.support.present import present
from tests.web.browser import list_buttons

CLUB = Place("telegram", "-1002", group="-1002", title="The club")


class Telling(Recorder):
    """An adapter that says who is in a group now: everybody who has not left."""

    knows_members = True

    def __init__(self, known: Recorder) -> None:
        super().__init__(known.platform, known.messages)
        self.departed: set[str] = set()

    async def find_membership(self, place: Place, user: str) -> Membership | None:
        return None if user in self.departed else Membership()


async def counted(apps: Apps) -> None:
    """Let what was voted be shown, and rounds be closed."""
    apps.clock.turn(seconds=SHOW_PAUSE.total_seconds())
    await apps.front.jobs["teams"].run_until_idle()
    await apps.front.delivery.run_until_idle()


async def two_groups(apps: Apps) -> tuple[str, dict[Place, list[str]]]:
    """Have two groups play each other; return the code, and their people, first those of the group to move."""
    people = {GROUP: ["Anna", "Bruno"], CLUB: ["Carla", "Dora"]}
    for place, names in people.items():
        for name in names:
            await apps.says(name, "/help", place)
    code = await apps.game("Anna", play="/team annuvin against:channel time:1h quorum:2")
    await apps.says("Carla", f"/team join:{code}", CLUB)
    table = await apps.front.context.table(code)
    team = present(table.voting_team)
    first = GROUP if team.name == "Friends" else CLUB
    return code, {first: people[first], **people}


def text_of(data: Any) -> str:
    """Return all text in what the server said, without how it is written."""
    if isinstance(data, dict):
        return "".join(map(text_of, data.values()))
    return "".join(map(text_of, data)) if isinstance(data, list) else str(data)


def buttons_of(board: dict[str, Any]) -> dict[str, str]:
    """Return what the buttons below a board carry, by their words."""
    return {button["label"]: button["press"] for button in list_buttons(board)}


async def test_a_side_votes_in_the_app_and_the_other_sees_nothing_by_any_way(apps: Apps) -> None:
    code, people = await two_groups(apps)
    (mine, (one, two)), (theirs, (foe, _)) = people.items()
    app, mate = await apps.opens(one), await apps.opens(two)
    assert "Propose a turn" in buttons_of(await app.board(code))
    turn = (await apps.front.context.table(code)).playing.state.legal_actions()[0].text
    stream = await mate.listens(code)
    assert "Proposed as A" in text_of((await app.post("say", text=turn, open={"game": code})).data)
    await counted(apps)
    async with asyncio.timeout(60):
        # So its page looks at the votes again.
        while (await stream.receive_json())["games"] != [{"code": code}]:
            pass
    board = await mate.board(code)
    assert turn in text_of(board)
    vote = buttons_of(board)["Vote A"]
    # Another turn, on a board of one's own with the cells of ever; then back to the first.
    shown = (await app.post("press", press=buttons_of(board)["Propose a turn"])).data
    while "Propose this turn" not in buttons_of(shown):
        tried = next(press for press in shown["card"]["presses"].values() if press.startswith("t"))
        shown = (await app.post("press", press=tried)).data
    assert "Proposed as" in text_of((await app.post("press", press=buttons_of(shown)["Propose this turn"])).data)
    await app.post("press", press=vote)
    # The other side, by every way to look.
    attacker = await apps.opens(foe)
    assert "Propose a turn" not in buttons_of(await attacker.board(code))
    revision = (await apps.front.context.table(code)).row.revision
    seen = [text_of(await attacker.board(code))]
    for path in ("home", f"turns?game={code}", f"board?game={code}&turn=0"):
        seen.append(text_of((await attacker.get(path)).data))
    for deed in ("votes", "suggest", "teamm", "show", "more", "words", "try", "details", "share", "propose"):
        seen.append(text_of((await attacker.post("press", press=f"{deed}:{code}:{revision}")).data))
    for text in ("/team", f"/export {code}", f"/replay {code}", f"/analyse {code}", f"/board {code}", f"/try {code}"):
        for where in ("chat", "alone"):
            seen.append(text_of((await attacker.post("say", text=text, where=where, open={"game": code})).data))
    seen += [
        strip_styles(each.card.text) for each in apps.adapter.messages.values() if each.place.channel == theirs.channel
    ]
    assert "turn" in text_of((await attacker.post("press", press=vote)).data)
    assert not [each for each in seen if turn in each or "Vote A" in each or "Proposed" in each]
    assert len(await apps.store.teams.votes(code)) == 1
    stranger = await apps.opens("Eve")
    assert (await stranger.get(f"board?game={code}")).status == 404
    assert (await stranger.post("press", press=vote)).status == 404
    # Twice from two devices, and once from the chat: one vote.
    other_device = await apps.opens(two)
    for device in (mate, other_device, mate):
        with listed_statements() as listed:
            assert "Your vote is for A" in text_of((await device.post("press", press=vote)).data)
    assert len([each for each in listed if each != BEGIN]) <= 3, "also from an app"
    await apps.presses(two, vote, mine)
    assert len(await apps.store.teams.votes(code)) == 2
    await counted(apps)
    played = [event for event in await apps.store.games.events(code) if event.kind == "action"][-1]
    assert [played.data["action"], played.data["votes"]] == [turn, [2, 2]]


async def test_who_was_thrown_out_of_the_group_sees_and_votes_no_more(apps: Apps) -> None:
    code, people = await two_groups(apps)
    _, (one, two) = next(iter(people.items()))
    telling = Telling(apps.adapter)
    apps.front.context.adapters["telegram"] = telling
    first, second, *_ = (await apps.front.context.table(code)).playing.state.legal_actions()
    app, mate = await apps.opens(one), await apps.opens(two)
    assert "Proposed as A" in text_of((await app.post("say", text=first.text, open={"game": code})).data)
    telling.departed.add(str(apps.number(one)))
    apps.clock.turn(minutes=2)
    assert first.text in text_of(await mate.board(code))
    for answer in (
        await app.get(f"board?game={code}"),
        await app.post("say", text=second.text, open={"game": code}),
    ):
        assert (answer.status, answer.refusal) == (403, "left-chat")
    assert [each.votes for each in await apps.store.teams.proposals(code)] == [1]
