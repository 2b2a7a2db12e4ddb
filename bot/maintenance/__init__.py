"""Importing games, damaged databases, examining installed games."""
