"""Discord: commands, buttons and pictures, by discord.py."""
