"""Pictures for cards: drawn off the event loop, cached, with alt texts."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final, Protocol, Unpack

import structlog
from cachetools import FIFOCache

from bot.kernel.cards import MAX_ALT_LENGTH, Picture
from bot.kernel.names import log_unknown_name
from bot.kernel.rulebook import Example
from bot.kernel.table import Table, list_recent_turns
from bot.kernel.texts import Speaker, shorten
from bot.kernel.words.describe import BoardWords, notation_words
from engine import Action, State, Turn
from render import Drawing, DrawOptions
from render.animation import Look
from render.charts import Chart
from render.pool import Show, TooBusy
from render.scene import Choices, Hint, HintStep, NotationWords

PICTURE_CACHE_SIZE: Final = 128
DARK: Final = "dark"
THEMES: Final = ("light", DARK, "contrast")

log = structlog.get_logger(__name__)


class Renderer(Protocol):
    """`render.draw`, off the event loop."""

    def __call__(self, state: State, **options: Unpack[DrawOptions]) -> Awaitable[Drawing]:
        """Draw a position."""
        ...


class Animator(Protocol):
    """`render.pool.Projector.show`."""

    def __call__(self, key: str, start: State, turns: Sequence[Turn], **look: Unpack[Look]) -> Awaitable[Show]:
        """Animate a game."""
        ...


@dataclass(frozen=True, slots=True)
class BoardView:
    """Parameters of a board's picture, such as viewer, marks and theme; `bot.table.card_parts` chooses them.

    `wide` is for places that show pictures at a small height. `goals_of` is the seat whose goals are highlighted, by
    default the viewer's. The turns since the last one of the `reader` are marked; without a reader, those since the
    last turn of the player to move (`recent_turns`). `tried` is the caption of a position that was only tried out,
    `caption` that of a position outside any game, such as a puzzle's.
    """

    viewer: int | None = None
    choices: Choices | None = None
    theme: str = "light"
    hint: Hint | None = None
    wide: bool = False
    goals_of: int | None = None
    reader: int | None = None
    tried: str = ""
    caption: str = ""
    reach: tuple[str, ...] = ()


def choose_theme(*settings: Mapping[str, Any]) -> str:
    """Return the first theme in some settings, a person's before a place's; by default the light one."""
    for chosen in settings:
        for name in ("theme", "own_theme"):
            if chosen.get(name) in THEMES:
                return str(chosen[name])
            if chosen.get(name):
                log_unknown_name("theme", str(chosen[name]))
    return THEMES[0]


def film_words(table: Table, turns: Sequence[Turn]) -> NotationWords:
    """Return the words of a whole game's notation that differ in the table's language."""
    if table.voice is None:
        return ()
    return notation_words(table.words_for(table.voice), chain.from_iterable(turn.actions for turn in turns))


def list_captures(choices: Choices | None) -> tuple[str, ...]:
    """Return the cells that a picture marks because choosing them captures."""
    return tuple(target.cell for target in choices.targets if target.capture) if choices is not None else ()


class Artist:
    """Draws the pictures of boards; without a `draw`, or if it fails, cards have no picture."""

    def __init__(
        self, draw: Renderer | None = None, most: int = PICTURE_CACHE_SIZE, animate: Animator | None = None
    ) -> None:
        self._draw = draw
        self._animate = animate
        self._cache: FIFOCache[tuple[str, int, int | None, tuple[Hashable, ...], BoardView], Drawing] = FIFOCache(most)
        # Readers for whom the same turns are new get the same description of a board and its choices.
        self._descriptions: FIFOCache[tuple[Hashable, ...], BoardWords] = FIFOCache(most)

    async def example(self, example: Example, speaker: Speaker, theme: str) -> Picture | None:
        """Return the picture of an example of the rules with its alt text."""
        view = BoardView(example.viewer, example.choices, theme)
        picture = await self.scene(example.state, example.turn, speaker, view, example.names)
        return None if picture is None else replace(picture, name=example.file)

    async def scene(
        self,
        state: State,
        turn: Turn | None,
        speaker: Speaker,
        view: BoardView,
        names: Sequence[str],
        earlier: Sequence[Turn] = (),
        spoken_names: Sequence[str] = (),
    ) -> Picture | None:
        """Return the picture of a position that belongs to no table; the speaker has the words of the game.

        `earlier` are turns before the last one that are also shown and described. `spoken_names` are the names in the
        alt text if they differ from those in the picture: a picture without names is drawn once for everybody.
        """
        words = notation_words(speaker, turn.actions if turn is not None else ())
        drawn = await self._draw_position(state, turn, view, names, earlier, words, game=state.game.key)
        if drawn is None:
            return None
        described = BoardWords(speaker, state, turn, spoken_names or names, earlier, list_captures(view.choices))
        return Picture(drawn.png, described, f"{state.game.key}.png", drawn.size, drawn.spots)

    async def picture(self, table: Table, speaker: Speaker, view: BoardView, turn: int | None = None) -> Picture | None:
        """Return the picture of a table's board with its alt text in the speaker's language.

        `turn` is the number of an earlier position's turn, for the cache; None for the newest position.
        """
        line, row = table.line, table.row
        if line is None or self._draw is None:
            return None
        names = table.in_language(speaker).names
        earlier = list_recent_turns(table, view.reader)[:-1]
        voice = speaker.of(row.game)
        shown = line.shown_turn
        words = notation_words(voice, shown.actions if shown is not None else ())
        key = (row.id, row.revision, turn, (*names, *words), view)
        drawn = self._cache.get(key)
        if drawn is None:
            where = {"game": row.id, "revision": row.revision}
            drawn = await self._draw_position(line.state, shown, view, names, earlier, words, **where)
            if drawn is None:
                return None
            self._cache[key] = drawn
        captures = list_captures(view.choices)
        described_by = (row.id, row.revision, turn, names, len(earlier), speaker.language, captures)
        described = self._descriptions.get(described_by)
        if described is None:
            described = BoardWords(voice, line.state, shown, names, earlier, captures)
            self._descriptions[described_by] = described
        return Picture(drawn.png, described, f"{row.game}.png", drawn.size, drawn.spots)

    async def _draw_position(
        self,
        state: State,
        turn: Turn | None,
        view: BoardView,
        names: Sequence[str],
        earlier: Sequence[Turn],
        words: NotationWords,
        **where: object,
    ) -> Drawing | None:
        """Return a drawing of a position, None if that fails, which is logged with the details in `where`.

        It marks at most as many turns as there are seats, the last one included.
        """
        if self._draw is None:
            return None
        try:
            return await self._draw(
                state,
                last_turn=turn,
                viewer=view.viewer,
                choices=view.choices,
                names=names,
                theme=view.theme,
                hint=view.hint,
                wide=view.wide,
                goals_of=view.goals_of,
                earlier=tuple(earlier)[max(0, len(earlier) + 1 - state.seats) :],
                tried=view.tried,
                caption=view.caption,
                words=words,
                reach=view.reach,
            )
        except Exception:
            log.exception("drawing-failed", **where)
            return None

    async def show(
        self, table: Table, start: State, turns: Sequence[Turn], theme: str, viewer: int | None
    ) -> Show | None:
        """Return a whole game as an animation and a sheet; None if that fails or too many requests are waiting."""
        if self._animate is None:
            return None
        key = f"{table.id} {table.row.revision}"
        try:
            return await self._animate(
                key, start, turns, names=table.names, theme=theme, viewer=viewer, words=film_words(table, turns)
            )
        except TooBusy:
            log.info("animating-busy", game=table.id)
        except Exception:
            log.exception("animating-failed", game=table.id, revision=table.row.revision)
        return None

    async def chart(self, draw: Callable[[], Chart], alt: str, name: str) -> Picture | None:
        """Return a picture other than a board, drawn off the event loop; None where boards are not drawn either."""
        if self._draw is None:
            return None
        try:
            drawn = await asyncio.to_thread(draw)
        except Exception:
            log.exception("drawing-failed", picture=name)
            return None
        return Picture(drawn.png, shorten(alt, MAX_ALT_LENGTH), name, drawn.size)


def hint_marks(state: State, actions: Sequence[Action]) -> Hint | None:
    """Return the marks of a turn, or the rest of one, from a state; None if its actions name no cell.

    If one piece captures repeatedly, each capture starts from the cell of the one before.
    """
    steps: list[HintStep] = []
    facts = state.game.facts
    last: tuple[str, str | None] = ("", None)
    for action in actions:
        source = action.source
        if source is None and last == (action.verb, last[1]) and facts.is_capture(action):
            source = last[1]
        last = (action.verb, action.target if source is not None else None)
        if action.target is not None:
            steps.append(HintStep(action.target, source, action in state.find_captures((action,))))
        state = state.advance(action)
    if not steps:
        return None
    numbered = [HintStep(step.target, step.source, step.capture, str(number)) for number, step in enumerate(steps, 1)]
    return Hint(tuple(numbered if len(steps) > 1 else steps), actions[0].verb)
