"""Colours that are packed into one number."""


def parts(number):
    """Red, green and blue."""
    red = number >> 16
    green = number >> 8
    return red & 0xFF, green & 0xFF, number & 0xFF


def faded(number, limit=20):
    """The green of a colour, a quarter as strong."""
    return min(limit, parts(number)[1] * 0.25)
