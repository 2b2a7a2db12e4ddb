"""Persistent storage of people, places, games and all features, in SQLite or PostgreSQL."""

from storage.agreements import GameProgress, Offer, OfferKind, OfferNews, Offers, Reminder, Stage, TeamTerms, Terms
from storage.clock import ClockMove
from storage.columns import BROKEN_JSON
from storage.competitions import (
    AlreadyPaired,
    CompetitionChange,
    CompetitionKind,
    CompetitionPlace,
    CompetitionRow,
    CompetitionStatus,
    EntrantRow,
)
from storage.database import News
from storage.errors import (
    AlreadyProcessed,
    BrokenDatabase,
    CodeTaken,
    Conflict,
    DiskFull,
    InvalidUrl,
    Locked,
    NewerDatabase,
    NoDatabase,
    NoSuchGame,
    OlderDatabase,
    Planned,
    StorageError,
    Stranger,
    Unavailable,
    Unreachable,
    Unwritable,
)
from storage.games import WaitingGame
from storage.guesses import GuessCounts, GuessRefused, NewGuess, StoredGuess
from storage.links import PlayEachOther
from storage.passes import InteractionPass, NewInteractionPass
from storage.periodic_messages import Daily, DailyMessage, MonthlyMessage
from storage.places import Ban
from storage.plain_text import read_code
from storage.private_boards import MomentCounts, StoredMoment, StoredTree, TooManyTrees
from storage.public_pages import GameConsent, PublicPage
from storage.puzzles import (
    Attempt,
    PlayedPuzzle,
    PuzzleDay,
    PuzzleFigures,
    PuzzleMark,
    PuzzleRating,
    PuzzleStanding,
    SolvedSummary,
    Solver,
)
from storage.ratings import NewTitle, Title
from storage.room import RoomMessage
from storage.rows import (
    Doer,
    Event,
    GameBrief,
    GameChange,
    GameRow,
    Identity,
    Json,
    Lesson,
    NewEvent,
    NewGame,
    NewNotice,
    NewResult,
    Notice,
    PastNotice,
    Person,
    PlaceRow,
    ProcessedEvent,
    Rating,
    RequestSource,
    Result,
    Seat,
    Standing,
    utc_now,
)
from storage.store import Store
from storage.surfaces import DueBoard, PlayersHere, Surface, SurfaceWithNotices
from storage.team_data import (
    Ballot,
    NewProposal,
    NotCounted,
    Proposal,
    RoundClosed,
    Side,
    TooManyProposals,
)
from storage.webhooks import StoredWebhook, WebhookCursor
