import pytest

from tally import allocate
from tally.sharing import equal_shares


def test_even_shares():
    assert allocate(900, [1, 1, 1]) == [300, 300, 300]
    assert allocate(1000, [2, 1, 1]) == [500, 250, 250]
    assert allocate(-900, [2, 1]) == [-600, -300]


def test_cent_that_is_left_over():
    assert allocate(10000, [1, 1, 1]) == [3334, 3333, 3333]
    assert allocate(15, [1, 1]) == [8, 7]


def test_cents_go_where_most_was_cut():
    assert allocate(100, [1, 3, 3]) == [14, 43, 43]
    assert allocate(101, [1, 6, 1]) == [13, 76, 12]
    assert allocate(11, [1, 5, 4]) == [1, 6, 4]


@pytest.mark.parametrize("weights", [[1, 1], [1, 1, 1], [2, 1, 1], [7, 3, 5, 1]], ids=str)
def test_nothing_is_shared(weights):
    assert allocate(0, weights) == [0] * len(weights)


def test_shares_add_up():
    for amount in range(1, 120):
        for weights in ([1, 1], [1, 1, 1], [2, 1, 1], [7, 3, 5, 1], [1] * 7):
            assert sum(allocate(amount, weights)) == amount


def test_weight_of_zero():
    assert allocate(500, [0, 1]) == [0, 500]


def test_impossible_weights():
    with pytest.raises(ValueError, match="negative"):
        allocate(100, [2, -1])
    with pytest.raises(ValueError, match="nobody"):
        allocate(100, [0, 0])
    with pytest.raises(ValueError, match="nobody"):
        equal_shares(100, 0)


def test_equal_shares():
    assert equal_shares(600, 4) == [150, 150, 150, 150]
