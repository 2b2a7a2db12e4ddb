"""Chains of hashes as browsers make them, without a browser."""

from dataclasses import dataclass
from typing import Self

from bot.kernel.requests import ClientEntropy
from engine.fair import next_hash


@dataclass
class Chain:
    """A chain from its end to its secret: `links[0]` is the hash committed to, each next one opens the one before."""

    links: list[str]

    @classmethod
    def of(cls, secret: int | str, length: int = 40) -> Self:
        """Return the chain of a secret."""
        links = [secret if isinstance(secret, str) else f"{secret:064x}"]
        while len(links) <= length:
            links.append(next_hash(links[-1]))
        return cls(links[::-1])

    @property
    def end(self) -> str:
        """The hash committed to."""
        return self.links[0]

    @property
    def joining(self) -> ClientEntropy:
        """What goes with the joining of a game."""
        return ClientEntropy(chain=self.end)

    def opens(self, game: str, number: int) -> ClientEntropy:
        """Return what goes with an action in a game that opens a link, counted from 1."""
        return ClientEntropy(game=game, link=self.links[number])

    def begins(self, game: str) -> ClientEntropy:
        """Return what goes with an action in a game whose former chain is lost."""
        return ClientEntropy(chain=self.end, game=game)
