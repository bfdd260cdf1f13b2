import pytest

from signpost import join, normalise, relative_to
from signpost.paths import is_below


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", "/"),
        ("/", "/"),
        ("a/b", "/a/b"),
        ("/a//b/", "/a/b"),
        ("/a/./b", "/a/b"),
        ("/a/../b", "/b"),
        ("/../../b", "/b"),
    ],
)
def test_normalise(path, expected):
    assert normalise(path) == expected


def test_join():
    assert join("/a", "/b/", "c") == "/a/b/c"
    assert join("/", "/b") == "/b"


def test_is_below():
    assert is_below("/docs/a", "/docs")
    assert is_below("/docs", "/docs")
    assert is_below("/docs", "/")
    assert not is_below("/docsearch", "/docs")


@pytest.mark.parametrize(
    ("path", "prefix", "expected"),
    [
        ("/a/x/y", "/a", "/x/y"),
        ("/a/x", "/", "/a/x"),
        ("/a", "/a", "/"),
        ("/a/x/", "a/", "/x"),
    ],
)
def test_relative_to(path, prefix, expected):
    assert relative_to(path, prefix) == expected


def test_relative_to_keeps_the_letters_of_the_next_part():
    assert relative_to("/docs/scheduling", "/docs") == "/scheduling"
    assert relative_to("/docs/docs", "/docs") == "/docs"


def test_relative_to_another_path():
    with pytest.raises(ValueError, match="not below"):
        relative_to("/docsearch", "/docs")
