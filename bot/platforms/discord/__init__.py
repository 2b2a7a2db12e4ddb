"""The Discord platform, with discord.py: commands, buttons and pictures."""
