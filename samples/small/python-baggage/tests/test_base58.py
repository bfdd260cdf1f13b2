import pytest

from baggage import ALPHABET, CodeError, decode, encode


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", ""),
        (b"\x01", "2"),
        (b"\x39", "z"),
        (b"\x3a", "21"),
        (b"\xff", "5Q"),
        (b"\x01\x00", "5R"),
        (b"abc", "ZiCa"),
        (b"Hello", "9Ajdvzr"),
    ],
    ids=repr,
)
def test_codes(data, code):
    assert encode(data) == code
    assert decode(code) == data


def test_zero_bytes_at_the_beginning_are_written():
    assert encode(b"\0") == "1"
    assert encode(b"\0\0\x01") == "112"
    assert encode(b"\0\0\0abc") == "111ZiCa"


def test_zero_bytes_at_the_beginning_are_read():
    assert decode("1") == b"\0"
    assert decode("112") == b"\0\0\x01"
    assert decode("111ZiCa") == b"\0\0\0abc"


def test_zero_bytes_elsewhere():
    assert decode(encode(b"a\0\0b\0")) == b"a\0\0b\0"


@pytest.mark.parametrize("letter", ["0", "O", "I", "l", "!", " "])
def test_letters_that_are_not_used(letter):
    with pytest.raises(CodeError, match="not used"):
        decode(f"2{letter}3")


def test_alphabet():
    assert len(set(ALPHABET)) == 58
    assert sorted(ALPHABET) == list(ALPHABET)
