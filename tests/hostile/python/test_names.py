"""Tests whose names forge a heading, a colour, and a change of direction."""

import unittest

from till.sum import add


class NamesTest(unittest.TestCase):
    pass


def test(self):
    self.assertEqual(add(2, 3), 5)


for name in ("\n# Forged heading\n", "\r\n\n## Forged heading", "\x1b[31mred", "\u202edesrever", "```\n# Forged heading"):
    setattr(NamesTest, "test " + name, test)
