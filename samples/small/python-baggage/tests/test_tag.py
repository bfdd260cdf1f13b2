import pytest

from baggage import Tag, TagError, read_tag, write_tag


@pytest.mark.parametrize("flight", [4711, 65535, 1024])
def test_back_again(flight):
    tag = Tag(flight, 2, "OSL", 153)
    assert read_tag(write_tag(tag)) == tag


@pytest.mark.parametrize("flight", [7, 0])
def test_flights_with_small_numbers(flight):
    tag = Tag(flight, 1, "LIS", 120)
    assert read_tag(write_tag(tag)) == tag


def test_code_is_short_and_grouped():
    code = write_tag(Tag(4711, 2, "OSL", 153))
    assert [len(group) for group in code.split("-")] == [4, 4, 4, 3]


def test_typed_without_dashes():
    tag = Tag(4711, 2, "OSL", 153)
    assert read_tag(write_tag(tag).replace("-", " ")) == tag


def test_not_a_tag():
    with pytest.raises(TagError, match="cannot read"):
        read_tag("2345-6789")


@pytest.mark.parametrize("fields", [(-1, 1, "OSL", 1), (1, 1, "oslo", 1), (1, 1, "OSL", 70000)], ids=str)
def test_impossible_tags(fields):
    with pytest.raises(TagError, match="no such"):
        Tag(*fields)
