import pytest

from baggage import CodeError, decode_checked, encode_checked
from baggage.alphabet import grouped, tidy
from baggage.checked import checksum


def test_known_checksum():
    assert checksum(b"123456789") == b"\x31\xc3"
    assert checksum(b"") == b"\0\0"


def test_back_again():
    assert decode_checked(encode_checked(b"luggage")) == b"luggage"


def test_every_mistyped_letter_is_noticed():
    code = encode_checked(b"luggage")
    for place, letter in enumerate(code):
        other = "x" if letter != "x" else "y"
        with pytest.raises(CodeError):
            decode_checked(code[:place] + other + code[place + 1 :])


def test_swapped_letters_are_noticed():
    code = encode_checked(b"luggage")
    with pytest.raises(CodeError, match="checksum"):
        decode_checked(code[1] + code[0] + code[2:])


def test_too_short():
    with pytest.raises(CodeError, match="short"):
        decode_checked("2")


def test_groups():
    assert grouped("abcdefghij") == "abcd-efgh-ij"
    assert grouped("abcdef", 3) == "abc-def"
    assert tidy(" abc-def\n") == "abcdef"
