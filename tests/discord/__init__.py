"""Discord: the real client of discord.py against a fake Discord on this machine."""
