//! Calls in markup, and texts that look like them.

use proptest::prelude::*;

use super::*;

/// The only call in a text.
fn only(text: &str) -> MarkupCall {
    let mut calls = markup_calls(text);
    assert_eq!(calls.len(), 1, "{text}: {calls:?}");
    calls.swap_remove(0)
}

/// The only call in a text has this name and these parameters, and is closed.
fn check(text: &str, name: &str, parameters: &[(&str, &str)]) {
    let call = only(text);
    let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    assert_eq!(call.body, Ok(CallBody::Parameters(parameters.collect())), "{text}");
    assert_eq!((call.name.as_str(), call.closed), (name, true), "{text}");
}

#[test]
fn tags_with_parameters_are_a_call() {
    let both = &[("path", "kiln/glaze.py"), ("first", "3")];
    for text in [
        "<function=look><parameter=path>kiln/glaze.py</parameter><parameter=first>3</parameter></function>",
        "<tool_call>\n<function=look>\n<parameter=path>\nkiln/glaze.py\n</parameter>\n<parameter=first>\n3\n</parameter>\n</function>\n</tool_call>",
        "<invoke name=\"look\">\n<parameter name=\"path\">kiln/glaze.py</parameter>\n<parameter name=\"first\">3</parameter>\n</invoke>",
        "<function_calls><invoke name='look'><parameter name='path'>kiln/glaze.py</parameter><parameter name='first'>3</parameter></invoke></function_calls>",
        "I look.\n<x:function_calls>\n<x:invoke name=\"look\">\n<x:parameter name=\"path\">kiln/glaze.py</x:parameter>\n<x:parameter name=\"first\">3</x:parameter>\n</x:invoke>\n</x:function_calls>\nSo.",
        "<｜M｜invoke name=\"look\"><｜M｜parameter name=\"path\" string=\"true\">kiln/glaze.py</｜M｜parameter><｜M｜parameter name=\"first\" string=\"false\">3</｜M｜parameter></｜M｜invoke>",
        "```xml\n<function=look>\r\n<parameter=path>\r\nkiln/glaze.py\r\n</parameter>\r\n<parameter=first>3</parameter>\r\n</function>\n```",
    ] {
        check(text, "look", both);
    }
    check("<function=run_tests>\n</function>", "run_tests", &[]);
    check("<invoke name=\"run_tests\"></invoke>", "run_tests", &[]);
    let twice = "<function=a><parameter=x>1</parameter><parameter=x>1</parameter></function>";
    check(twice, "a", &[("x", "1")]);
}

#[test]
fn a_value_stands_as_it_was_written() {
    for value in [
        "    if a < b and c > d:\n        return \"x\"\n\n",
        "\n\n",
        "",
        "a\r\n b",
        "&lt;p&gt; \\n \\\" {\"name\": \"x\", \"args\": {}}",
        "it ends with </parameter> here, and </function> too",
        "<parameter name=\"a\">1</parameter>",
        "<parameter=b>1</parameter>\n</function>",
        "<parameter name=\"a\" value=\"1\"/>",
        "ünit “q”",
    ] {
        let text = format!("<function=write>\n<parameter=code>\n{value}\n</parameter>\n</function>");
        check(&text, "write", &[("code", value)]);
    }
}

#[test]
fn the_place_of_a_call_is_that_of_all_its_tags() {
    let call = "<tool_call>\n<function=a>\n<parameter=b>c</parameter>\n</function>\n</tool_call>";
    let text = format!("So.\n{call}\nDone.");
    assert_eq!(&text[only(&text).span], call);
    let call =
        "<|start|>assistant<|channel|>commentary to=functions.a <|constrain|>json<|message|>{}<|call|>";
    let text = format!("<|channel|>analysis<|message|>So.<|end|>{call}");
    assert_eq!(&text[only(&text).span], call);
}

#[test]
fn marks_with_json_are_a_call() {
    let arguments = r#"{"path": "a[0].py", "first": 3}"#;
    for (before, after) in [
        ("<|channel|>commentary to=functions.look <|constrain|>json<|message|>", "<|call|>"),
        ("<|start|>assistant to=functions.look<|channel|>commentary json<|message|>", "<|call|>"),
        ("<|channel|>analysis to=functions.look code<|message|>", ""),
        ("[TOOL_CALLS]functions.look[ARGS]", ""),
        ("[TOOL_CALLS]functions.look[CALL_ID]a1b2[ARGS]", "</s>"),
        ("[TOOL_CALLS] functions.look", ""),
        ("<function=functions.look>", "</function>"),
        ("<tool_call><invoke name=\"functions.look\">\n", "</invoke></tool_call>"),
    ] {
        let text = format!("{before}{arguments}{after}");
        let call = only(&text);
        assert_eq!(call.name, "functions.look", "{text}");
        let Ok(CallBody::Json(place)) = call.body else { panic!("{text}: {:?}", call.body) };
        assert_eq!(text[place].trim(), arguments, "{text}");
    }
    assert_eq!(markup_calls("[TOOL_CALLS]a[ARGS]{}[TOOL_CALLS]b[ARGS]{}").len(), 2);
}

#[test]
fn what_is_mentioned_is_no_call() {
    for text in [
        "Write `<function=a><parameter=b>c</parameter></function>` then.",
        "Write \"<function=a><parameter=b>c</parameter></function>\" then.",
        "Write ``<tool_call><function=a></function></tool_call>`` then.",
        "Write '<invoke name=\"a\"></invoke>' then.",
        "The tag <function=a> begins a call, and <invoke name=\"b\"> does.",
        "It goes on with <function=a>",
        "`[TOOL_CALLS]a[ARGS]{}` is a call.",
        "`<|channel|>commentary to=functions.a<|message|>{}<|call|>`",
        "<|channel|>commentary to=user<|message|>I look.<|end|>",
        "<|channel|>analysis<|message|>I look.<|end|>",
        "[TOOL_CALLS][{\"name\": \"a\", \"arguments\": {}}]",
        "<functional=a></functional> <function> <function=> invoke <parameter=a>b</parameter>",
        "function=a invoke name=\"b\" [TOOL_CALLS] <|message|>",
        "<function=a b><parameter=b>c</parameter></function>",
    ] {
        assert_eq!(markup_calls(text), [], "{text}");
    }
    let after = "Not `<function=a></function>`.\n<function=b></function>";
    check(after, "b", &[]);
    let begun = "Not `<function=a><parameter=b>`, nor \"<invoke name='a'>\", but\n<function=b></function>";
    check(begun, "b", &[]);
}

#[test]
fn what_is_cut_off_or_unclear_is_told() {
    let cut = |parameter: Option<&str>| MarkupFault::Cut { parameter: parameter.map(str::to_owned) };
    for (text, fault) in [
        ("<function=a>\n<parameter=b>\nreturn fal", cut(Some("b"))),
        ("<function=a><parameter=b>x</parameter><parameter=c>", cut(Some("c"))),
        ("<function=a><parameter=b>x</parameter><param", cut(None)),
        ("<function=a><parameter=b>x</parameter></fun", cut(None)),
        ("<tool_call>\n<function=a>\n", cut(None)),
        ("<function=a>\n<parameter", cut(None)),
        ("<invoke name=\"a\"><parameter name=\"b\">x</param", cut(Some("b"))),
        ("<function=a><parameter=b>x</function>", MarkupFault::Unclosed { parameter: "b".to_owned() }),
        (
            "<function=a><parameter=b>x\n<parameter=c>y</parameter></function>",
            MarkupFault::Unclosed { parameter: "b".to_owned() },
        ),
        (
            "<function=a><parameter=b>x</parameter><parameter=b>y</parameter></function>",
            MarkupFault::Repeated { parameter: "b".to_owned() },
        ),
    ] {
        assert_eq!(only(text).body, Err(fault), "{text}");
    }
    // Only the last tags are missing.
    for end in ["", "\n", "</tool_call>"] {
        let call = only(&format!("<tool_call><function=a><parameter=b>x</parameter>{end}"));
        let parameters = vec![("b".to_owned(), "x".to_owned())];
        assert_eq!((call.body, call.closed), (Ok(CallBody::Parameters(parameters)), false), "{end}");
    }
}

#[test]
fn the_time_is_linear() {
    for piece in [
        "<function=a>",
        "<function=a><parameter=b>",
        "<function=a><parameter=b>c</parameter>",
        "<function=a>{",
        "<invoke name=\"a\"> ",
        "invoke",
        "</parameter>",
        "<tool_call>",
        "`",
        "to=a<|message|>",
        "to=a<|message|>\n",
        "<|message|>",
        "[TOOL_CALLS]",
        "[TOOL_CALLS]a[ARGS]",
        "[TOOL_CALLS]a",
        "<",
        "`<function=a><parameter=b>",
        "\"<function=a><parameter=b>",
    ] {
        markup_calls(&piece.repeat(2_000_000 / piece.len()));
    }
}

proptest! {
    /// Whatever stands in a parameter comes back byte for byte (a carriage return at its end is one with the line break), and what stands around the call changes nothing.
    #[test]
    fn any_value_comes_back(value in "(.|\n|\r|[<>/\"'`{}\\\\]|</parameter>x){0,40}[^\r]", before in "[a-z ]{0,20}\n") {
        for [open, parameter, close] in [
            ["<function=a>", "<parameter=b>", "</parameter></function>"],
            ["<x:invoke name=\"a\">", "<x:parameter name=\"b\">", "</x:parameter>\n</x:invoke>"],
        ] {
            let text = format!("{before}{open}{parameter}\n{value}\n{close}");
            let calls = markup_calls(&text);
            prop_assert_eq!(calls.len(), 1, "{}", text);
            let parameters = vec![("b".to_owned(), value.clone())];
            prop_assert_eq!(&calls[0].body, &Ok(CallBody::Parameters(parameters)), "{}", text);
        }
    }

    #[test]
    fn no_text_makes_it_panic(
        pieces in prop::collection::vec("<function=a>|<parameter=b>|</parameter>|</function>|<|[a-z:]invoke name='é'>|<.message.>|to=é|\\[TOOL_CALLS\\]|\\[ARGS\\]|[ \n`\"'é{}]|.", 0..40)
    ) {
        let text = pieces.concat();
        let calls = markup_calls(&text);
        for pair in calls.windows(2) {
            prop_assert!(pair[0].span.end <= pair[1].span.start, "{}: {:?}", text, calls);
        }
        prop_assert!(calls.iter().all(|call| text.get(call.span.clone()).is_some()));
    }
}
