"""Telegram: commands, inline keyboards and pictures, by python-telegram-bot."""
