import pytest

from broadsheet import align
from broadsheet.alignment import justify


@pytest.mark.parametrize(
    ("how", "expected"),
    [("left", "ab   "), ("right", "   ab"), ("centre", " ab  ")],
    ids=["left", "right", "centre"],
)
def test_simple_alignments(how, expected):
    assert align(["ab"], 5, how) == [expected]


@pytest.mark.parametrize("how", ["left", "right", "centre", "justify"])
def test_a_full_line_stays_as_it_is(how):
    assert align(["abc de", "f"], 6, how)[0] == "abc de"


def test_unknown_alignment():
    with pytest.raises(ValueError, match="diagonal"):
        align([], 5, "diagonal")


def test_justified_evenly():
    assert justify("a b c", 9) == "a   b   c"


def test_odd_blanks_go_to_the_left():
    assert justify("a b c", 8) == "a   b  c"
    assert justify("a b c d", 9) == "a  b  c d"


def test_one_word_is_not_justified():
    assert justify("word", 8) == "word    "


def test_indent_is_kept():
    assert justify("  a b", 8) == "  a    b"


def test_last_line_of_a_paragraph():
    assert align(["a b", "c d"], 5, "justify") == ["a   b", "c d  "]
