def carp():
    return 3


def tench():
    return 4
