"""`tavoliere check-web`: whether the public address serves what the apps inside Telegram and Discord need."""

import asyncio
from argparse import ArgumentParser, Namespace
from typing import Final

from bot.cli.console import ENVIRONMENT, OK, CommandFailed, Console
from bot.cli.files import web_address
from bot.cli.starting import HTTPS, set_up_proxies
from bot.kernel.operations.settings import find_proxy, split_url

TIMEOUT_SECONDS: Final = 15.0
ANCESTORS: Final = {"telegram": "https://web.telegram.org", "discord": "https://discord.com"}
"""The origins that must be allowed to show an app's page in a frame."""


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument(
        "--address", type=web_address(console), metavar="URL", help=console.line("arg.check-web-address")
    )


def run(options: Namespace, console: Console) -> int:
    """Try the address and print what is missing."""
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
        found = asyncio.run(check_app(address, platform))
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


async def check_app(address: str, platform: str) -> list[tuple[str, dict[str, str]]]:
    """Return what is wrong with an app's page at an address, as keys of sentences with their parameters."""
    import aiohttp

    page, proxy = f"{address}/app/{platform}/", find_proxy(address)
    problems: list[tuple[str, dict[str, str]]] = []
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
