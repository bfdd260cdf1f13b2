use patchwright_syntax::{Class, Language, Method, Source, Span, methods_named, outline};

const JAVA: &str = r#"package org.sample;

import java.util.*;
import static java.lang.Math.max;

/**
 * A store of things.
 */
@Deprecated
public abstract class Store<K extends Comparable<K>, V> extends Base.Of<K> implements Iterable<V>, java.io.Serializable {
    private static final int LIMIT = 10, FLOOR[] = {1};
    // how many there are
    protected int count; // trailing
    // a note that stands apart

    static {
        System.loadLibrary("x");
    }

    { count = 0; }

    /** Makes one. */
    public Store() { this(LIMIT); }

    protected Store(
            final int limit, // at most
            String... names)
            throws IllegalStateException {
        super(limit);
    }

    // first line
    // second line
    @Override @SuppressWarnings({"unchecked", "raw"})
    public <T extends V> List<T> all(Map<String, List<? super T>> by, int[] depth) {
        Runnable plain = () -> System.out.println();
        Comparator<V> order = new Comparator<V>() {
            @Override
            public int compare(V left, V right) { return 0; }
        };
        class Local {
            void run() {}
        }
        return null;
    }

    public Object all() { return null; }

    abstract void later(int a);

    enum Color implements Runnable {
        RED { public void run() { } },
        GREEN;
        final int code = 1;
        public void run() { }
    }

    interface Visitor<R> extends First, Second<R> {
        int LEVEL = 2;
        R visit(Object o);
        default void done() { }
    }

    record Point(int x, int y) {
        Point { if (x < 0) throw new IllegalArgumentException(); }
        static Point origin() { return new Point(0, 0); }
    }

    @interface Marker {
        String value() default "";
    }

    static class Nested { class Inner { Inner(int n) { } } }
}

class Second { void only() { } }
"#;

const PYTHON: &str = r#"import os
from a.b import (
    c,
    d as e,
)

LIMIT: int = 3
low, high = 0, 1


# What a decorator does.
# In two lines.
@functools.wraps(f, updated=())
@other
async def fetch(url, /, *args: str, timeout: float = 1.0, **options) -> "list[str]":
    """Fetches."""
    def inner(x=lambda y: y):
        return x
    class Answer:
        def read(self): ...
    local = 1
    return inner


# stands apart

class Reader(Base, io.IOBase, Generic[T], metaclass=Meta):
    # about size
    size = 0
    name: str

    # about one
    def __init__(self, path):
        self.path = path
        # still part of it

    # not this one, it is further in
        # nor this
    @property
    def path(self): return self._path

    @path.setter
    def path(self, value):
        self._path = value

    class Meta:
        @staticmethod
        def table(): pass

    if LIMIT:
        def sometimes(self): pass
    else:
        def sometimes(self): return 1

square = lambda x: x * x
try:
    def late(): pass
except ImportError:
    pass
"#;

fn rendered(language: &str, text: &str) -> String {
    let outline = outline(Language::by_name(language).unwrap(), &Source::from_text(text));
    let mut lines = Vec::new();
    for field in &outline.fields {
        lines.push(format!(". {} {}", span(field.lines), field.name));
    }
    lines.extend(outline.functions.iter().map(method));
    outline.classes.iter().for_each(|found| class(found, &mut lines));
    lines.join("\n")
}

fn class(class: &Class, lines: &mut Vec<String>) {
    lines.push(format!("{:?} {} {} | {}", class.kind, span(class.lines), class.qualified, class.signature));
    for field in &class.fields {
        lines.push(format!(". {} {}.{}", span(field.lines), class.qualified, field.name));
    }
    lines.extend(class.methods.iter().map(method));
    class.classes.iter().for_each(|inner| self::class(inner, lines));
}

fn method(method: &Method) -> String {
    let kind = format!("{:?}", method.kind);
    format!("{kind} {} {} | {}", span(method.lines), method.qualified, method.signature)
}

fn span(span: Span) -> String {
    format!("{}-{}", span.first, span.last)
}

#[test]
fn java_declarations_of_every_kind() {
    let expect = r"
Class 6-74 Store | public abstract class Store<K extends Comparable<K>, V> extends Base.Of<K> implements Iterable<V>, java.io.Serializable
. 11-11 Store.LIMIT
. 11-11 Store.FLOOR
. 12-13 Store.count
Initializer 16-18 Store.<static> | static { }
Initializer 20-20 Store.<init> | { }
Constructor 22-23 Store.Store | public Store()
Constructor 25-30 Store.Store | protected Store(final int limit, String... names) throws IllegalStateException
Method 32-45 Store.all | public <T extends V> List<T> all(Map<String, List<? super T>> by, int[] depth)
Method 47-47 Store.all | public Object all()
Method 49-49 Store.later | abstract void later(int a)
Anonymous 37-40 Store.all.<Comparator> | new Comparator<V>()
Method 38-39 Store.all.<Comparator>.compare | public int compare(V left, V right)
Class 41-43 Store.all.Local | class Local
Method 42-42 Store.all.Local.run | void run()
Enum 51-56 Store.Color | enum Color implements Runnable
. 52-52 Store.Color.RED
. 53-53 Store.Color.GREEN
. 54-54 Store.Color.code
Method 55-55 Store.Color.run | public void run()
Anonymous 52-52 Store.Color.<RED> | RED
Method 52-52 Store.Color.<RED>.run | public void run()
Interface 58-62 Store.Visitor | interface Visitor<R> extends First, Second<R>
. 59-59 Store.Visitor.LEVEL
Method 60-60 Store.Visitor.visit | R visit(Object o)
Method 61-61 Store.Visitor.done | default void done()
Record 64-67 Store.Point | record Point(int x, int y)
. 64-64 Store.Point.x
. 64-64 Store.Point.y
Constructor 65-65 Store.Point.Point | Point
Method 66-66 Store.Point.origin | static Point origin()
Annotation 69-71 Store.Marker | @interface Marker
Method 70-70 Store.Marker.value | String value() default ''
Class 73-73 Store.Nested | static class Nested
Class 73-73 Store.Nested.Inner | class Inner
Constructor 73-73 Store.Nested.Inner.Inner | Inner(int n)
Class 76-76 Second | class Second
Method 76-76 Second.only | void only()";
    assert_eq!(rendered("java", JAVA).replace('"', "'"), expect.trim_start());
}

#[test]
fn python_declarations_of_every_kind() {
    let expect = r"
. 7-7 LIMIT
. 8-8 low
. 8-8 high
. 55-55 square
Function 11-22 fetch | async def fetch(url, /, *args: str, timeout: float = 1.0, **options) -> 'list[str]'
Nested 17-18 fetch.inner | def inner(x=lambda y: y)
Function 57-57 late | def late()
Class 19-20 fetch.Answer | class Answer
Method 20-20 fetch.Answer.read | def read(self)
Class 27-53 Reader | class Reader(Base, io.IOBase, Generic[T], metaclass=Meta)
. 28-29 Reader.size
. 30-30 Reader.name
Constructor 32-35 Reader.__init__ | def __init__(self, path)
Method 39-40 Reader.path | def path(self)
Method 42-44 Reader.path | def path(self, value)
Method 51-51 Reader.sometimes | def sometimes(self)
Method 53-53 Reader.sometimes | def sometimes(self)
Class 46-48 Reader.Meta | class Meta
Method 47-48 Reader.Meta.table | def table()";
    assert_eq!(rendered("python", PYTHON).replace('"', "'"), expect.trim_start());
}

#[test]
fn what_stands_around_a_declaration_is_told() {
    let java = outline(Language::by_name("java").unwrap(), &Source::from_text(JAVA));
    assert_eq!(java.package.as_deref(), Some("org.sample"));
    assert_eq!(java.imports.iter().map(|import| import.first).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(java.syntax_errors, 0);
    let store = java.classes.first().unwrap();
    assert_eq!(store.supers, ["Base.Of", "Iterable", "java.io.Serializable"]);
    assert_eq!(store.decorations, ["Deprecated"]);
    assert_eq!(store.declaration_line, 10);
    let all = store.methods.iter().find(|method| method.name == "all").unwrap();
    assert_eq!(all.decorations, ["Override", r#"SuppressWarnings({"unchecked", "raw"})"#]);
    assert_eq!(all.parameters, ["by", "depth"]);
    assert_eq!(all.declaration_line, 35);
    let visitor =
        java.all_classes().into_iter().find(|class| class.name == "Visitor").unwrap().supers.clone();
    assert_eq!(visitor, ["First", "Second"]);
    let constructor = store.methods.iter().rfind(|method| method.name == "Store").unwrap();
    assert_eq!(constructor.parameters, ["limit", "names"]);

    let python = outline(Language::by_name("python").unwrap(), &Source::from_text(PYTHON));
    assert_eq!(python.package, None);
    assert_eq!(
        python.imports.iter().map(|import| (import.first, import.last)).collect::<Vec<_>>(),
        [(1, 1), (2, 5)]
    );
    let fetch = python.functions.first().unwrap();
    assert_eq!(fetch.parameters, ["url", "args", "timeout", "options"]);
    assert_eq!(fetch.decorations, ["functools.wraps(f, updated=())", "other"]);
    assert_eq!(python.classes.last().unwrap().supers, ["Base", "io.IOBase", "Generic"]);
}

#[test]
fn a_line_is_in_its_innermost_method_and_class() {
    let java = outline(Language::by_name("java").unwrap(), &Source::from_text(JAVA));
    let check = |line, method: Option<&str>, class: Option<&str>| {
        assert_eq!(java.method_at(line).map(|method| method.qualified.as_str()), method, "{line}");
        assert_eq!(java.class_at(line).map(|class| class.qualified.as_str()), class, "{line}");
    };
    check(2, None, None);
    check(11, None, Some("Store"));
    check(16, Some("Store.<static>"), Some("Store"));
    check(33, Some("Store.all"), Some("Store"));
    check(39, Some("Store.all.<Comparator>.compare"), Some("Store.all.<Comparator>"));
    check(42, Some("Store.all.Local.run"), Some("Store.all.Local"));
    check(44, Some("Store.all"), Some("Store"));
}

#[test]
fn methods_are_found_by_the_names_that_people_write() {
    let check = |language: &str, text: &str, name: &str, expect: &[(u32, u32)]| {
        let found = methods_named(Language::by_name(language).unwrap(), &Source::from_text(text), name);
        let lines: Vec<(u32, u32)> = found
            .iter()
            .map(|found| (found.lines.first().unwrap().0, found.lines.last().unwrap().0))
            .collect();
        assert_eq!(lines, expect, "{name}");
    };
    check("java", JAVA, "all", &[(32, 45), (47, 47)]);
    check("java", JAVA, "Store.all", &[(32, 45), (47, 47)]);
    check("java", JAVA, "Store::all(int, String)", &[(32, 45), (47, 47)]);
    check("java", JAVA, "Store#later", &[(49, 49)]);
    check("java", JAVA, "Store", &[(22, 23), (25, 30)]);
    check("java", JAVA, "Store.Store", &[(22, 23), (25, 30)]);
    check("java", JAVA, "Point", &[(65, 65)]);
    check("java", JAVA, "Inner", &[(73, 73)]);
    check("java", JAVA, "Nested$Inner", &[(73, 73)]);
    check("java", JAVA, "compare", &[(38, 39)]);
    check("java", JAVA, "Comparator.compare", &[(38, 39)]);
    check("java", JAVA, "Color.run", &[(55, 55)]);
    check("java", JAVA, "run", &[(42, 42), (52, 52), (55, 55)]);
    check("java", JAVA, "Second.all", &[]);
    check("java", JAVA, "al", &[]);
    check("java", JAVA, "", &[]);
    check("python", PYTHON, "path", &[(39, 40), (42, 44)]);
    check("python", PYTHON, "Reader.__init__", &[(32, 35)]);
    check("python", PYTHON, "Reader", &[(32, 35)]);
    check("python", PYTHON, "inner", &[(17, 18)]);
    check("python", PYTHON, "fetch.inner", &[(17, 18)]);
    check("python", PYTHON, "Reader.Meta.table", &[(47, 48)]);
}

#[test]
fn the_text_of_a_method_is_exact() {
    let source =
        Source::decode(b"class A {\r\n  // caf\xe9\r\n\tvoid m() {\r\n\t}\r\n}\r\n".to_vec()).unwrap();
    let found = methods_named(Language::by_name("java").unwrap(), &source, "m");
    let lines: Vec<(u32, &str)> =
        found.first().unwrap().lines.iter().map(|(number, line)| (*number, line.as_str())).collect();
    assert_eq!(lines, [(2, "  // caf\u{e9}"), (3, "\tvoid m() {"), (4, "\t}")]);
}
