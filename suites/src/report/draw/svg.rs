//! SVG for pages: what is drawn takes its colours from the page's style.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use super::super::html::Escaped;

/// A drawing in the making. Writing to a string cannot fail, so results of it are dropped.
pub(super) struct Svg {
    body: String,
}

/// Where a text stands from its place.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A length in few letters.
struct Length(f64);

impl fmt::Display for Length {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", (self.0 * 10.0).round() / 10.0)
    }
}

impl Svg {
    /// An empty drawing of this size; `told` says in words what it shows.
    pub fn new(width: f64, height: f64, told: &str) -> Self {
        let (width, height, told) = (Length(width), Length(height), Escaped(told));
        Self {
            body: format!(
                "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{told}\"><title>{told}</title>\n"
            ),
        }
    }

    /// A text.
    pub fn text(&mut self, (x, y): (f64, f64), class: &str, anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let (x, y, text) = (Length(x), Length(y), Escaped(text));
        let _ = writeln!(self.body, "<text x=\"{x}\" y=\"{y}\" class=\"{class}\"{anchor}>{text}</text>");
    }

    /// A rectangle.
    pub fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), class: &str) {
        let (x, y, width, height) = (Length(x), Length(y), Length(width), Length(height));
        let _ = writeln!(
            self.body,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"1.5\" class=\"{class}\"/>"
        );
    }

    /// A line.
    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        let (x1, y1, x2, y2) = (Length(x1), Length(y1), Length(x2), Length(y2));
        let _ =
            writeln!(self.body, "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" class=\"{class}\"/>");
    }

    /// A circle.
    pub fn circle(&mut self, (x, y): (f64, f64), radius: f64, class: &str) {
        let (x, y, radius) = (Length(x), Length(y), Length(radius));
        let _ = writeln!(self.body, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" class=\"{class}\"/>");
    }

    /// A closed shape.
    pub fn shape(&mut self, points: &[(f64, f64)], class: &str) {
        let mut listed = String::new();
        for (x, y) in points {
            let _ = write!(listed, "{},{} ", Length(*x), Length(*y));
        }
        let _ = writeln!(self.body, "<polygon points=\"{}\" class=\"{class}\"/>", listed.trim_end());
    }

    /// Writes it as a figure with its caption and the keys to its colours.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn figure(self, caption: &str, keys: &[(String, &str)], out: &mut dyn Write) -> io::Result<()> {
        write!(out, "<figure><figcaption>{}", Escaped(caption))?;
        for (name, class) in keys {
            write!(out, " <span class=\"key {class}\">{}</span>", Escaped(name))?;
        }
        writeln!(out, "</figcaption>\n{}</svg></figure>", self.body)
    }
}

/// A text cut to so many letters.
pub(super) fn cut(text: &str, letters: usize) -> String {
    if text.chars().count() <= letters {
        return text.to_owned();
    }
    text.chars().take(letters.saturating_sub(1)).chain(['…']).collect()
}
