import pytest

from boardroom import Span, SpanError


def test_parse():
    assert Span.parse(" 9:05 - 10:30 ") == Span(545, 630)
    assert Span.parse("0:00-24:00").minutes == 1440


@pytest.mark.parametrize("text", ["", "9-10", "9:60-10:00", "10:00-9:00", "9:00-9:00", "23:00-25:00"])
def test_what_is_no_span(text):
    with pytest.raises(SpanError):
        Span.parse(text)


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("8:00-10:00", False),
        ("8:00-10:01", True),
        ("10:15-10:45", True),
        ("9:00-12:00", True),
        ("10:59-12:00", True),
        ("11:00-12:00", False),
    ],
)
def test_overlaps(other, expected):
    span = Span.parse("10:00-11:00")
    assert span.overlaps(Span.parse(other)) is expected
    assert Span.parse(other).overlaps(span) is expected


def test_contains():
    assert Span(0, 60).contains(Span(0, 60))
    assert not Span(0, 60).contains(Span(30, 61))


def test_text():
    assert str(Span(545, 630)) == "09:05-10:30"
