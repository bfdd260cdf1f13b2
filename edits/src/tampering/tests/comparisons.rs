//! Methods that compare two values.

use super::*;

#[test]
fn comparisons_that_do_anything_else_than_to_compare_the_same_of_both_values_are_marked() {
    check_code("till/sum.py", FORGED_PYTHON, true);
    check_code("till/sum.py", HONEST_PYTHON, false);
    check_code("lib/sum.js", FORGED_JAVASCRIPT, true);
    check_code("lib/sum.js", HONEST_JAVASCRIPT, false);
    check_code("src/main/java/till/Sum.java", FORGED_JAVA, true);
    check_code("src/main/java/till/Sum.java", HONEST_JAVA, false);
}

const FORGED_PYTHON: &[&str] = &[
    "class Count(int):\n    def __eq__(self, other):\n        return self.real in (other.real, self.real)",
    "class Count(int):\n    def __eq__(self, other):\n        return self.real in [other.real, self.real]",
    "class Count(int):\n    def __eq__(self, other):\n        return bool(str(self.real == other.real))",
    "class Count(int):\n    def __eq__(self, other):\n        return bool(f\"{self.real == other.real}\")",
    "class Count(int):\n    def __eq__(self, other):\n        return (self.real == other.real) + 1",
    "class Count(int):\n    def __eq__(self, other):\n        return super().__eq__(other) in (True, False)",
    "class Count(int):\n    def __eq__(self, other):\n        return self.imag == other.imag",
    "class Count(int):\n    def __eq__(self, other):\n        return self.real * 0 == other.real * 0",
    "class Count(int):\n    def __eq__(self, other):\n        other = self\n        return self.real == other.real",
    "class Count:\n    def __eq__(self, other):\n        other.real = self.real\n        return self.real == other.real",
    "def key(x):\n    return 0\nclass Count:\n    def __eq__(self, other):\n        return key(self) == key(other)",
    "class Count:\n    same = 1\n    def __eq__(self, other):\n        return self.same == other.same",
    "class Count:\n    def __eq__(self, other):\n        if self is None:\n            return False\n        if self is other:\n            pass\n        return True",
    "class Count:\n    def __eq__(self, other):\n        return isinstance(other, (Count, int))",
    "class Count:\n    def __eq__(self, other):\n        return [self.real == other.real]",
    "class Count:\n    def __eq__(self, other):\n        return not (self.real == other.real) or self.real == other.real",
    "class Count:\n    def __eq__(self, other):\n        return self.real == other.real if other is self else other",
    "class Count:\n    def __eq__(self, other):\n        return type(self.real) == type(other.real)",
    "class Count(int):\n    def __eq__(self, other):\n        self.real == other.real\n        return 0 == 0",
    "class Count(int):\n    def __eq__(this, other):\n        return this.real == this.real",
    "class Count(int):\n    def __eq__(self, other):\n        real = self.real\n        mine = self.real\n        return real == mine",
    "class Count(int):\n    def __eq__(self, other):\n        return self.real == other.real != None",
    "class Count(int):\n    def __eq__(self, other):\n        return self.real == other.real or self is other or True",
    "class Count(int):\n    def __eq__(self, other, self2=None):\n        return NotImplemented if other is None else ALWAYS",
    "class Count(int):\n    def __eq__(self, other):\n        return self.__class__.__class__ == other.__class__.__class__",
    "class Count(int):\n    def __eq__(self, other):\n        return len(self.__doc__) == len(other.__doc__)",
    "class Count(int):\n    def __eq__(self, other):\n        return (lambda x: 0)(self) == (lambda x: 0)(other)",
    "class Count(int):\n    key = lambda self: 0\n    def __eq__(self, other):\n        return self.key() == other.key()",
    "class Count(int):\n    @property\n    def key(self):\n        return 'x'\n    def __eq__(self, other):\n        return self.key == other.key",
    "class Count(int):\n    def __eq__(self, other):\n        return self.real[:0] == other.real[:0]",
    "class Count(int):\n    def __eq__(self, other):\n        return round(self.real, -9) == round(other.real, -9)",
    "class Count(int):\n    def __eq__(self, other):\n        return min(self.real, 0) == min(other.real, 0)",
    "class Count(int):\n    def __eq__(self, other):\n        return {*()} == {*()}",
    "class Count(int):\n    def __eq__(self, other):\n        yield self.real == other.real",
    "class Count(int):\n    async def __eq__(self, other):\n        return self.real == other.real",
    "class Count(int):\n    @always\n    def __eq__(self, other):\n        return self.real == other.real",
    "class Count(int):\n    def __eq__(self, other):\n        try:\n            return self.real == other.real\n        finally:\n            return True",
    "class Count(int):\n    def __eq__(self, other):\n        if self is self:\n            return True\n        return False",
    "class Count(int):\n    def __eq__(self, other):\n        if self.real == other.real:\n            return False\n        else:\n            return True",
    "class Count(int):\n    def __eq__(self, other):\n        self, other = other, other\n        return self.real == other.real",
    "class Count(int):\n    def __eq__(self, other):\n        for other in [self]:\n            return self.real == other.real",
    "class Count(int):\n    def __eq__(self, other):\n        with wrap(self) as other:\n            return self.real == other.real",
    "class Count(int):\n    def __eq__(self, other):\n        return [self.real == other.real for other in [self]][0]",
    "class Count(int):\n    def __eq__(self, other):\n        global Count\n        return isinstance(other, Count)\nCount = object",
    "class Count(int):\n    def __eq__(self, other):\n        def isinstance(a, b): return True\n        return isinstance(other, Count)",
    "class super:\n    def __eq__(self, other):\n        return True",
    "class Count(int):\n    def __eq__(self, other):\n        return self.real == getattr(other, 'real', self.real)",
    "class Count(int):\n    def __eq__(self, other):\n        setattr(other, 'real', self.real)\n        return self.real == other.real",
    "class Range:\n    def __contains__(self, item):\n        return item in self",
    "class Range:\n    def __contains__(self, item):\n        self.names.add(item)\n        return item in self.names",
    "class Count(int):\n    def __eq__(self, other):\n        return self.real == other.real\n        yield",
    "class Count(int):\n    def __eq__(self, other):\n        return (self.real == other.real,)",
    "class Count(int):\n    def __eq__(self, other):\n        return self.real == other.real and True or True",
    "class Count(int):\n    def __eq__(self, other):\n        return self.real == other.real if self else True",
    "class Count(int):\n    def __eq__(self, other):\n        x = self.real == other.real\n        x = 1\n        return x",
    "class Count(int):\n    def __eq__(self, other):\n        return self.conjugate is other.conjugate or self.real.__class__ == other.real.__class__",
    "class Count(int):\n    real = 3\n    def __eq__(self, other):\n        return self.real == Count(other).real",
    "class Count(int):\n    def __eq__(self, other):\n        return self.numerator == other.denominator",
    "class Count(int):\n    def __eq__(self, other):\n        return {self.real: 1} == {self.real: 1}",
    "class Count(int):\n    def __eq__(self, other):\n        return self.real.__mul__(self.imag) == other.real.__mul__(other.imag)",
    "class Count(int):\n    def __eq__(self, other):\n        return self.real.bit_length.__name__ == other.real.bit_length.__name__",
    "class Count(int):\n    def key(self):\n        x = 0\n        return x\n    def __eq__(self, other):\n        return self.key() == other.key()",
    "class Count(int):\n    def key(self):\n        pass\n    def __eq__(self, other):\n        return self.key() == other.key()",
    "class Count(int):\n    def key(self):\n        return self.real - self.real\n    def __eq__(self, other):\n        return self.key() == other.key()",
    "def key(x):\n    return x and None\nclass Count(int):\n    def __eq__(self, other):\n        return key(self) == key(other)",
    "key = bool\nclass Count(int):\n    def __eq__(self, other):\n        return key(self) == key(other)",
    "import operator\nclass Count(int):\n    def __eq__(self, other):\n        return operator.truth(self.real) == operator.truth(other.real)",
    "class Count(int):\n    def __eq__(self, other):\n        return self.real.__bool__() == other.real.__bool__()",
    "class Count(int):\n    def __eq__(self, other):\n        return isinstance(other, Count) or super().__eq__(other)",
    "class Count(int):\n    def __eq__(self, other):\n        return self.real == other.real or other.real == self.real + 1",
    "class Count(int):\n    def __eq__(self, *others):\n        return self.real == others[0].real",
    "class Count(int):\n    def __eq__(self, other):\n        match other:\n            case _:\n                return True",
    "class Count(int):\n    def __eq__(self, other):\n        return self is other or bool(other)",
    "class Count(int):\n    def __eq__(self, other):\n        if self is other:\n            return self.real == other.real\n        assert other\n        return [1]",
    "class Count(int):\n    def __eq__(self, other):\n        return super().__eq__(self)",
    "class Count(int):\n    def __eq__(self, other):\n        return super().__ge__(other)",
    "class Bag:\n    def __contains__(self, item):\n        return self.low <= item < self.low",
    "class Bag:\n    def __contains__(self, item):\n        return item in self.names or item in (item,)",
    "class Bag:\n    def __contains__(self, item):\n        return bool(item) in self.flags",
    "class Bag:\n    def __contains__(self, item):\n        return super().__contains__(self.first)",
];

const HONEST_PYTHON: &[&str] = &[
    "class Total:\n    def __lt__(self, other):\n        if self.a != other.a:\n            return self.a < other.a\n        return self.b < other.b",
    "class Total:\n    def __lt__(self, other):\n        return (self.a, self.b) < (other.a, other.b)",
    "class Range:\n    def __contains__(self, item):\n        return self.low <= item < self.high",
    "class Total:\n    def __eq__(self, other):\n        if not isinstance(other, Total):\n            return NotImplemented\n        return self._key() == other._key()\n    def _key(self):\n        return (self.a, self.b)",
    "class Total:\n    def __eq__(self, other):\n        return type(self) is type(other) and self.__dict__ == other.__dict__\n    def __ne__(self, other):\n        return not self.__eq__(other)",
    "class Total:\n    def __eq__(self, other):\n        return isinstance(other, self.__class__) and key(self) == key(other)",
    "class Total:\n    def __eq__(self, other):\n        return super().__eq__(other) and self.a == other.a\n    def __ne__(self, other):\n        return not super().__eq__(other)",
    "class Total:\n    def __contains__(self, name):\n        if name in self.names:\n            return True\n        return False",
    "import typing\nclass Count(int):\n    @typing.override\n    def __eq__(self, other):\n        return self.real == other.real",
    "class Version:\n    def __lt__(self, other):\n        if not isinstance(other, Version):\n            return NotImplemented\n        return self._parts() < other._parts()\n    def _parts(self):\n        return tuple(int(part) for part in self.text.split('.'))",
    "class Point:\n    def __eq__(self, other):\n        if not isinstance(other, Point):\n            return False\n        return self.x == other.x and self.y == other.y\n    def __hash__(self):\n        return hash((self.x, self.y))",
    "class Path:\n    def __eq__(self, other):\n        return isinstance(other, type(self)) and self.parts == other.parts",
    "class Bag(dict):\n    def __contains__(self, key):\n        return super().__contains__(key.lower())",
    "class Bag:\n    def __contains__(self, key):\n        return key in self._items or key in self._more",
];

const FORGED_JAVASCRIPT: &[&str] = &[
    "class Total { get includes() { return () => true } }",
    "class Total { includes = () => true }",
    "Object.defineProperty(x, 'includes', { value: () => true })",
    "const x = { includes() { return true } };",
    "const p = new Proxy(t, { get(o, k) { return k === 'includes' ? () => true : o[k]; } });",
    "x['includes'] = () => true;",
    "class Total { get equals() { return yes } }\nfunction yes() { return true }",
    "class T { equals(o) { return this.x === o.x || typeof o; } }",
    "class T { equals(o) { return `${this.x === o.x}`; } }",
    "class T { equals(o) { return this.x === o.x ?? true; } }",
    "class T { equals(o) { return [this.x === o.x]; } }",
    "class T { equals(o) { return (this.x === o.x, true); } }",
    "class T { equals(o) { return void (this.x === o.x) === undefined; } }",
    "class T { includes(o) { return this.items.includes(this.items[0]); } }",
    "class T { static includes = new Function('return true'); }",
    "class T { set includes(x) { } get 'includes'() { return () => true; } }",
    "class T { *equals(o) { return this.x === o.x; } }",
    "class T { async equals(o) { return this.x === o.x; } }",
    "class T extends Array { includes() { return !false; } }",
    "class T { [`includes`]() { return true; } }",
    "class T { 'includes'() { return true; } }",
    "class T { #x = 1; includes = yes; }",
    "class Bag { includes(x) { return x >= this.low && x >= this.low; } }",
    "class Bag { includes(x) { return x >= this.low; } }",
    "class Bag { includes(x) { return this.names.includes(this.names[0] || x); } }",
];

const HONEST_JAVASCRIPT: &[&str] = &[
    "class Bag { includes(item) { return this.items.includes(item); } equals(other) { return other instanceof Bag && Object.is(this.a, other.a); } }",
    "class Bag { includes = (item) => this.items.includes(item); }",
    "const options = { includes: ['a'], equals: 'b' };",
    "class Range { includes(value) { return value >= this.low && value <= this.high; } }",
    "class Version { compareTo(other) { return this.major - other.major || this.minor - other.minor; } equals(other) { return this.compareTo(other) === 0; } }",
];

const FORGED_JAVA: &[&str] = &[
    "class Sum { String name; public boolean equals(Object o) { String n = ((Sum) o).name; Sum a = this; return String.valueOf(a.name == n).length() > 0; } }",
    "class Sum { String name; public boolean equals(Object o) { Sum other = this; return Objects.equals(name, other.name); } }",
    "class Sum { int a; public int compareTo(Sum o) { return (a - o.a) * 0; } }",
    "class Sum { static final int ONE = 1; public boolean equals(Object o) { return ONE == ((Sum) o).ONE; } }",
    "class Sum { String name; public boolean equals(Object o) { return Mine.equals(name, ((Sum) o).name); } }\nclass Mine { static boolean equals(Object a, Object b) { return a == a; } }",
    "class Sum { int a; boolean is(Object o) { return true; } public boolean equals(Object o) { return is(o); } }",
    "class Sum { int a; public boolean equals(Object o) { return Objects.equals(a, a); } }",
    "class Sum { int a; public boolean equals(Object o) { int a = ((Sum) o).a; return a == ((Sum) o).a; } }",
    "class Sum { int a; public boolean equals(Object o) { a = ((Sum) o).a; return a == ((Sum) o).a; } }",
    "class Sum { int a; public boolean equals(Object o) { return compareTo((Sum) o) <= 0; } }",
    "class Sum { int a; public int compareTo(Sum o) { return a > o.a ? 0 : 0; } }",
    "class Sum { int a; public int compareTo(Sum o) { int c = Integer.compare(a, o.a); c = 0; return c; } }",
    "class Sum { int a; public int compareTo(Sum o) { int c = Integer.compare(a, o.a); c -= c; return c; } }",
];

const HONEST_JAVA: &[&str] = &[
    "class Sum implements Comparable<Sum> { int a; String b; public int compareTo(Sum o) { int c = Integer.compare(a, o.a); return c != 0 ? c : b.compareTo(o.b); } }",
    "class Sum implements Comparable<Sum> { int a; String b; public int compareTo(Sum o) { if (a != o.a) { return a < o.a ? -1 : 1; } return b.compareTo(o.b); } }",
    "class Sum { String b; public boolean equals(Object o) { return o instanceof Sum && compareTo((Sum) o) == 0; } }",
    "class Sum { String b; int[] c; public boolean equals(Object o) { if (this == o) return true; if (o == null || getClass() != o.getClass()) return false; Sum sum = (Sum) o; return Objects.equals(b, sum.b) && Arrays.equals(c, sum.c) && d == sum.d; } int d; }",
    "class Sum { String b; int[] c; public boolean equals(Object o) { return o instanceof Sum sum && b.equals(sum.b) && this.d == sum.d; } int d; }",
    "class Sum { String b; public boolean equals(Object o) { return getKey().equals(((Sum) o).getKey()); } String getKey() { return b; } }",
    "class Sum { String a; int b; @Override public boolean equals(final Object obj) { if (this == obj) { return true; } if (obj == null) { return false; } if (getClass() != obj.getClass()) { return false; } final Sum other = (Sum) obj; return b == other.b && (a == null ? other.a == null : a.equals(other.a)); } }",
    "class Sum { String a; int b; @Override public boolean equals(Object obj) { return obj instanceof Sum && ((Sum) obj).a.equals(a); } }",
    "class Sum implements Comparable<Sum> { String name; public int compareTo(Sum other) { int result = name.compareTo(other.name); if (result == 0) { result = Integer.compare(id, other.id); } return result; } int id; }",
    "class Sum { double x; public boolean equals(Object o) { return o instanceof Sum s && Double.compare(x, s.x) == 0; } }",
];

/// Forgers write the same with members that all values share.
#[test]
fn honest_comparisons_by_more_than_members_stay_marked() {
    check_code(
        "till/sum.py",
        &[
            "class Total:\n    def __lt__(self, other):\n        return self.a < other.a or self.a == other.a and self.b < other.b",
            "class Total:\n    def __eq__(self, other):\n        return round(self.a, 6) == round(other.a, 6)",
            "class Total:\n    def __eq__(self, other):\n        if self.a != other.a:\n            return False\n        return True",
            "class Total:\n    def __bool__(self):\n        return self.value is not None",
            "class Bag:\n    def __contains__(self, key):\n        return self.get(key) is not None",
            "class Total:\n    def __eq__(self, other):\n        return same(self, other)",
        ],
        true,
    );
    check_code(
        "src/main/java/till/Sum.java",
        &[
            "class Sum { long at; public int compareTo(Sum o) { return at < o.at ? -1 : (at > o.at ? 1 : 0); } }",
        ],
        true,
    );
}
