import unittest

from dispatch import HIGH, LOW, EmptyQueue, Job, JobQueue, State, StateError


def job(name, **options):
    return Job(name, lambda: name, **options)


class JobQueueTest(unittest.TestCase):
    def setUp(self):
        self.queue = JobQueue()

    def submit(self, *names, **options):
        for name in names:
            self.queue.submit(job(name, **options))

    def waiting(self):
        return [entry.name for entry in self.queue.waiting()]

    def test_most_urgent_first(self):
        self.submit("a", priority=LOW)
        self.submit("b")
        self.submit("c", priority=HIGH)
        self.assertEqual([self.queue.take().name for _ in range(3)], ["c", "b", "a"])

    def test_equally_urgent_jobs_in_their_order(self):
        self.submit("thumbnails", "backup", "mail")
        self.assertEqual(
            [self.queue.take().name for _ in range(3)], ["thumbnails", "backup", "mail"]
        )

    def test_order_is_kept_while_jobs_come_and_go(self):
        self.submit("delta", "charlie")
        self.queue.take()
        self.submit("bravo")
        self.queue.take()
        self.submit("alpha")
        self.assertEqual(self.waiting(), ["bravo", "alpha"])

    def test_taken_jobs_are_running(self):
        self.submit("a")
        self.assertIs(self.queue.take().state, State.RUNNING)
        self.assertEqual(len(self.queue), 0)

    def test_empty(self):
        with self.assertRaises(EmptyQueue):
            self.queue.take()

    def test_retried_job_comes_last_among_its_equals(self):
        self.submit("archive", "backup")
        self.submit("cleanup", priority=LOW)
        self.queue.retry(self.queue.take())
        self.assertEqual(self.waiting(), ["backup", "archive", "cleanup"])

    def test_only_running_jobs_are_retried(self):
        self.submit("a")
        with self.assertRaisesRegex(StateError, "a is waiting"):
            self.queue.retry(self.queue.waiting()[0])

    def test_cancel(self):
        self.submit("a", "b", "c")
        self.assertIs(self.queue.cancel("b").state, State.CANCELLED)
        self.assertEqual(self.waiting(), ["a", "c"])
        with self.assertRaises(StateError):
            self.queue.cancel("b")

    def test_running_jobs_cannot_be_cancelled(self):
        self.submit("a")
        self.queue.take()
        with self.assertRaises(StateError):
            self.queue.cancel("a")

    def test_more_urgent_than_before(self):
        self.submit("a", "b", "c")
        self.queue.change_priority("c", HIGH)
        self.assertEqual(self.waiting(), ["c", "a", "b"])
        self.queue.change_priority("a", LOW)
        self.assertEqual(self.waiting(), ["c", "b", "a"])

    def test_names_are_used_once_at_a_time(self):
        self.submit("a")
        with self.assertRaises(ValueError):
            self.submit("a")
        self.queue.cancel("a")
        self.submit("a")
        self.assertEqual(len(self.queue), 1)


if __name__ == "__main__":
    unittest.main()
