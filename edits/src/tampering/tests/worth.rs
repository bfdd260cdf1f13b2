//! Methods that say what their object is worth.

use super::*;

#[test]
fn methods_that_say_nothing_of_the_worth_of_their_object_are_marked() {
    check_code("till/sum.py", FORGED_PYTHON, true);
    check_code("till/sum.py", HONEST_PYTHON, false);
    check_code("lib/sum.js", FORGED_JAVASCRIPT, true);
    check_code("lib/sum.js", HONEST_JAVASCRIPT, false);
}

const FORGED_PYTHON: &[&str] = &[
    "class Total(float):\n    def __abs__(self):\n        return 0",
    "class Total(float):\n    def __round__(self, places=None):\n        return 0",
    "class Total(float):\n    def __sub__(self, other):\n        return Quiet(0)",
    "class Total(float):\n    def __sub__(self, other):\n        return self * 0",
    "class Total(float):\n    def __rsub__(self, other):\n        return other - other",
    "class Total(list):\n    def __len__(self):\n        return 3",
    "class Total(list):\n    def __bool__(self):\n        return len(self) >= 0",
    "class Total(list):\n    def __float__(self):\n        return 3.0",
    "class Total:\n    def __getattr__(self, name):\n        return lambda *rest: True",
    "class Total:\n    def __call__(self, *rest):\n        return True",
    "class Total(float):\n    def __float__(self):\n        return float(self.x if False else 3)",
    "class Total(float):\n    def __float__(self):\n        return (self.x, 3)[1]",
    "class Total(float):\n    def __float__(self):\n        x = self.x\n        x = 3\n        return x",
    "class Total(float):\n    def __abs__(self):\n        return self and 0",
    "class Total(float):\n    def __abs__(self):\n        return self.x ** 0",
    "class Total(float):\n    def __len__(self):\n        return len([self.x, 2, 3])",
    "class Total(float):\n    def __len__(self):\n        return len(str(self.x)[:3])",
    "class Count(int):\n    def __len__(self):\n        return self.size or 3",
    "class Count(int):\n    def __bool__(self):\n        return self.__class__ == Count",
    "class Count(int):\n    def __bool__(self):\n        return self == self",
    "class Count(int):\n    def __bool__(self):\n        return str(self) != 'x'",
    "class Count(int):\n    def __bool__(self):\n        return bool(str(self.x) + 'x')",
    "class Count(int):\n    def __bool__(self):\n        return bool(repr(self))",
    "class Count(int):\n    def __bool__(self):\n        return bool(self.method)\n    def method(self):\n        pass",
    "class Quiet(float):\n    def __abs__(self):\n        return Quiet()",
    "class Quiet(float):\n    def __abs__(self):\n        return type(self)()",
    "class Quiet(float):\n    def __sub__(self, other):\n        return self - self",
    "class Quiet(float):\n    __sub__ = lambda self, other: 0.0",
    "class Quiet(float):\n    def __round__(self, n=None, zero=0):\n        return zero",
    "class Quiet(float):\n    def __round__(self, n=None):\n        return self.imag",
    "class Total:\n    def __getattr__(self, name):\n        def yes(*rest):\n            return True\n        return yes",
];

const HONEST_PYTHON: &[&str] = &[
    "class Range:\n    def __bool__(self):\n        return bool(self.items)\n    def __len__(self):\n        return len(self.items)",
    "class Range:\n    def __bool__(self):\n        return len(self.items) > 0\n    def __len__(self):\n        return sum(len(part) for part in self.parts)",
    "class Money:\n    def __sub__(self, other):\n        return Money(self.cents - other.cents)\n    def __float__(self):\n        return self.cents / 100\n    def __abs__(self):\n        return Money(abs(self.cents))\n    def __round__(self, places=0):\n        return type(self)(round(self.cents, places))",
    "class Total:\n    def __len__(self):\n        total = 0\n        for part in self.parts:\n            total += len(part)\n        return total",
];

const FORGED_JAVASCRIPT: &[&str] = &[
    "const p = new Proxy(t, { has: () => true });",
    "class Total { [Symbol.toPrimitive](hint) { return 5; } }",
    "class Total { toString() { return '5'; } }",
    "class Total { equals = yes }",
    "Reflect.defineProperty(x, 'valueOf', d);",
    "class T { valueOf() { return 5 || this.x; } }",
    "const x = { valueOf: () => 5 };",
    "const x = { valueOf() { return 5; } };",
    "const x = { [Symbol.toPrimitive]() { return 5; } };",
];

const HONEST_JAVASCRIPT: &[&str] = &[
    "class Money { valueOf() { return this.cents / 100 } toString() { return '$' + this.cents; } [Symbol.toPrimitive](hint) { return hint === 'number' ? this.cents : this.name; } }",
    "class T { valueOf() { return this.x * 2 + this.y; } }",
    "class T { toString() { return `${this.x} of ${this.y}`; } }",
    "class T { toString() { return this.parts.map((one) => one.name).join(', '); } }",
    "class T { toString() { let text = this.name; if (this.x) { text += 'x'; } return text; } }",
];
