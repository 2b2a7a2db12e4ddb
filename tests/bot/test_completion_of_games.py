"""What is offered while people type about their games: always what the database says."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from storage import Unavailable
from storage.database import Database
from tests.bot.party import Party, button


@contextmanager
def database_away(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the database be out of reach."""

    def fail(*_: object) -> None:
        raise Unavailable("unreachable")

    with monkeypatch.context() as patched:
        patched.setattr(Database, "snapshot", fail)
        patched.setattr(Database, "transaction", fail)
        yield


async def asked(party: Party, who: str, *, game: str = "") -> list[list[str]]:
    """Return all that is suggested to somebody."""
    values = {"game": game} if game else {}
    asked = [
        ("move", "move", {"move": "", **values}),
        ("board", "game", {}),
        ("join", "code", {}),
        ("replay", "code", {}),
    ]
    return [[item.value for item in await party.complete(who, *what, **given)] for *what, given in asked]


async def test_completion_follows_the_games(party: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    for who in ("anna", "bruno"):
        await asked(party, who)
    await party.say("anna", "/play annuvin")
    code = party.code
    assert (await asked(party, "bruno"))[2] == [code]
    await party.press("bruno", button(party.newest.card, "join"))
    mover, other = party.mover, party.other()
    for _ in range(4):
        expected = {action.text for action in (await party.table(code)).playing.state.legal_actions()}
        (begun, mine, lobbies, games), (nothing, *others) = [
            await asked(party, who) for who in (party.mover, party.other())
        ]
        assert begun
        assert all(any(text.startswith(value) for text in expected) for value in begun)
        assert (nothing, mine, lobbies, games) == ([], [code], [], [code])
        assert others == [[code], [], [code]]
        await party.say(party.mover, f"/move {min(expected)}")
    with database_away(monkeypatch):
        assert await asked(party, party.mover) == [[], [], [], []]
    await party.resign(mover, code)
    assert (await asked(party, other))[:2] == [[], []]
    code = await party.started()
    assert (await asked(party, "anna"))[1] == [code]
    await party.store.privacy.forget_person(await party.id_of("anna"), party.clock())
    assert (await asked(party, "anna"))[1] == []


async def test_rolled_back_change_notifies_nobody(party: Party) -> None:
    await party.meet("anna")
    anna, notified = await party.id_of("anna"), list[str]()
    party.store.add_listener(lambda news: notified.append(news[0]))
    with suppress(RuntimeError):
        async with party.store.transaction():
            await party.store.people.change_settings(anna, {"theme": "dark"})
            raise RuntimeError
    async with party.store.transaction():
        with suppress(RuntimeError):
            async with party.store.savepoint():
                await party.store.people.change_settings(anna, {"theme": "dark"})
                raise RuntimeError
        await party.store.people.change_settings(anna, {"theme": "contrast"})
        assert notified == []
    assert notified == ["person"]
