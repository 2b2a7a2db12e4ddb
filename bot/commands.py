"""The one table of commands: every front reads it, `bot.app` carries it out.

A command is described by the words `command.<name>`, a parameter by `command.<name>.<parameter>`, or
`parameter.<parameter>` where it means the same everywhere, an option of a game by `parameter.option`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.competitions.events import FEWEST_ENTRANTS, MOST_ENTRANTS, MOST_ROUNDS, Format
from bot.context.asker import Asker
from bot.context.context import Context
from bot.entry.commandline import Parameter, unknown_parameter
from bot.handlers import (
    account,
    advice,
    analysis,
    blocking,
    competing,
    computers,
    cup_choice,
    daily,
    history,
    info,
    learning,
    lobby,
    moderating,
    newgame,
    nonmember,
    offers,
    planning,
    puzzling,
    rematches,
    settings,
    sharing,
    standings,
    table,
    times,
    trying,
)
from bot.interface.presses import PUZZLE, PUZZLE_ANSWER, PUZZLE_WAY, TRY, TRY_WAY, Press
from bot.interface.refusals import ParameterName, Refused
from bot.interface.requests import Reply
from bot.language.texts import Speaker
from bot.services.clocks import CLOCKS
from bot.services.daily import HOUR, TIMEZONE
from bot.services.holidays import DAYS_A_YEAR
from bot.services.preferences import PREFERENCES, WHOSE
from engine import games
from engine.search import LEVELS

PAGE: Final = "web"
"""The platform whose room nobody else keeps in order: the others have their own ways of keeping people out."""

Handler = Callable[[Context, Asker, Mapping[str, str]], Awaitable[Reply]]
PressHandler = Callable[[Context, Asker, Press], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class Command:
    """What can be asked for by a name; `managed`: by those alone who manage the place; `only`: on this platform."""

    name: str
    handler: Handler
    parameters: tuple[Parameter, ...] = ()
    managed: bool = False
    only: str | None = None

    def description(self, speaker: Speaker) -> str:
        """Return what the command does, in a few words."""
        return speaker.line(f"command.{self.name}")

    def parameter_description(self, speaker: Speaker, parameter: Parameter, game: str = "") -> str:
        """Return what a parameter means, in a few words; an option in every game that has it, or in the one chosen."""
        own = f"command.{self.name}.{parameter.name}"
        if speaker.has(own):
            return speaker.line(own)
        if parameter.kind == "option":
            return _option_description(speaker, parameter.name, game)
        return speaker.line(f"parameter.{parameter.name}")


def _option_description(speaker: Speaker, name: str, game: str) -> str:
    """Return what an option is called, in each of the games that have it or only in one."""
    owners = [key for key in games if name in games[key].options and game in ("", key)]
    called: dict[str, list[str]] = {}
    for key in owners:
        voice = speaker.of(key)
        called.setdefault(voice.line(f"option.{name}"), []).append(voice.line("name"))
    return "; ".join(
        speaker.line("parameter.option", option=option, games=speaker.listing(names))
        for option, names in called.items()
    )


def _options() -> tuple[Parameter, ...]:
    values: dict[str, list[str]] = {}
    for game in games.values():
        for name, option in game.options.items():
            known = values.setdefault(name, [])
            known += [str(value) for value in option.values if str(value) not in known]
    return tuple(Parameter(name, "option", choices=tuple(known)) for name, known in values.items())


_GAME = Parameter("game", "game")
_TERMS = (
    Parameter("clock", "choice", choices=tuple(CLOCKS)),
    Parameter("rated", "choice", choices=(lobby.YES, lobby.NO)),
    Parameter("hints", "choice", choices=(lobby.YES, lobby.NO)),
    Parameter("try", "choice", choices=(lobby.YES, lobby.NO)),
)
_MINE = Parameter("game", "mygame")


def _settings() -> tuple[Parameter, ...]:
    return (
        *(Parameter(name, "choice", choices=each.values) for name, each in PREFERENCES.items()),
        Parameter(TIMEZONE, "text", pattern=r".*/.*|UTC|GMT"),
        Parameter(times.DIGEST, "number", least=0, most=times.LAST_HOUR),
        Parameter(times.QUIET, "text", pattern=r"\d.*"),
        Parameter(times.HOLIDAY, "number", least=0, most=DAYS_A_YEAR),
        Parameter("for", "choice", choices=WHOSE),
    )


def _daily() -> tuple[Parameter, ...]:
    return (
        Parameter(daily.DAILY, "choice", choices=daily.SWITCHES),
        Parameter(HOUR, "number", least=0, most=daily.LAST_HOUR),
    )


async def _puzzle(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    return await (daily.set_daily if daily.is_about_daily(values) else puzzling.puzzle)(context, asker, values)


def _of_cups() -> tuple[Parameter, ...]:
    own = (
        _GAME,
        Parameter("format", "choice", choices=tuple(Format)),
        Parameter("clock", "choice", choices=cup_choice.CUP_CLOCKS),
        Parameter("players", "number", least=FEWEST_ENTRANTS, most=MOST_ENTRANTS),
        Parameter("starts", "text"),
        Parameter("entry", "choice", choices=competing.ENTRY_NAMES),
        Parameter("rounds", "number", least=1, most=MOST_ROUNDS),
        Parameter("least", "number", least=FEWEST_ENTRANTS, most=MOST_ENTRANTS),
        Parameter("lapse", "choice", choices=(lobby.YES, lobby.NO)),
        Parameter("fill", "choice", choices=tuple(map(str, LEVELS))),
        Parameter("holidays", "number", least=0, most=competing.MOST_HOLIDAYS),
        Parameter("double", "choice", choices=(lobby.YES, lobby.NO)),
        Parameter("rated", "choice", choices=(lobby.YES, lobby.NO)),
        Parameter("seats", "number", least=2, most=5),
        Parameter("join", "code"),
    )
    taken = {each.name for each in own}
    # An option that is called like one of these can be chosen in the form.
    return (*own, *[each for each in _options() if each.name not in taken])


async def _help(_context: Context, asker: Asker, _values: Mapping[str, str]) -> Reply:
    return info.help_reply(asker, open_to(asker))


def open_to(asker: Asker) -> dict[str, Command]:
    """Return the commands that somebody may give where they are."""
    known, manages = offered(asker.request.user.platform), settings.may_manage(asker)
    return {name: command for name, command in known.items() if manages or not command.managed}


def listed(asker: Asker) -> Reply:
    """List the commands that somebody may give, each with what it does."""
    described = [(command.name, command.description(asker.mine)) for command in open_to(asker).values()]
    return info.commands_reply(asker, described)


def _table() -> tuple[Command, ...]:
    most = max((game.seats[-1] for game in games.values()), default=2)
    return (
        Command(
            "play",
            rematches.play_or_join,
            (
                _GAME,
                Parameter("opponents", "people"),
                Parameter("seats", "number", least=2, most=most),
                Parameter(computers.COMPUTER, "level", choices=tuple(map(str, LEVELS))),
                Parameter(computers.COMPUTERS, "number", least=1, most=most - 1),
                *_options(),
                *_TERMS,
                Parameter("join", "code"),
            ),
        ),
        Command("cup", competing.cup, _of_cups()),
        Command("join", rematches.join_command, (Parameter("code", "text"),)),
        Command("move", table.move, (Parameter("move", "move", required=True), _MINE)),
        Command("board", table.board, (_MINE, Parameter("text", "choice", choices=(table.YES, table.NO)))),
        Command("games", info.games_command),
        Command("hint", advice.hint, (_MINE,)),
        Command("rematch", rematches.rematch, (_MINE,)),
        Command("resign", table.resign, (_MINE,)),
        Command("undo", offers.undo, (_MINE,)),
        Command("draw", offers.draw, (_MINE,)),
        Command("pause", offers.pause, (_MINE,)),
        Command("close", offers.close, (_MINE,), managed=True),
        Command("mute", moderating.mute, (Parameter("people", "people"),), managed=True, only=PAGE),
        Command("kick", moderating.kick, (Parameter("people", "people"),), managed=True, only=PAGE),
        Command("ban", moderating.ban, (Parameter("people", "people"),), managed=True, only=PAGE),
        Command(
            "leaderboard",
            standings.leaderboard_command,
            (
                _GAME,
                Parameter("where", "choice", choices=standings.WHERE),
                Parameter("least", "number", least=1, most=standings.MOST_LEAST),
            ),
        ),
        Command("profile", standings.profile_command, (Parameter("who", "people", most=1),)),
        Command("history", history.history_command, (_GAME,)),
        Command("replay", history.replay, (Parameter("code", "text"),)),
        Command("analyse", analysis.analyse, (Parameter("code", "text"),)),
        Command("try", trying.try_out, (Parameter("moves", "move"), _MINE, Parameter("note", "text"))),
        Command("plan", planning.plan, (Parameter("line", "move"), _MINE)),
        Command("puzzle", _puzzle, (_GAME, Parameter("which", "choice", choices=puzzling.WHICH), *_daily())),
        Command("export", history.export, (Parameter("code", "text"),)),
        Command("rules", info.rules, (_GAME,)),
        Command("learn", learning.learn, (_GAME,)),
        Command("settings", settings.settings, _settings()),
        Command("block", blocking.block, (Parameter("people", "people"),)),
        Command("link", account.link, (Parameter("code", "text"),)),
        Command("privacy", account.privacy),
        Command("help", _help),
    )


COMMANDS: Mapping[str, Command] = {command.name: command for command in _table()}


def offered(platform: str) -> dict[str, Command]:
    """Return the commands that there are on a platform."""
    return {name: command for name, command in COMMANDS.items() if command.only in (None, platform)}


PARAMETERS: Mapping[str, tuple[Parameter, ...]] = {name: command.parameters for name, command in COMMANDS.items()}

PRESSES: Mapping[str, PressHandler] = {
    "c": table.press_choice,
    "p": nonmember.answering(table.press_choice),
    "text": table.press_text,
    "board": table.press_board,
    "show": nonmember.answering(table.press_show),
    "words": table.press_words,
    "resign": nonmember.in_place(table.press_resign),
    "resign!": nonmember.answering(table.press_resign_yes),
    "keep": nonmember.answering(table.press_keep),
    "fair": table.press_fair,
    "more": offers.press_more,
    "undo": nonmember.answering(offers.press_undo),
    "hint": advice.press_hint,
    "hinted": advice.press_hint_again,
    "offer": offers.press_offer,
    "agree": offers.press_agree,
    "refuse": offers.press_refuse,
    "off": offers.press_off,
    "close": offers.press_close,
    "share": sharing.press_share,
    "join": lobby.press_join,
    "leave": lobby.press_leave,
    "withdraw": lobby.press_withdraw,
    "start": lobby.press_start,
    "begin": lobby.press_begin,
    "against": lobby.press_against,
    "choose": newgame.press_choose,
    "new": newgame.press_new,
    "post": newgame.press_post,
    "cup": competing.press_cup,
    cup_choice.FORM: cup_choice.press_form,
    cup_choice.MORE: cup_choice.press_more,
    cup_choice.POST: cup_choice.press_make,
    "solo": computers.press_solo,
    "robot": computers.press_robot,
    "seat": computers.press_seat,
    "rematch": rematches.press_rematch,
    "rules": info.press_rules,
    "learn": learning.press_learn,
    "lesson": learning.press_lesson,
    "l": learning.press_answer,
    "example": info.press_example,
    "leaders": standings.press_leaders,
    "profile": standings.press_profile,
    "history": history.press_history,
    "replay": history.press_replay,
    "film": history.press_film,
    "sheet": history.press_sheet,
    "export": history.press_export,
    "analyse": analysis.press_analyse,
    "analysed": analysis.press_analysed,
    "better": analysis.press_better,
    "try": trying.press_try,
    TRY: trying.press_answer,
    TRY_WAY: planning.press_way,
    "plan": planning.press_plan,
    "unplan": planning.press_unplan,
    PUZZLE: puzzling.press_puzzle,
    PUZZLE_ANSWER: puzzling.press_answer,
    PUZZLE_WAY: puzzling.press_way,
    "privacy": account.press_privacy,
    "forget": account.press_forget,
    "forget!": account.press_forget_yes,
    "keepme": account.press_keep_me,
    "set": settings.press_set,
}


def checked(command: Command, values: Mapping[str, Any]) -> dict[str, str]:
    """Return the values of a command's parameters; Refused for one that is missing, unknown or out of bounds."""
    known = {parameter.name: parameter for parameter in command.parameters}
    kept: dict[str, str] = {}
    for name, raw in values.items():
        value = str(raw).strip()
        parameter = known.get(name)
        if parameter is None:
            raise unknown_parameter(command.name, name, known)
        if not value:
            continue
        if parameter.kind == "number" and not (value.isascii() and value.isdecimal() and len(value) < 6):
            raise Refused("refusal.no-number", name=ParameterName(name), value=value[:20])
        if parameter.kind in ("choice", "level"):
            typed, value = value, value.lower()
            if value not in parameter.choices:
                meant = ParameterName(name)
                raise Refused("refusal.no-choice", name=meant, value=typed[:20], choices=parameter.choices)
        kept[name] = value
    for parameter in command.parameters:
        if parameter.required and parameter.name not in kept:
            raise Refused(f"refusal.missing-{parameter.name}")
    return kept
