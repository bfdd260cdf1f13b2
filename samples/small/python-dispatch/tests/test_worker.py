import unittest

from dispatch import Job, JobQueue, Worker, summary


class Flaky:
    """An action that fails a number of times before it succeeds."""

    def __init__(self, failures):
        self.failures = failures

    def __call__(self):
        if self.failures:
            self.failures -= 1
            raise OSError("not yet")
        return "at last"


class WorkerTest(unittest.TestCase):
    def setUp(self):
        self.queue = JobQueue()
        self.worker = Worker(self.queue)

    def test_does_everything(self):
        for name in ("a", "b"):
            self.queue.submit(Job(name, name.upper))
        self.assertEqual(self.worker.run(), 2)
        self.assertEqual([job.result for job in self.queue.jobs()], ["A", "B"])
        self.assertEqual(summary(self.queue), {"done": 2})

    def test_nothing_to_do(self):
        self.assertEqual(self.worker.run(), 0)

    def test_attempts_are_used_up(self):
        self.queue.submit(Job("a", Flaky(5), attempts_left=3))
        self.assertEqual(self.worker.run(), 3)
        self.assertEqual(self.worker.log, ["a: again", "a: again", "a: failed"])
        self.assertIsInstance(self.queue.jobs()[0].error, OSError)
        self.assertEqual(summary(self.queue), {"failed": 1})

    def test_succeeds_in_the_end(self):
        self.queue.submit(Job("a", Flaky(1), attempts_left=3))
        self.worker.run()
        self.assertEqual(self.queue.jobs()[0].result, "at last")
        self.assertIsNone(self.queue.jobs()[0].error)

    def test_others_come_before_the_second_attempt(self):
        self.queue.submit(Job("archive", Flaky(1), attempts_left=2))
        self.queue.submit(Job("backup", Flaky(0)))
        self.worker.run()
        self.assertEqual(self.worker.log, ["archive: again", "backup: done", "archive: done"])

    def test_summary(self):
        self.queue.submit(Job("a", Flaky(1)))
        self.queue.submit(Job("b", Flaky(0)))
        self.queue.submit(Job("c", Flaky(0)))
        self.queue.cancel("c")
        self.worker.step()
        self.assertEqual(summary(self.queue), {"failed": 1, "waiting": 1, "cancelled": 1})


if __name__ == "__main__":
    unittest.main()
