"""Tests that kill and crowd the real program."""
