"""The catalogues hold every word that the program says, and none that it does not."""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from bot.kernel.preferences import LANGUAGES, PREFERENCES
from bot.kernel.refusals import engine_words
from bot.kernel.texts import GENERAL_DOMAIN, LOCALES_FOLDER, Speaker, Texts, strip_styles
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
def nodes_in(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def said(paths: list[Path]) -> Iterator[tuple[str, bool]]:
    """Yield every key that modules say, and whether it is only a beginning."""
    for path in paths:
        for node in nodes_in(path):
            if isinstance(node, ast.Call) and called(node) in SAYING and node.args:
                yield from keys_in(node.args[0])
            elif isinstance(node, ast.Call) and called(node) in ("button", "make_button") and len(node.args) > 1:
                yield from keys_in(node.args[1])
            elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("key", "no"):
                yield from keys_in(node.value)


def keys(language: str, domain: str) -> frozenset[str]:
    catalogue = TEXTS.catalogue(language, domain)
    return catalogue.keys if catalogue else frozenset()


@pytest.fixture(scope="module")
def said_anywhere() -> set[tuple[str, bool]]:
    """What the modules say that are no game's own."""
    return set(said(OURS))


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_said_has_words(language: str, said_anywhere: set[tuple[str, bool]]) -> None:
    known = keys(language, GENERAL_DOMAIN) | frozenset.intersection(*(keys(language, game) for game in games))
    lacking = sorted({key for key, beginning in said_anywhere if not beginning and "." in key} - known)
    assert not lacking, f"bot/locales/{language}/{GENERAL_DOMAIN}.po lacks {', '.join(lacking)}"
    assert {("help", False), ("refusal.moved-on", False)} <= said_anywhere, "known ones are found"
    assert len(said_anywhere) > 100


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", sorted(set(OF_GAMES.values())))
def test_messages_of_every_game_are_in_the_catalogues(language: str, game: str) -> None:
    known = keys(language, game) | keys(language, GENERAL_DOMAIN)
    own = set(said([path for path, of_game in OF_GAMES.items() if of_game == game]))
    assert own
    assert sorted(key for key, beginning in own if not beginning and key not in known) == []
    assert sorted(key for key, is_start in own if is_start and not any(each.startswith(key) for each in known)) == []


def shape(node: ast.JoinedStr) -> str:
    """Return a pattern of the keys that a text with names in it may be."""
    parts = (re.escape(str(part.value)) if isinstance(part, ast.Constant) else "[a-z-]+" for part in node.values)
    return "".join(parts)


def _calls(node: ast.Call, name: str) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr == name


def test_no_word_is_idle() -> None:
    nodes = [node for path in ALL for node in nodes_in(path)]
    exact = {node.value for node in nodes if isinstance(node, ast.Constant)}
    beginnings = tuple(key for key, beginning in said(ALL) if beginning and "." in key)
    beginnings += tuple(f"{each.name}." for command in COMMANDS.values() for each in command.parameters)
    # What is looked up as `word(group, value)` has the group as its beginning.
    looked_up = [node.args[0] for node in nodes if isinstance(node, ast.Call) and _calls(node, "word") and node.args]
    beginnings += tuple(f"{group.value!s}." for group in looked_up if isinstance(group, ast.Constant))
    # Where a key begins with a name, as in `{kind}.sure.{verb}`, the rest of it says which ones are meant.
    spoken = [node.args[0] for node in nodes if isinstance(node, ast.Call) and called(node) in SAYING and node.args]
    branches = [each for key in spoken for each in ((key.body, key.orelse) if isinstance(key, ast.IfExp) else (key,))]
    shapes = {shape(key) for key in branches if isinstance(key, ast.JoinedStr)}
    shapes = {each for each in shapes if each.replace("[a-z-]+", "").strip("\\.")}
    known = re.compile("|".join(shapes))
    rest = {key for key in keys("en", GENERAL_DOMAIN) if key not in exact and not key.startswith(beginnings)}
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
@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_a_platform_take_the_same_parameters(language: str, platform: str) -> None:
    general, own = present(TEXTS.catalogue(language, GENERAL_DOMAIN)), present(TEXTS.catalogue(language, platform))
    for key in own.keys & general.keys:
        assert set(re.findall(r"{\w+}", own.find(key, 2))) == set(re.findall(r"{\w+}", general.find(key, 2))), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_has_its_words(language: str) -> None:
    speaker = TEXTS.speaker(language)
    wanted = [f"{kind}.{name}" for name in COMMANDS for kind in ("command", "typed")]
    for name, command in COMMANDS.items():
        own = [
            (f"command.{name}.{each.name}", f"parameter.{each.name}")
            for each in command.parameters
            if each.kind != "option"
        ]
        wanted += [general for special, general in own if not speaker.has(special)]
        wanted += [f"called.{each.name}" for each in command.parameters if each.kind != "option"]
    lacking = sorted({key for key in wanted if not speaker.has(key)})
    assert not lacking, f"bot/locales/{language}/{GENERAL_DOMAIN}.po lacks {', '.join(lacking)}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_and_parameter_is_described_shortly(language: str) -> None:
    speaker = TEXTS.speaker(language)
    for command in COMMANDS.values():
        descriptions = [command.description(speaker)]
        descriptions += [command.parameter_description(speaker, parameter) for parameter in command.parameters]
        assert all(1 <= len(description) <= 100 for description in descriptions)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_preference_value_has_a_name(language: str) -> None:
    speaker = TEXTS.speaker(language)
    named = [f"{each.name}.{value}" for each in PREFERENCES.values() for value in each.values]
    assert len(named) > 10
    assert [key for key in named if not speaker.has(key)] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", games)
def test_every_refusal_of_a_game_has_words(language: str, key: str) -> None:
    voice, codes = TEXTS.speaker(language).of(key), set(illegal_codes(key))
    assert codes
    assert sorted(code for code in codes if not voice.has(f"refusal.{code}")) == []


def illegal_codes(key: str) -> Iterator[str]:
    """Yield the codes with which the module or package of a game refuses actions."""
    path = Path(inspect.getfile(type(games[key])))
    package = path.parent.name == key.replace("-", "_")
    for source in sorted(path.parent.rglob("*.py")) if package else [path]:
        for node in nodes_in(source):
            if isinstance(node, ast.Call) and called(node) in ("IllegalAction", "InvalidAction") and node.args:
                yield from (code for code, beginning in keys_in(node.args[0]) if not beginning)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", games)
def test_every_kind_of_action_and_reason_has_a_name(language: str, key: str) -> None:
    voice = TEXTS.speaker(language).of(key)
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
    speaker: Speaker = TEXTS.speaker("en")
    assert strip_styles(engine_words(speaker, "annuvin", IllegalAction("never-heard-of"))) == (
        "The rules do not allow that here."
    )
    text = strip_styles(engine_words(speaker, "annuvin", InvalidAction("not-understood", text="*x*")))
    assert "“*x*”" in text


def refusals_in(path: Path) -> Iterator[tuple[str, set[str]]]:
    """Yield the keys of refusals that a module raises by name, or by a pattern, with the parameters that it gives."""
    for node in nodes_in(path):
        if (
            not isinstance(node, ast.Call)
            or called(node) != "Refused"
            or any(each.arg is None for each in node.keywords)
        ):
            continue
        given = {str(each.arg) for each in node.keywords}
        for key in [node.args[0].body, node.args[0].orelse] if isinstance(node.args[0], ast.IfExp) else node.args[:1]:
            if isinstance(key, ast.Constant):
                yield re.escape(str(key.value)), given
            elif isinstance(key, ast.JoinedStr) and isinstance(key.values[-1], ast.Constant):
                parts = (
                    re.escape(str(part.value)) if isinstance(part, ast.Constant) else "[^.]+" for part in key.values
                )
                yield "".join(parts), given


@pytest.mark.parametrize("language", LANGUAGES)
def test_refusals_are_given_what_their_words_name(language: str) -> None:
    catalogue = present(TEXTS.catalogue(language, GENERAL_DOMAIN))
    missing, seen = [], 0
    for path in OURS:
        for pattern, given in refusals_in(path):
            for key in [each for each in catalogue.keys if re.fullmatch(pattern, each)]:
                seen += 1
                named = set(re.findall(r"\{(\w+)\}", catalogue.find(key, 2)))
                missing += [f"{path.name}: {key} names {each}" for each in sorted(named - given - {"n"})]
    assert missing == []
    assert seen > 100
