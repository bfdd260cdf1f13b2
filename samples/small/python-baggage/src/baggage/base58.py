"""Bytes as text, in the base of the alphabet."""

from __future__ import annotations

from .alphabet import ALPHABET, BASE, value_of


def encode(data: bytes) -> str:
    """The code of some bytes, which are taken as one large number."""
    number = int.from_bytes(data, "big")
    letters = []
    while number:
        number, digit = divmod(number, BASE)
        letters.append(ALPHABET[digit])
    return "".join(reversed(letters))


def decode(code: str) -> bytes:
    """The bytes of a code; raises CodeError for a letter that is not used."""
    number = 0
    for letter in code:
        number = number * BASE + value_of(letter)
    return number.to_bytes((number.bit_length() + 7) // 8, "big")
