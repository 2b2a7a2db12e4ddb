"""Boards, notices and threads on their way to the platforms."""
