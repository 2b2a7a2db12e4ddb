"""The catalogues hold every word that the program says, and none that it does not."""

import ast
import inspect
import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, islice
from pathlib import Path

import pytest

from bot.kernel.preferences import LANGUAGES, PREFERENCES
from bot.kernel.refusals import engine_words
from bot.kernel.texts import GENERAL_DOMAIN, LOCALES_FOLDER, Texts, strip_styles
from bot.platforms.app import COMMANDS
from engine import CHANCE, IllegalAction, InvalidAction, games
from tests.engine.playing import playout, settings
from tests.support.present import present

ROOT = Path(__file__).resolve().parents[2]
TEXTS = Texts()
SAYING = {"say", "line", "has", "Refused", "NoSuchBoard", "PuzzleSentence", "Refutation"}
SAYING |= {"cells", "count", "reason", "of_cells", "answer", "left_out"}
ALL = sorted((ROOT / "bot").rglob("*.py"))
OF_GAMES = {path: path.stem.replace("_", "-") for path in ALL if path.stem.replace("_", "-") in games}
"""Modules of one game, which say that game's own words."""
ELSEWHERE = {"cli", "web", "discord", "telegram", "operations"}
OURS = [path for path in ALL if not ELSEWHERE & set(path.relative_to(ROOT).parts) and path not in OF_GAMES]


def called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def keys_in(node: ast.expr) -> Iterator[tuple[str, bool]]:
    """Yield the keys that an expression may be, and whether they are only beginnings."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value, False
    elif isinstance(node, ast.JoinedStr):
        first = node.values[0]
        if isinstance(first, ast.Constant):
            yield str(first.value), True
    elif isinstance(node, ast.IfExp):
        yield from keys_in(node.body)
        yield from keys_in(node.orelse)


@cache
def nodes_in(path: Path) -> list[ast.Call | ast.Assign | ast.Constant]:
    """Return what is called, assigned and named in a module."""
    tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node for node in tree if isinstance(node, ast.Call | ast.Assign | ast.Constant)]


def calls(paths: Iterable[Path], *names: str) -> Iterator[ast.Call]:
    """Yield the calls of functions or methods with these names in modules, where something is given to them."""
    for node in chain.from_iterable(map(nodes_in, paths)):
        if isinstance(node, ast.Call) and called(node) in names and node.args:
            yield node


def said(paths: list[Path]) -> Iterator[tuple[str, bool]]:
    """Yield every key that modules say, and whether it is only a beginning."""
    for call in calls(paths, *SAYING):
        yield from keys_in(call.args[0])
    for call in calls(paths, "button", "make_button"):
        yield from (key for argument in call.args[1:2] for key in keys_in(argument))
    for node in chain.from_iterable(map(nodes_in, paths)):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("key", "no"):
            yield from keys_in(node.value)


def keys(domain: str) -> frozenset[str]:
    """Return the keys of a catalogue: those of all languages, which `tools/check_translations.py` compares."""
    return present(TEXTS.catalogue("en", domain)).keys


def test_everything_said_has_words() -> None:
    said_anywhere = set(said(OURS))
    known = keys(GENERAL_DOMAIN) | frozenset.intersection(*map(keys, games))
    lacking = sorted({key for key, beginning in said_anywhere if not beginning and "." in key} - known)
    assert not lacking, f"bot/locales/en/{GENERAL_DOMAIN}.po lacks {', '.join(lacking)}"
    assert {("help", False), ("refusal.moved-on", False)} <= said_anywhere, "known ones are found"
    assert len(said_anywhere) > 100


@pytest.mark.parametrize("game", sorted(set(OF_GAMES.values())))
def test_messages_of_every_game_are_in_the_catalogues(game: str) -> None:
    known = keys(game) | keys(GENERAL_DOMAIN)
    own = set(said([path for path, of_game in OF_GAMES.items() if of_game == game]))
    assert own
    assert sorted(key for key, beginning in own if not beginning and key not in known) == []
    assert sorted(key for key, is_start in own if is_start and not any(each.startswith(key) for each in known)) == []


def shape(node: ast.JoinedStr, name: str) -> str:
    """Return a pattern of the keys that a text with names in it may be, by the pattern of a name."""
    return "".join(re.escape(str(part.value)) if isinstance(part, ast.Constant) else name for part in node.values)


def branches(key: ast.expr) -> list[ast.expr]:
    """Return the one expression, or both of a choice."""
    return [key.body, key.orelse] if isinstance(key, ast.IfExp) else [key]


def test_no_word_is_idle() -> None:
    exact = {node.value for path in ALL for node in nodes_in(path) if isinstance(node, ast.Constant)}
    beginnings = tuple(key for key, beginning in said(ALL) if beginning and "." in key)
    beginnings += tuple(f"{each.name}." for command in COMMANDS.values() for each in command.parameters)
    # What is looked up as `word(group, value)` has the group as its beginning.
    groups = [call.args[0] for call in calls(ALL, "word")]
    beginnings += tuple(f"{group.value!s}." for group in groups if isinstance(group, ast.Constant))
    # Where a key begins with a name, as in `{kind}.sure.{verb}`, the rest of it says which ones are meant.
    spoken = [key for call in calls(ALL, *SAYING) for key in branches(call.args[0])]
    shapes = {shape(key, "[a-z-]+") for key in spoken if isinstance(key, ast.JoinedStr)}
    known = re.compile("|".join(each for each in shapes if each.replace("[a-z-]+", "").strip("\\.")))
    rest = {key for key in keys(GENERAL_DOMAIN) if key not in exact and not key.startswith(beginnings)}
    assert sorted(key for key in rest if known.fullmatch(key) is None) == []


FOR_SERVERS = {"help", "refusal.membership-not-told.discord", "refusal.cup-other-server"}
"""Texts that Telegram does not show, or that name what is typed; so are all that end with `.server`."""
FOREIGN = re.compile(r"\b(channels?|servers?|canal[ei])\b", re.IGNORECASE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_telegram_shows_speaks_of_groups(language: str) -> None:
    general, own = present(TEXTS.catalogue(language, GENERAL_DOMAIN)), present(TEXTS.catalogue(language, "telegram"))
    foreign = {}
    for key in general.keys:
        if key not in FOR_SERVERS and not key.endswith(".server"):
            said = (own if key in own.keys else general).find(key, 1)
            plain = re.sub(r"`[^`]*`|for:channel", "", said)
            if FOREIGN.search(plain):
                foreign[key] = said
    assert foreign == {}
    speaker = TEXTS.speaker(language, "telegram").of(next(iter(games)))
    assert speaker.line("refusal.not-manager") == own.find("refusal.not-manager", None)
    assert speaker.line("refusal.not-manager") != TEXTS.speaker(language).line("refusal.not-manager")


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_has_marks_that_would_be_shown(language: str) -> None:
    domains = [path.stem for path in (LOCALES_FOLDER / language).glob("*.po")]
    assert len(domains) > 10
    for domain in domains:
        catalogue = present(TEXTS.catalogue(language, domain))
        emphasised = [key for key in catalogue.keys if re.search(r"(?<!\w)_\S.*\S_(?!\w)", catalogue.find(key, 1))]
        assert emphasised == [], "stars make bold, and there is nothing else"


@pytest.mark.parametrize("platform", ["telegram", "discord"])
def test_words_of_a_platform_take_the_same_parameters(platform: str) -> None:
    general, own = (present(TEXTS.catalogue("en", domain)) for domain in (GENERAL_DOMAIN, platform))
    for key in own.keys & general.keys:
        assert set(re.findall(r"{\w+}", own.find(key, 2))) == set(re.findall(r"{\w+}", general.find(key, 2))), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_commands_parameters_and_preferences_have_words_that_are_short(language: str) -> None:
    speaker = TEXTS.speaker(language)
    wanted = [f"{each.name}.{value}" for each in PREFERENCES.values() for value in each.values]
    for name, command in COMMANDS.items():
        wanted += [f"command.{name}", f"typed.{name}"]
        for each in [each for each in command.parameters if each.kind != "option"]:
            own, general = f"command.{name}.{each.name}", f"parameter.{each.name}"
            wanted += [own if speaker.has(own) else general, f"called.{each.name}"]
        descriptions = [command.description(speaker)]
        descriptions += [command.parameter_description(speaker, parameter) for parameter in command.parameters]
        assert all(1 <= len(description) <= 100 for description in descriptions)
    lacking = sorted({key for key in wanted if not speaker.has(key)})
    assert not lacking, f"bot/locales/{language}/{GENERAL_DOMAIN}.po lacks {', '.join(lacking)}"


@pytest.mark.parametrize("key", games)
def test_every_refusal_of_a_game_has_words(key: str) -> None:
    path = Path(inspect.getfile(type(games[key])))
    package = path.parent.name == key.replace("-", "_")
    refused = calls(sorted(path.parent.rglob("*.py")) if package else [path], "IllegalAction", "InvalidAction")
    codes = {code for call in refused for code, beginning in keys_in(call.args[0]) if not beginning}
    assert codes
    voice = TEXTS.speaker("en").of(key)
    assert sorted(code for code in codes if not voice.has(f"refusal.{code}")) == []


@pytest.mark.parametrize("key", games)
def test_every_kind_of_action_and_reason_has_a_name(key: str) -> None:
    voice = TEXTS.speaker("en").of(key)
    verbs, reasons = set(), set()
    for setting in [setting for setting in settings() if setting.key == key][:4]:
        for state, _ in islice(playout(setting, 1), 500):
            if state.to_move != CHANCE:
                named = [action for action in state.legal_actions() if action.verb not in state.game.facts.picks]
                verbs |= set(map(state.game.facts.kind_of, named))
            if state.outcome is not None:
                reasons.add(state.outcome.reason)
    assert verbs
    assert sorted(verb for verb in verbs if not voice.has(f"verb.{verb}")) == []
    assert sorted(reason for reason in reasons if not voice.has(f"reason.{reason}")) == []


def test_an_unknown_code_has_words_all_the_same() -> None:
    speaker = TEXTS.speaker("en")
    assert strip_styles(engine_words(speaker, "annuvin", IllegalAction("never-heard-of"))) == (
        "The rules do not allow that here."
    )
    assert "“*x*”" in strip_styles(engine_words(speaker, "annuvin", InvalidAction("not-understood", text="*x*")))


def refusals_in(path: Path) -> Iterator[tuple[str, set[str]]]:
    """Yield patterns of the keys of refusals that a module raises, with the parameters that it gives."""
    for node in calls([path], "Refused"):
        given = {each.arg for each in node.keywords}
        for key in branches(node.args[0]) if None not in given else ():
            if isinstance(key, ast.Constant):
                yield re.escape(str(key.value)), {str(each) for each in given}
            elif isinstance(key, ast.JoinedStr) and isinstance(key.values[-1], ast.Constant):
                yield shape(key, "[^.]+"), {str(each) for each in given}


def test_refusals_are_given_what_their_words_name() -> None:
    catalogue = present(TEXTS.catalogue("en", GENERAL_DOMAIN))
    missing, seen = [], 0
    for path in OURS:
        for pattern, given in refusals_in(path):
            for key in [each for each in catalogue.keys if re.fullmatch(pattern, each)]:
                seen += 1
                named = set(re.findall(r"\{(\w+)\}", catalogue.find(key, 2)))
                missing += [f"{path.name}: {key} names {each}" for each in sorted(named - given - {"n"})]
    assert missing == []
    assert seen > 100
