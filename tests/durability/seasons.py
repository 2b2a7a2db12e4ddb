"""A league and a ladder lived through day by day; also as a program that is to be killed."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bot.competitions.file import LadderFile, LeagueFile, check_file
from bot.competitions.ladder import list_challengeable
from bot.competitions.ladders.service import LADDERS, StoredLadder
from bot.competitions.leagues.service import LEAGUES, StoredLeague
from bot.kernel.operations.clock import HEARTBEAT_NAME
from storage import CompetitionKind, Store
from tests.bot.party import Party, card
from tests.durability.cups import see_that_all_is_whole
from tests.support.present import present

KINDS: Final[tuple[CompetitionKind, ...]] = ("league", "ladder")
RUNNER: Final = "anna"


@dataclass
class Town:
    """People who play in a league and on a ladder, served by one process or several.

    Those who are `silent` neither move nor answer; `people` is how many there have been, `members` how many the league
    is to have.
    """

    parties: Sequence[Party]
    chance: random.Random
    league: str = ""
    ladder: str = ""
    people: int = 0
    members: int = 6
    silent: set[str] = field(default_factory=set)

    @property
    def party(self) -> Party:
        """The process that somebody happens to meet."""
        return self.chance.choice(self.parties)

    @property
    def store(self) -> Store:
        return self.parties[0].store

    async def found(self, members: int, climbers: int, days: int = 14) -> None:
        """Have a league and a ladder made, and so many people come."""
        self.members = members
        await self.parties[0].say(RUNNER, f"/league annuvin clock:1d days:{days} entry:code")
        await self.parties[0].say(RUNNER, "/ladder annuvin clock:1d days:3 entry:code")
        await self.resume()
        for kind, code, count in (("league", self.league, members), ("ladder", self.ladder, climbers)):
            for number in range(count):
                await self._press(self.new_person(number), f"{kind}=join.{code}")
        await self.party.settle()

    async def resume(self) -> bool:
        """Find the league and the ladder that were made; say whether there are both."""
        known = await self.store.people.find(RUNNER)
        made = [await self.store.competitions.list_made_by(known[0].id, kind=kind) if known else [] for kind in KINDS]
        if not all(made):
            return False
        self.league, self.ladder = (rows[0].id for rows in made)
        return True

    def new_person(self, number: int) -> str:
        """Return what somebody is called."""
        self.people = max(self.people, number + 1)
        return f"p{number}"

    async def live(self, days: int, things: int) -> None:
        """Have so many days go by, on each of which so many things happen."""
        for _ in range(days):
            await self.one_day(things)

    async def one_day(self, things: int) -> None:
        """Have a day go by: most games end, so many things happen, and all processes at once do what is due."""
        await self._play_games()
        await self._answer_and_come()
        for _ in range(things):
            await self.one_thing()
        now = max(each.clock.now for each in self.parties)
        for each in self.parties:
            each.clock.now = now
            each.clock.turn(days=1)
        await self.store.alarms.record_heartbeat(HEARTBEAT_NAME, self.parties[0].clock())
        await self.party.front.alarms.tick()
        jobs = [each.front.jobs[name] for each in self.parties for name in ("leagues", "ladders")]
        await asyncio.gather(*(each.run_until_idle() for each in jobs))
        for each in self.parties:
            await each.settle()

    async def one_thing(self) -> None:
        what = self.chance.random()
        if what < 0.4:
            await self._challenge()
        elif what < 0.7:
            await self._answer()
        else:
            await self._change()

    async def state_of_league(self) -> StoredLeague:
        return await LEAGUES.find(self.parties[0].front.context, self.league)

    async def state_of_ladder(self) -> StoredLadder:
        return await LADDERS.find(self.parties[0].front.context, self.ladder)

    async def _press(self, who: str, button: str) -> None:
        """Have somebody press a button in one of the processes; jobs run at the end of the day."""
        party = self.party
        await party.front.press(party.request(who), button)

    async def _say(self, who: str, line: str) -> None:
        """Have somebody type a line in one of the processes."""
        party = self.party
        await party.front.typed_text(party.request(who), line)

    async def _play_games(self) -> None:
        """Have most of the games end that are going on, in the league and on the ladder."""
        season = (await self.state_of_league()).state.season
        games = [each.game.id for each in season.games if each.is_going_on and each.game] if season else []
        games += [each.game for each in (await self.state_of_ladder()).state.open.values()]
        for game in games:
            if game is not None and self.chance.random() < 0.8:
                await self._resign(game)

    async def _answer_and_come(self) -> None:
        """Have those who are asked and there say that they are still in, and a new person come for one who is gone."""
        league = await self.state_of_league()
        for number in league.state.present:
            who = league.name(number).lower()
            if league.state.entrants[number].asked and who not in self.silent and self.chance.random() < 0.5:
                await self._press(who, f"league=stay.{self.league}")
        if len(league.state.present) < self.members:
            await self._press(self.new_person(self.people), f"league=join.{self.league}")

    async def _resign(self, game: str) -> None:
        row = await self.store.games.get(game)
        if row is None or row.status != "playing" or row.to_move is None:
            return
        (mover,) = (await self.store.people.get_many([row.to_move])).values()
        if mover.name and mover.name.lower() not in self.silent:
            await self._press(mover.name.lower(), f"resign!:{row.id}:{row.revision}")

    async def _challenge(self) -> None:
        ladder = await self.state_of_ladder()
        if not ladder.state.order:
            return
        who = self.chance.choice(ladder.state.order)
        there = list_challengeable(ladder.state, who, self.parties[0].clock(), ladder.refusals)
        if there:
            await self._press(ladder.name(who).lower(), f"ladder=challenge.{self.ladder}.{self.chance.choice(there)}")

    async def _answer(self) -> None:
        ladder = await self.state_of_ladder()
        if not ladder.state.open:
            return
        challenge = self.chance.choice(list(ladder.state.open.values()))
        if challenge.accepted:
            return
        verb = self.chance.choices(("accept", "concede", "withdraw"), (8, 1, 1))[0]
        who = ladder.name(challenge.challenger if verb == "withdraw" else challenge.challenged).lower()
        if who not in self.silent:
            # Pressed twice at once, perhaps in two processes, it happens once.
            button = f"ladder={verb}.{self.ladder}.{challenge.number}"
            await asyncio.gather(*(each.front.press(each.request(who), button) for each in self.parties[-2:]))

    async def _change(self) -> None:
        what = self.chance.random()
        who, other = (f"p{self.chance.randrange(self.people)}" for _ in range(2))
        kind = self.chance.choice(KINDS)
        code = self.league if kind == "league" else self.ladder
        if what < 0.2:
            newcomer = self.new_person(self.people) if self.chance.random() < 0.5 else who
            await self._press(newcomer, f"{kind}=join.{code}")
        elif what < 0.3:
            await self._press(who, f"{kind}=leave!.{code}")
        elif what < 0.55:
            await self._press(who, f"league=stay.{self.league}")
        elif what < 0.67:
            await self._say(who, f"/{self.chance.choice(('block', 'unblock'))} @{other}")
        elif what < 0.75:
            await self._press(who, f"league=limit.{self.league}.{self.chance.randrange(1, 6)}")
        elif what < 0.85:
            self.silent.symmetric_difference_update({who})
        elif what < 0.95:
            await self._say(who, f"/settings holiday:{self.chance.randrange(1, 6)}")
        elif await self.store.people.find(who):
            await self._vanish(who, other)

    async def _vanish(self, who: str, other: str) -> None:
        """Have somebody forgotten, or made one with somebody else."""
        one = await self.parties[0].id_of(who)
        if self.chance.random() < 0.5 or who == other or not await self.store.people.find(other):
            await self.store.privacy.forget_person(one, self.parties[0].clock())
        else:
            await self.store.links.merge_people(await self.parties[0].id_of(other), one)

    async def see_that_all_is_whole(self) -> tuple[int, int]:
        """See that both are what their events say, also when verified; return how many seasons and challenges were."""
        await see_that_all_is_whole(self.store)
        for code, form in ((self.league, LeagueFile), (self.ladder, LadderFile)):
            file = present(card(await self.parties[0].say(RUNNER, f"/export {code}")).file)
            check_file(form.read(file.content.decode()))
        league, ladder = await self.state_of_league(), await self.state_of_ladder()
        assert sorted(ladder.state.order) == sorted(
            number for number, each in ladder.state.entrants.items() if each.state == "in"
        )
        return league.state.season.number if league.state.season is not None else 0, ladder.state.made


async def main(path: Path, life: int) -> None:
    """Hold a league and a ladder without end."""
    async with await Store.open(path) as store:
        party = Party(store)
        party.numbers = life * 100_000
        party.clock.turn(days=life * 20)
        town = Town([party], random.Random(life), people=7)
        if not await town.resume():
            await town.found(6, 7)
        print("ready", flush=True)
        while True:
            await town.one_day(3)
