"""Prices with tax."""

RATE = 20


def price_with_tax(cents):
    """Add the tax."""
    return cents + cents * RATE // 100
