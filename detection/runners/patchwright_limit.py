"""Ends tests that do not come to their end, so that the others still run: for the runners of pytest and unittest.

How long a test may take follows what the others took. PATCHWRIGHT_LONGEST tells it of an earlier run, PATCHWRIGHT_LIMIT
the seconds of the whole command, PATCHWRIGHT_TEST_SECONDS what any test may take.
"""

import builtins
import contextlib
import faulthandler
import os
import signal
import sys
import threading
import types
from os import _exit as end_process
from time import monotonic, sleep

# What tests may replace is held as it is now, and so is what is built in.
__builtins__ = dict(vars(builtins))
faulthandler, signal = (types.SimpleNamespace(**vars(module)) for module in (faulthandler, signal))

# What a test may compute, in seconds: while nothing is known of the others, which is divided by the number of those that
# are known, and at least.
UNKNOWN = 60.0
LEAST = 5.0
# Or this many times what the longest test has taken so far, while that is short; of one that is long a multiple would be
# more than a test that hangs may cost.
TIMES = 10
TIMES_LONG = 3
LONG = 30.0
# Or this share of what all tests took so far, until one had no end: where one has none others rarely do.
SHARE = 0.2
# Waiting costs nothing but time: a test that does not compute may take this many times as long.
WAITS = 2
# Recording coverage slows some tests down more than others.
RECORDING = 3
# How often what has not ended a test is raised again, and for how long: some keep every exception, and some compute where none is
# heard. Then the whole process ends, and is run again without the test.
AGAIN = 1.0
KEPT = 4.0
# How long a process may stay whose tests are over: threads that nobody ends keep it.
LINGER = 3.0

try:
    # Before anybody captures it.
    STDERR = os.dup(2)
except OSError:
    STDERR = None


class Overdue(BaseException):
    """A test that does not come to its end. No exception of the program's, so that few handlers keep it."""


class Limit(object):
    """Raises Overdue in the main thread when what runs takes too long."""

    def __init__(self, environment=os.environ):
        def number(name, otherwise):
            return float(environment.get(name) or otherwise)

        recording = bool(environment.get("PATCHWRIGHT_COVERAGE"))
        # Recording makes tests slower than they were.
        longest = -1.0 if recording else number("PATCHWRIGHT_LONGEST", -1)
        self.known = UNKNOWN if longest >= 0 else 0.0
        self.longest = max(0.0, longest)
        self.least = number("PATCHWRIGHT_TEST_SECONDS", LEAST)
        if recording:
            self.least *= RECORDING
        # The others are to have their turn too.
        self.most = max(1.0, number("PATCHWRIGHT_LIMIT", 2 * 86400) / 2)
        self.total = 0.0
        self.overdue = False
        self.began = None
        self.timers = []

    def note(self, seconds):
        """Takes what a test took that came to its end."""
        self.known += 1
        self.longest = max(self.longest, seconds)
        self.total += seconds

    def seconds(self):
        """What the next test may compute."""
        others = min(TIMES * self.longest, LONG + TIMES_LONG * self.longest)
        share = 0.0 if self.overdue else SHARE * self.total
        return min(max(self.least, UNKNOWN / (1 + self.known), others, share), self.most)

    def begin(self, least=0.0):
        """Watches what begins now."""
        self.stop()
        if threading.current_thread().name != "MainThread" or not hasattr(signal, "setitimer"):
            return
        self.limit = max(self.seconds(), min(least, self.most))
        self.waits = min(WAITS * self.limit, self.most)
        self.watch(signal.ITIMER_VIRTUAL, signal.SIGVTALRM, self.limit)
        # A program, or a plugin of the project's, that has set an alarm keeps it.
        unused = signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, None)
        if unused and not any(signal.getitimer(signal.ITIMER_REAL)):
            self.watch(signal.ITIMER_REAL, signal.SIGALRM, self.waits)
        self.overdue_since = None
        exit_after(self.waits + KEPT)
        self.began = monotonic()

    @contextlib.contextmanager
    def watching(self, least=0.0):
        self.begin(least)
        try:
            yield
        finally:
            self.stop()

    def watch(self, timer, number, seconds):
        known = signal.signal(number, self.end)
        self.timers.append((timer, number, known))
        signal.setitimer(timer, seconds, AGAIN)

    def stop(self):
        """Ends to watch. Returns what was taken, None where nothing was watched."""
        began, self.began = self.began, None
        if began is not None:
            faulthandler.cancel_dump_traceback_later()
        while self.timers:
            timer, number, known = self.timers.pop()
            # Another who has set the alarm meanwhile keeps it.
            if signal.getsignal(number) == self.end:
                signal.setitimer(timer, 0)
                signal.signal(number, known)
        return None if began is None else monotonic() - began

    def end(self, number, frame):
        # The processor's time is that of all threads: several compute faster than the clock goes.
        if self.began is not None and monotonic() - self.began >= self.limit:
            if not self.overdue_since:
                self.overdue_since = monotonic()
            elif monotonic() - self.overdue_since >= KEPT:
                exit_after(0.001)
            self.overdue = True
            raise Overdue("the test does not end")


def exit_after(seconds):
    """Ends the process then, whatever it does, and says where it was."""
    if STDERR is not None:
        faulthandler.dump_traceback_later(seconds, exit=True, file=STDERR)


def leave(status):
    """Ends the process soon, also where threads would keep it."""

    def end():
        sleep(LINGER)
        with contextlib.suppress(Exception):
            sys.stdout.flush()
        end_process(status)

    thread = threading.Thread(target=end)
    thread.daemon = True
    thread.start()
