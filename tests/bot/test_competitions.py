"""Competitions as people meet them: made, entered, played to their end, and everything that comes between."""

from datetime import timedelta

import pytest

from bot.competitions.cups.service import CupKeeper
from bot.competitions.keeper import CompetitionKeeper
from bot.kernel.requests import Place
from storage import EntrantRow
from tests.bot.cups import FOUR, HALL, YARD, a_cup, cup_of, main, played_out, private_messages, resign_all, time_passes
from tests.bot.party import Party, buttons, card, labelled, missing, words
from tests.support.present import present


async def test_all_play_all_from_the_command_to_a_winner_on_equal_points(party: Party) -> None:
    code = await a_cup(party, "/cup annuvin clock:1d players:4", *FOUR)
    # Full, it has begun by itself; everybody has a board with the terms of a competition.
    state = (await cup_of(party, code)).state
    assert (state.stage, state.planned, len(state.rounds)) == ("running", 3, 1)
    assert "Round 1" in private_messages(party)[-1]
    for *_, game in state.games():
        row = await party.load_row(present(game.id))
        assert (row.status, row.terms.cup, row.terms.hints, row.terms.clock) == ("playing", code, False, 86400)
        assert row.id in private_messages(party)[-1]
        assert any(f"competition {code}: the game of" in shown.text for shown in party.shown)
    beats = {"anna": "bruno cora", "bruno": "cora", "cora": "dino", "dino": "anna bruno"}
    cup = await played_out(party, code, lambda names: names[1] if names[1] in beats[names[0]] else names[0])
    assert (cup.state.stage, cup.state.ending, len(cup.state.rounds)) == ("over", "played", 3)
    assert len(private_messages(party)) == 4
    assert "has won" in private_messages(party)[-1]
    text = main(party, code).text
    assert missing(text, "It is over: ", "has won", "It was level on points: Table shows what broke the tie.") == []
    best = min(cup.entries.values(), key=lambda entry: entry.rank or 0)
    assert best.rank == 1
    assert await party.store.competitions.count_wins(best.person or 0) == {"annuvin": 1}
    # Nobody met anybody twice.
    assert len({frozenset(game.seats) for *_, game in cup.state.games()}) == 6


@pytest.mark.parametrize(
    ("line", "players", "rounds", "warned"),
    [
        ("annuvin format:swiss rounds:2", 4, 2, False),
        ("annuvin format:knockout", 4, 2, True),
        ("annuvin format:twice", 3, 6, True),
        ("vedova-nera format:tables seats:3 rounds:2", 5, 2, False),
    ],
)
async def test_every_format_comes_to_its_end(party: Party, line: str, players: int, rounds: int, warned: bool) -> None:
    people = (*FOUR, "elsa")[:players]
    code = await a_cup(party, f"/cup {line} clock:1d players:{players}", *people[:-1])
    # Blocked people meet only where the format leaves no choice; entrants are warned.
    assert ("whom they have blocked" in main(party, code).text) is warned
    await party.say("anna", "/block @bruno @cora")
    await party.press(people[-1], f"cup=join.{code}")
    cup = await cup_of(party, code)
    met = [{cup.name(each) for each in board.entrants} for board in cup.state.rounds[0].boards]
    assert {"Anna", "Dino"} in met or "swiss" not in line
    cup = await played_out(party, code)
    assert (cup.state.stage, len(cup.state.rounds)) == ("over", rounds)


async def test_who_never_moves_loses_is_asked_once_and_can_come_back(party: Party) -> None:
    code = await a_cup(party, "/cup annuvin clock:1h players:4", *FOUR)
    await time_passes(party, 2)
    cup = await cup_of(party, code)
    silent = [number for number in cup.state.present if cup.state.entrants[number].asked]
    assert len(silent) == 2
    assert len(cup.state.rounds) == 2  # nobody waits for them
    assert "no first move came" in main(party, code).text
    assert main(party, code).calls == ()
    who = cup.name(silent[0]).lower()
    assert "paired again" in words(await party.press(who, labelled(main(party, code).card, "I am still in")))
    assert "Nobody has asked" in words(await party.press(who, f"cup=stay.{code}"))
    for _ in range(9):
        await time_passes(party, 2)
    assert (await cup_of(party, code)).state.stage == "over"


async def test_in_its_games_nothing_but_a_draw_can_be_offered(party: Party) -> None:
    code = await a_cup(party, "/cup annuvin clock:1d players:4 rounds:1", *FOUR)
    table = await party.table(next(present(game.id) for *_, game in (await cup_of(party, code)).state.games()))
    game, mover = table.row.id, await party.mover_of(table.row.id)
    other = table.names[1 - present(table.mover)].lower()
    assert "In a competition this cannot be done" in words(await party.say(mover, f"/pause {game}"))
    more = card(await party.press(other, f"more:{game}:{table.row.revision}"))
    assert {each.label for each in buttons(more)}.isdisjoint(
        {"Pause", "Wait on", "Give up together", "Call it off", "Hint"}
    )
    assert "offer" in words(await party.say(other, f"/draw {game}"))
    party.managers.add("anna")
    assert code in words(await party.say("anna", f"/close {game}"))
    assert "hint" in words(await party.say(mover, f"/hint {game}")).lower()


async def test_leaving_excluding_pausing_and_ending(party: Party) -> None:
    code = await a_cup(party, "/cup annuvin clock:1d players:5", *FOUR)
    assert "Leave" in {each.label for each in buttons(main(party, code).card)}
    await party.press("dino", f"cup=leave.{code}")
    assert "3 of at most 5" in main(party, code).text
    await party.press("dino", f"cup=join.{code}")
    assert "Only the person who made it" in words(await party.press("bruno", f"cup=start.{code}"))
    assert "It starts" in words(await party.press("anna", f"cup=start.{code}"))
    assert "started already" in words(await party.press("anna", f"cup=start.{code}"))
    assert "started already" in words(await party.press("elsa", f"cup=join.{code}"))
    dino = (await cup_of(party, code)).entrant_of(await party.id_of("dino"))
    await party.follow("anna", await party.press("anna", f"cup=run.{code}"), "Dino", "Yes, put them out")
    await party.press("anna", f"cup=pause.{code}")
    assert "Paused" in main(party, code).text
    await resign_all(party, code)
    assert len((await cup_of(party, code)).state.rounds) == 1
    # The person who paused it may be gone: it does not wait for them.
    await time_passes(party, 14 * 24)
    assert "Paused" not in main(party, code).text
    for verb, paused in (("pause", True), ("resume", False)):
        await party.press("anna", f"cup={verb}.{code}")
        assert (await cup_of(party, code)).state.paused == paused
    cup = await cup_of(party, code)
    assert len(cup.state.rounds) == 2
    assert all(dino not in board.entrants for board in cup.state.rounds[1].boards)
    await party.press("anna", f"cup=end!.{code}")
    assert "ended before its time" in main(party, code).text
    assert "It is over" in words(await party.press("anna", f"cup=end!.{code}"))


async def test_it_starts_at_its_time_waits_for_more_or_lapses(party: Party) -> None:
    waits = await a_cup(party, "/cup annuvin clock:1d starts:2h least:3", "anna", "bruno")
    await time_passes(party, 3)
    assert "as soon as 3 are there" in main(party, waits).text
    await party.press("cora", f"cup=join.{waits}")
    assert (await cup_of(party, waits)).state.stage == "running"
    await party.press("anna", f"cup=end!.{waits}")
    assert "made" in words(await party.say("bruno", "/cup annuvin clock:1d starts:2h least:3 lapse:yes"))
    (row, *_) = await party.store.competitions.list_made_by(await party.id_of("bruno"))
    await time_passes(party, 3)
    assert "did not take place" in main(party, row.id).text


async def test_a_start_for_which_the_program_was_down_is_put_off_by_as_long(party: Party) -> None:
    await party.front.alarms.tick()
    code = await a_cup(party, "/cup annuvin clock:1d starts:2h lapse:yes", "anna", "bruno")
    starts = party.clock() + timedelta(hours=2)
    party.clock.turn(hours=5)
    party.restarted()
    await party.front.alarms.tick()
    await party.front.jobs["cups"].run_until_idle()
    await party.settle()
    assert (await cup_of(party, code)).state.until == starts + timedelta(hours=5)
    await party.press("cora", f"cup=join.{code}")
    for hours in (1, 1):
        assert (await cup_of(party, code)).state.stage == "open"
        await time_passes(party, hours)
    assert (await cup_of(party, code)).state.stage == "running"


async def test_competition_with_a_code_can_be_joined_from_other_channels(party: Party) -> None:
    code = await a_cup(party, "/cup annuvin clock:1d players:4 entry:code", *FOUR[:3])
    party.languages["dino"] = "it"
    assert "Ci sei" in words(await party.say("dino", f"/cup join {code}", place=HALL))
    assert "Round 1" in main(party, code).text
    assert "Round 1" in main(party, code, "hall").text
    # An entrant can have it shown elsewhere, too.
    assert "already" in words(await party.say("anna", f"/cup join {code}"))
    assert "You are in" in words(await party.say("anna", f"/cup join {code}", place=YARD))
    assert "Round 1" in main(party, code, "yard").text
    assert {shown.place.channel for shown in party.shown if "-news:" in shown.key} == {"room", "hall", "yard"}


async def test_boards_come_to_private_chats_where_there_are_no_threads_else_to_the_channel(party: Party) -> None:
    for who in ("anna", "bruno"):
        await party.say(who, "/games", place=Place("web", f"@{who}", kind="private"))
    party.adapter.closed.add("bruno")
    code = await a_cup(party, "/cup annuvin clock:1d players:3", *FOUR[:3])
    cup = await played_out(party, code)
    games = [game for *_, game in cup.state.games()]
    assert len(games) == 3
    for game in games:
        names = {cup.name(each) for each in game.seats}
        channels = {shown.place.channel for shown in party.shown if present(game.id) in str(shown.card.rows)}
        assert channels == ({"@anna", "room"} if "Anna" in names else {"room"}), names


async def test_who_links_has_one_entry_and_who_is_forgotten_leaves(party: Party) -> None:
    code = await a_cup(party, "/cup annuvin clock:1d players:5", *FOUR)
    anna, dino = [await party.id_of(who) for who in ("anna", "dino")]
    await party.store.links.merge_people(anna, dino)
    await party.front.jobs["cups"].run_until_idle()
    cup = await cup_of(party, code)
    assert (len(cup.state.present), cup.entrant_of(anna)) == (3, 0)
    await party.press("anna", f"cup=start.{code}")
    await party.press("cora", f"forget!={await party.id_of('cora')}")
    await played_out(party, code)
    await time_passes(party, 48)
    assert (await cup_of(party, code)).state.stage == "over"
    assert "Cora" not in main(party, code).text
    assert "…" in main(party, code).text


@pytest.mark.parametrize(("browsers", "counts"), [("aab", False), ("abb", True)])
async def test_a_win_counts_unless_the_winner_shares_a_browser_with_an_entrant(
    party: Party, monkeypatch: pytest.MonkeyPatch, browsers: str, counts: bool
) -> None:
    used = dict(zip(FOUR, browsers, strict=False))
    monkeypatch.setattr(party.adapter, "browser_of", lambda user: used.get(user, user), raising=False)
    code = await a_cup(party, "/cup annuvin clock:1d players:3", *used)
    anna = await party.id_of("anna")
    cup = await played_out(party, code, lambda names: next(name for name in names if name != "anna"))
    assert "It is over: Anna has won!" in main(party, code).text
    assert "level on points" not in main(party, code).text
    assert (await party.store.competitions.count_wins(anna) == {"annuvin": 1}) is counts
    assert ("Competitions won: 1" in words(await party.say("anna", "/profile"))) is counts
    assert ("does not count in the profile" in main(party, code).text) is not counts
    assert cup.state.uncounted == (() if counts else (0,))


@pytest.mark.parametrize("days", [0, 2])
async def test_a_holiday_makes_a_turn_no_longer_than_is_agreed_on(party: Party, days: int) -> None:
    code = await a_cup(party, f"/cup annuvin clock:1d players:3 holidays:{days}", *FOUR[:3])
    (game,) = [game.id or "" for *_, game in (await cup_of(party, code)).state.games()]
    deadline = present((await party.load_row(game)).deadline)
    mover = await party.mover_of(game)
    for holiday in (3, 9):
        party.clock.turn(hours=5)
        await party.say(mover, f"/settings holiday:{holiday}")
        assert (await party.load_row(game)).deadline == deadline + timedelta(days=days)


async def test_who_enters_while_somebody_else_does_is_in_as_well(party: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    code = await a_cup(party, "/cup annuvin clock:1d players:4")
    competitions = party.store.competitions
    entrants = competitions.entrants

    async def entrants_a_moment_later(competition: str) -> list[EntrantRow]:
        monkeypatch.undo()
        assert "You are in" in words(await party.press("bruno", f"cup=join.{code}"))
        return await entrants(competition)

    monkeypatch.setattr(competitions, "entrants", entrants_a_moment_later)
    assert "You are in" in words(await party.press("cora", f"cup=join.{code}"))
    assert len((await cup_of(party, code)).state.present) == 2


async def test_a_full_competition_says_how_many_are_in(party: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where only the events tell that it is full."""
    code = await a_cup(party, "/cup annuvin clock:1d players:4 starts:5h", *FOUR[1:], "enzo")
    monkeypatch.setattr(CupKeeper, "check_entering", CompetitionKeeper.check_entering)
    assert "It is full" in words(await party.press("fay", f"cup=join.{code}"))
