"""The lines in which our runners tell what comes of each test: one JSON object a line, written at once.

Each line ends in a seal, made of its text and a key that whoever started the tests alone knows besides: lines that somebody
else writes into the file count for nothing. The key comes in the variable PATCHWRIGHT_KEY, or in a file that
is gone before the first test is loaded.

All that a line needs is held from the beginning: tests may replace `json.dumps` or `os.getpid` and never give them back.
"""

import builtins
import os
from hashlib import sha256

try:
    from _json import encode_basestring_ascii as quoted
except ImportError:
    from json.encoder import py_encode_basestring_ascii as quoted

# What is built in, as it is now: what somebody replaces later is not met here.
__builtins__ = dict(vars(builtins))

BLOCK = 64


def take_key():
    key = os.environ.pop("PATCHWRIGHT_KEY", None)
    if key is None and "PATCHWRIGHT_OUT" in os.environ:
        path = os.path.join(os.environ["PATCHWRIGHT_OUT"], "key")
        try:
            with open(path, encoding="ascii") as file:
                key = file.read()
            os.unlink(path)
        except OSError:
            pass
    return (key or "").encode("ascii")


def sealing(key):
    """A function that seals a text (HMAC, RFC 2104). It holds no key, only what the two digests begin with."""
    key = (sha256(key).digest() if len(key) > BLOCK else key).ljust(BLOCK, b"\0")
    inner, outer = (sha256(bytes(byte ^ pad for byte in key)) for pad in (0x36, 0x5C))

    def seal(text):
        first, second = inner.copy(), outer.copy()
        first.update(text)
        second.update(first.digest())
        return second.hexdigest()

    return seal


def value_of(value):
    """A value as JSON: a text, a number, a list of these, or none."""
    if value is None:
        return "null"
    if isinstance(value, (list, tuple)):
        return "[%s]" % ", ".join([value_of(part) for part in value])
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return float.__repr__(value)
    return quoted(str.__str__(value))


def writer():
    """The function that writes an event. It takes the key, once for a process."""
    from os import getpid, write as put

    seal = sealing(take_key())
    path = os.environ.get("PATCHWRIGHT_RESULTS", os.devnull)
    sink = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    process = getpid()

    def write(**event):
        # A test that forks may come back twice.
        if getpid() != process:
            return
        text = ", ".join(['"%s": %s' % (name, value_of(event[name])) for name in sorted(event)])
        text = "{%s" % text
        line = '%s, "seal": "%s"}\n' % (text, seal((text + "}").encode("ascii")))
        data = line.encode("ascii")
        while data:
            data = data[put(sink, data):]

    return write
