import pytest

from boardroom import Diary


@pytest.fixture
def diary():
    return Diary({"Oak": 4, "Elm": 10, "Hall": 60})
