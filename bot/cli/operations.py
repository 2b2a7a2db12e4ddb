"""Subcommands for operators of a running program: `health`, `check-web` and `manager-link`."""

import http.client
from argparse import Namespace
from typing import Final

from bot.cli.console import ENVIRONMENT, OK, PROBLEM, USAGE, CommandFailed, Console, Subcommand, argument
from bot.cli.files import DATA_FOLDER, explain_os_errors, read_host, read_web_address, whole_number
from bot.kernel.operations import PLATFORM_REASONS
from bot.kernel.operations.settings import (
    InvalidProxy,
    Settings,
    find_proxy,
    find_reachable_address,
    is_loopback,
    page_address,
    split_url,
    use_proxies,
)

_HEALTH_TIMEOUT_SECONDS: Final = 4.0
_MAX_ANSWER_LENGTH: Final = 100
HTTPS: Final = "https://"
"""The scheme of pages, the only one that both platforms show."""
TIMEOUT_SECONDS: Final = 15.0
ANCESTORS: Final = {"telegram": "https://web.telegram.org", "discord": "https://discord.com"}
"""The origins that must be allowed to show an app's page in a frame."""


def set_up_proxies(settings: Settings) -> None:
    """Use the proxies of the settings for all outgoing connections; CommandFailed if one is invalid."""
    try:
        use_proxies(settings.proxies)
    except InvalidProxy as error:
        raise CommandFailed("serve.proxy-wrong", ENVIRONMENT, name=error.name) from None


def _check_health(_options: Namespace, console: Console) -> int:
    """Return 0 if the running program reports that it is healthy."""
    host, port = find_reachable_address(console.settings.web_host), console.settings.web_port
    connection = http.client.HTTPConnection(host, port, timeout=_HEALTH_TIMEOUT_SECONDS)
    try:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        status, said = answer.status, answer.read(_MAX_ANSWER_LENGTH).decode(errors="replace").strip()
    except (OSError, http.client.HTTPException):
        status, said = 0, ""
    finally:
        connection.close()
    if status == http.client.OK:
        console.say("health.well")
        return OK
    reason, *which = said.split() or [""]
    if status == http.client.SERVICE_UNAVAILABLE and reason in PLATFORM_REASONS:
        console.complain(f"health.{reason}", platforms=", ".join(name.capitalize() for name in which))
    elif status == http.client.SERVICE_UNAVAILABLE:
        console.complain("health.database", reason=said)
    else:
        console.complain("health.ill", host=host, port=port)
    return PROBLEM


async def _check_web(options: Namespace, console: Console) -> int:
    """Request the public address and print what is missing."""
    settings = console.settings
    set_up_proxies(settings)
    address = (options.address or settings.web_address).rstrip("/")
    if not address:
        raise CommandFailed("check-web.no-address", ENVIRONMENT)
    wanted = {
        "telegram": settings.telegram_token is not None,
        "discord": settings.discord_token is not None and settings.discord_client_secret is not None,
    }
    problems = 0
    if not address.startswith(HTTPS):
        console.say("check-web.no-https", address=address)
        problems += 1
    for platform, is_set in wanted.items():
        if not is_set:
            console.say(f"check-web.{platform}-unset")
            continue
        found = await check_app(address, platform)
        for key, params in found:
            console.say(key, platform=platform.capitalize(), **params)
        problems += len(found)
        if not found:
            console.say("check-web.good", platform=platform.capitalize(), address=f"{address}/app/{platform}/")
    if wanted["telegram"] and not settings.telegram_app:
        console.say("check-web.telegram-app")
    if wanted["discord"]:
        console.say("check-web.mapping", target=f"{split_url(address).netloc}/app/discord")
    if problems:
        raise CommandFailed("check-web.bad", ENVIRONMENT, n=problems)
    return OK


Problem = tuple[str, dict[str, str]]
"""The key of a sentence, with its parameters."""


async def check_app(address: str, platform: str) -> list[Problem]:
    """Return the problems of an app's page at an address."""
    import aiohttp

    page, proxy = f"{address}/app/{platform}/", find_proxy(address)
    problems = list[Problem]()
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_SECONDS)
    try:
        async with aiohttp.ClientSession(timeout=timeout) as session:
            async with session.get(page, proxy=proxy) as answer:
                policy = answer.headers.get("Content-Security-Policy", "")
                frames = answer.headers.get("X-Frame-Options")
                if answer.status != 200:
                    return [("check-web.status", {"address": page, "status": str(answer.status)})]
                if answer.headers.get("Server") != "Tavoliere" and "data-platform" not in await answer.text():
                    return [("check-web.another", {"address": page})]
            if (
                frames is not None
                or ANCESTORS[platform] not in policy.partition("frame-ancestors")[2].partition(";")[0]
            ):
                problems.append(("check-web.frames", {"address": page}))
            headers = {"Origin": address}
            try:
                async with session.ws_connect(f"{page}api/live", headers=headers, proxy=proxy) as socket:
                    await socket.send_json({"token": ""})
                    await socket.receive()
            except aiohttp.ClientError:
                problems.append(("check-web.websocket", {"address": f"{page}api/live"}))
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        return [("check-web.unreachable", {"address": page, "reason": str(error) or type(error).__name__})]
    return problems


def _print_manager_link(options: Namespace, console: Console) -> int:
    """Print the link, with `--new` after renewing its secret; the program need not run."""
    # Imports the storage: without it `health`, which runs twice a minute, starts in half the time.
    from bot.kernel.operations.manager_secret import ManagerSecret, manager_link

    settings = console.settings
    if not options.address and settings.web_port == 0:
        raise CommandFailed("manager-link.no-port", USAGE)
    address = options.address or page_address(settings.web_host, settings.web_port)
    # A secret in a mistyped folder would give no access.
    if not settings.data_dir.is_dir():
        raise CommandFailed("manager-link.no-folder", ENVIRONMENT, folder=str(settings.data_dir))
    secret = ManagerSecret(settings.data_dir)
    with explain_os_errors("manager-link.unusable", ENVIRONMENT, file=str(secret.path)):
        known = secret.renew() if options.new else secret.load_or_create()
    console.put(manager_link(address, known))
    if options.new:
        console.complain("manager-link.renewed")
    if not options.address and (settings.web_names or not is_loopback(settings.web_host)):
        console.complain("manager-link.elsewhere")
    return OK


SUBCOMMANDS: Final = {
    "health": Subcommand(
        _check_health,
        (
            argument("--host", read_host, about="health-host", dest="web_host", metavar="ADDRESS"),
            argument("--port", whole_number(0, 65535), dest="web_port", metavar="N"),
        ),
    ),
    "check-web": Subcommand(
        _check_web, (argument("--address", read_web_address, about="check-web-address", metavar="URL"),)
    ),
    "manager-link": Subcommand(
        _print_manager_link,
        (argument("--new", action="store_true"), argument("--address", read_web_address, metavar="URL"), DATA_FOLDER),
    ),
}
