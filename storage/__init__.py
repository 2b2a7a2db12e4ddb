"""Persistent storage of people, places, games and all features, in SQLite or PostgreSQL."""

from storage.agreements import GameProgress, Offer, OfferKind, OfferNews, Offers, Reminder, Stage, Terms
from storage.bans import Ban
from storage.clock import ClockMove
from storage.codes import read_code
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
from storage.daily import Daily, DailyMessage
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
from storage.monthly import MonthlyMessage
from storage.own_moments import MomentCounts, StoredMoment
from storage.passes import InteractionPass, NewInteractionPass
from storage.played_puzzles import PlayedPuzzle
from storage.public_pages import GameConsent, PublicPage
from storage.puzzles import (
    Attempt,
    PuzzleDay,
    PuzzleFigures,
    PuzzleMark,
    PuzzleRating,
    PuzzleStanding,
    SolvedSummary,
    Solver,
)
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
from storage.surface_data import DueBoard, PlayersHere, Surface, SurfaceWithNotices
from storage.team_data import (
    Ballot,
    NewProposal,
    NotCounted,
    Proposal,
    RoundClosed,
    Side,
    TooManyProposals,
)
from storage.team_terms import TeamTerms
from storage.titles import NewTitle, Title
from storage.trees import StoredTree, TooManyTrees
from storage.webhooks import StoredWebhook, WebhookCursor
