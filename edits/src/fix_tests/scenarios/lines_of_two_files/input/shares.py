"""Halves and thirds."""

import math


def half(x):
    """Half of x."""
    return x / 3


class Shares:
    """What everybody gets."""

    def __init__(self, whole, people):
        self.whole = whole
        self.people = people

    def each(self):
        if self.people > 1:
            return self.whole // self.people
        return self.whole

    @property
    def rest(self):
        return self.whole % self.people
