"""Who can read a channel now, and which roles they have there."""

from typing import Final

import discord

UNKNOWN_MEMBER: Final = 10007
UNKNOWN_USER: Final = 10013


async def find_roles(client: discord.Client, server: int, channel: int, user: int) -> frozenset[str] | None:
    """Return the names of a member's roles in small letters, None for those who cannot read a channel.

    Only a process that serves the server knows who may read which of its channels: any other one can say only whether
    somebody is in the server. Raises what discord.py does.
    """
    guild = client.get_guild(server)
    try:
        if guild is None:
            found = {str(server), *map(str, (await client.http.get_member(server, user))["roles"])}
            known = await client.http.get_roles(server)
            return frozenset(role["name"].lower() for role in known if str(role["id"]) in found)
        member, here = await guild.fetch_member(user), guild.get_channel(channel)
    except discord.NotFound as error:
        if error.code in (UNKNOWN_MEMBER, UNKNOWN_USER):
            return None
        raise
    if here is not None and not here.permissions_for(member).view_channel:
        return None
    return frozenset(role.name.lower() for role in member.roles)
