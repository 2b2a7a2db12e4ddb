"""Persistent storage of people, places, games and all features, in SQLite or PostgreSQL."""

from storage.addresses import read_code
from storage.agreements import GameProgress, Offer, OfferKind, OfferNews, Offers, Reminder, Stage, TeamTerms, Terms
from storage.boards import GuessCounts, GuessRefused, MomentCounts, TooManyTrees
from storage.columns import BROKEN_JSON, Json
from storage.competition_schema import (
    CompetitionKind,
    CompetitionRow,
    CompetitionStatus,
    EntrantRow,
    NewTitle,
    Proposal,
    Side,
    Title,
)
from storage.competitions import AlreadyPaired, CompetitionChange
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
from storage.message_schema import (
    Daily,
    InteractionPass,
    NewInteractionPass,
    NewNotice,
    Notice,
    Post,
    PublicPage,
    RoomMessage,
    StoredWebhook,
    WebhookCursor,
)
from storage.posts import DuePost, NewPost, PostWithNotices, ShownPost
from storage.privacy import PlayEachOther
from storage.public_pages import GameConsent
from storage.puzzle_schema import (
    Attempt,
    NewGuess,
    PlayedPuzzle,
    PuzzleDay,
    PuzzleFigures,
    PuzzleMark,
    PuzzleRating,
    StoredGuess,
    StoredMoment,
)
from storage.puzzles import PuzzleStanding, SolvedSummary, Solver
from storage.rows import (
    EventOrigin,
    GameChange,
    NewEvent,
    NewGame,
    PastNotice,
    RequestSource,
    Standing,
    utc_now,
)
from storage.schema import (
    Ban,
    ClockMove,
    Doer,
    Event,
    FormDraft,
    GameBrief,
    GameRow,
    Identity,
    Lesson,
    NewResult,
    Person,
    PlaceRow,
    ProcessedEvent,
    Rating,
    Result,
    Seat,
    StoredTree,
)
from storage.store import Store
from storage.team_rounds import Ballot, NewProposal, NotCounted, RoundClosed, TooManyProposals
