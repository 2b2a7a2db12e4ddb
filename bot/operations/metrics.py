"""Prometheus metrics of the running program; ids of games or people are no labels, since those would never end."""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info
from prometheus_client.process_collector import ProcessCollector

REGISTRY: Final = CollectorRegistry()
"""Our own registry: the libraries' metrics are not included."""

ProcessCollector(registry=REGISTRY)

_FAST_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_SLOW_BUCKETS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)

REQUESTS: Final = Counter(
    "tavoliere_requests",
    "Commands, presses and typed moves, by platform and how they ended.",
    ("platform", "ended"),
    registry=REGISTRY,
)
REQUEST_SECONDS: Final = Histogram(
    "tavoliere_request_seconds",
    "From a request's arrival to its answer, without its way to the platform.",
    ("platform",),
    buckets=_FAST_BUCKETS,
    registry=REGISTRY,
)
DELIVERIES: Final = Counter(
    "tavoliere_deliveries",
    "Boards brought up to date, by platform and how it went.",
    ("platform", "ended"),
    registry=REGISTRY,
)
DELIVERY_SECONDS: Final = Histogram(
    "tavoliere_delivery_seconds",
    "From when a board was due to when it was shown.",
    ("platform",),
    buckets=_SLOW_BUCKETS,
    registry=REGISTRY,
)
DAILIES: Final = Counter(
    "tavoliere_daily_puzzles",
    "Messages with the day's puzzle sent, edited, solved or put off, by platform and how it went.",
    ("platform", "ended"),
    registry=REGISTRY,
)
ERRORS: Final = Counter("tavoliere_errors", "Logged errors, by kind.", ("kind",), registry=REGISTRY)
STALL: Final = Gauge(
    "tavoliere_event_loop_stall_seconds",
    "The longest time that the event loop stood still since the last look.",
    registry=REGISTRY,
)
BUSY: Final = Gauge(
    "tavoliere_event_loop_busy_seconds",
    "How long the event loop was itself busy at most while it stood still since the last look.",
    registry=REGISTRY,
)
GAMES: Final = Gauge("tavoliere_games", "Games, by how far they are.", ("status",), registry=REGISTRY)
DUE: Final = Gauge("tavoliere_boards_due", "Boards that wait to be brought up to date.", registry=REGISTRY)
CONNECTED: Final = Gauge(
    "tavoliere_connected", "1 while a platform is connected, 0 while it is not.", ("platform",), registry=REGISTRY
)
UNREADABLE: Final = Counter(
    "tavoliere_unreadable_events",
    "What a platform told that could not be read and was passed over, by platform and kind.",
    ("platform", "kind"),
    registry=REGISTRY,
)
DAMAGED: Final = Gauge(
    "tavoliere_damaged_values",
    "Stored values that could not be read when the database was last looked through for such.",
    registry=REGISTRY,
)
THINKING: Final = Gauge("tavoliere_searches_waiting", "Searches of computer players that wait.", registry=REGISTRY)
THINKING_PEOPLE: Final = Gauge(
    "tavoliere_searches_waiting_people", "How many people a search waits for.", registry=REGISTRY
)
THINKING_SECONDS: Final = Gauge(
    "tavoliere_searches_waiting_seconds", "How long the search has waited that waits longest.", registry=REGISTRY
)
COMPUTERS: Final = Gauge(
    "tavoliere_computer_games_due", "Games in which a computer is to act, under way or waiting.", registry=REGISTRY
)
COMPUTERS_PEOPLE: Final = Gauge(
    "tavoliere_computer_games_due_people", "How many people started those games.", registry=REGISTRY
)
COMPUTERS_SECONDS: Final = Gauge(
    "tavoliere_computer_games_due_seconds", "How long the game has waited that waits longest.", registry=REGISTRY
)
DATABASE: Final = Gauge(
    "tavoliere_database_bytes", "What the database takes, with the files beside it.", registry=REGISTRY
)
CONNECTIONS: Final = Gauge("tavoliere_page_connections", "Open connections to the chat page.", registry=REGISTRY)
STREAMS: Final = Gauge("tavoliere_page_streams", "Open streams to tabs of the chat page.", registry=REGISTRY)
BUILD: Final = Info("tavoliere_build", "Which version runs.", registry=REGISTRY)
SHARDS: Final = Gauge(
    "tavoliere_discord_shards",
    "Shards of Discord's servers that this process listens to, where several share them.",
    registry=REGISTRY,
)
