import pytest

from broadsheet import paragraphs, wrap
from broadsheet.wrapping import split_word

PROVERB = "he who would climb the ladder must begin at the bottom"


def test_a_line_that_fits_is_left_alone():
    assert wrap("the quick brown", 20) == ["the quick brown"]


def test_a_line_that_fits_exactly():
    assert wrap("the quick brown fox", 15) == ["the quick brown", "fox"]


def test_the_blank_before_a_word_needs_room():
    assert wrap("the quick brown fox", 14) == ["the quick", "brown fox"]


@pytest.mark.parametrize("width", [8, 10, 13, 17, 21, 54])
def test_no_words_are_lost(width):
    assert " ".join(wrap(PROVERB, width)).split() == PROVERB.split()


@pytest.mark.parametrize("width", [10, 12, 25])
def test_no_line_is_wider_than_the_width(width):
    assert max(len(line) for line in wrap(PROVERB, width)) <= width


def test_empty_text():
    assert wrap("", 10) == []
    assert wrap("  \n ", 10, indent=2) == []


def test_blanks_are_joined():
    assert wrap("  one   two\nthree ", 20) == ["one two three"]


def test_first_line_is_indented():
    assert wrap("once upon a time", 10, indent=3) == ["   once", "upon a", "time"]


def test_indent_must_leave_room():
    with pytest.raises(ValueError):
        wrap("once", 4, indent=4)


def test_long_words_are_cut():
    assert list(split_word("breakfast", 5)) == ["brea-", "kfast"]
    assert list(split_word("break", 5)) == ["break"]
    assert list(split_word("breakfasts", 4)) == ["bre-", "akf-", "asts"]


def test_long_words_between_others():
    assert wrap("an extraordinary day", 8) == ["an", "extraor-", "dinary", "day"]


def test_no_room_for_a_hyphen():
    with pytest.raises(ValueError):
        list(split_word("ab", 1))


def test_paragraphs():
    assert paragraphs("one\n two \n\n\nthree\n") == ["one two", "three"]
    assert paragraphs("\n\n") == []
