"""Time zones: what people type for one, what they are told, and stored names that this machine may not know."""

import sys
import zoneinfo
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.boards.puzzles.daily import zone_of
from bot.kernel import names as stored_names, time_zones
from bot.kernel.time_zones import find_time_zone, list_time_zones, load_time_zone, read_time_zone
from storage import PlaceRow
from tests.bot.party import Party, missing, words
from tests.support.present import present

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Have nothing remembered of what the machine knows, before and after."""
    caches = (find_time_zone, time_zones._zone_names, stored_names.log_unknown_name)
    for cache in caches:
        cache.cache_clear()
    yield monkeypatch
    monkeypatch.undo()
    zoneinfo.reset_tzpath()
    for cache in caches:
        cache.cache_clear()
    zoneinfo.ZoneInfo.clear_cache()


def use_system_zones(folder: Path) -> None:
    """Have the machine know the time zones of a folder, besides those that Python packages bring."""
    zoneinfo.reset_tzpath([str(folder)])
    zoneinfo.ZoneInfo.clear_cache()


@pytest.mark.parametrize(
    ("typed", "hours"),
    [
        ("UTC+1", 1),
        ("utc +1", 1),
        ("GMT+1", 1),
        ("+01:00", 1),
        ("+0530", 5.5),
        ("UTC-3:30", -3.5),
        ("UTC−3", -3),
        ("GMT-11", -11),
        ("UTC+14", 14),
        ("UTC", 0),
        ("GMT", 0),
        ("gmt+0", 0),
        ("Etc/UTC", 0),
        ("Z", 0),
    ],
)
def test_offsets_mean_what_people_mean_by_them(typed: str, hours: float) -> None:
    zone = load_time_zone(present(read_time_zone(typed)))
    assert zone.utcoffset(NOW) == timedelta(hours=hours)


@pytest.mark.parametrize(
    ("typed", "zone"),
    [
        ("rome", "Europe/Rome"),
        ("Roma", "Europe/Rome"),
        ("europe/rome", "Europe/Rome"),
        ("new york", "America/New_York"),
        ("America/new_york", "America/New_York"),
        ("Londra", "Europe/London"),
        ("Città del Messico", "America/Mexico_City"),
        ("sao paulo", "America/Sao_Paulo"),
        ("St. John's", "America/St_Johns"),
        ("Calcutta", "Asia/Kolkata"),
        ("Kiev", "Europe/Kyiv"),
        ("Buenos Aires", "America/Argentina/Buenos_Aires"),
        ("US/Pacific", "America/Los_Angeles"),
        ("canada/pacific", "America/Vancouver"),
        ("Japan", "Asia/Tokyo"),
    ],
)
def test_cities_and_older_names_mean_the_zone_of_today(typed: str, zone: str) -> None:
    assert read_time_zone(typed) == zone


NO_ZONES = (
    *("Factory", "localtime", "posixrules", "posix/Europe/Rome", "right/Europe/Rome", "pacific", "Pacific", "Europe"),
    *("Etc/GMT+1", "CET", "EST", "EST5EDT", "PST8PDT", "eastern", "north", "Unknown City", "../Rome", "/"),
    *("UTC+15", "UTC-13", "UTC+5:50", "UTC+1:5", "UTC+", "12:00", "1", "", " ", "?", "a" * 2000, "Atlantis"),
)


async def test_all_else_is_refused_and_changes_nothing(party: Party) -> None:
    await party.say("anna", "/settings timezone:Rome")
    for typed in NO_ZONES:
        if typed.strip():
            refused = words(await party.command("anna", "settings", timezone=typed))
            assert missing(refused, f"I do not know the time zone “{typed[:40]}”", "Rome") == []
        assert read_time_zone(typed) is None
        assert (await party.store.people.find("anna"))[0].settings == {"timezone": "Europe/Rome"}, typed


def test_every_accepted_name_shows_the_time_of_the_zone_that_it_stands_for() -> None:
    names = sorted(zoneinfo.available_timezones())
    accepted = {name: zone for name in names if (zone := read_time_zone(name)) is not None}
    assert len(accepted) > 500
    for name, zone in accepted.items():
        for at in (NOW, NOW + timedelta(days=182)):
            there = zoneinfo.ZoneInfo(name).utcoffset(at), load_time_zone(zone).utcoffset(at)
            assert there[0] == there[1], (name, zone)


async def test_the_answer_says_what_time_it_is_there(party: Party) -> None:
    party.clock.now = NOW
    said = words(await party.say("anna", "/settings timezone:new york en"))
    assert "(America/New_York) it is 07:00 now" in said
    assert "(Europe/Rome) it is 13:00 now" in words(await party.say("anna", "/settings Europe/Rome"))
    assert "it is 13:00 now" in words(await party.say("anna", "/settings GMT+1"))
    assert "it is 08:30 now" in words(await party.say("anna", "/settings timezone:UTC-3:30"))
    party.managers.add("anna")
    there = words(await party.say("anna", "/settings timezone:Roma for:channel"))
    assert "(Europe/Rome) it is 13:00 now" in there
    assert "ora sono le 08:30" in words(await party.say("anna", "/settings language:it"))
    assert "not set" in words(await party.say("bruno", "/settings"))


async def test_what_is_suggested_is_accepted(party: Party) -> None:
    party.clock.now = NOW
    for typed, zone, label in (
        ("rom", "Europe/Rome", "Rome – Europe/Rome – 13:00"),
        ("york", "America/New_York", "New York – America/New_York – 07:00"),
        ("utc+5:45", "UTC+5:45", "UTC+5:45 – UTC+5:45 – 17:45"),
        ("GMT+1", "UTC+1", "UTC+1 – UTC+1 – 13:00"),
    ):
        found = {
            item.value: item.label for item in await party.complete("anna", "settings", "timezone", timezone=typed)
        }
        assert found[zone] == label
        assert len(found) <= 25
        assert all(read_time_zone(value) == value for value in found)
    assert await party.complete("anna", "settings", "timezone", timezone="Atlantis") == []
    await party.say("anna", "/settings language:it")
    (rome, *_) = await party.complete("anna", "settings", "timezone", timezone="roma")
    assert rome.label == "Roma – Europe/Rome – 13:00"
    for language in ("en", "it"):
        assert all(read_time_zone(city) for _, city in list_time_zones(language))


def test_a_machine_without_zones_or_without_the_older_ones_knows_them_all(
    forgetful: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use_system_zones(tmp_path)
    for name in ("Europe/Rome", "US/Pacific", "Canada/Pacific", "posix/Europe/Rome", "Etc/GMT+1"):
        assert str(find_time_zone(name)) == name.removeprefix("posix/")
    assert present(load_time_zone("US/Pacific").utcoffset(NOW)) == timedelta(hours=-8)
    assert present(load_time_zone("Etc/GMT+1").utcoffset(NOW)) == timedelta(hours=-1), "as it always was"


def test_older_names_mean_what_they_meant_where_only_the_newer_ones_are_known(
    forgetful: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    known = zoneinfo.ZoneInfo
    forgetful.setattr(
        time_zones, "ZoneInfo", lambda name: known(name if not name.startswith(("US/", "Canada/")) else "Nowhere")
    )
    assert str(find_time_zone("US/Pacific")) == "America/Los_Angeles"
    assert str(find_time_zone("Canada/Newfoundland")) == "America/St_Johns"


@pytest.mark.parametrize(
    "stored", ["Nowhere/Land", "pacific", "Pacific", "Europe", "../x", "a\0b", "x" * 5000, 7, ["x"]]
)
def test_a_stored_name_that_is_not_known_is_utc_and_logged_once(forgetful: pytest.MonkeyPatch, stored: object) -> None:
    with capture_logs() as logs:
        assert [load_time_zone(stored) for _ in range(3)] == [UTC] * 3
    assert [(entry["event"], entry["kind"]) for entry in logs] == [("stored-name-unknown", "timezone")]


async def test_without_any_zone_data_everything_goes_on(
    forgetful: pytest.MonkeyPatch, tmp_path: Path, party: Party
) -> None:
    await party.say("anna", "/settings timezone:Rome")
    code = await party.started("/play annuvin @bruno clock:1d")
    for module in [name for name in sys.modules if name.startswith("tzdata.")]:
        forgetful.delitem(sys.modules, module)
    forgetful.setitem(sys.modules, "tzdata", None)
    use_system_zones(tmp_path)
    find_time_zone.cache_clear()
    time_zones._zone_names.cache_clear()
    assert load_time_zone("Europe/Rome") is UTC
    for _ in range(2):
        await party.play_first(code)
    for asked in ("/leaderboard", "/leaderboard period:month", "/profile", "/puzzle", "/settings", "/games"):
        for who in ("anna", "bruno"):
            assert not (await party.say(who, asked)).failed
    assert "I do not know the time zone" in words(await party.say("anna", "/settings timezone:Rome"))
    assert "Time zone: UTC+1" in words(await party.say("anna", "/settings timezone:UTC+1"))


def test_the_zone_of_a_place_falls_back_like_any_other() -> None:
    assert zone_of(PlaceRow(1, "web", "room", settings={"timezone": "Nowhere/Land"})) is UTC
    assert str(zone_of(PlaceRow(1, "web", "room", settings={"own_timezone": "Asia/Tokyo"}))) == "Asia/Tokyo"
