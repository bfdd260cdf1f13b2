"""The lines in which our runners tell what comes of each test: one JSON object a line, flushed at once.

Each line ends in a seal, made of its text and a key that whoever started the tests alone knows besides: lines that somebody
else writes into the file count for nothing. The key comes in the variable PATCHWRIGHT_KEY, or in a file that
is gone before the first test is loaded.
"""

import hashlib
import hmac
import io
import json
import os


def take_key():
    key = os.environ.pop("PATCHWRIGHT_KEY", None)
    if key is None and "PATCHWRIGHT_OUT" in os.environ:
        path = os.path.join(os.environ["PATCHWRIGHT_OUT"], "key")
        try:
            with io.open(path, encoding="ascii") as file:
                key = file.read()
            os.unlink(path)
        except (IOError, OSError):
            pass
    return (key or "").encode("ascii")


class Lines(object):
    def __init__(self):
        path = os.environ.get("PATCHWRIGHT_RESULTS", os.devnull)
        self.sink = io.open(path, "a", encoding="utf-8", newline="\n")
        self.key = take_key()
        self.process = os.getpid()

    def write(self, **event):
        # A test that forks may come back twice.
        if os.getpid() != self.process:
            return
        text = json.dumps(event, sort_keys=True)
        seal = hmac.new(self.key, text.encode("ascii"), hashlib.sha256).hexdigest()
        self.sink.write(u'%s, "seal": "%s"}\n' % (text[:-1], seal))
        self.sink.flush()
