//! Reading the errors of compilers, and of interpreters that cannot read a file, from cleaned output.

use patchwright_syntax::pattern::{Pattern, pattern};
use regex::Captures;

use crate::report::CompilerError;

/// The prefix that Ant and Maven put before each line.
static PREFIX: Pattern = pattern!(r"^\s*\[(?:javac|groovyc|kotlinc|cc|exec|java)\] ?");
/// `path:line: error: message` of javac, `path:line:column: error: message` of most others.
static PLAIN: Pattern = pattern!(r"^([^\s:][^:]*\.\w+):(\d+)(?::(\d+))?: (?:fatal )?error: (.*)$");
/// Maven: `[ERROR] path:[line,column] message`.
static MAVEN: Pattern = pattern!(r"^\[ERROR\] (\S.*?\.\w+):\[(\d+),(\d+)\] (?:error: )?(.*)$");
static CARET: Pattern = pattern!(r"^(\s*)\^[~^]*\s*$");
static WARNING: Pattern =
    pattern!(r"^[^\s:][^:]*\.\w+:\d+(?::\d+)?: (?:warning|note)|^\d+ (?:error|warning)s?$|^Note: ");
static PYTHON_PLACE: Pattern = pattern!(r#"^(?:E )?\s*File "([^"]+)", line (\d+)\s*$"#);
static PYTHON_ERROR: Pattern = pattern!(r"^(?:E )?\s*((?:Syntax|Indentation|Tab)Error: .*)$");

/// The errors in the order in which they were reported, each once.
pub fn errors(log: &str) -> Vec<CompilerError> {
    let lines: Vec<String> = log.lines().map(|line| PREFIX.replace(line, "").into_owned()).collect();
    let mut errors: Vec<CompilerError> = Vec::new();
    let mut index = 0;
    while index < lines.len() {
        let line = &lines[index];
        index += 1;
        let rest = &lines[index..];
        let (found, details) = if let Some(found) = PLAIN.captures(line) {
            (found, plain_details(rest))
        } else if let Some(found) = MAVEN.captures(line) {
            (found, maven_details(rest))
        } else {
            continue;
        };
        index += details.lines;
        add(&mut errors, error(&found, details));
    }
    for error in syntax_errors(log) {
        add(&mut errors, error);
    }
    errors
}

/// The lines that follow the first of an error.
#[derive(Default)]
struct Details {
    lines: usize,
    explanation: Vec<String>,
    source_line: Option<String>,
    column: Option<u32>,
}

fn error(found: &Captures<'_>, details: Details) -> CompilerError {
    let explanation = details.explanation.iter().map(|line| format!("\n{}", line.trim_end()));
    let message = found[4].trim().to_owned() + &explanation.collect::<String>();
    CompilerError {
        file: found[1].to_owned(),
        line: found[2].parse().unwrap_or(0),
        column: found.get(3).and_then(|column| column.as_str().parse().ok()).or(details.column),
        message,
        source_line: details.source_line,
    }
}

/// Maven repeats all errors at the end, with another indentation.
fn add(errors: &mut Vec<CompilerError>, error: CompilerError) {
    fn key(error: &CompilerError) -> (&str, u32, Option<&str>) {
        (&error.file, error.line, error.message.lines().next())
    }
    if !errors.iter().any(|known| key(known) == key(&error)) {
        errors.push(error);
    }
}

/// javac and its like: more of the message, the line of source, the caret, then what explains it.
fn plain_details(lines: &[String]) -> Details {
    let starts = |line: &String| PLAIN.is_match(line) || WARNING.is_match(line);
    let end = lines.iter().position(starts).unwrap_or(lines.len());
    let caret = lines[..end].iter().take(8).position(|line| CARET.is_match(line));
    let Some(caret) = caret.filter(|caret| *caret > 0) else {
        return Details::default();
    };
    let after = lines[caret + 1..end].iter().take_while(|line| line.starts_with("  ")).count();
    let column = CARET.captures(&lines[caret]).and_then(|found| u32::try_from(found[1].len() + 1).ok());
    Details {
        lines: caret + 1 + after,
        explanation: lines[..caret - 1].iter().chain(&lines[caret + 1..caret + 1 + after]).cloned().collect(),
        source_line: Some(lines[caret - 1].clone()),
        column,
    }
}

/// Maven: only what explains the message; the source is not shown.
fn maven_details(lines: &[String]) -> Details {
    let explanation: Vec<String> = lines.iter().take_while(|line| line.starts_with("  ")).cloned().collect();
    Details { lines: explanation.len(), explanation, ..Details::default() }
}

/// Python: place, source, caret and message, in a traceback or in an explanation of pytest's.
pub fn syntax_errors(trace: &str) -> Vec<CompilerError> {
    let lines: Vec<&str> = trace.lines().collect();
    let mut errors = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(message) = PYTHON_ERROR.captures(line) else { continue };
        let from = index.saturating_sub(4);
        let mut places = (from..index).rev();
        let place = places.find_map(|place| Some((place, PYTHON_PLACE.captures(lines[place])?)));
        let Some((place, found)) = place else { continue };
        let unquoted = |line: &str| line.strip_prefix("E ").unwrap_or(line).to_owned();
        let caret = lines[place + 1..index].iter().rposition(|line| CARET.is_match(&unquoted(line)));
        let source =
            lines.get(place + 1).filter(|_| place + 1 < index && caret != Some(0)).map(|line| unquoted(line));
        let column = caret.zip(source.as_ref()).and_then(|(caret, source)| {
            let caret = unquoted(lines[place + 1 + caret]);
            let indentation = |line: &str| line.len() - line.trim_start().len();
            u32::try_from(indentation(&caret) + 1).ok()?.checked_sub(u32::try_from(indentation(source)).ok()?)
        });
        errors.push(CompilerError {
            file: found[1].to_owned(),
            line: found[2].parse().unwrap_or(0),
            column,
            message: message[1].trim().to_owned(),
            source_line: source.map(|line| line.trim().to_owned()),
        });
    }
    errors
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    /// File, line, column, message and line of source.
    type Short<'a> = (&'a str, u32, Option<u32>, &'a str, Option<&'a str>);

    fn check(log: &str, expect: &[Short<'_>]) {
        let errors = errors(log);
        let short: Vec<_> = errors
            .iter()
            .map(|error| {
                let source = error.source_line.as_deref();
                (error.file.as_str(), error.line, error.column, error.message.as_str(), source)
            })
            .collect();
        assert_eq!(short, expect, "{log}");
    }

    #[test]
    fn javac_alone_in_ant_and_in_maven() {
        let symbol = "cannot find symbol\n  symbol:   variable zero\n  location: class Basket";
        let source = Some("        return prices.get(zero);");
        check(
            include_str!("../tests/captured/console/javac_errors.txt"),
            &[
                ("src/main/java/shop/Basket.java", 25, Some(27), symbol, source),
                (
                    "src/main/java/shop/Basket.java",
                    29,
                    Some(16),
                    "incompatible types: int cannot be converted to String",
                    Some("        return 1;"),
                ),
            ],
        );
        check(
            include_str!("../tests/captured/console/ant_compile_error.txt"),
            &[("/home/ann/shop/src/main/java/shop/Basket.java", 25, Some(27), symbol, source)],
        );
        check(
            include_str!("../tests/captured/console/maven_compile_error.txt"),
            &[
                (
                    "/home/ann/shop/src/main/java/shop/Basket.java",
                    25,
                    Some(27),
                    "cannot find symbol\n  symbol:   variable zero\n  location: class shop.Basket",
                    None,
                ),
                (
                    "/home/ann/shop/src/main/java/shop/Basket.java",
                    29,
                    Some(16),
                    "incompatible types: int cannot be converted to java.lang.String",
                    None,
                ),
            ],
        );
    }

    #[test]
    fn python_and_c() {
        check(
            include_str!("../tests/captured/unittest/python3.11.txt"),
            &[(
                "/home/ann/shop/ut/test_syntax.py",
                1,
                Some(12),
                "SyntaxError: invalid syntax",
                Some("def test_a(:"),
            )],
        );
        check(
            include_str!("../tests/captured/pytest/rA.txt"),
            &[(
                "/home/ann/shop/tests/test_syntax.py",
                1,
                Some(12),
                "SyntaxError: invalid syntax",
                Some("def test_a(:"),
            )],
        );
        check(
            "a.c: In function 'f':\na.c:3:5: error: expected ';'\n    3 |   x\n      |    ^\nmake: *** [all] Error 1",
            &[("a.c", 3, Some(5), "expected ';'", None)],
        );
        check("a.py:3: warning: x\nAll is well: 12: error: y", &[]);
    }

    #[test]
    fn explanations_before_and_after_the_source() {
        check(
            concat!(
                "A.java:5: error: method m in class A cannot be applied to given types;\n        m(1);\n        ^\n",
                "  required: String\n  found:    int\n  reason: argument mismatch\n",
                "A.java:9: warning: [removal] x\n    y\n    ^\n1 error\n",
            ),
            &[(
                "A.java",
                5,
                Some(9),
                "method m in class A cannot be applied to given types;\n  required: String\n  found:    int\n  reason: argument mismatch",
                Some("        m(1);"),
            )],
        );
    }
}
