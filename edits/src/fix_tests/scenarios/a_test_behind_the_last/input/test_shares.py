from shares import Shares


def test_each():
    assert Shares(7, 2).each() == 3
