"""Sharing an amount."""

from __future__ import annotations

from typing import List, Sequence


def allocate(amount: int, weights: Sequence[int]) -> List[int]:
    """Shares an amount in proportion to the weights.

    The shares are whole cents, in the order of the weights.
    """
    if any(weight < 0 for weight in weights):
        raise ValueError("a weight cannot be negative")
    total = sum(weights)
    if total == 0:
        raise ValueError("nobody takes a share")
    return [round(amount * weight / total) for weight in weights]


def equal_shares(amount: int, people: int) -> List[int]:
    """Shares an amount among people who all take the same."""
    if people < 1:
        raise ValueError("an amount cannot be shared by nobody")
    return allocate(amount, [1] * people)
