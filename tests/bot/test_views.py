"""A board that people can follow: it keeps still, and tells and marks all that came since somebody's last turn."""

import re
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import update

from bot.kernel.choices import Question, next_question
from bot.kernel.line import EARLIER_KEY
from bot.kernel.request_context import resolve_request_cached
from bot.kernel.requests import Place
from bot.kernel.table import list_recent_turns
from bot.kernel.words.describe import line_words
from bot.table.card_parts import reader_view
from bot.table.cards import board_card, choosing_card
from bot.table.checking import check_game
from bot.table.replaying import turns_of
from engine import CHANCE
from storage import Store
from storage.schema import games
from tests.bot.party import Party, button, words
from tests.bot.test_pictures import Studio, gallery
from tests.support.present import present

__all__ = ["gallery"]

ELSEWHERE = Place("web", "hall", title="The hall")
ALONE = Place("web", "anna-alone", kind="private")


@pytest.fixture
async def studio() -> Studio:
    """Where pictures are asked for."""
    return Studio(plain=True)


async def begun(gallery: Party, turns: int, line: str = "/play vedova-nera @bruno @carla", *joining: str) -> str:
    """Have a game begin of which so many turns are played, and return its code."""
    code = await gallery.started(line, *(joining or ("bruno", "carla")))
    for _ in range(turns):
        await gallery.play_first(code)
    return code


def sides(studio: Studio, since: int = 0) -> list[tuple[Any, Any]]:
    return [(asked["viewer"], asked.get("goals_of")) for asked in studio.asked[since:]]


async def test_public_board_rotates_only_with_the_setting(gallery: Party, studio: Studio) -> None:
    code = await begun(gallery, 3, "/play annuvin @bruno", "bruno")
    assert sides(studio) == [(0, 0), (0, 1), (0, 0), (0, 1)]
    asked = len(studio.asked)
    # What is shown to one of them alone belongs to that board, and lies as it does.
    await gallery.press("bruno", f"show:{code}:0")
    await gallery.press("anna", f"show:{code}:0")
    assert {viewer for viewer, _ in sides(studio, asked)} == {0}
    gallery.managers.add("anna")
    said = words(await gallery.say("anna", "/settings side:mover for:channel"))
    assert "from the side of the player to move" in said
    asked = len(studio.asked)
    for _ in range(2):
        await gallery.play_first(code)
    assert sides(studio, asked) == [(0, 0), (1, 1)]
    gallery.languages["anna"] = "it"
    assert "sempre dalla stessa parte" in words(await gallery.say("anna", "/settings side:fixed for:channel"))


async def test_where_one_of_the_players_is_it_is_that_players_side(gallery: Party, studio: Studio) -> None:
    await gallery.say("anna", "/play annuvin @bruno", place=gallery.room)
    code = gallery.code
    await gallery.say("bruno", f"/join {code}", place=ELSEWHERE)
    for _ in range(4):
        asked = len(studio.asked)
        place = gallery.room if await gallery.mover_of(code) == "anna" else ELSEWHERE
        who = await gallery.play_first(code, place=place)
        assert sorted(sides(studio, asked)) == [(0, 0), (1, 1)], who
    # Among computers it is the side of the only person, also while these move and in a channel of many.
    for place in (gallery.room, ALONE):
        asked = len(studio.asked)
        await gallery.say("anna", "/play vedova-nera seats:3 computer:1", place=place)
        solo = gallery.code
        seat = (await gallery.table(solo)).names.index("Anna")
        for _ in range(2):
            await gallery.play_first(solo, place=place)
        assert set(sides(studio, asked)) == {(seat, seat)}
    await gallery.say("anna", "/settings side:mover", place=ALONE)
    asked, gallery.thinking = len(studio.asked), False
    await gallery.play_first(solo, place=ALONE)
    mover = (await gallery.table(solo)).mover
    assert sides(studio, asked) == [(mover, mover)]


@pytest.mark.parametrize("key", ["vedova-nera", "uomo-nero"])
async def test_board_shows_every_turn_since_the_own_last_one(gallery: Party, studio: Studio, key: str) -> None:
    await gallery.say("anna", f"/play {key} seats:4 computer:1", place=ALONE)
    code, speaker = gallery.code, gallery.front.context.speaker("en")
    for _ in range(3):
        gallery.thinking = False
        while await gallery.mover_of(code) == "anna":
            board, before = gallery.board, gallery.board.text
            await gallery.play_first(code, place=ALONE)
        # What was said of the others stays where it was said, with one's own turn below it.
        turn_line = re.compile(r"(?:^|\. )[^,.:]+(?: played|:) ")
        lines = [
            line
            for line in before.split("\n")
            if turn_line.search(line) and "Anna" not in line and not line.startswith("Goal")
        ]
        assert all(line in board.text for line in lines)
        assert "Anna" in board.text
        gallery.thinking = True
        await gallery.settle()
        table = await gallery.table(code)
        turns, all_turns = list_recent_turns(table), await turns_of(gallery.front.context, table)
        mine = max(at for at, turn in enumerate(all_turns) if turn.seat == table.names.index("Anna"))
        assert {turn.seat for turn in turns} == {turn.seat for turn in all_turns[mine + 1 :]} - {CHANCE} != set()
        names = (table.in_language(speaker).names[turn.seat] for turn in turns)
        in_this_order = ".*".join(rf"\b{re.escape(name)}:? " for name in names)
        text, marked = gallery.board.text, studio.asked[-1]
        assert re.search(in_this_order, text, re.DOTALL), in_this_order
        # As many turns as there are seats stand out on the board.
        assert (*marked["earlier"], marked["last_turn"]) == turns[-4:]
    # Brought up anew, it tells and marks the same.
    gallery.restarted()
    await gallery.say("anna", "/board", place=ALONE)
    assert gallery.board.text == text
    assert studio.asked[-1]["earlier"] == marked["earlier"]
    assert await check_game(gallery.store, code) == ()


async def test_unfinished_turn_is_listed_below_the_previous_one(gallery: Party, studio: Studio) -> None:
    code = await gallery.started("/play uomo-nero @bruno")
    for _ in range(40):
        table = await gallery.table(code)
        if table.playing.has_acted and table.playing.finished is not None:
            break
        await gallery.play_first(code)
    finished, begun = list_recent_turns(table)
    assert begun is table.playing.begun
    text, voice = gallery.board.text, gallery.front.context.speaker("en").of("uomo-nero")
    assert 0 <= text.find(line_words(voice, finished.own).text) < text.rfind(line_words(voice, begun.own).text)
    assert studio.asked[-1]["earlier"] == (finished,)
    # Who is choosing how to go on reads what they have done already.
    asked = next_question(table.playing.state, table.playing.state.legal_actions())
    assert isinstance(asked, Question)
    choosing = "".join(span.text for span in choosing_card(table, gallery.front.context.speaker("en"), asked).text)
    assert f"So far: {line_words(voice, begun.own).text}" in choosing


async def test_personal_view_shows_turns_since_the_own_one(gallery: Party) -> None:
    code = await begun(gallery, 7)
    table = await gallery.table(code)
    speaker, people = gallery.front.context.speaker("en"), table.people
    for entry in table.row.seats:
        view = reader_view(table, people[present(entry.person)])
        assert (view.viewer, view.goals_of, view.reader) == (entry.seat, entry.seat, entry.seat)
        turns = list_recent_turns(table, view.reader)
        text = "".join(span.text for span in board_card(table, speaker, view.reader).text)
        assert all(line_words(speaker.of("vedova-nera"), turn.own).text in text for turn in turns)
        assert all(turn.seat != entry.seat for turn in turns) or len(turns) == 1
    stranger = await gallery.front.context.store.people.identify("web", "dora", "dora", "en", at=gallery.clock())
    watching = reader_view(table, stranger, theme="dark")
    assert (watching.viewer, watching.goals_of, watching.reader, watching.theme) == (0, table.mover, None, "dark")


async def test_game_of_an_older_version_shows_the_last_turn_only(gallery: Party) -> None:
    code = await begun(gallery, 6)
    last_turn = present((await gallery.load_row(code)).last_turn)
    older = {name: value for name, value in last_turn.items() if name != EARLIER_KEY}
    await older_row(gallery.store, code, older)
    gallery.restarted()
    assert len(list_recent_turns(await gallery.table(code))) == 1
    assert await check_game(gallery.store, code) == ()
    await gallery.play_first(code)
    assert len(list_recent_turns(await gallery.table(code))) == 2
    assert await check_game(gallery.store, code) == ()
    invented = {**older, EARLIER_KEY: {**last_turn[EARLIER_KEY], "turns": last_turn[EARLIER_KEY]["turns"][:1]}}
    await older_row(gallery.store, code, invented)
    assert [finding.what for finding in await check_game(gallery.store, code)] == ["last-turn"]


async def older_row(store: Store, code: str, last_turn: dict[str, Any]) -> None:
    """Write what a game's row tells of its turns."""
    async with store._database.transaction() as connection:
        await connection.execute(update(games).where(games.id == code).values(last_turn=last_turn))
        store._database.emit_after_commit("table", code)


async def test_taking_back_leaves_the_turns_before_it(gallery: Party) -> None:
    code = await begun(gallery, 6)
    before = list_recent_turns(await gallery.table(code))
    who = await gallery.play_first(code)
    await gallery.say(who, "/undo")
    for other in {"anna", "bruno", "carla"} - {who}:
        offer = next(shown for shown in reversed(gallery.shown) if "-offer:" in shown.key)
        await gallery.press(other, button(offer.card, "agree"))
    assert list_recent_turns(await gallery.table(code)) == before


async def test_the_light_of_one_screen_is_not_that_of_the_next(gallery: Party) -> None:
    looking = gallery.request("anna", Place("web", "@anna", kind="private"))
    for theme in (None, "dark", "light", None):
        requester = await resolve_request_cached(gallery.front.context, replace(looking, theme=theme))
        assert requester.place.settings.get("own_theme") == theme
