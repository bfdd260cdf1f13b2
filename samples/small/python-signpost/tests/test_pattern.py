import pytest

from signpost import Pattern, PatternError


def test_fixed_path():
    assert Pattern("/about").match("/about") == {}
    assert Pattern("/about").match("/about/us") is None


def test_parameters():
    pattern = Pattern("/albums/{album:int}/photos/{photo}")
    assert pattern.match("/albums/12/photos/sea.png") == {"album": 12, "photo": "sea.png"}
    assert pattern.match("/albums/twelve/photos/sea.png") is None
    assert pattern.match("/albums/12/photos/sea/shore") is None


def test_rest_of_the_path():
    assert Pattern("/files/{path:rest}").match("/files/a/b/c") == {"path": "a/b/c"}


def test_dots_are_dots():
    assert Pattern("/robots.txt").match("/robots-txt") is None


def test_build():
    assert Pattern("/albums/{album:int}").build(album=3) == "/albums/3"
    with pytest.raises(PatternError, match="album"):
        Pattern("/albums/{album:int}").build(photo=3)


def test_bad_patterns():
    with pytest.raises(PatternError, match="float"):
        Pattern("/{x:float}")
    with pytest.raises(PatternError, match="two"):
        Pattern("/{x}/{x}")
