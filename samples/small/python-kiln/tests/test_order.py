import unittest

from kiln import PlanError, build_order, outdated
from kiln.order import check_order
from tests.pottery import plan_of, pottery


class BuildOrderTest(unittest.TestCase):
    def check(self, plan, goals, expected):
        order = build_order(plan, goals)
        check_order(plan, order)
        self.assertEqual(sorted(order), sorted(expected))

    def test_single_task(self):
        self.check(pottery(), ["sweep"], ["sweep"])

    def test_chain(self):
        self.assertEqual(build_order(plan_of("a: b", "b: c", "c:"), ["a"]), ["c", "b", "a"])

    def test_only_what_is_needed(self):
        self.check(pottery(), ["glaze"], ["glaze", "fire", "mix", "shape", "weigh"])

    def test_several_goals(self):
        self.check(pottery(), ["fire", "sweep"], ["fire", "shape", "sweep"])

    def test_goal_that_another_goal_needs(self):
        self.check(plan_of("a: b", "b: c", "c:"), ["a", "b"], "abc")

    def test_two_ways_of_the_same_length(self):
        self.check(plan_of("a: b, c", "b: d", "c: d", "d:"), ["a"], "abcd")

    def test_needed_directly_and_by_way_of_another(self):
        plan = plan_of("glaze: fire, mix", "fire: shape", "mix: fire", "shape:")
        self.check(plan, ["glaze"], ["glaze", "fire", "mix", "shape"])

    def test_ways_of_different_lengths(self):
        plan = plan_of("a: b, e", "b: c", "c: d", "d: e", "e: f", "f:")
        self.check(plan, ["a"], "abcdef")

    def test_circle(self):
        with self.assertRaisesRegex(PlanError, "circles"):
            build_order(plan_of("a: b", "b: c", "c: a"), ["a"])

    def test_circle_further_on(self):
        with self.assertRaisesRegex(PlanError, "circles"):
            build_order(plan_of("a: b", "b: c", "c: b"), ["a"])

    def test_task_that_needs_itself(self):
        with self.assertRaisesRegex(PlanError, "a goes round in circles"):
            build_order(plan_of("a: a"), ["a"])

    def test_circle_that_is_not_needed(self):
        self.check(plan_of("a:", "b: c", "c: b"), ["a"], "a")


class OutdatedTest(unittest.TestCase):
    def test_all_that_depends_on_it(self):
        self.assertEqual(outdated(pottery(), ["mix"])[:2], ["mix", "glaze"])
        self.assertEqual(
            sorted(outdated(pottery(), ["mix"])), ["glaze", "label", "mix", "pack", "sell"]
        )

    def test_nothing_depends_on_it(self):
        self.assertEqual(outdated(pottery(), ["sweep"]), ["sweep"])
        self.assertEqual(outdated(pottery(), []), [])


if __name__ == "__main__":
    unittest.main()
