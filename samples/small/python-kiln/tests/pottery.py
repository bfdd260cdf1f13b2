"""A plan for the tests."""

from kiln import Plan

POTTERY = """\
# everything is needed by ways of the same length
sell 5: pack, label
pack 10: glaze
label 2: glaze
glaze 30: fire, mix
fire 240: shape
mix 15: weigh
shape 20:
weigh 1:
sweep 3:
"""


def pottery():
    return Plan.parse(POTTERY.splitlines())


def plan_of(*lines):
    return Plan.parse(lines)
