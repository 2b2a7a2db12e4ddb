"""Cards with their pictures: drawn for whom they are for, described in words, and never in the way."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import pytest

from bot.kernel.cards import Button, Card, Picture
from bot.kernel.pictures import Artist, BoardView
from bot.kernel.presses import press, read_press
from bot.kernel.question_cards import PRIVATE_CHOICE, PUBLIC_CHOICE
from bot.kernel.words.describe import BoardWords
from bot.table.ratings import MIN_RANKED_GAMES
from engine import State, games
from render import Drawing, draw
from render.scene import Choices
from storage import PlaceRow, Store
from tests.bot.party import SQUARE, Party, buttons, card, picture_of, words
from tests.bot.test_monthly import lose
from tests.support.present import present


class Studio:
    """Draws, and remembers what was asked for; `plain` draws numbers, `broken` nothing."""

    def __init__(self, *, plain: bool = False) -> None:
        self.asked: list[dict[str, Any]] = []
        self.broken = False
        self.plain = plain

    async def __call__(self, state: State, **view: Any) -> Drawing:
        self.asked.append({"state": state, **view})
        if self.broken:
            raise RuntimeError("the worker died")
        if self.plain:
            return Drawing(b"\x89PNG %d" % (len(self.asked) - 1), (900, 1200), {})
        return await asyncio.to_thread(draw, state, **view)


@pytest.fixture
async def studio() -> Studio:
    """Where pictures are drawn."""
    return Studio()


@pytest.fixture
async def gallery(store: Store, studio: Studio) -> AsyncIterator[Party]:
    """A party whose boards have pictures."""
    async with Party(store, draw=studio) as party:
        yield party


async def test_a_board_has_its_picture_with_a_description(gallery: Party, studio: Studio) -> None:
    await gallery.started(SQUARE)
    picture = present(gallery.newest.card.picture)
    assert picture.png.startswith(b"\x89PNG")
    assert picture.alt.startswith("Annuvin, turn 0.")
    assert set(picture.spots) >= {"a1", "d4"}
    assert studio.asked[-1]["viewer"] == 0
    # The board that asks shows what can be chosen, with no numbers yet.
    choices = studio.asked[-1]["choices"]
    assert choices.beforehand
    assert set(choices.movable) == set(gallery.newest.card.presses)
    assert not choices.numbers
    drawn = len(studio.asked)
    await gallery.say("anna", "/board")
    assert len(studio.asked) == drawn, "the same picture is drawn once"


async def test_cached_description_is_that_of_language_reader_and_turn(gallery: Party, studio: Studio) -> None:
    studio.plain = True
    await gallery.started("/play vedova-nera @bruno @carla", "bruno", "carla")
    context, artist, seen = gallery.front.context, Artist(studio), []

    async def describe(by: Artist, language: str, reader: int | None) -> str:
        table = await context.table(gallery.code)
        return present(await by.picture(table, context.speaker(language), BoardView(reader=reader))).alt

    turns = 4
    for _ in range(turns):
        await gallery.play_first(gallery.code)
        for language, reader in product(("en", "it"), range(3)):
            expected = await describe(Artist(studio), language, reader)
            assert [await describe(artist, language, reader) for _ in range(2)] == [expected, expected]
            seen.append(expected)
    assert len(set(seen)) > 2 * turns, "turns, languages and readers differ"


async def test_a_description_is_made_when_it_is_asked_for(gallery: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    """Telegram shows none, and it takes as long as the rest of a card."""
    described: list[State] = []

    def describe(words: BoardWords, _: int) -> str:
        described.append(words.state)
        return "All of it."

    monkeypatch.setattr(BoardWords, "fit", describe)
    await gallery.started(SQUARE)
    picture = present(gallery.newest.card.picture)
    assert not described
    assert [picture.alt for _ in range(2)] == ["All of it."] * 2
    assert len(described) == 1


def test_views_are_told_apart_by_all_that_they_show() -> None:
    """A view that is changed must not keep the hash of the one before."""
    one = BoardView(viewer=0, choices=Choices(("a1",)))
    seen = {one: "one", (other := replace(one, viewer=1)): "other"}
    assert hash(other) != hash(one)
    assert (seen[replace(other, viewer=0)], seen[replace(one, viewer=1)]) == ("one", "other")


async def test_where_pictures_are_shown_low_boards_are_wide(gallery: Party, studio: Studio, monkeypatch: Any) -> None:
    sizes = []
    for low in (False, True):
        if low:
            monkeypatch.setattr(gallery.adapter, "shows_small_pictures", True, raising=False)
        await gallery.started("/play vedova-nera @bruno @carla", "bruno", "carla")
        picture = present(gallery.board.card.picture)
        assert studio.asked[-1]["wide"] is low
        sizes.append(picture.size)
    (across, high), (wide_across, wide_high) = sizes
    assert across < high
    assert wide_across > wide_high


async def test_choosing_shows_the_numbers_of_the_buttons_unless_the_board_stays_above(
    gallery: Party, studio: Studio
) -> None:
    await gallery.started(SQUARE)
    button = buttons(gallery.newest.card)[0].press
    drawn = len(studio.asked)
    undrawn = card(await gallery.front.press(replace(gallery.request(gallery.mover), undrawn=True), button))
    assert (undrawn.picture, len(studio.asked)) == (None, drawn)
    reply = card(await gallery.press(gallery.mover, button))
    assert reply.picture is not None
    assert replace(reply, picture=None) == undrawn
    choices = studio.asked[-1]["choices"]
    assert choices.chosen == "a1"
    labels = [f"{target.label} · {target.cell}" for target in choices.targets]
    assert labels == [entry.label for entry in buttons(reply) if " · " in entry.label]


@pytest.mark.parametrize("key", games)
async def test_numbers_on_buttons_are_on_the_picture_and_vice_versa(gallery: Party, studio: Studio, key: str) -> None:
    studio.plain = True
    people = ("bruno", "carla", "dario", "elena")[: games[key].seats[0] - 1]
    await gallery.started(f"/play {key} seats:{games[key].seats[0]}", *people)
    rng, numbered, pieces = Random(key), {"piece": 0, "target": 0}, 0
    for _ in range(12):
        state = (await gallery.table(gallery.code)).playing.state
        pieces = max(pieces, len({action.source for action in state.legal_actions() if action.source}))
        reply = await gallery.press(gallery.mover, press("show", gallery.code, 0))
        while reply.card is not None and reply.card.picture is not None:
            answers = _answers(reply.card)
            labels = dict(_numbered(answer) for answer in answers if " · " in answer.label)
            marks = studio.asked[int(reply.card.picture.png.split()[1])]["choices"]
            if marks is None:
                # Somebody else's turn: nothing to choose.
                assert not labels
                break
            drawn = {target.cell: target.label for target in marks.targets if target.label} | dict(marks.numbers)
            assert labels == drawn
            numbered["target" if marks.chosen or not marks.movable else "piece"] += len(labels)
            captures = {_numbered(answer)[0] for answer in answers if "×" in answer.label}
            assert captures == {target.cell for target in marks.targets if target.capture and target.label}
            if not answers:
                break
            reply = await gallery.press(gallery.mover, rng.choice(answers))
        if gallery.newest.card.mention is None:
            break
    assert numbered["target"]
    # What comes from a reserve is no piece to choose.
    assert bool(numbered["piece"]) == (pieces > 1)


def _answers(card: Card) -> list[Button]:
    """Return the buttons that answer the question of a card, without the way back."""
    return [
        each
        for each in buttons(card)
        if read_press(each.press).deed in (PUBLIC_CHOICE, PRIVATE_CHOICE) and each.label != "Back"
    ]


def _numbered(answer: Button) -> tuple[str, str]:
    number, cell = answer.label.split(" · ")
    return cell.strip("× "), number


async def test_themes_follow_the_person_in_private_and_the_place_in_public(gallery: Party, studio: Studio) -> None:
    studio.plain = True
    gallery.managers.add("anna")
    await gallery.say("anna", "/settings theme:dark for:channel")
    await gallery.started(SQUARE)
    assert studio.asked[-1]["theme"] == "dark"
    await gallery.say(gallery.mover, "/settings theme:contrast")
    await gallery.press(gallery.mover, buttons(gallery.newest.card)[0])
    assert studio.asked[-1]["theme"] == "contrast"


async def test_a_drawing_that_fails_holds_nothing_up(gallery: Party, studio: Studio) -> None:
    studio.broken = True
    await gallery.started(SQUARE)
    assert gallery.newest.card.picture is None
    await gallery.say(gallery.mover, "a1-a2")
    assert "played a1-a2" in gallery.newest.text


async def test_a_replay_shows_earlier_turns_as_they_were(gallery: Party, studio: Studio) -> None:
    code = await gallery.started(SQUARE)
    await gallery.say(gallery.mover, "a1-a2")
    newest = present(gallery.newest.card.picture)
    start = picture_of(await gallery.press("anna", f"replay:{code}:0=0"))
    assert start.png != newest.png
    assert start.alt != newest.alt


async def test_leaderboards_and_profiles_have_pictures_once_there_is_something_to_see(
    gallery: Party, studio: Studio
) -> None:
    studio.plain = True
    assert card(await gallery.say("anna", "/leaderboard")).picture is None
    for _ in range(MIN_RANKED_GAMES):
        await lose(gallery, "bruno")
    board = await gallery.say("anna", "/leaderboard annuvin")
    assert picture_of(board).alt == words(board)
    assert card(await gallery.say("anna", "/profile")).picture is not None


async def test_what_all_see_is_drawn_in_both_themes_only_where_their_screens_decide(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def show(theme: str) -> Picture:
        return Picture(theme.encode(), "Places.")

    async def drawn(place: PlaceRow) -> tuple[bytes, bytes]:
        picture = present(await party.front.context.draw_for_all(place, show))
        return picture.png, picture.dark

    room = await party.store.places.get_or_create("web", "room")
    assert await drawn(room) == (b"light", b"")
    monkeypatch.setattr(party.adapter, "draws_for_readers", True, raising=False)
    assert await drawn(room) == (b"light", b"dark")
    assert await drawn(present(await party.store.places.change_settings(room.id, {"theme": "contrast"}))) == (
        b"contrast",
        b"",
    )
