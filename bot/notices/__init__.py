"""Notices: who is notified of what, and where. Nothing else in the program notifies people.

A step of a game promises notices in its own transaction (`notice_changes`). The route of each is decided once, when it
is about to be delivered (`route_notice`), and only here a card gets the people whom it mentions (`with_notices`).
"""
