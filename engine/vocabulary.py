"""The words that people say, in English and Italian, in place of the marks of a notation; games add their own."""

from collections.abc import Mapping
from typing import Final


def list_marks(mark: str, words: str) -> dict[str, str]:
    """Return the words, divided by spaces, each with the mark that it stands for ("" for none)."""
    return dict.fromkeys(words.split(), mark)


PASSING: Final = "pass skip passo passa salto"
"""Words for a pass."""
STAYING: Final = "stay stand still hold wait fermo ferma fermi fermati resto resta restare aspetto aspetta"
"""Words for staying where one is."""
STOPPING: Final = "stop halt alt basta"
"""Words for going no farther."""
CAPTURING: Final = "capture captures take takes cattura catturo prende prendo prendi mangia mangio"
"""Words for the mark of a capture."""
COMMON: Final[Mapping[str, str]] = {
    **list_marks("pass", f"{PASSING} {STAYING} {STOPPING}"),
    **list_marks("x", CAPTURING),
    **list_marks("", "here mi sto qui piece pedina place metto move muovo muovi"),
}
"""What stands for the same in every game that does not know better: doing nothing more is a pass."""
