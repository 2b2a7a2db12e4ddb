"""Texts of the page, from the same catalogues as all others."""

from typing import Final

from bot.language.texts import Texts

CATALOGUE_DOMAIN: Final = "web"
LANGUAGE_NAMES: Final = {"en": "English", "it": "Italiano"}


class PageWords:
    """Texts of the page by language; a text that depends on a number has two forms, singular and plural."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._words = {language: self._read(language) for language in texts.languages}

    def _read(self, language: str) -> dict[str, str | list[str]]:
        catalogue = self._texts.catalogue(language, CATALOGUE_DOMAIN)
        if catalogue is None:
            return {}
        words: dict[str, str | list[str]] = {}
        for key in catalogue.keys:
            one, many = catalogue.find(key, 1), catalogue.find(key, 2)
            words[key] = one if one == many else [one, many]
        return words

    @property
    def languages(self) -> list[dict[str, str]]:
        """The available languages, each with its own name for itself."""
        return [{"code": code, "name": LANGUAGE_NAMES.get(code, code)} for code in self._words]

    def choose(self, wanted: str | None) -> str:
        """Return the supported language for a browser's requested one."""
        return self._texts.supported(wanted) or "en"

    def for_language(self, language: str) -> dict[str, str | list[str]]:
        """Return all texts of a language."""
        return self._words[language]
