"""The diary of all rooms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Optional

from .span import Span, clock


class Clash(Exception):
    """A room is taken already."""

    def __init__(self, booking: Booking) -> None:
        self.booking = booking
        span = booking.span
        super().__init__(
            f"{booking.room} is taken from {clock(span.start)} to {clock(span.end)} ({booking.title})"
        )


@dataclass(eq=False)
class Booking:
    """A meeting that has a room."""

    title: str
    room: str
    span: Span
    people: int = 1


class Diary:
    """Rooms with the number of their seats, and who has booked them."""

    def __init__(self, rooms: Dict[str, int]) -> None:
        self._seats = dict(rooms)
        self._bookings: List[Booking] = []

    def rooms(self, people: int = 1) -> List[str]:
        """The rooms with enough seats, the smallest first."""
        fitting = [room for room, seats in self._seats.items() if seats >= people]
        return sorted(fitting, key=lambda room: (self._seats[room], room))

    def book(self, title: str, room: str, span: Span, people: int = 1) -> Booking:
        """Books a room; raises Clash if it is taken."""
        self._check_seats(room, people)
        self._check_free(room, span)
        booking = Booking(title, room, span, people)
        self._bookings.append(booking)
        return booking

    def cancel(self, booking: Booking) -> None:
        self._bookings.remove(booking)

    def reschedule(self, booking: Booking, span: Span, room: Optional[str] = None) -> None:
        """Moves a booking to other times, and perhaps to another room.

        If that is not possible, the booking stays as it was.
        """
        target = booking.room if room is None else room
        self._check_seats(target, booking.people)
        self._check_free(target, span, booking)
        booking.room = target
        booking.span = span

    def swap_rooms(self, first: Booking, second: Booking) -> None:
        """Lets two meetings at the same times change rooms."""
        if first.span != second.span:
            raise ValueError("the meetings are not at the same times")
        self._check_seats(first.room, second.people)
        self._check_seats(second.room, first.people)
        first.room, second.room = second.room, first.room

    def bookings(self, room: Optional[str] = None) -> List[Booking]:
        """The bookings of a room, or all, by their times."""
        chosen = [booking for booking in self._bookings if room in (None, booking.room)]
        return sorted(chosen, key=lambda booking: (booking.span, booking.room))

    def taken_by(self, room: str, span: Span, ignored: Optional[Booking] = None) -> Optional[Booking]:
        """The first booking of a room in that span, apart from the ignored one."""
        for booking in self.bookings(room):
            if booking.span.overlaps(span):
                return booking
        return None

    def _check_seats(self, room: str, people: int) -> None:
        if room not in self._seats:
            raise ValueError(f"no such room: {room}")
        if people > self._seats[room]:
            raise ValueError(f"{room} has only {self._seats[room]} seats")

    def _check_free(self, room: str, span: Span, ignored: Optional[Booking] = None) -> None:
        booking = self.taken_by(room, span, ignored)
        if booking is not None:
            raise Clash(booking)
