"""Typed commands: forgiving, never guessing."""

from contextlib import suppress

import pytest

from bot.kernel.commandline import Mentioned, parse_command, read_people
from bot.kernel.names import GameNames
from bot.kernel.refusals import Refused
from bot.kernel.texts import Texts
from bot.platforms.app import PARAMETERS

TEXTS = Texts()
NAMES = GameNames(TEXTS)


@pytest.mark.parametrize(
    ("line", "name", "values"),
    [
        ("/play", "play", {}),
        ("/PLAY Annuvin", "play", {"game": "annuvin"}),
        ("/play@TavoliereBot annuvin", "play", {"game": "annuvin"}),
        ("/play annuvin @bruno board:square", "play", {"game": "annuvin", "opponents": '@"bruno"', "board": "square"}),
        ("/play @bruno square annuvin", "play", {"game": "annuvin", "opponents": '@"bruno"', "board": "square"}),
        ("/play annuvin board=square", "play", {"game": "annuvin", "board": "square"}),
        ("/play annuvin board: square", "play", {"game": "annuvin", "board": "square"}),
        ("/play real queen @a @b", "play", {"game": "real-queen", "opponents": '@"a" @"b"'}),
        ("/play Real-Queen", "play", {"game": "real-queen"}),
        ("/play vedovanera 4", "play", {"game": "vedova-nera", "seats": "4"}),
        ("/play fagocitare 12", "play", {"game": "fagocitare", "size": "12"}),
        ("/play fagocitare size:7", "play", {"game": "fagocitare", "size": "7"}),
        ('/play annuvin @"Anna Maria"', "play", {"game": "annuvin", "opponents": '@"Anna Maria"'}),
        ("/play annuvin opponents:bruno", "play", {"game": "annuvin", "opponents": '@"bruno"'}),
        ("/move d5xc4 xc3", "move", {"move": "d5xc4 xc3"}),
        ("/move d5xc4 xc3 game:K7QF3D", "move", {"move": "d5xc4 xc3", "game": "K7QF3D"}),
        ("/move #K7QF3D d5 c4", "move", {"move": "d5 c4", "game": "#K7QF3D"}),
        ("/move b1-c5/4 stay/3", "move", {"move": "b1-c5/4 stay/3"}),
        ("/board k7qf3d", "board", {"game": "k7qf3d"}),
        ("/resign", "resign", {}),
        ("/join K7QF3D", "join", {"code": "K7QF3D"}),
        ("/settings it dark", "settings", {"language": "it", "theme": "dark"}),
        ("/settings for:channel language:it", "settings", {"language": "it", "for": "channel"}),
        ("/impostazioni lingua:it", "settings", {"language": "it"}),
        ("/gioca vedovanera giocatori:4", "play", {"game": "vedova-nera", "seats": "4"}),
        ("/torneo annuvin formato:swiss giocatori:8", "cup", {"game": "annuvin", "format": "swiss", "players": "8"}),
        ("/impostazioni ore-tranquille:22-7", "settings", {"quiet": "22-7"}),
        ("/classifica dove:here minimo:3", "leaderboard", {"where": "here", "least": "3"}),
        ("/torneo partecipa:K7QF3D", "cup", {"join": "K7QF3D"}),
        ("/torneo codice:K7QF3D", "cup", {"join": "K7QF3D"}),
        ("/rivedi codice:K7QF3D", "replay", {"code": "K7QF3D"}),
        ("/riguarda K7QF3D", "replay", {"code": "K7QF3D"}),
        ("/leaderboard annuvin", "leaderboard", {"game": "annuvin"}),
        ("  /help  ", "help", {}),
        ("/settings look:dark", "settings", {"theme": "dark"}),
        ("/settings aspetto:dark", "settings", {"theme": "dark"}),
        ("/aiuto", "help", {}),
        ("/gioca annuvin", "play", {"game": "annuvin"}),
        ("/regole annuvin", "rules", {"game": "annuvin"}),
        ("/classifica", "leaderboard", {}),
        ("/mossa d2-d3", "move", {"move": "d2-d3"}),
        ("/Partite", "games", {}),
        ("/impara@tavolierebot fagocitare", "learn", {"game": "fagocitare"}),
        ("/analyze", "analyse", {}),
    ],
)
def test_typed_commands_are_parsed(line: str, name: str, values: dict[str, str]) -> None:
    assert parse_command(line, PARAMETERS, NAMES) == (name, values)


@pytest.mark.parametrize("language", TEXTS.languages)
def test_what_discord_calls_a_parameter_can_be_typed_too(language: str) -> None:
    speaker = TEXTS.speaker(language)
    for command, parameters in PARAMETERS.items():
        for each in parameters:
            if each.kind != "option":
                word = speaker.line(f"called.{each.name}").split()[0]
                meant = (word, *NAMES.parameters.get(word, ()))
                had = [name for name in meant if name in {other.name for other in parameters}]
                assert had[0] == each.name, (command, word)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("", "refusal.no-command"),
        ("play annuvin", "refusal.no-command"),
        ("/", "refusal.no-command"),
        ("/dance", "refusal.no-such-command"),
        ("/plya", "refusal.unknown-command"),
        ("/help me", "refusal.extra-word"),
        ("/play annuvin annuvin", "refusal.extra-word.named"),
        ("/play annuvin anna", "refusal.extra-word.person"),
        ("/games @bruno", "refusal.extra-word"),
        ("/games bruno", "refusal.extra-word"),
        ("/clasifica", "refusal.unknown-command"),
        ("/settings colour:dark", "refusal.unknown-parameter"),
        ("/help me:please", "refusal.no-parameters"),
    ],
)
def test_unparsable_command_is_refused_with_its_reason(line: str, key: str) -> None:
    with pytest.raises(Refused) as refused:
        parse_command(line, PARAMETERS, NAMES)
    assert refused.value.key == key


def test_people_are_read_as_they_are_written() -> None:
    assert read_people('@anna @"Anna Maria" <@12|Bruno B> carla @anna') == [
        Mentioned("anna"),
        Mentioned("Anna Maria"),
        Mentioned("Bruno B", "12"),
        Mentioned("carla"),
    ]


def test_typed_people_are_never_ids() -> None:
    _, values = parse_command("/play annuvin opponents:<@12|Bruno> @<@13|Carla>", PARAMETERS, NAMES)
    assert all(person.id is None for person in read_people(values["opponents"]))


@pytest.mark.parametrize("line", ["/play " + "x" * 10_000, '/play "', "/play @", "/play :", "/move \x00", '/play @"'])
def test_nonsense_is_read_or_refused(line: str) -> None:
    with suppress(Refused):
        name, values = parse_command(line, PARAMETERS, NAMES)
        assert name in PARAMETERS
        assert set(values) <= {parameter.name for parameter in PARAMETERS[name]}


def test_every_command_has_words_of_its_own_in_every_language() -> None:
    assert set(NAMES.commands.values()) == set(PARAMETERS)
    assert all(NAMES.commands[name] == name for name in PARAMETERS)
    assert all(word.isascii() and word.isalpha() and word == word.lower() for word in NAMES.commands)
    texts = Texts()
    words = [
        word
        for language in texts.languages
        for command in PARAMETERS
        for word in set(texts.speaker(language).line(f"typed.{command}").split())
    ]
    assert len(NAMES.commands) == len(set(words))


@pytest.mark.parametrize(
    ("typed", "game"),
    [("anuvin", "annuvin"), ("vedova neera", "vedova-nera"), ("omo nero", "uomo-nero"), ("chess", None)],
)
def test_a_mistyped_game_is_like_one(typed: str, game: str | None) -> None:
    assert NAMES.closest(typed) == game
