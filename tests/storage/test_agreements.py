"""Terms, progress, offers and reminders: what is stored of them is read as it was meant, and nothing of it is lost."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from storage import (
    BROKEN_JSON,
    GameProgress,
    Offer,
    OfferKind,
    OfferNews,
    Offers,
    Reminder,
    Stage,
    Store,
    TeamTerms,
    Terms,
)
from storage.agreements import offers_to_json, read_offers, read_terms, terms_to_json
from storage.columns import to_json
from storage.schema import GameRow, Person, PlaceRow
from tests.storage.populated import connected
from tests.support.present import present
from tests.support.stores import START, make_new_game, one_step, store_game

DRAW = Offer(kind=OfferKind.DRAW, by=0, agreed=(0,), revision=7)
UNDO = Offer(kind=OfferKind.UNDO, by=1, agreed=(1, 2), revision=7, to=4)
DECLINED = OfferNews(kind=OfferKind.DRAW, by=1, accepted=False)

OF_TERMS = [
    # Before there were terms, and as a game among people has them.
    ("{}", Terms(), GameProgress()),
    ('{"clock": null, "rated": true}', Terms(), GameProgress()),
    ('{"clock": 86400, "rated": false}', Terms(clock=86400, rated=False), GameProgress()),
    ('{"clock": null, "rated": true, "hints": false}', Terms(hints=False), GameProgress()),
    ('{"clock": null, "rated": true, "hints": true}', Terms(hints=True), GameProgress()),
    ('{"clock": null, "rated": true, "rematch_of": "K7QFAB", "order": [4, -3]}',
     Terms(rematch_of="K7QFAB", order=(4, -3)), GameProgress()),
    ('{"clock": null, "rated": true, "rematch_of": "K7QFAB", "order": [4, 2], "rotated": true}',
     Terms(rematch_of="K7QFAB", order=(4, 2), rotated=True), GameProgress()),
    ('{"clock": null, "rated": true, "rematch_of": "K7QFAB", "order": [4, 2], "rotated": false}',
     Terms(rematch_of="K7QFAB", order=(4, 2)), GameProgress()),
    # As records are imported.
    ('{"rated": false, "rematch_of": "K7QFAB", "rotated": true}',
     Terms(rated=False, rematch_of="K7QFAB", rotated=True), GameProgress()),
    ('{"clock": 86400, "cup": "K7QFAB", "holidays": 0}', Terms(clock=86400, cup="K7QFAB", holidays=0), GameProgress()),
    ('{"clock": 86400, "cup": "K7QFAB", "cup_kind": "league", "holidays": 0}',
     Terms(clock=86400, cup="K7QFAB", cup_kind="league", holidays=0), GameProgress()),
    ('{"clock": 3600, "rated": true, "paused": true}', Terms(clock=3600), GameProgress(paused=True)),
    ('{"clock": 3600, "rated": true, "paused": false}', Terms(clock=3600), GameProgress()),
    ('{"clock": null, "rated": true, "unrated": [0, 2]}', Terms(), GameProgress(unrated=frozenset({0, 2}))),
    ('{"clock": null, "rated": true, "rematch": "QQQQQQ"}', Terms(), GameProgress(rematch="QQQQQQ")),
    ('{"reserve": 900, "increment": 10, "reserves": {"0": 848500, "1": 900000}, "on-screen": [1]}',
     Terms(reserve=900, increment=10),
     GameProgress(reserves={0: 848_500, 1: 900_000}, on_screen=frozenset({1}))),
    ('{"clock": 60, "rated": true, "set-aside": 3}', Terms(clock=60), GameProgress(set_aside=3)),
    ('{"at-once": true, "newcomers": [1]}', Terms(), GameProgress(at_once=True, newcomers=frozenset({1}))),
    ('{"left": {"0": "resigned"}, "points": {"0": [1389, 1412], "1": [1203, 1180]}, "uncounted": "early"}',
     Terms(), GameProgress(left={0: "resigned"}, points={0: (1389, 1412), 1: (1203, 1180)}, uncounted="early")),
    ('{"clock": 60, "unreminded": [0, 2]}', Terms(clock=60), GameProgress(unreminded=frozenset({0, 2}))),
    ('{"clock": 60, "guesses": true}', Terms(clock=60), GameProgress(guesses=True)),
    ('{"team": {"seconds": 3600, "idle": "loss", "voters": "known", "against": "channel"}}',
     Terms(team=TeamTerms(seconds=3600, idle="loss", voters="known", against="channel")), GameProgress()),
    ('{"rated": false, "pace": {"fast": [1]}}', Terms(rated=False, unknown={"pace": {"fast": [1]}}), GameProgress()),
]  # fmt: skip
OF_OFFERS = [
    ("{}", Offers(), None),
    ('{"draw": {"by": 0, "agreed": [0], "at": 7}}', Offers(pending=(DRAW,)), None),
    ('{"undo": {"by": 1, "agreed": [1, 2], "at": 7, "to": 4}}', Offers(pending=(UNDO,)), None),
    ('{"together": {"by": 1, "agreed": [1], "at": 7}, "draw": {"by": 0, "agreed": [0], "at": 7}}',
     Offers(pending=(Offer(kind=OfferKind.TOGETHER, by=1, agreed=(1,), revision=7), DRAW)), None),
    ('{"pause": {"by": 1, "agreed": [1], "at": 7}, "clock": {"stage": 2}}',
     Offers(pending=(Offer(kind=OfferKind.PAUSE, by=1, agreed=(1,), revision=7),)), Reminder(stage=Stage.WARNING)),
    ('{"clock": {"stage": 1}, "wait": {"by": 1, "agreed": [1], "at": 7}}',
     Offers(pending=(Offer(kind=OfferKind.WAIT, by=1, agreed=(1,), revision=7),)), Reminder(stage=Stage.REMINDER)),
    ('{"clock": {"stage": 0}}', Offers(), Reminder(stage=Stage.NONE)),
    ('{"seat": {"by": null, "agreed": [], "at": 7, "seat": 1, "person": 3}}',
     Offers(pending=(Offer(kind=OfferKind.SEAT, by=None, agreed=(), revision=7, seat=1, person=3),)), None),
    ('{"seat": {"by": 0, "agreed": [0], "at": 7, "seat": 1, "computer": "3"}}',
     Offers(pending=(Offer(kind=OfferKind.SEAT, by=0, agreed=(0,), revision=7, seat=1, computer="3"),)), None),
    # The first version told only of draws that were declined, by computers.
    ('{"declined": {"by": 1}}', Offers(news=(DECLINED,)), None),
    ('{"declined": {"by": 1, "what": "draw"}}', Offers(news=(DECLINED,)), None),
    ('{"draw": {"by": 0, "agreed": [0], "at": 7}, "declined": {"by": 1, "what": "pause", "own": false}}',
     Offers(pending=(DRAW,), news=(OfferNews(kind=OfferKind.PAUSE, by=1, accepted=False),)), None),
    ('{"declined": {"by": 1, "what": "seat", "own": true}}',
     Offers(news=(OfferNews(kind=OfferKind.SEAT, by=1, accepted=False, own=True),)), None),
    ('{"accepted": {"what": "undo", "by": 1}}',
     Offers(news=(OfferNews(kind=OfferKind.UNDO, by=1, accepted=True),)), None),
    ('{"draw": {"by": 0, "agreed": [0], "at": 7, "say": "?"}, "swap": {"by": 1}, "clock": {"stage": 1, "bell": 2}}',
     Offers(pending=(replace(DRAW, unknown={"say": "?"}),), unknown={"swap": {"by": 1}}),
     Reminder(stage=Stage.REMINDER, unknown={"bell": 2})),
]  # fmt: skip
# The values that are not written: without them the same is read.
USUAL = {"clock": None, "rated": True, "rotated": False, "paused": False, "own": False, "by": None}


def without_the_usual(stored: dict[str, Any]) -> dict[str, Any]:
    return {
        name: without_the_usual(value) if isinstance(value, dict) else value
        for name, value in stored.items()
        if name not in USUAL or value is not USUAL[name]
    }


async def put(address: str, game: str, column: str, value: str) -> None:
    """Write a column as another version of the program, or an accident, might have."""
    async with connected(address) as connection:
        await connection.exec_driver_sql(f"UPDATE games SET {column} = '{value}' WHERE id = '{game}'")  # noqa: S608


async def stored(address: str, game: str, column: str) -> Any:
    """Return what a column holds, as JSON."""
    async with connected(address) as connection:
        query = f"SELECT CAST({column} AS TEXT) FROM games WHERE id = '{game}'"  # noqa: S608
        return json.loads((await connection.exec_driver_sql(query)).scalar_one())


async def read(store: Store, game: str) -> GameRow:
    return present(await store.games.get(game))


async def test_terms_of_every_version_are_read_and_written(
    store: Store, address: str, place: PlaceRow, people: list[Person]
) -> None:
    for value, terms, progress in OF_TERMS:
        game = await store_game(store, place, people)
        await put(address, game.id, "terms", value)
        row = await read(store, game.id)
        assert (row.terms, row.progress, row.terms.damaged) == (terms, progress, False), value
        assert await store.games.commit(one_step(row)) == replace(row, revision=row.revision + 1)
        assert await stored(address, game.id, "terms") == without_the_usual(json.loads(value))


async def test_offers_of_every_version_are_read_and_written(
    store: Store, address: str, place: PlaceRow, people: list[Person]
) -> None:
    for value, offers, reminder in OF_OFFERS:
        game = await store_game(store, place, people)
        await put(address, game.id, "offers", value)
        row = await read(store, game.id)
        assert (row.offers, row.reminder, row.offers.damaged) == (offers, reminder, False), value
        listed = {brief.id: brief for brief in await store.games.list_for_person(people[0].id)}
        assert (listed[game.id].offers, listed[game.id].reminder) == (offers, reminder), value
        assert await store.games.commit(one_step(row)) == replace(row, revision=row.revision + 1)
        now, wanted = await stored(address, game.id, "offers"), without_the_usual(json.loads(value))
        if "what" not in wanted.get("declined", {"what": None}):
            wanted["declined"]["what"] = "draw"
        assert now == wanted
        assert [name for name in now if name in offers_of(offers)] == offers_of(offers), "the oldest is the first"


def offers_of(offers: Offers) -> list[str]:
    return [str(offer.kind) for offer in offers.pending]


async def test_terms_of_a_new_game_are_stored(store: Store, place: PlaceRow, people: list[Person]) -> None:
    plain = await store.games.create(make_new_game(place, people), START)
    assert (plain.terms, plain.progress, plain.offers, plain.reminder) == (Terms(), GameProgress(), Offers(), None)
    terms = Terms(clock=60, rated=False, hints=True, rematch_of=plain.id, order=(2, 1))
    game = await store.games.create(replace(make_new_game(place, people), terms=terms), START)
    assert game.terms == terms
    assert await store.games.get(game.id) == game


async def test_updating_progress_keeps_unknown_fields(store: Store, address: str, game: GameRow) -> None:
    await put(address, game.id, "terms", '{"clock": 60, "pace": "fast"}')
    await store.alarms.disable(game.id, set_aside=3)
    assert await stored(address, game.id, "terms") == {"clock": 60, "pace": "fast", "set-aside": 3}


@pytest.mark.parametrize("value", ["[]", "3", '"x"', "null", '{"broken": "json"}'])
async def test_games_with_json_that_is_no_object_are_listed(
    store: Store, address: str, place: PlaceRow, people: list[Person], game: GameRow, value: str
) -> None:
    broken, whole = game, await store_game(store, place, people)
    for column in ("terms", "offers"):
        await put(address, broken.id, column, value)
    row = await read(store, broken.id)
    assert (row.terms.damaged, row.offers.damaged) == (True, True)
    assert (row.terms, row.progress) == (Terms(unknown=BROKEN_JSON), GameProgress())
    assert (row.offers, row.reminder) == (Offers(unknown=BROKEN_JSON), None)
    assert {brief.id for brief in await store.games.list_for_person(people[0].id)} == {broken.id, whole.id}
    await store.alarms.disable(broken.id, set_aside=2)
    again = await read(store, broken.id)
    assert (again.terms.damaged, again.progress) == (True, GameProgress(set_aside=2))
    assert (await store.games.commit(one_step(again))).terms.damaged


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)  # PostgreSQL stores no such value
async def test_games_with_invalid_json_are_listed(store: Store, address: str, ada: Person, game: GameRow) -> None:
    for column in ("terms", "offers"):
        await put(address, game.id, column, "{")
    (brief,) = await store.games.list_for_person(ada.id)
    assert (brief.terms.damaged, brief.offers.damaged) == (True, True)


@pytest.mark.parametrize("value", [{"clock": "1d"}, {"rated": 1}, {"order": [1, "two"]}, {"set-aside": True}])
def test_invalid_terms_are_ignored_and_kept(value: dict[str, Any]) -> None:
    terms, progress = read_terms(value)
    assert (replace(terms, unknown={}), progress) == (Terms(), GameProgress())
    assert terms.damaged
    assert terms_to_json(terms, progress) == value


@pytest.mark.parametrize(
    "value",
    [{"draw": 5}, {"draw": {"by": 0, "agreed": 0, "at": 7}}, {"draw": {"by": None, "agreed": [0], "at": 7}},
     {"draw": {"by": 0, "agreed": [0]}}, {"undo": {"by": 0, "agreed": [0], "at": 7}},
     {"seat": {"by": 0, "agreed": [0], "at": 7, "person": 3}}, {"seat": {"by": 0, "agreed": [0], "at": 7, "seat": 1}},
     {"declined": {"what": "draw"}}, {"accepted": {"what": "dinner", "by": 1}}, {"clock": {"stage": 3}}, {"clock": 1}],
)  # fmt: skip
def test_invalid_offers_are_ignored_and_kept(value: dict[str, Any]) -> None:
    offers, reminder = read_offers(value)
    assert (replace(offers, unknown={}), reminder) == (Offers(), None)
    assert offers.damaged
    assert offers_to_json(offers, reminder) == value


def test_next_offer_removes_news_and_keeps_unknown_fields() -> None:
    pause = Offer(kind=OfferKind.PAUSE, by=1, agreed=(1,), revision=8)
    one = Offers(unknown={"swap": 1}).with_offer(DRAW).with_offer(pause)
    assert (one.pending, one.unknown) == ((DRAW, pause), {"swap": 1})
    two = one.with_news(DECLINED)
    assert (two.pending, two.news, two.unknown) == ((pause,), (DECLINED,), {"swap": 1})
    three = two.with_offer(pause.agreed_by(0, 2))
    assert (three.pending, three.news) == ((replace(pause, agreed=(1, 0, 2)),), ())
    assert three.offer_of_kind(OfferKind.DRAW) is None
    assert three.offer_of_kind(OfferKind.PAUSE) == three.pending[0]
    assert three.without_kind(OfferKind.PAUSE) == Offers(unknown={"swap": 1})


def test_new_offer_replaces_unreadable_fields() -> None:
    damaged, _ = read_offers({"draw": 5, "declined": 6})
    assert offers_to_json(damaged.with_offer(DRAW), None) == {"draw": {"by": 0, "agreed": [0], "at": 7}}


numbers = st.integers(-(2**31), 2**31)
texts = st.text(max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
KNOWN = (
    *("clock", "rated", "hints", "rematch_of", "order", "rotated", "paused", "unrated", "rematch", "set-aside"),
    *("at-once", "newcomers", "left", "points", "uncounted", "unreminded", "guesses"),
    *("draw", "undo", "together", "pause", "wait", "seat", "accepted", "declined"),
    *("by", "agreed", "at", "to", "person", "computer", "what", "own", "stage"),
)
unknown = st.dictionaries(texts.filter(lambda name: name not in KNOWN), json_values, max_size=3)
terms = st.builds(
    Terms,
    clock=st.none() | numbers,
    rated=st.booleans(),
    hints=st.none() | st.booleans(),
    rematch_of=st.none() | texts,
    order=st.lists(numbers, max_size=4).map(tuple),
    rotated=st.booleans(),
    unknown=unknown,
)
some_seats = st.integers(0, 4)
courses = st.builds(
    GameProgress,
    paused=st.booleans(),
    unrated=st.frozensets(numbers, max_size=4),
    rematch=st.none() | texts,
    set_aside=st.none() | numbers,
    at_once=st.booleans(),
    newcomers=st.frozensets(numbers, max_size=4),
    left=st.dictionaries(some_seats, texts, max_size=2),
    points=st.dictionaries(some_seats, st.tuples(numbers, numbers), max_size=2),
)
plain = st.builds(
    Offer,
    kind=st.sampled_from([OfferKind.DRAW, OfferKind.TOGETHER, OfferKind.PAUSE, OfferKind.WAIT]),
    by=numbers,
    agreed=st.lists(numbers, max_size=4).map(tuple),
    revision=numbers,
    unknown=unknown,
)
undos = st.builds(lambda offer, to: replace(offer, kind=OfferKind.UNDO, to=to), plain, numbers)
seats = st.builds(
    lambda offer, by, seat, newcomer: replace(offer, kind=OfferKind.SEAT, by=by, seat=seat, **newcomer),
    plain,
    st.none() | numbers,
    numbers,
    st.fixed_dictionaries({"person": numbers}) | st.fixed_dictionaries({"computer": texts}),
)
news = st.builds(
    OfferNews, kind=st.sampled_from(OfferKind), by=numbers, accepted=st.booleans(), own=st.booleans(), unknown=unknown
)
offers = st.builds(
    Offers,
    pending=st.lists(plain | undos | seats, max_size=4, unique_by=lambda offer: offer.kind).map(tuple),
    news=st.lists(news, max_size=2, unique_by=lambda entry: entry.accepted).map(tuple),
    unknown=unknown,
)
reminders = st.none() | st.builds(Reminder, stage=st.sampled_from(Stage), unknown=unknown)
anything = st.dictionaries(
    st.sampled_from(KNOWN) | texts,
    json_values | st.dictionaries(st.sampled_from(KNOWN), json_values | st.lists(numbers), max_size=4),
    max_size=5,
)


@given(terms, courses)
def test_terms_survive_a_round_trip(agreed: Terms, progress: GameProgress) -> None:
    assert read_terms(json.loads(to_json(terms_to_json(agreed, progress)))) == (agreed, progress)


@given(offers, reminders)
def test_offers_survive_a_round_trip(offered: Offers, reminder: Reminder | None) -> None:
    assert read_offers(json.loads(to_json(offers_to_json(offered, reminder)))) == (offered, reminder)


@given(json_values | anything)
def test_arbitrary_json_is_read_and_kept(value: Any) -> None:
    """A newer version may have written it, or an accident: what is not read stays, what is read is read again."""
    agreed, progress = read_terms(value)
    offered, reminder = read_offers(value)
    stored = [(agreed.unknown, terms_to_json(agreed, progress)), (offered.unknown, offers_to_json(offered, reminder))]
    assert read_terms(stored[0][1]) == (agreed, progress)
    assert read_offers(stored[1][1]) == (offered, reminder)
    whole = value if isinstance(value, dict) else BROKEN_JSON
    for left, written in stored:
        assert {name: written[name] for name in left} == left == {name: whole[name] for name in left}
        assert {name for name in whole if name not in KNOWN} <= written.keys()
