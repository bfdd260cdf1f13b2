//! Calls in the markup that models were trained to write them in.
//!
//! [`markup_calls`] finds them in a text: tags with a parameter each (`tags`), and the marks of channels and of lists of
//! calls before JSON (`marks`). A call that is only mentioned, in quotes or in code within a line, is none. What a
//! call holds is told as it stands: the texts of its parameters, or the place of its JSON.

mod marks;
mod tags;

use std::ops::Range;

use memchr::memmem;

/// A call as its markup says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkupCall {
    /// The name of the tool.
    pub name: String,
    /// The arguments, or what keeps them from being read.
    pub body: Result<CallBody, MarkupFault>,
    /// Its place, in bytes, the tags around it included.
    pub span: Range<usize>,
    /// Whether its end mark is present.
    pub closed: bool,
}

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallBody {
    /// Names with their texts, which stand as they were written.
    Parameters(Vec<(String, String)>),
    /// The place of a text that should be JSON, in bytes.
    Json(Range<usize>),
}

/// The reason for which the arguments of a call cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkupFault {
    /// The text ends inside a parameter, or inside the tag of the next one.
    Cut {
        /// The parameter, where it has a name.
        parameter: Option<String>,
    },
    /// The call is closed, but a parameter in it is not: where its value ends is unknown.
    Unclosed {
        /// The parameter.
        parameter: String,
    },
    /// A parameter stands twice, with different values.
    Repeated {
        /// The parameter.
        parameter: String,
    },
}

/// What was found where a call seems to begin.
enum Found {
    Call(MarkupCall),
    /// It is no call; the search goes on at this byte.
    Nothing(usize),
}

/// A way to write a call: a mark that all such calls have at their begin, and the readers of what stands around it.
struct Form {
    mark: &'static str,
    /// Where the call with its mark at the second place begins; nothing before the third one belongs to it.
    start: fn(&str, usize, usize) -> Option<usize>,
    /// Reads the call whose mark stands at the second place, and which begins at the third one.
    read: fn(&str, usize, usize) -> Found,
}

const FORMS: &[Form] = &[
    Form { mark: "<function", start: tags::start, read: tags::call },
    Form { mark: "invoke", start: tags::start, read: tags::call },
    Form { mark: marks::MESSAGE, start: marks::header, read: marks::channel },
    Form { mark: marks::CALLS, start: |_, mark, _| Some(mark), read: marks::listed },
];

/// The calls in markup in a text, in their order.
pub fn markup_calls(text: &str) -> Vec<MarkupCall> {
    let finders: Vec<memmem::Finder<'_>> = FORMS.iter().map(|form| memmem::Finder::new(form.mark)).collect();
    let find = |form: usize, from: usize| finders[form].find(&text.as_bytes()[from..]).map(|n| from + n);
    let mut next: Vec<Option<usize>> = (0..FORMS.len()).map(|form| find(form, 0)).collect();
    let mut line = LineBefore::default();
    let mut calls: Vec<MarkupCall> = Vec::new();
    let mut from = 0;
    loop {
        for (form, place) in next.iter_mut().enumerate() {
            if place.is_some_and(|at| at < from) {
                *place = find(form, from);
            }
        }
        let first = next.iter().enumerate().filter_map(|(form, at)| Some(((*at)?, form))).min();
        let Some((at, form)) = first else { return calls };
        let end = calls.last().map_or(0, |call| call.span.end);
        let form = &FORMS[form];
        let start = (form.start)(text, at, end).filter(|start| !line.mentions(text, *start));
        from = match start.map(|start| (form.read)(text, at, start)) {
            Some(Found::Call(call)) => {
                let end = call.span.end.max(at + 1);
                calls.push(call);
                end
            }
            Some(Found::Nothing(next)) => next.max(at + 1),
            None => at + 1,
        };
    }
}

/// The line before a place, as far as it was read: code within it.
#[derive(Default)]
struct LineBefore {
    at: usize,
    in_code: bool,
}

impl LineBefore {
    /// Is true if what begins at `at` is only mentioned: it stands in quotes, or in code within a line.
    fn mentions(&mut self, text: &str, at: usize) -> bool {
        let bytes = text.as_bytes();
        while self.at < at {
            match bytes[self.at] {
                b'\n' => self.in_code = false,
                b'`' => {
                    let ticks = bytes[self.at..at].iter().take_while(|byte| **byte == b'`').count();
                    // Three of them are a fence.
                    self.in_code ^= ticks < 3;
                    self.at += ticks - 1;
                }
                _ => {}
            }
            self.at += 1;
        }
        self.in_code || text[..at].ends_with(['"', '\'', '“', '‘', '«'])
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;
