from boardroom import Span, free_rooms, free_spans, next_free

DAY = Span.parse("9:00-17:00")


def book(diary, room, *spans):
    for number, text in enumerate(spans):
        diary.book(f"{room} {number}", room, Span.parse(text))


def test_free_all_day(diary):
    assert free_spans(diary, "Oak", DAY) == [DAY]


def test_free_between_meetings(diary):
    book(diary, "Oak", "13:00-14:00", "8:00-9:30", "14:00-15:30", "18:00-19:00")
    assert [str(span) for span in free_spans(diary, "Oak", DAY)] == ["09:30-13:00", "15:30-17:00"]


def test_never_free(diary):
    book(diary, "Oak", "8:00-12:00", "12:00-18:00")
    assert free_spans(diary, "Oak", DAY) == []


def test_free_rooms(diary):
    book(diary, "Elm", "10:00-11:00")
    assert free_rooms(diary, Span.parse("10:30-11:30")) == ["Oak", "Hall"]
    assert free_rooms(diary, Span.parse("11:00-11:30"), people=5) == ["Elm", "Hall"]


def test_next_free_prefers_the_earliest_time(diary):
    book(diary, "Oak", "9:00-10:00")
    book(diary, "Elm", "9:30-12:00")
    assert next_free(diary, DAY, 30, people=4) == ("Elm", Span.parse("9:00-9:30"))
    assert next_free(diary, DAY, 60, people=4) == ("Hall", Span.parse("9:00-10:00"))


def test_nothing_is_free_for_so_long(diary):
    assert next_free(diary, DAY, 481) is None
    assert next_free(diary, DAY, 30, people=100) is None
