import unittest

from dispatch import Job, State, StateError


class JobTest(unittest.TestCase):
    def setUp(self):
        self.job = Job("mail", lambda: None)

    def test_ordinary_life(self):
        for state in (State.RUNNING, State.WAITING, State.RUNNING, State.DONE):
            self.assertFalse(self.job.is_over)
            self.job.enter(state)
        self.assertTrue(self.job.is_over)

    def test_nothing_follows_an_end(self):
        self.job.enter(State.CANCELLED)
        for state in State:
            with self.assertRaises(StateError):
                self.job.enter(state)

    def test_cannot_be_done_before_it_runs(self):
        with self.assertRaisesRegex(StateError, "mail is waiting, it cannot be done"):
            self.job.enter(State.DONE)


if __name__ == "__main__":
    unittest.main()
