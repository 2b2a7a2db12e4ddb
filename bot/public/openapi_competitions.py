"""The API's schemas of cups, leagues and ladders."""

from collections.abc import Mapping
from typing import Final

from bot.public.openapi_shapes import (
    ID,
    MAYBE_ID,
    MAYBE_TIME,
    NUMBER,
    TIME,
    URL,
    Json,
    list_of,
    object_of,
    page_of,
    ref,
)

_SHARED: Final[Mapping[str, Json]] = {
    "id": ID,
    "url": URL,
    "game": {"type": "string"},
    "status": {"type": "string", "enum": ["open", "running", "over"]},
    "created_at": TIME,
    "ended_at": MAYBE_TIME,
}
_CUP: Final[Mapping[str, Json]] = {
    **_SHARED,
    "format": {"type": "string"},
    "entrants": NUMBER,
    "rounds_planned": NUMBER,
}
_LEAGUE: Final[Mapping[str, Json]] = {
    **_SHARED,
    "members": {**NUMBER, "description": "How many are in, those who wait for the next season, too."},
    "season_days": {**NUMBER, "description": "How many days a season lasts."},
    "season_number": {"type": ["integer", "null"], "description": "Null before the first season."},
}
_LADDER: Final[Mapping[str, Json]] = {
    **_SHARED,
    "people": NUMBER,
    "answer_days": {**NUMBER, "description": "For how many days a challenge waits for its answer."},
}
_ENTRANT: Final[Mapping[str, Json]] = {
    "entrant": {**NUMBER, "description": "The number of somebody within this competition."},
    "name": {"type": ["string", "null"], "description": "Null for somebody who is not shown."},
    "player": MAYBE_ID,
}
_MAYBE_SEASON: Final[Json] = {"anyOf": [ref("Season"), {"type": "null"}]}

COMPETITION_SCHEMAS: Final[Mapping[str, Json]] = {
    "Entrant": object_of(**_ENTRANT),
    "Standing": object_of(place={"type": ["integer", "null"]}, points={"type": "string"}, **_ENTRANT),
    "Pairing": object_of(
        entrants={**list_of({"type": "integer"}), "description": "By seat; -1 is a computer."},
        places={"type": ["array", "null"], "items": NUMBER, "description": "By seat, null while it goes on."},
        game=MAYBE_ID,
    ),
    "CupSummary": object_of(**_CUP),
    "Cup": object_of(
        **_CUP,
        table=list_of(ref("Standing")),
        rounds=list_of(object_of(number=NUMBER, pairings=list_of(ref("Pairing")), byes=list_of(NUMBER))),
    ),
    "CupList": page_of("CupSummary", MAYBE_ID),
    "LeagueSummary": object_of(**_LEAGUE),
    "Season": object_of(
        number=NUMBER,
        starts_at=TIME,
        ends_at=TIME,
        over={"type": "boolean"},
        divisions=list_of(object_of(number=NUMBER, table=list_of(ref("Standing")), pairings=list_of(ref("Pairing")))),
    ),
    "League": object_of(**_LEAGUE, season=_MAYBE_SEASON, season_before=_MAYBE_SEASON, queue=list_of(ref("Entrant"))),
    "LeagueList": page_of("LeagueSummary", MAYBE_ID),
    "LadderSummary": object_of(**_LADDER),
    "Ladder": object_of(
        **_LADDER,
        places=list_of(object_of(place=NUMBER, **_ENTRANT)),
        challenges=list_of(
            object_of(
                challenger=NUMBER,
                challenged=NUMBER,
                made_at=TIME,
                answer_by=TIME,
                accepted={"type": "boolean"},
                game=MAYBE_ID,
            )
        ),
    ),
    "LadderList": page_of("LadderSummary", MAYBE_ID),
}
