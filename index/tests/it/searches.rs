use patchwright_index::{SearchCap, SearchError, SearchResult, search};

use crate::{project, write};

const FILES: &[(&str, &str)] = &[
    (
        "src/org/x/HeaderParser.java",
        "package org.x;

/** Parses headers. */
public class HeaderParser {
    private final String rawHeader;

    // the content type
    public String contentType() {
        return parse(rawHeader).get(\"content-type\");
    }

    public void unrelated() {
        String contents = null;
    }

    static class Cache {
        Object fetchHeader() { return null; }
    }
}
",
    ),
    (
        "src/org/x/Client.java",
        "package org.x;
class Client {
    void send() {
        String type = parser.contentType();
        String other = new HeaderParser().contentType();
    }
}
",
    ),
    (
        "py/util.py",
        "import re\n\nCONTENT_TYPE = 'text'\n\ndef get_content_type(header):\n    return header\n\nx = get_content_type(1)\n",
    ),
    ("docs/notes.md", "The content type of a header parser.\ncontentType\n"),
    ("src/org/x/Broken.java", "class Broken { void contentType( { }\n"),
    ("py/content_type.txt", "nothing\n"),
];

fn run(words: &[&str], cap: &SearchCap) -> SearchResult {
    let (folder, project) = project(FILES);
    write(folder.path(), "data/blob.py", b"contentType\0contentType\n");
    write(folder.path(), "py/latin.py", b"# caf\xe9 contentType\n");
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    search(&project, &words, cap).unwrap()
}

fn shown(result: &SearchResult) -> String {
    let mut text = String::new();
    let mut add = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    let hits =
        |hits: &[(u32, String)]| hits.iter().map(|(line, _)| line.to_string()).collect::<Vec<_>>().join(" ");
    for file in &result.files {
        add(format!("{} [{}]", file.path, file.words.join(" ")));
        if !file.loose.is_empty() {
            add(format!("  lines {}", hits(&file.loose)));
        }
        for function in &file.functions {
            add(format!("  {} {} [{}]", function.qualified, hits(&function.hits), function.words.join(" ")));
        }
        for class in &file.classes {
            add(format!("  class {} {}", class.qualified, hits(&class.loose)).trim_end().to_owned());
            for method in &class.methods {
                add(format!("    {} {} [{}]", method.qualified, hits(&method.hits), method.words.join(" ")));
            }
        }
    }
    text
}

#[test]
fn words_are_found_in_names_and_bodies_and_grouped() {
    let result = run(&["contentType"], &SearchCap::default());
    assert_eq!(result.words, ["contentType", "content", "type"]);
    assert_eq!(
        shown(&result),
        "src/org/x/HeaderParser.java [contentType]
  class HeaderParser
    HeaderParser.contentType 7 8 9 [contentType]
py/util.py [contentType]
  lines 3 8
  get_content_type 5 [contentType]
src/org/x/Client.java [contentType]
  class Client
    Client.send 4 5 [contentType]
py/latin.py [contentType]
  lines 1
src/org/x/Broken.java [contentType]
  class Broken 1
py/content_type.txt [contentType]
docs/notes.md [contentType]
  lines 1 2
"
    );
    assert_eq!(result.omitted, patchwright_index::Omitted::default());
}

#[test]
fn more_distinct_words_and_names_come_first() {
    let result = run(&["header", "parser"], &SearchCap::default());
    let first = result.files.first().unwrap();
    assert_eq!(first.path.as_str(), "src/org/x/HeaderParser.java");
    assert_eq!(first.words, ["header", "parser"]);
    let text: Vec<&str> =
        first.classes.first().unwrap().loose.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(
        text,
        ["/** Parses headers. */", "public class HeaderParser {", "    private final String rawHeader;"]
    );
    assert_eq!(first.classes.last().unwrap().qualified, "HeaderParser.Cache");
}

#[test]
fn what_the_cap_leaves_out_is_counted() {
    let cap = SearchCap { files: 2, methods: 1, hits: 1, line: 14 };
    let result = run(&["contentType"], &cap);
    assert_eq!(result.files.len(), 2);
    assert_eq!(result.omitted.files, 5);
    assert_eq!((result.omitted.methods, result.omitted.hits), (0, 3));
    let method = result.files.first().unwrap().classes.first().unwrap().methods.first().unwrap();
    assert_eq!(method.hits, [(8, "    public Str…".to_owned())], "with its indentation");
}

#[test]
fn a_latin_line_is_shown_as_its_characters() {
    let result = run(&["caf"], &SearchCap::default());
    assert!(result.files.is_empty(), "three letters inside of a longer word are chance: {result:?}");
    let result = run(&["content", "type"], &SearchCap::default());
    let latin = result.files.iter().find(|file| file.path.as_str() == "py/latin.py").unwrap();
    assert_eq!(latin.loose, [(1, "# caf\u{e9} contentType".to_owned())]);
}

#[test]
fn nothing_found_is_a_result_and_nothing_asked_is_an_error() {
    assert!(run(&["zebra"], &SearchCap::default()).files.is_empty());
    let (_folder, project) = project(FILES);
    let check = |words: &[&str], expect: &str| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let error = search(&project, &words, &SearchCap::default()).unwrap_err();
        assert_eq!(error.to_string(), expect);
        assert!(matches!(error, SearchError::NoWords | SearchError::UselessWords { .. }));
    };
    let none =
        "no word to search for was given; name identifiers or words of the code, such as `parseHeader`";
    check(&[], none);
    check(&["", " "], none);
    check(&["_", "()"], "there is nothing to search for in `_`, `()`; give identifiers or words of the code");
    check(&["x"], "there is nothing to search for in `x`; give identifiers or words of the code");
}

#[test]
fn the_same_search_gives_the_same_bytes() {
    let (_folder, project) = project(FILES);
    let words = ["contentType".to_owned(), "header".to_owned(), "type".to_owned()];
    let first = search(&project, &words, &SearchCap::default()).unwrap();
    for _ in 0..5 {
        assert_eq!(search(&project, &words, &SearchCap::default()).unwrap(), first);
    }
}

#[test]
fn common_words_do_not_bury_a_rare_one() {
    let many: Vec<(String, String)> = (0..60)
        .map(|number| {
            (
                format!("py/rule_{number}.py"),
                "def alias_of_table(self):\n    return self.table.alias_of_column\n".to_owned(),
            )
        })
        .collect();
    let mut files: Vec<(&str, &str)> =
        many.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("py/late/zone.py", "# see zq\nx = 'Q77'\n"));
    files.push(("fixtures/Q77.yml", "table: alias\n"));
    files.push(("fixtures/other.yml", "Q77: alias\n"));
    let (_folder, project) = project(&files);
    let words = ["alias", "table", "column", "Q77", "zq"].map(str::to_owned);
    let cap = SearchCap { files: 3, ..SearchCap::default() };
    let result = search(&project, &words, &cap).unwrap();
    let shown: Vec<&str> = result.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(shown[1..], ["py/late/zone.py", "fixtures/Q77.yml"], "behind the best of the common words");
    assert!(result.namesakes.is_empty());
    let result = search(&project, &["q77".to_owned()], &SearchCap { files: 1, ..cap }).unwrap();
    let namesakes: Vec<&str> = result.namesakes.iter().map(patchwright_syntax::ProjectPath::as_str).collect();
    assert_eq!(namesakes.len() + usize::from(result.files[0].path.as_str() == "fixtures/Q77.yml"), 1);
}
