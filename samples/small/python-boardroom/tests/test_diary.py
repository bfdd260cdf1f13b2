import pytest

from boardroom import Clash, Span


def span(text):
    return Span.parse(text)


@pytest.fixture
def planning(diary):
    return diary.book("Planning", "Oak", span("10:00-11:00"), people=4)


def test_taken_room(diary, planning):
    with pytest.raises(Clash, match="Oak is taken from 10:00 to 11:00 .Planning."):
        diary.book("Budget", "Oak", span("10:30-12:00"))
    assert diary.bookings() == [planning]


def test_neighbours_and_other_rooms(diary, planning):
    diary.book("Before", "Oak", span("9:00-10:00"))
    diary.book("After", "Oak", span("11:00-12:00"))
    diary.book("Beside", "Elm", span("10:00-11:00"))
    titles = [booking.title for booking in diary.bookings()]
    assert titles == ["Before", "Beside", "Planning", "After"]


def test_seats(diary):
    with pytest.raises(ValueError, match="only 4 seats"):
        diary.book("Assembly", "Oak", span("10:00-11:00"), people=5)
    with pytest.raises(ValueError, match="Cellar"):
        diary.book("Assembly", "Cellar", span("10:00-11:00"))


def test_cancelled_bookings_make_room(diary, planning):
    diary.cancel(planning)
    diary.book("Budget", "Oak", span("10:30-12:00"))


def test_moved_to_the_afternoon(diary, planning):
    diary.reschedule(planning, span("14:00-15:00"))
    assert planning.span == span("14:00-15:00")
    assert diary.taken_by("Oak", span("10:00-11:00")) is None


def test_made_longer(diary, planning):
    diary.reschedule(planning, span("10:00-11:30"))
    assert planning.span == span("10:00-11:30")


def test_moved_by_a_quarter_of_an_hour(diary, planning):
    diary.reschedule(planning, span("10:15-11:15"))
    assert planning.span == span("10:15-11:15")


def test_made_longer_into_another_meeting(diary, planning):
    diary.book("Budget", "Oak", span("11:00-12:00"))
    with pytest.raises(Clash, match="Budget"):
        diary.reschedule(planning, span("10:00-11:30"))
    assert planning.span == span("10:00-11:00")


def test_moved_to_another_room(diary, planning):
    diary.reschedule(planning, planning.span, room="Elm")
    assert planning.room == "Elm"
    assert diary.bookings("Oak") == []


def test_moved_to_a_taken_room(diary, planning):
    diary.book("Budget", "Elm", span("9:00-12:00"))
    with pytest.raises(Clash, match="Elm"):
        diary.reschedule(planning, planning.span, room="Elm")
    assert planning.room == "Oak"


def test_moved_to_a_room_that_is_too_small(diary):
    party = diary.book("Party", "Hall", span("18:00-20:00"), people=30)
    with pytest.raises(ValueError, match="seats"):
        diary.reschedule(party, party.span, room="Elm")


def test_swap(diary, planning):
    budget = diary.book("Budget", "Elm", planning.span, people=2)
    diary.swap_rooms(planning, budget)
    assert (planning.room, budget.room) == ("Elm", "Oak")
    late = diary.book("Late", "Oak", span("20:00-21:00"))
    with pytest.raises(ValueError):
        diary.swap_rooms(planning, late)


def test_taken_by(diary, planning):
    assert diary.taken_by("Oak", span("10:30-10:40")) is planning
    assert diary.taken_by("Elm", span("10:30-10:40")) is None
