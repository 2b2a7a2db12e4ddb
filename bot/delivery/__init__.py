"""Delivery of boards, notices and threads to the platforms."""
