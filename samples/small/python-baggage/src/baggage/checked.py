"""Codes with a checksum, in which mistyped letters are noticed."""

from __future__ import annotations

from .alphabet import CodeError, tidy
from .base58 import decode, encode

_POLYNOMIAL = 0x1021
CHECK_BYTES = 2


def checksum(data: bytes) -> bytes:
    """The checksum of some bytes (CRC-16, as the Xmodem protocol has it)."""
    remainder = 0
    for byte in data:
        remainder ^= byte << 8
        for _ in range(8):
            remainder <<= 1
            if remainder & 0x10000:
                remainder ^= 0x10000 | _POLYNOMIAL
    return remainder.to_bytes(CHECK_BYTES, "big")


def encode_checked(data: bytes) -> str:
    """The code of some bytes and their checksum."""
    return encode(data + checksum(data))


def decode_checked(text: str) -> bytes:
    """The bytes of a code, which may be typed in groups; raises CodeError if it is wrong."""
    everything = decode(tidy(text))
    if len(everything) < CHECK_BYTES:
        raise CodeError("the code is too short")
    data, check = everything[:-CHECK_BYTES], everything[-CHECK_BYTES:]
    if checksum(data) != check:
        raise CodeError("the checksum is wrong")
    return data
