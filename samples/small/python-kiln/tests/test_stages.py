import unittest

from kiln import critical_path, stages
from tests.pottery import plan_of, pottery


class StagesTest(unittest.TestCase):
    def test_at_the_same_time(self):
        self.assertEqual(
            stages(pottery(), ["sell"]),
            [["shape", "weigh"], ["fire", "mix"], ["glaze"], ["label", "pack"], ["sell"]],
        )

    def test_task_without_needs_is_in_the_first_stage(self):
        plan = plan_of("a: b", "b:", "c:")
        self.assertEqual(stages(plan, ["a", "c"]), [["b", "c"], ["a"]])

    def test_stage_after_the_last_need(self):
        plan = plan_of("a: b, d", "b: c", "c: d", "d:")
        self.assertEqual(stages(plan, ["a"]), [["d"], ["c"], ["b"], ["a"]])


class CriticalPathTest(unittest.TestCase):
    def test_slowest_way(self):
        self.assertEqual(
            critical_path(pottery(), "sell"), (["shape", "fire", "glaze", "pack", "sell"], 305)
        )

    def test_single_task(self):
        self.assertEqual(critical_path(pottery(), "sweep"), (["sweep"], 3))


if __name__ == "__main__":
    unittest.main()
