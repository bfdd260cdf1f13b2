import unittest

from kiln import Plan, PlanError
from tests.pottery import plan_of, pottery


class PlanTest(unittest.TestCase):
    def test_tasks_as_they_were_added(self):
        self.assertEqual(pottery().tasks()[:3], ["sell", "pack", "label"])

    def test_needs(self):
        self.assertEqual(pottery().needs("glaze"), ["fire", "mix"])
        self.assertEqual(pottery().needs("sweep"), [])
        with self.assertRaisesRegex(PlanError, "polish"):
            pottery().needs("polish")

    def test_needed_by(self):
        self.assertEqual(pottery().needed_by("glaze"), ["pack", "label"])

    def test_needs_are_counted_once(self):
        plan = Plan()
        plan.add("a", ["b", "b"])
        self.assertEqual(plan.needs("a"), ["b"])

    def test_closure(self):
        self.assertEqual(pottery().closure(["fire", "weigh"]), {"fire", "shape", "weigh"})

    def test_closure_of_a_circle(self):
        self.assertEqual(plan_of("a: b", "b: a").closure(["a"]), {"a", "b"})

    def test_bad_lines(self):
        for line in ("glaze", "a b c: d", "glaze soon: "):
            with self.assertRaisesRegex(PlanError, "line 1"):
                plan_of(line)

    def test_planned_twice(self):
        with self.assertRaisesRegex(PlanError, "twice"):
            plan_of("a:", "a:")

    def test_missing_task(self):
        with self.assertRaisesRegex(PlanError, "a needs b"):
            plan_of("a: b")


if __name__ == "__main__":
    unittest.main()
