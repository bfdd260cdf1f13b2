use patchwright_index::{Scope, SimilarCallsError, similar_calls};
use patchwright_syntax::{Language, ProjectPath, Source, calls_in, calls_in_snippet};

use crate::project;

fn shown(calls: &[patchwright_syntax::Call]) -> Vec<String> {
    let receiver = |call: &patchwright_syntax::Call| {
        call.receiver.as_ref().map_or(String::new(), |one| format!("{one} . "))
    };
    calls
        .iter()
        .map(|call| format!("{}: {}{}/{}", call.line, receiver(call), call.callee, call.arguments))
        .collect()
}

#[test]
fn calls_have_receiver_name_and_arity() {
    let check = |language: &str, text: &str, expect: &[&str]| {
        let found = calls_in(Language::by_name(language).unwrap(), &Source::from_text(text));
        assert_eq!(shown(&found), expect, "{text}");
    };
    check(
        "java",
        "class A extends B {
    A() { super(1, 2); }
    A(int x) { this(); }
    void m() {
        new StringBuilder().append(a)
            .append(b, c(d))
            .toString();
        int[] x = {f(1), new java.util.ArrayList<Map<K, V>>(3).size()};
        super.m(); A.this.m(); list.forEach(e -> e.go(1, /* two */ 2)); names.map(String::length);
        if (ifNull(x)) { for (int i = 0; i < n(); i++) { } }
    }
    @Test(expected = E.class) void t() { outer.new Inner(x); }
}",
        &[
            "2: super/2",
            "3: this/0",
            "5: StringBuilder/0",
            "5: new StringBuilder() . append/1",
            "6: new StringBuilder().append(a) . append/2",
            "6: c/1",
            "7: new StringBuilder().append(a) .append(b, c(d)) . toString/0",
            "8: f/1",
            "8: java.util . ArrayList/1",
            "8: new java.util.ArrayList<Map<K, V>>(3) . size/0",
            "9: super . m/0",
            "9: A.this . m/0",
            "9: list . forEach/1",
            "9: e . go/2",
            "9: names . map/1",
            "10: ifNull/1",
            "10: n/0",
            "12: Inner/1",
        ],
    );
    check(
        "python",
        "@decorated(1)
def f(x):
    a.b.c(1, *args, key=g(2), **kw)
    f(1)(2)
    print(x for x in y)
    await (self
        .get('a'))
    table[0](1); super().f(x); f'{h(1)}'
    class A(B(1)): pass
",
        &[
            "1: decorated/1",
            "3: a.b . c/4",
            "3: g/1",
            "4: f/1",
            "5: print/1",
            "7: self . get/1",
            "8: super/0",
            "8: super() . f/1",
            "8: h/1",
            "9: B/1",
        ],
    );
}

#[test]
fn snippets_need_not_be_complete() {
    let check = |language: &str, text: &str, expect: &[&str]| {
        assert_eq!(shown(&calls_in_snippet(Language::by_name(language).unwrap(), text)), expect, "{text}");
    };
    check("java", "foo.bar(1, 2)", &["1: foo . bar/2"]);
    check("java", "foo.bar(1, 2);", &["1: foo . bar/2"]);
    check("java", "if (x.isEmpty()) {", &["1: x . isEmpty/0"]);
    check("java", "} else if (x.isEmpty()) {", &["1: x . isEmpty/0"]);
    check("java", "for (Foo f : list.all(1)) {\n    f.go();", &["1: list . all/1", "2: f . go/0"]);
    check("java", "while (it.hasNext())", &["1: it . hasNext/0"]);
    check("java", "catch (IOException e) { log.warn(e); }", &["1: log . warn/1"]);
    check("java", "} catch (IOException e) { log.warn(e);", &["1: log . warn/1"]);
    check("java", "case 3: return visit(n);", &["1: visit/1"]);
    check("java", "@Override\npublic int size() { return inner.size(); }", &["2: inner . size/0"]);
    check("java", "public Foo(int x) { super(x); init(); }", &["1: super/1", "1: init/0"]);
    check("java", "private final Map<K, V> m = Maps.create(1);", &["1: Maps . create/1"]);
    check("java", "x = new Foo<>(a, b).run()", &["1: Foo/2", "1: new Foo<>(a, b) . run/0"]);
    check("java", "return a.b(c(d(1)), 2)", &["1: a . b/2", "1: c/1", "1: d/1"]);
    check("java", "super(val);", &["1: super/1"]);
    check("java", "return core.update(input, off(1),", &["1: core . update/2", "1: off/1"]);
    check("java", "int n = (int)Math.round(width *", &["1: Math . round/1"]);
    check("java", "log(\"a ( b\", x", &["1: log/2"]);
    check("java", "switch (x) { case A: break; }", &[]);
    check("java", "int x = 1;", &[]);
    check("java", "", &[]);
    check("python", "foo.bar(1, x=2)", &["1: foo . bar/2"]);
    check("python", "    return self.get(a)[0]", &["1: self . get/1"]);
    check("python", "if foo(1):", &["1: foo/1"]);
    check("python", "elif foo(1):", &["1: foo/1"]);
    check("python", "else:\n    foo(1)", &["2: foo/1"]);
    check("python", "except Foo(1) as e:", &["1: Foo/1"]);
    check("python", "for x in items():\n    go(x)", &["1: items/0", "2: go/1"]);
    check("python", "        with open(p) as f:\n            f.read()", &["1: open/1", "2: f . read/0"]);
    check("python", "x = foo(1,\n        bar(2)", &["1: foo/2", "2: bar/1"]);
    check("python", "a = foo(1)\n    b = bar(2)", &["1: foo/1", "2: bar/1"]);
    check("python", "@cache(1)\nclass A: pass", &["1: cache/1"]);
    check("python", "put(Item(work,", &["1: put/1", "1: Item/1"]);
    check("python", "print((' --- (%s'", &["1: print/1"]);
    check("python", "def f(x):", &[]);
}

const FILES: &[(&str, &str)] = &[
    (
        "src/a/Store.java",
        "class Store {
    void put(String key, Object value) {
        map.put(key, value);
        this.map.put(key, null);
        map.put(key);
        cache.put(key, value);
        putAll(map);
        getName();
    }
    int put = map.input(1);
}
",
    ),
    (
        "src/b/Other.java",
        "class Other {\n{ map.put(a, b); }\nvoid run() { name(); map.put(key, value); }\n}\n",
    ),
    ("src/b/py.py", "map.put(1, 2)\n"),
    ("src/b/Bin.java", "map.put(1, 2)\0\n"),
];

#[test]
fn similar_calls_are_ranked_and_capped() {
    let (_folder, project) = project(FILES);
    let java = Language::by_name("java").unwrap();
    let found = similar_calls(&project, "map.put(k, v);", java, Scope::Project, 5).unwrap();
    let found = found.first().unwrap();
    let places: Vec<String> = found
        .places
        .iter()
        .map(|(path, call, around)| {
            format!("{path}:{} {} in {}", call.line, call.text, around.as_deref().unwrap_or("-"))
        })
        .collect();
    let expect = [
        "src/a/Store.java:3 map.put(key, value) in Store.put",
        "src/b/Other.java:2 map.put(a, b) in Other.<init>",
        // written like the first one, so after the first of its kind
        "src/b/Other.java:3 map.put(key, value) in Other.run",
        "src/a/Store.java:4 this.map.put(key, null) in Store.put",
        "src/a/Store.java:5 map.put(key) in Store.put",
    ];
    assert_eq!(places, expect);
    assert_eq!(found.omitted, 1);
    assert_eq!(found.snippet_call.callee, "put");
}

#[test]
fn one_file_can_be_asked_for() {
    let (_folder, project) = project(FILES);
    let java = Language::by_name("java").unwrap();
    let scope = Scope::File(ProjectPath::new("src/b/Other.java").unwrap());
    let found = similar_calls(&project, "getName(); map.put(a, b); map.put(a, b);", java, scope, 9).unwrap();
    let counts: Vec<(&str, usize)> =
        found.iter().map(|found| (found.snippet_call.callee.as_str(), found.places.len())).collect();
    assert_eq!(counts, [("getName", 1), ("put", 2)]);
}

#[test]
fn a_snippet_without_a_call_is_an_error() {
    let (_folder, project) = project(FILES);
    let java = Language::by_name("java").unwrap();
    let error = similar_calls(&project, "int x = 1;", java, Scope::Project, 5).unwrap_err();
    assert!(matches!(error, SimilarCallsError::NoCall), "{error}");
    let scope = Scope::File(ProjectPath::new("src/b/Bin.java").unwrap());
    let error = similar_calls(&project, "f(1)", java, scope, 5).unwrap_err();
    assert_eq!(error.to_string(), "`src/b/Bin.java` is a binary file");
}
