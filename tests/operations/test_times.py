"""Where the program compares or subtracts times, and what they are."""

from pathlib import Path
from typing import Final

from tests.operations.comparing_times import OF_DAY, find_comparisons

ROOT: Final = Path(__file__).parents[2]

SECONDS: Final = """
bot/app.py _carry_out
bot/cli/perft.py run
bot/outbox/worker.py _on_peer_change
bot/outbox/worker.py _dispatch
bot/outbox/worker.py _retry_claims
bot/delivery/messenger.py _route_digest
bot/discord/connection.py _wait
bot/discord/shards.py _share
bot/guesses/job.py _run_due
bot/guesses/job.py _next_due_at
bot/maintenance/damage.py scan
bot/monthly/job.py _next_due_at
bot/monthly/job.py _run_due
bot/operations/connection_limits.py _note_refusal
bot/operations/cpu_affinity.py balance
bot/operations/health.py _check_database
bot/operations/limits.py wait_seconds
bot/operations/listening.py connected
bot/operations/listening.py lost
bot/apps/streams.py _check_game
bot/operations/live_streams.py wait_for_news
bot/core/memberships.py _recall
bot/operations/loop_monitor.py _measure
bot/operations/reports.py _report
bot/operations/server.py _metrics
bot/public/limits.py take
bot/teams/rounds.py _run_due
bot/telegram/adapter.py post
bot/telegram/call_queue.py _schedule
bot/telegram/ephemeral.py remove_expired
bot/telegram/partial_choices.py store
bot/telegram/rate_limits.py seconds_to_wait
bot/telegram/rate_limits.py is_low
bot/telegram/rate_limits.py _delete_idle_chats
bot/telegram/updates.py _handle_until_next_poll
bot/thinking/thinkers.py longest_wait_seconds
bot/web/broadcast.py _run
engine/budget.py part
engine/budget.py _is_interrupted
engine/search/player.py turn
"""
"""Seconds that nobody can set: durations within this process."""

MOVED: Final = """
bot/account/times.py current_times
bot/account/times.py go_on_holiday
bot/account/times.py times_words
bot/alarms/job.py tick
bot/alarms/job.py _handle_alarm
bot/apps/discord_launch.py _read_game
bot/cli/apps.py make_apps
bot/core/due_worker.py _run
bot/outbox/delivering.py deliver
bot/outbox/worker.py _pause
bot/outbox/worker.py _scan_database
bot/outbox/worker.py _serve
bot/outbox/memory.py take
bot/discord/activity.py forget_old_launches
bot/discord/guests.py _use_newest_token
bot/play/clocks.py with_deadline
bot/play/clocks.py next_alarm_at
bot/play/clocks.py reminder_at
bot/play/clocks.py warning_at
bot/play/clocks.py alarm_stage
bot/puzzles/posts.py render
bot/teams/rounds.py serve_round
bot/telegram/ephemeral.py restore
bot/telegram/partial_choices.py _load
bot/telegram/partial_choices.py _delete_expired
bot/web/access_control.py _refusal
bot/webhooks/job.py _run_due
bot/webhooks/job.py _failed
"""
"""Stored ends and beginnings of durations, which `storage/clock.py` moves."""

REBASED: Final = """
bot/competitions/ladder/ladder.py last_met
bot/competitions/ladder/ladder.py _on_holiday
bot/competitions/ladder/ladder.py _challenged
bot/competitions/ladder/ladder.py _apply_closing
bot/competitions/ladder/rules.py due_events
bot/competitions/ladder/rules.py _is_holiday_new
bot/cups/job.py take_step
bot/operations/clock.py __call__
bot/operations/clock.py _find_difference
bot/operations/clock.py _max_peer_age
bot/operations/clock.py _describe
"""
"""Times of events, with what has not run since: see `Clock.rebase`."""

DATES: Final = """
bot/competitions/league/course.py due_events
bot/competitions/league/league.py _apply_start
bot/competitions/league/league.py _season_ended
bot/cups/job.py _start_events
bot/cups/service.py check_terms
bot/ladders/service.py ladder_at
bot/leagues/job.py _list_running
bot/monthly/job.py _promise_messages
bot/monthly/posts.py render
bot/monthly/month.py _season_champions
bot/monthly/month.py _ladder_leaders
bot/play/clocks.py avoid_quiet_hours
bot/public/puzzle_days.py is_over
bot/puzzles/daily.py schedule_edits
bot/puzzles/job.py _run_due
bot/puzzles/job.py _promise_message
bot/puzzles/own_moments.py record_review
bot/boards/puzzles.py _find_solved_day
"""
"""Dates of the calendar."""

PLATFORMS: Final = """
bot/apps/api.py _token
bot/apps/streams.py serve
bot/apps/telegram_launch.py read
bot/core/app_sessions.py read_session
bot/discord/dispatcher.py _seconds_to_answer
"""
"""Times that platforms or readers' browsers have told, signed or hold."""

HISTORY: Final = """
bot/guesses/service.py record_offer
bot/language/texts.py since
bot/operations/server.py _count
bot/play/game_lookup.py is_any_newer
bot/puzzles/job.py _on_store_change
bot/webhooks/job.py _list_behind
bot/webhooks/payloads.py _competition_payload
bot/webhooks/payloads.py _game_payload
"""
"""What was before what, and how long ago: nothing is due by that."""

OTHERS: Final = """
bot/explanations/candidate.py list_turn_lines
bot/play/cards.py points_words
bot/web/live.py _send_changes
bot/web/live.py _send_first
"""
"""No times."""

KINDS: Final = (SECONDS, MOVED, REBASED, DATES, PLATFORMS, HISTORY, OTHERS)
READS_THE_DAY: Final = {
    "bot/cli/play.py": "the date of a game in a terminal",
    "storage/rows.py": "utc_now",
}
"""Modules that read the time of day, and for what."""


def test_every_comparison_of_times_is_of_one_kind() -> None:
    """Statements in SQL compare columns: `tests/storage/test_clock.py` has those."""
    listed = [line for kind in KINDS for line in kind.strip().split("\n")]
    assert len(listed) == len(set(listed))
    found = {each for each in find_comparisons(ROOT) if not each.startswith("storage/")}
    assert (sorted(found - set(listed)), sorted(set(listed) - found)) == ([], [])


def test_the_time_of_day_is_read_in_few_places() -> None:
    paths = [path for name in ("bot", "storage", "engine", "render") for path in (ROOT / name).rglob("*.py")]
    found = {path.relative_to(ROOT).as_posix() for path in paths if OF_DAY.search(path.read_text("utf-8"))}
    assert found == set(READS_THE_DAY)


def test_a_running_program_has_its_time_from_its_clock() -> None:
    """What asks the system's clock would not notice a move, or notice it before the others do."""
    asking = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "bot").rglob("*.py")
        if "utc_now" in path.read_text("utf-8") and path.parent.name != "cli"
    }
    assert asking == {"bot/operations/clock.py"}
