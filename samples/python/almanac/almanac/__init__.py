"""Recurring dates from a plain text file."""

from .agenda import Agenda, Item
from .book import BookError, Entry, read_book
from .phrases import PhraseError, parse_phrase
from .rules import Daily, Monthly, MonthlyByWeekday, Once, Rule, Weekly, Yearly

__all__ = [
    "Agenda",
    "BookError",
    "Daily",
    "Entry",
    "Item",
    "Monthly",
    "MonthlyByWeekday",
    "Once",
    "PhraseError",
    "Rule",
    "Weekly",
    "Yearly",
    "parse_phrase",
    "read_book",
]
