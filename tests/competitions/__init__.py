"""Tests of competitions as pure functions."""
