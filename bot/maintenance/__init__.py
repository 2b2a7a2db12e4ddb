"""Importing games, finding damaged data, examining installed games."""
