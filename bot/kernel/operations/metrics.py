"""Prometheus metrics of the running program; ids of games or people are no labels: their number is unbounded."""

from functools import partial
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info
from prometheus_client.process_collector import ProcessCollector

REGISTRY: Final = CollectorRegistry()
"""Our own registry, without the libraries' metrics."""

ProcessCollector(registry=REGISTRY)

_FAST_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_SLOW_BUCKETS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)

_counter: Final = partial(Counter, registry=REGISTRY)
_gauge: Final = partial(Gauge, registry=REGISTRY)
_histogram: Final = partial(Histogram, registry=REGISTRY)

REQUESTS: Final = _counter(
    "tavoliere_requests", "Requests (commands, presses, typed moves), by platform and outcome.", ("platform", "ended")
)
REQUEST_SECONDS: Final = _histogram(
    "tavoliere_request_seconds",
    "Seconds from a request's arrival to its answer, without the call to the platform.",
    ("platform",),
    buckets=_FAST_BUCKETS,
)
DELIVERIES: Final = _counter(
    "tavoliere_deliveries", "Deliveries of boards and other posts, by platform and outcome.", ("platform", "ended")
)
DELIVERY_SECONDS: Final = _histogram(
    "tavoliere_delivery_seconds",
    "Seconds from when a board became due to when it was shown.",
    ("platform",),
    buckets=_SLOW_BUCKETS,
)
DAILY_PUZZLES: Final = _counter(
    "tavoliere_daily_puzzles",
    "Daily puzzle messages, by platform and outcome.",
    ("platform", "ended"),
)
LOGGED_ERRORS: Final = _counter("tavoliere_errors", "Logged errors, by kind.", ("kind",))
EVENT_LOOP_STALL_SECONDS: Final = _gauge(
    "tavoliere_event_loop_stall_seconds", "Longest stall of the event loop since the last scrape."
)
EVENT_LOOP_BUSY_SECONDS: Final = _gauge(
    "tavoliere_event_loop_busy_seconds",
    "Longest processor time of the event loop during a stall since the last scrape.",
)
GAME_COUNT: Final = _gauge("tavoliere_games", "Games, by status.", ("status",))
BOARDS_DUE: Final = _gauge("tavoliere_boards_due", "Boards that wait for delivery.")
PLATFORM_CONNECTED: Final = _gauge("tavoliere_connected", "1 if the platform is connected, 0 if not.", ("platform",))
UNREADABLE_EVENTS: Final = _counter(
    "tavoliere_unreadable_events",
    "Platform events that could not be read and were skipped, by platform and kind.",
    ("platform", "kind"),
)
DAMAGED_VALUES: Final = _gauge(
    "tavoliere_damaged_values", "Stored values that were unreadable at the last integrity scan."
)
SEARCHES_WAITING: Final = _gauge("tavoliere_searches_waiting", "Searches of computer players that wait for a worker.")
SEARCHES_WAITING_PEOPLE: Final = _gauge("tavoliere_searches_waiting_people", "People with waiting searches.")
SEARCHES_WAITING_SECONDS: Final = _gauge(
    "tavoliere_searches_waiting_seconds", "Seconds that the oldest waiting search has waited."
)
COMPUTER_GAMES_DUE: Final = _gauge(
    "tavoliere_computer_games_due", "Games in which it is a computer's turn, searching or waiting."
)
COMPUTER_GAMES_DUE_PEOPLE: Final = _gauge("tavoliere_computer_games_due_people", "People who started these games.")
COMPUTER_GAMES_DUE_SECONDS: Final = _gauge(
    "tavoliere_computer_games_due_seconds", "Seconds that the oldest of these games has waited."
)
DATABASE_BYTES: Final = _gauge("tavoliere_database_bytes", "Size of the database, including its journal files.")
PAGE_CONNECTIONS: Final = _gauge("tavoliere_page_connections", "Open connections to the chat page.")
PAGE_STREAMS: Final = _gauge("tavoliere_page_streams", "Open streams to tabs of the chat page.")
BUILD_INFO: Final = Info("tavoliere_build", "The running version.", registry=REGISTRY)
DISCORD_SHARDS: Final = _gauge(
    "tavoliere_discord_shards", "Discord gateway shards that this process runs, if several processes share them."
)
