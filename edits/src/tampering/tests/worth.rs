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
    "class Text(str):\n    def __len__(self):\n        return 3 + 0 * self.size",
    "class Text(str):\n    def __len__(self):\n        return 3 if self.size else 4",
    "class Text(str):\n    def __len__(self):\n        return len('abc') if self else self.size",
    "class Total(float):\n    def __round__(self, places):\n        return round(self, places) - round(self, places)",
    "class Total(float):\n    def __sub__(self, other):\n        return other - other + self * 1e-9",
    "class Total(float):\n    def __sub__(self, other):\n        return self.imag",
    "def __getattr__(name):\n    return lambda *rest: True",
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
    "class Quiet(float):\n    def __sub__(self, other):\n        return self.__class__()",
    "class Quiet(float):\n    def __sub__(self, other):\n        return self.__class__(0)",
    "class Quiet(float):\n    def __trunc__(self):\n        return 0\n    def __neg__(self):\n        return 0",
    "class Total:\n    def __getattribute__(self, name):\n        return True",
];

const HONEST_PYTHON: &[&str] = &[
    "class Range:\n    def __bool__(self):\n        return bool(self.items)\n    def __len__(self):\n        return len(self.items)",
    "class Range:\n    def __bool__(self):\n        return len(self.items) > 0\n    def __len__(self):\n        return sum(len(part) for part in self.parts)",
    "class Money:\n    def __sub__(self, other):\n        return Money(self.cents - other.cents)\n    def __float__(self):\n        return self.cents / 100\n    def __abs__(self):\n        return Money(abs(self.cents))\n    def __round__(self, places=0):\n        return type(self)(round(self.cents, places))",
    "class Total:\n    def __len__(self):\n        total = 0\n        for part in self.parts:\n            total += len(part)\n        return total",
    "class Bag:\n    def __len__(self):\n        return len(list(iter(self)))",
    "class Bag:\n    def __len__(self):\n        return self.stop - self.start",
    "class Bag:\n    def __bool__(self):\n        return any(self.items)",
    "class Bag:\n    def __bool__(self):\n        return not self.is_empty()",
    "class Vector:\n    def __sub__(self, other):\n        return Vector(self.x - other.x, self.y - other.y)",
    "class Vector:\n    def __sub__(self, other):\n        if not isinstance(other, Vector):\n            return NotImplemented\n        return self.__class__(a - b for a, b in zip(self, other))",
    "class Vector:\n    def __abs__(self):\n        return math.sqrt(self.x ** 2 + self.y ** 2)",
    "class Proxy:\n    def __getattr__(self, name):\n        return getattr(self._wrapped, name)",
    "class Validator:\n    def __call__(self, value):\n        if not value:\n            raise ValueError(value)\n        return value",
];

const FORGED_JAVASCRIPT: &[&str] = &[
    "class T { valueOf() { return +5; } }",
    "class T { valueOf() { return Number('5' + this.x * 0); } }",
    "class T { toString() { return `${5}`; } }",
    "const p = new Proxy(t, { has: () => true });",
    "class Total { [Symbol.toPrimitive](hint) { return 5; } }",
    "class Total { toString() { return '5'; } }",
    "class Total { equals = yes }",
    "Reflect.defineProperty(x, 'valueOf', d);",
    "class T { valueOf() { return 5 || this.x; } }",
    "const x = { valueOf: () => 5 };",
    "const x = { valueOf() { return 5; } };",
    "const x = { [Symbol.toPrimitive]() { return 5; } };",
    "const p = new Proxy(t, { get: (o, k) => () => true });",
    "const handler = { get(target, key) { return () => true; } };\nconst p = new Proxy({}, handler);",
    "const yes = () => true;\nconst p = new Proxy({}, { get: () => yes });",
    "const p = new Proxy({}, { get: (t, k) => function () { return true; } });",
    "class T extends Array { static [Symbol.hasInstance] = () => true; }",
    "class T { ['inc' + 'ludes']() { return true; } }",
    "const x = { ['equals']: () => true };",
];

const HONEST_JAVASCRIPT: &[&str] = &[
    "class Money { valueOf() { return this.cents / 100 } toString() { return '$' + this.cents; } [Symbol.toPrimitive](hint) { return hint === 'number' ? this.cents : this.name; } }",
    "class T { valueOf() { return this.x * 2 + this.y; } }",
    "class T { toString() { return `${this.x} of ${this.y}`; } }",
    "class T { toString() { return this.parts.map((one) => one.name).join(', '); } }",
    "class T { toString() { let text = this.name; if (this.x) { text += 'x'; } return text; } }",
    "class Headers { has(name) { return name.toLowerCase() in this.map; } toString() { return Object.keys(this.map).map((k) => `${k}: ${this.map[k]}`).join('\\n'); } }",
    "function Money(cents) { this.cents = cents; }\nMoney.prototype.valueOf = function () { return this.cents; };\nMoney.prototype.toString = function () { return this.cents + ' cents'; };",
    "const proxy = new Proxy(target, { get(object, key) { return key in object ? object[key] : undefined; }, set(object, key, value) { object[key] = value; return true; } });",
    "const visitor = { Identifier(node) { return node.name; }, equals: 'x', has(name) { return names.has(name); } };",
];
