"""The form that starts a team's game, step by step; its state is in its buttons."""

from dataclasses import dataclass, replace
from typing import Final

from bot.core.game_pages import games_on_page, picking_rows
from bot.interface.cards import Button, Card, Menu, Row
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused
from bot.language.texts import Span, Speaker, join
from bot.teams.sides import VOTERS
from bot.teams.starting import COMPUTER, DEFAULT_TIME, OPPONENTS, ROUND_TIMES, TeamGame
from engine import games
from engine.search import LEVELS
from storage import TeamTerms

FORM: Final = "teamnew"
CREATE: Final = "teamgo"
QUORUMS: Final = (0, 3, 5, 10, 25, 50)
"""Quorums to choose from, in votes; 0, the default, is none."""
IDLE_RULES: Final = ("computer", "loss")


@dataclass(frozen=True, slots=True)
class TeamChoice:
    """The choices so far: game, opponent, time and quorum of a round, what happens without votes, and who votes."""

    game: str
    level: int = 2
    time: str = DEFAULT_TIME
    quorum: int = 0
    idle: str = IDLE_RULES[0]
    against: str = COMPUTER
    voters: str = VOTERS[0]

    def press(self, deed: str) -> str:
        """Return the press of a button with these choices."""
        other = str(self.level) if self.against == COMPUTER else self.against
        voters = str(VOTERS.index(self.voters))
        return press(deed, None, 0, self.game, other, self.time, str(self.quorum), self.idle, voters)

    @property
    def wanted(self) -> TeamGame:
        """The game to start."""
        seconds, quorum = ROUND_TIMES[self.time], self.quorum or None
        terms = TeamTerms(seconds=seconds, quorum=quorum, idle=self.idle, voters=self.voters, against=self.against)
        options = {name: option.default for name, option in games[self.game].options.items()}
        return TeamGame(self.game, terms, options, self.level)


def read_choice(pressed: Press) -> TeamChoice:
    """Return the choices that a press carries; Refused if a game or value no longer exists."""
    path = pressed.path
    if not path or path[0] not in games:
        raise Refused("refusal.stale")
    choice = TeamChoice(path[0])
    if len(path) == 1:
        return choice
    if len(path) not in (5, 6):
        raise Refused("refusal.stale")
    _, other, time, quorum, idle, voters = (*path, "0")[:6]
    fits = (
        other in (*map(str, LEVELS), *OPPONENTS[1:])
        and time in ROUND_TIMES
        and quorum in map(str, QUORUMS)
        and idle in IDLE_RULES
        and voters in map(str, range(len(VOTERS)))
    )
    if not fits:
        raise Refused("refusal.stale")
    chosen = TeamChoice(path[0], time=time, quorum=int(quorum), idle=idle, voters=VOTERS[int(voters)])
    return replace(chosen, level=int(other)) if other.isdecimal() else replace(chosen, against=other)


def team_games_card(speaker: Speaker, page: int = 0) -> Card:
    """Return a page of the list of games that a channel may play."""
    parts = [speaker.say("team.which")]
    for key in games_on_page(list(games), page):
        voice = speaker.of(key)
        parts.append(speaker.say("new.game", game=Span(voice.line("name"), bold=True), tagline=voice.say("tagline")))

    def button(key: str) -> Button:
        return Button(speaker.of(key).line("name"), press(FORM, None, 0, key))

    return Card(join(parts), rows=picking_rows(speaker, list(games), page, button, lambda at: press(FORM, None, 0, at)))


def form_card(speaker: Speaker, choice: TeamChoice) -> Card:
    """Return what can be chosen of a team's game, and the button that begins it."""
    voice = speaker.of(choice.game)
    quorum = voice.line("team.form.quorum.none") if not choice.quorum else voice.number(choice.quorum)
    parts = [
        voice.say("new.game", game=Span(voice.line("name"), bold=True), tagline=voice.say("tagline")),
        voice.say("team.form.level", level=_other_side(voice, choice)),
        voice.say("team.form.time", time=voice.duration(ROUND_TIMES[choice.time])),
        voice.say("team.form.quorum", quorum=quorum),
        voice.say(f"team.form.idle.{choice.idle}"),
        voice.say(f"team.form.voters.{choice.voters}"),
        voice.say("team.form.how", example=Span(f"/team {choice.game} time:6h quorum:5", code=True)),
    ]
    others = [replace(choice, level=each, against=COMPUTER) for each in LEVELS]
    others += [replace(choice, against=each) for each in OPPONENTS[1:]]
    levels = [Button(_other_side(voice, each), each.press(FORM)) for each in others]
    times = [
        Button(voice.duration(seconds), replace(choice, time=name).press(FORM)) for name, seconds in ROUND_TIMES.items()
    ]
    quorums = [
        Button(
            voice.line("team.form.quorum.none") if not each else voice.number(each),
            replace(choice, quorum=each).press(FORM),
        )
        for each in QUORUMS
    ]
    idles = [
        Button(voice.line(f"team.form.idle.{each}"), replace(choice, idle=each).press(FORM)) for each in IDLE_RULES
    ]
    voters = [
        Button(voice.line(f"team.form.voters.{each}"), replace(choice, voters=each).press(FORM)) for each in VOTERS
    ]
    rows: tuple[Row, ...] = (
        Menu(voice.line("team.form.others"), tuple(levels)),
        Menu(voice.line("team.form.times"), tuple(times)),
        Menu(voice.line("team.form.quorums"), tuple(quorums)),
        Menu(voice.line("team.form.idles"), tuple(idles)),
        Menu(voice.line("team.form.voters"), tuple(voters)),
        (
            Button(voice.line("button.team.begin"), choice.press(CREATE), "primary"),
            Button(voice.line("button.rules"), press("rules", None, 0, choice.game)),
        ),
    )
    return Card(join(parts), rows=rows)


def _other_side(voice: Speaker, choice: TeamChoice) -> str:
    """Return whom the channel plays against, in few words."""
    key = f"computer.{choice.level}" if choice.against == COMPUTER else f"team.form.against.{choice.against}"
    return voice.line(key)
