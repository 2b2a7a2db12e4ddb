"""Figures of the program, as Prometheus would read them."""

from bot.kernel.operations.metrics import REGISTRY


def figure(name: str, **labels: str) -> float:
    """Return a figure, 0 for one that nothing has been counted under yet."""
    return REGISTRY.get_sample_value(name, labels) or 0.0
