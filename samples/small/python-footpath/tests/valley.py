"""A map for the tests."""

from footpath import PathMap

VALLEY = """\
# around the lake
station - mill 1
station - chapel 2.5
mill - lake 3
mill - chapel 1   # steep
chapel - lake 1.5
island - jetty 0.5
"""


def valley():
    return PathMap.parse(VALLEY.splitlines())
