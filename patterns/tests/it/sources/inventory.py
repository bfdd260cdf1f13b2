"""What is in stock, and where."""

import re
from collections import OrderedDict, defaultdict

DEFAULT_LIMIT = 10
PATTERN = re.compile(r"(\w+)\s*=\s*(\d+)")


class StockError(Exception):
    """Something is not there."""


class Item:
    def __init__(self, name, price, amount=0, tags=None):
        self.name = name
        self.price = price
        self.amount = amount
        self.tags = list(tags) if tags else []

    def value(self):
        return self.price * self.amount

    def matches(self, word):
        word = word.lower()
        if word in self.name.lower():
            return True
        return any(word == tag.lower() for tag in self.tags)

    def __eq__(self, other):
        if not isinstance(other, Item):
            return NotImplemented
        return self.name == other.name and self.price == other.price


class Inventory:
    def __init__(self, limit=DEFAULT_LIMIT):
        self.items = OrderedDict()
        self.limit = limit
        self.log = []
        self.reserved = defaultdict(int)

    def add(self, item, amount=1):
        if amount <= 0:
            raise ValueError("amount must be positive")
        known = self.items.get(item.name)
        if known is None:
            if len(self.items) >= self.limit:
                raise StockError("full")
            self.items[item.name] = item
            known = item
        known.amount += amount
        self.log.append(("add", item.name, amount))
        return known

    def remove(self, name, amount=1):
        try:
            item = self.items[name]
        except KeyError:
            raise StockError(name)
        available = item.amount - self.reserved[name]
        if amount > available:
            raise StockError("only %d left" % available)
        item.amount -= amount
        if item.amount == 0:
            del self.items[name]
        self.log.append(("remove", name, amount))
        return item

    def reserve(self, name, amount):
        if name not in self.items:
            return False
        item = self.items[name]
        if self.reserved[name] + amount > item.amount:
            return False
        self.reserved[name] += amount
        return True

    def total(self):
        result = 0
        for item in self.items.values():
            result += item.value()
        return result

    def find(self, word):
        found = [item for item in self.items.values() if item.matches(word)]
        return sorted(found, key=lambda item: item.price, reverse=True)

    def page(self, number, size):
        first = number * size
        last = min(first + size, len(self.items))
        names = list(self.items)
        return names[first:last]

    def load(self, lines):
        count = 0
        for line in lines:
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            match = PATTERN.match(line)
            if match is None:
                break
            name, amount = match.group(1), int(match.group(2))
            self.add(Item(name, 0), amount)
            count += 1
        return count

    def describe(self, name):
        item = self.items.get(name)
        status = "missing" if item is None else "in stock"
        return f"{name}: {status} ({len(self.log)})"

    def average(self):
        if not self.items:
            return 0.0
        return self.total() / float(len(self.items))
