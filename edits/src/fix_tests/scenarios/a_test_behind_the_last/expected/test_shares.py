from shares import Shares


def test_each():
    assert Shares(7, 2).each() == 3


def test_each_alone():
    assert Shares(3, 1).each() == 3
