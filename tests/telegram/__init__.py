"""Tests of Telegram, with the real client library against the fake server."""
