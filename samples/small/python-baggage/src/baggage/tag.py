"""What stands on a tag."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from .alphabet import CodeError, grouped
from .checked import decode_checked, encode_checked

_LAYOUT = struct.Struct(">HH3sH")


class TagError(ValueError):
    """A tag that cannot be written or read."""


@dataclass(frozen=True)
class Tag:
    """One piece of luggage: flight, number of the piece, airport, weight in hectograms."""

    flight: int
    piece: int
    airport: str
    weight: int

    def __post_init__(self) -> None:
        for name in ("flight", "piece", "weight"):
            if not 0 <= getattr(self, name) <= 0xFFFF:
                raise TagError(f"no such {name}: {getattr(self, name)}")
        if len(self.airport) != 3 or not (self.airport.isascii() and self.airport.isupper()):
            raise TagError(f"no such airport: {self.airport}")


def write_tag(tag: Tag) -> str:
    """The code of a tag, in groups."""
    data = _LAYOUT.pack(tag.flight, tag.piece, tag.airport.encode("ascii"), tag.weight)
    return grouped(encode_checked(data))


def read_tag(text: str) -> Tag:
    """The tag of a code."""
    try:
        data = decode_checked(text)
    except CodeError as error:
        raise TagError(f"cannot read {text!r}: {error}") from error
    if len(data) != _LAYOUT.size:
        raise TagError(f"a tag has {_LAYOUT.size} bytes, not {len(data)}")
    flight, piece, airport, weight = _LAYOUT.unpack(data)
    return Tag(flight, piece, airport.decode("ascii"), weight)
