"""Short codes for the tags of pieces of luggage."""

from .alphabet import ALPHABET, CodeError
from .base58 import decode, encode
from .checked import decode_checked, encode_checked
from .tag import Tag, TagError, read_tag, write_tag

__all__ = [
    "ALPHABET",
    "CodeError",
    "Tag",
    "TagError",
    "decode",
    "decode_checked",
    "encode",
    "encode_checked",
    "read_tag",
    "write_tag",
]
