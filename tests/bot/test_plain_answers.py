"""Answers that fit what was asked, in the reader's language, with what was typed as it was typed."""

import pytest

from bot.kernel.requests import Place
from bot.kernel.texts import Texts, fill, strip_styles
from bot.platforms.app import COMMANDS
from tests.bot.party import Party, missing, words

COMMANDS_NAMING_GAMES = ("resign now", "undo 5", "export zzz", "replay abc", "analyse Foo", "draw Foo", "hint Please")


async def test_a_word_that_is_no_code_is_echoed_and_nothing_is_said_of_joining(duel: Party) -> None:
    for line in COMMANDS_NAMING_GAMES:
        said = words(await duel.say("anna", f"/{line}"))
        assert missing(said, f"“{line.split()[1]}” is not the code of a game", "Leave it out") == [], line
        assert "join" not in said.lower(), line
    assert "/join" in words(await duel.say("anna", "/join zzz"))


@pytest.mark.parametrize("language", ["en", "it"])
async def test_single_slash_lists_the_commands_that_one_may_give(party: Party, language: str) -> None:
    party.languages = dict.fromkeys(("anna", "bruno"), language)
    party.managers.add("bruno")
    speaker = party.front.context.speaker(language)
    listed, managers = [words(await party.say(who, " / ")) for who in ("anna", "bruno")]
    assert listed == words(await party.say("anna", "/"))
    for name, command in COMMANDS.items():
        entry = f"/{name} – {command.description(speaker)}"
        assert (entry in listed, entry in managers) == (not command.managed, True), name
    assert "/close" in words(await party.say("anna", "/", place=Place("web", "@anna", kind="private"))).split()


async def test_refusal_quotes_the_input_unchanged(party: Party) -> None:
    for language, line, said in (
        ("en", "/settings language:FR", "“language” cannot be “FR”. It can be: en, it, auto."),
        ("it", "/settings language:Klingon", "«lingua» non può essere «Klingon». Può essere: en, it, auto."),
        ("it", "/leaderboard least:Molti", "deve essere un numero, non «Molti»."),
        ("en", "/settings fr", "I do not know what to do with “fr”. /settings takes, with a colon and a value:"),
        ("en", "/PLAYY annuvin", "I do not know /PLAYY. Did you mean /play?"),
        ("it", "/Resig", "Non conosco /Resig. Intendevi /abbandona?"),
        ("it", "/abbandon", "Intendevi /abbandona?"),
        ("en", "/abbandon", "Did you mean /resign?"),
        ("en", "/settings Colour:red", "has no “Colour”. It has: for, language, "),
    ):
        party.languages["anna"] = language
        assert said in words(await party.say("anna", line)), line


@pytest.mark.parametrize(("language", "said"), [("en", "A plan is your answer"), ("it", "Un piano è la tua risposta")])
async def test_plan_without_arguments_explains_plans(party: Party, code: str, language: str, said: str) -> None:
    party.languages["anna"] = language
    assert said in words(await party.say("anna", "/plan"))
    assert party.code == code


def test_italian_words_take_their_d() -> None:
    speaker = Texts().speaker("it")
    assert "Tocca ad Anna." in speaker.line("board.theirs", who="Anna")
    assert "Tocca a Bruno." in speaker.line("board.theirs", who="Bruno")
    assert strip_styles(speaker.listing(["Ugo", "Elena"])) == "Ugo ed Elena"
    assert strip_styles(speaker.listing(["Elena", "Ugo"])) == "Elena e Ugo"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("0", "dello 0% e lo 0%"),
        ("1", "dell'1% e l'1%"),
        ("7", "del 7% e il 7%"),
        ("8", "dell'8% e l'8%"),
        ("11", "dell'11% e l'11%"),
        ("18", "del 18% e il 18%"),
        ("80", "dell'80% e l'80%"),
        ("100", "del 100% e il 100%"),
        ("8AB", "del 8AB% e il 8AB%"),
    ],
)
def test_italian_articles_suit_the_number_that_follows(value: str, said: str) -> None:
    assert strip_styles(fill("del {value}% e il {value}%", {"value": value}, language="it")) == said
    assert strip_styles(fill("model {value}, il {value}", {"value": value})) == f"model {value}, il {value}"
