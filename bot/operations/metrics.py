"""Prometheus metrics of the running program; ids of games or people are no labels, since those would never end."""

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
    "Requests (commands, presses, typed moves), by platform and outcome.",
    ("platform", "ended"),
    registry=REGISTRY,
)
REQUEST_SECONDS: Final = Histogram(
    "tavoliere_request_seconds",
    "Seconds from a request's arrival to its answer, without the call to the platform.",
    ("platform",),
    buckets=_FAST_BUCKETS,
    registry=REGISTRY,
)
DELIVERIES: Final = Counter(
    "tavoliere_deliveries", "Board deliveries, by platform and outcome.", ("platform", "ended"), registry=REGISTRY
)
DELIVERY_SECONDS: Final = Histogram(
    "tavoliere_delivery_seconds",
    "Seconds from when a board became due to when it was shown.",
    ("platform",),
    buckets=_SLOW_BUCKETS,
    registry=REGISTRY,
)
DAILY_PUZZLES: Final = Counter(
    "tavoliere_daily_puzzles",
    "Daily puzzle messages, by platform and outcome (sent, edited, solved, postponed).",
    ("platform", "ended"),
    registry=REGISTRY,
)
LOGGED_ERRORS: Final = Counter("tavoliere_errors", "Logged errors, by kind.", ("kind",), registry=REGISTRY)
EVENT_LOOP_STALL_SECONDS: Final = Gauge(
    "tavoliere_event_loop_stall_seconds", "Longest stall of the event loop since the last scrape.", registry=REGISTRY
)
EVENT_LOOP_BUSY_SECONDS: Final = Gauge(
    "tavoliere_event_loop_busy_seconds",
    "Longest processor time of the event loop during a stall since the last scrape.",
    registry=REGISTRY,
)
GAME_COUNT: Final = Gauge("tavoliere_games", "Games, by status.", ("status",), registry=REGISTRY)
BOARDS_DUE: Final = Gauge("tavoliere_boards_due", "Boards that wait for delivery.", registry=REGISTRY)
PLATFORM_CONNECTED: Final = Gauge(
    "tavoliere_connected", "1 if the platform is connected, 0 if not.", ("platform",), registry=REGISTRY
)
UNREADABLE_EVENTS: Final = Counter(
    "tavoliere_unreadable_events",
    "Platform events that could not be read and were skipped, by platform and kind.",
    ("platform", "kind"),
    registry=REGISTRY,
)
DAMAGED_VALUES: Final = Gauge(
    "tavoliere_damaged_values", "Stored values that were unreadable at the last integrity scan.", registry=REGISTRY
)
SEARCHES_WAITING: Final = Gauge(
    "tavoliere_searches_waiting", "Searches of computer players that wait for a worker.", registry=REGISTRY
)
SEARCHES_WAITING_PEOPLE: Final = Gauge(
    "tavoliere_searches_waiting_people", "People with waiting searches.", registry=REGISTRY
)
SEARCHES_WAITING_SECONDS: Final = Gauge(
    "tavoliere_searches_waiting_seconds", "Seconds that the oldest waiting search has waited.", registry=REGISTRY
)
COMPUTER_GAMES_DUE: Final = Gauge(
    "tavoliere_computer_games_due", "Games in which it is a computer's turn, searching or waiting.", registry=REGISTRY
)
COMPUTER_GAMES_DUE_PEOPLE: Final = Gauge(
    "tavoliere_computer_games_due_people", "People who started these games.", registry=REGISTRY
)
COMPUTER_GAMES_DUE_SECONDS: Final = Gauge(
    "tavoliere_computer_games_due_seconds", "Seconds that the oldest of these games has waited.", registry=REGISTRY
)
DATABASE_BYTES: Final = Gauge(
    "tavoliere_database_bytes", "Size of the database, including its journal files.", registry=REGISTRY
)
PAGE_CONNECTIONS: Final = Gauge("tavoliere_page_connections", "Open connections to the chat page.", registry=REGISTRY)
PAGE_STREAMS: Final = Gauge("tavoliere_page_streams", "Open streams to tabs of the chat page.", registry=REGISTRY)
BUILD_INFO: Final = Info("tavoliere_build", "The running version.", registry=REGISTRY)
DISCORD_SHARDS: Final = Gauge(
    "tavoliere_discord_shards",
    "Discord gateway shards that this process runs, if several processes share them.",
    registry=REGISTRY,
)
