"""A world in which there is one of every kind of page."""

from dataclasses import dataclass
from unittest.mock import AsyncMock

import pytest

from tests.bot.cups import FOUR, a_cup, make_competition, resign_all
from tests.bot.ladders import a_ladder, challenged, ladder_of
from tests.public.world import World

CLIMBERS = ("anna", "bruno", "cora", "dino", "elsa")


@dataclass(frozen=True)
class Pages:
    """Where what has a page is: the ids of its pages, and the codes of the competitions."""

    game: str
    cup: str
    league: str
    ladder: str
    player: str
    codes: dict[str, str]

    @property
    def paths(self) -> dict[str, str]:
        """The path of a page of each kind."""
        return {
            "games": "/g/",
            "game": f"/g/{self.game}",
            "turn": f"/g/{self.game}?turn=1",
            "cup": f"/cup/{self.cup}",
            "league": f"/league/{self.league}",
            "ladder": f"/ladder/{self.ladder}",
            "player": f"/p/{self.player}",
            "puzzle": "/puzzle/2026-11-23",
            "puzzle of today": "/puzzle/2026-11-26",
            "rules": "/rules/annuvin",
            "nothing": "/g/nothing",
        }


async def everything(world: World, monkeypatch: pytest.MonkeyPatch) -> Pages:
    """Have there be one of every kind: a game that goes on, a cup, a season, a ladder that somebody climbs."""
    party = world.party
    monkeypatch.setattr(party.front.context.artist, "_draw", None)  # nobody looks at the boards of the chat
    await world.allow()
    settle = party.settle
    monkeypatch.setattr(party, "settle", AsyncMock())  # once for all who come in, not after each of them
    codes = {"cup": await a_cup(party, "/cup annuvin clock:1d players:4", *FOUR)}
    await settle()
    await resign_all(party, codes["cup"])
    await party.say("elsa", "/help")
    await party.say("cora", "/block @elsa")  # these two never meet
    codes["league"] = await make_competition(party, "/league annuvin clock:1d", *CLIMBERS)
    await settle()
    await party.press("fido", f"league=join.{codes['league']}")
    codes["ladder"] = await a_ladder(party, "/ladder annuvin clock:1d", *CLIMBERS)
    await challenged(party, codes["ladder"], "elsa", "bruno")
    (challenge,) = (await ladder_of(party, codes["ladder"])).state.open
    await party.press("bruno", f"ladder=accept.{codes['ladder']}.{challenge}")
    await challenged(party, codes["ladder"], "dino", "anna")
    await settle()
    monkeypatch.undo()
    game = await world.shown_game()
    await world.move()
    await world.move()
    player = await world.profile("anna")
    party.clock.turn(days=5)  # 26 November 2026, noon in UTC
    return Pages(
        game,
        player=player,
        codes=codes,
        **{kind: (await world.items(f"/api/v1/{kind}s?limit=1"))[0]["id"] for kind in codes},
    )
