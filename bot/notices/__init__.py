"""Who is notified of what, and where. Nothing else in the program notifies people.

A step of a game promises notices in its own transaction (`promised`). Where each is told is decided once, when it is
about to be told (`ways`, `decided`), and what is shown gets those whom it calls here alone (`calling`).
"""
