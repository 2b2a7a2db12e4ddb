"""Where the program compares or subtracts times, and what they are."""

from pathlib import Path
from typing import Final

from tests.operations.comparing_times import OF_DAY, find_comparisons

ROOT: Final = Path(__file__).parents[2]

SECONDS: Final = """
bot/platforms/app.py _carry_out
bot/cli/games.py _count_turns
bot/kernel/operations/clock.py time_of
bot/kernel/operations/clock.py run_seconds
bot/kernel/operations/clock.py arrival_seconds
bot/kernel/operations/clock.py _share_stall
bot/kernel/operations/clock.py _find_stall
bot/platforms/app.py _run_due
bot/outbox/worker.py _on_peer_change
bot/outbox/worker.py _run_due
bot/outbox/messenger.py _route_digest
bot/outbox/worker.py _busy_chats
bot/platforms/discord/connection.py _wait
bot/platforms/discord/client.py _share
bot/people/guesses/service.py _run_due
bot/cli/installed_games.py scan
bot/people/standings/month_posts.py _run_due
bot/kernel/operations/limits.py _note_refusal
bot/kernel/operations/process.py balance
bot/kernel/operations/health.py _check_database
bot/kernel/operations/limits.py wait_seconds
bot/kernel/operations/listening.py absence
bot/kernel/operations/listening.py connected
bot/kernel/operations/listening.py lost
bot/platforms/apps/streams.py _check_game
bot/kernel/operations/listening.py wait_for_news
bot/kernel/context.py _recall
bot/kernel/operations/health.py _measure
bot/kernel/operations/logs.py _report
bot/kernel/operations/health.py _metrics
bot/platforms/public/answers.py take
bot/lobby/teams/rounds.py _run_due
bot/platforms/telegram/adapter.py post
bot/platforms/telegram/calls.py _schedule
bot/platforms/telegram/choosing.py store
bot/platforms/telegram/calls.py seconds_to_wait
bot/platforms/telegram/calls.py is_low
bot/thinking/thinkers.py longest_wait_seconds
bot/platforms/web/live.py _run
engine/budget.py part
engine/budget.py spend
engine/search/player.py turn
"""
"""Seconds that nobody can set: durations within this process."""

MOVED: Final = """
bot/people/account/settings.py current_times
bot/people/account/settings.py go_on_holiday
bot/people/account/settings.py times_words
bot/platforms/app.py tick
bot/platforms/app.py _handle_alarm
bot/platforms/app.py _hold_alarm
bot/platforms/app.py _hold_for_waiting
bot/platforms/app.py _on_store_change
bot/platforms/app.py _next_due_at
bot/platforms/app.py ring
bot/kernel/operations/clock.py has_waiting
bot/table/clocks.py read_clock
bot/table/clocks.py read_used_time
bot/table/clocks.py waits_for_board
bot/table/service.py _with_clocks
bot/cli/serve.py _make_apps
bot/kernel/post_kinds.py _run
bot/outbox/worker.py _deliver
bot/outbox/worker.py _next_due_at
bot/outbox/worker.py _scan_database
bot/outbox/worker.py _serve
bot/outbox/worker.py take
bot/platforms/discord/activity.py read_launch
bot/platforms/discord/activity.py forget_old_launches
bot/platforms/discord/adapter.py _newest_token
bot/table/clocks.py with_deadline
bot/table/clocks.py next_alarm_at
bot/table/clocks.py reminder_at
bot/table/clocks.py warning_at
bot/table/clocks.py alarm_stage
bot/boards/puzzles/daily_cards.py render
bot/lobby/teams/rounds.py serve_round
bot/platforms/telegram/answers.py restore
bot/platforms/telegram/answers.py _run_due
bot/platforms/telegram/choosing.py _load
bot/platforms/telegram/choosing.py _delete_expired
bot/platforms/web/api.py find_refusal
bot/platforms/webhooks/job.py _run_due
bot/platforms/webhooks/job.py _failed
"""
"""Stored ends and beginnings of durations, which `storage/clock.py` moves."""

REBASED: Final = """
bot/competitions/ladder.py last_met
bot/competitions/ladder.py _on_holiday
bot/competitions/ladder.py _challenged
bot/competitions/ladder.py _apply_closing
bot/competitions/ladder.py due_events
bot/competitions/pairing.py list_missed
bot/competitions/cups/service.py due_events
bot/kernel/operations/clock.py __call__
bot/kernel/operations/clock.py _find_difference
bot/kernel/operations/clock.py _max_peer_age
bot/kernel/operations/clock.py _describe
"""
"""Times of events, with what has not run since: see `Clock.rebase`."""

DATES: Final = """
bot/competitions/seasons.py due_events
bot/competitions/league.py _apply_start
bot/competitions/league.py _season_ended
bot/competitions/cups/service.py _start_events
bot/competitions/cups/service.py check_terms
bot/competitions/ladders/service.py ladder_at
bot/platforms/web/lobby.py read
bot/people/standings/month_posts.py _promise_messages
bot/people/standings/month_posts.py render
bot/people/standings/month.py _season_champions
bot/people/standings/month.py _ladder_leaders
bot/table/clocks.py avoid_quiet_hours
bot/boards/puzzles/daily.py schedule_edits
bot/boards/puzzles/daily.py _promise_message
bot/boards/puzzles/own_moments.py record_review
bot/boards/puzzle_boards.py _find_solved_day
"""
"""Dates of the calendar."""

PLATFORMS: Final = """
bot/platforms/apps/access.py session_to_json
bot/platforms/apps/streams.py serve
bot/platforms/apps/launches.py read
bot/kernel/app_sessions.py read_session
bot/platforms/discord/dispatcher.py _seconds_to_answer
"""
"""Times that platforms or readers' browsers have told, signed or hold."""

HISTORY: Final = """
bot/outbox/worker.py delete_ended
bot/people/guesses/service.py record_offer
bot/competitions/seasons.py _just_opened
bot/kernel/texts.py since
bot/kernel/operations/health.py _count
bot/table/game_lookup.py is_any_newer
bot/boards/open_boards.py find_current
bot/platforms/webhooks/job.py _list_behind
bot/platforms/webhooks/sender.py _competition_payload
bot/platforms/webhooks/sender.py _game_payload
"""
"""What was before what, and how long ago: nothing is due by that, or a wrong time does not hold it up for long."""

OTHERS: Final = """
bot/kernel/explanations/candidate.py list_turn_lines
bot/table/cards.py points_words
engine/record.py read_reserves
bot/platforms/web/live.py _take_news
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
    new, gone = sorted(found - set(listed)), sorted(set(listed) - found)
    assert not new, f"say of which kind they are, in one of the lists of {Path(__file__).name}: {', '.join(new)}"
    assert not gone, f"they compare no times any more: take them out of {Path(__file__).name}: {', '.join(gone)}"


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
    assert asking == {"bot/kernel/operations/clock.py"}
