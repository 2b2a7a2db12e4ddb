"""Data of the page's new-game panel: each game with its options, computer levels, and clocks."""

from bot.language.texts import Speaker, Texts
from bot.lessons import lesson_of
from bot.lobby.cards import clock_name
from bot.play.clocks import CLOCKS
from bot.web.present import Json
from engine import Game, games
from engine.search import LEVELS


def games_to_json(texts: Texts, language: str) -> list[Json]:
    """Return the playable games in a language: description, numbers of players, and options."""
    voices = [(game, texts.speaker(language).of(key)) for key, game in games.items()]
    return [
        {
            "key": game.key,
            "name": voice.line("name"),
            "about": voice.line("tagline"),
            "seats": [game.seats[0], game.seats[-1]],
            "options": _options(game, voice),
            "lesson": lesson_of(game.key) is not None,
        }
        for game, voice in voices
        if voice.has("name")
    ]


def choices_to_json(texts: Texts, language: str) -> Json:
    """Return the choices common to all games: computer levels and clocks."""
    speaker = texts.speaker(language)
    return {
        "levels": [{"value": str(level), "label": speaker.line(f"computer.{level}")} for level in LEVELS],
        "clocks": [{"value": name, "label": clock_name(speaker, seconds)} for name, seconds in CLOCKS.items()],
    }


def _options(game: Game, voice: Speaker) -> list[Json]:
    return [
        {
            "name": name,
            "label": voice.line(f"option.{name}"),
            "usual": str(option.default),
            "values": [_value(voice, name, value) for value in option.values],
        }
        for name, option in game.options.items()
    ]


def _value(voice: Speaker, name: str, value: str | int) -> Json:
    about = f"option.{name}.{value}.about"
    label = voice.line(f"option.{name}.{value}")
    return {"value": str(value), "label": label, "about": voice.line(about) if voice.has(about) else ""}
