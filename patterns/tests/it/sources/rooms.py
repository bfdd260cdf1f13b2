"""Rooms that are booked, and what guests are charged."""

from typing import Dict, List, Optional
import math
from collections import deque


class Room:
    def __init__(self, name, seats, owner=None):
        self.name = name
        self.seats = seats
        self.owner = owner
        self.closed = False
        self.guests = []

    def is_full(self):
        return len(self.guests) >= self.seats

    def owner_name(self):
        return self.owner.name if self.owner is not None else ""

    def label(self, width):
        head = self.name.removeprefix("room-")
        return head.ljust(width)

    def seating(self):
        return list(self.guests)


class House:
    def __init__(self, rooms, rates=None):
        self.rooms = list(rooms)
        self.rates = dict(rates or {})
        self.waiting = deque()
        self.last = None

    def charge(self, room, nights):
        base = room.rate.amount if room.rate is not None else 0
        return base * nights

    def report(self, room):
        return self.line(room.name, room.owner.name if room.owner is not None else None)

    def line(self, name, owner):
        return "{} {}".format(name, owner)

    def book(self, guest, room):
        if guest.allowed and not room.closed:
            room.guests.append(guest)
            return True
        self.waiting.append(guest)
        return False

    def next_guest(self):
        if not self.waiting:
            return None
        return self.waiting.popleft()

    def share(self, room):
        return math.ceil(len(room.guests) / 2)

    def floors(self, total, height):
        return total // height

    def rate(self, name):
        return self.rates.get(name)

    def merge(self, other):
        self.rates.update(other)
        self.rooms.extend(other.rooms)

    def forget(self, name, names):
        names.discard(name)
        return names


def seatings(guests, size):
    found = []
    places = []

    def place(start):
        if len(places) == size:
            found.append(list(places))
            return
        for index in range(start, len(guests)):
            places.append(guests[index])
            place(index + 1)
            places.pop()

    place(0)
    return found


def wrap(words, room):
    lines = []
    current = ""
    for word in words:
        if len(current) + len(word) + 1 <= room:
            current = current + " " + word
        else:
            lines.append(current)
            current = word
    lines.append(current)
    return lines


def rows_of(grid):
    state = {"rows": list(grid), "width": len(grid[0])}
    for row in grid:
        yield list(row)
    return state


def parse(text):
    key, rest = text.split("=", 1)
    name = rest.rstrip(";")
    if not name.isdecimal():
        return None
    return key.casefold(), int(name)


def suffix(path):
    head, tail = path.rpartition(".")[0], path.rpartition(".")[2]
    place = path.rfind("/")
    return head, tail, place


def ways(doors: Dict[str, List[str]], trail: List[str], goal: Optional[str], ends: List[List[str]]) -> None:
    """All ways on from the end of the trail, up to the goal."""
    if trail[-1] == goal:
        ends.append(list(trail))
        return
    for door in doors[trail[-1]]:
        if door not in trail:
            ways(doors, trail + [door], goal, ends)
