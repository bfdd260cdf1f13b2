//! Definitions by the look of lines: cutting a file needs no tree.

use patchwright_syntax::{Language, Span, declaration_on, indentation};

/// A definition, as its lines tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block<'t> {
    pub name: &'t str,
    /// Its lines, with those directly above that are indented alike: comments, decorations.
    pub lines: Span,
    /// In how many others it stands.
    pub depth: usize,
    /// The innermost of them: an earlier index in the list.
    around: Option<usize>,
}

/// The definitions of a file in the order of their lines. Each ends before the next line that is indented as little.
pub(super) fn blocks<'t>(language: Language, lines: &[&'t str]) -> Vec<Block<'t>> {
    let closing = language.entry().closing_line;
    let mut found: Vec<Block> = Vec::new();
    // Those around the current line, with their indentation.
    let mut open: Vec<(usize, usize)> = Vec::new();
    // The first of the lines directly above that may belong to what comes next, and its indentation.
    let mut lead: Option<(u32, usize)> = None;
    for (number, line) in (1..).zip(lines) {
        let text = line.trim_start();
        if text.is_empty() {
            lead = None;
            continue;
        }
        let own = indentation(line);
        let closes = closing.is_some_and(|closing| text.starts_with(closing));
        let continues = text.starts_with([')', '{', ']']);
        while let Some((_, index)) = open.pop_if(|(around, _)| own <= *around && !continues) {
            found[index].lines.last = if closes { number } else { number - 1 };
        }
        if closes || continues {
            lead = None;
            continue;
        }
        // The further lines of a comment are indented by one more.
        let begun = lead.filter(|(_, above)| own == *above || text.starts_with('*'));
        let (first, _) = *lead.insert(begun.unwrap_or((number, own)));
        if let Some((_, name)) = declaration_on(language, line) {
            let (around, depth) = (open.last().map(|(_, index)| *index), open.len());
            open.push((own, found.len()));
            found.push(Block { name, lines: Span { first, last: u32::MAX }, depth, around });
            lead = None;
        }
    }
    found
}

/// The definitions that began before a line and have not ended there, the innermost first.
pub(super) fn around<'b, 't>(blocks: &'b [Block<'t>], line: u32) -> impl Iterator<Item = &'b Block<'t>> {
    let before = blocks.partition_point(|block| block.lines.first < line);
    let last = before.checked_sub(1).and_then(|index| blocks.get(index));
    std::iter::successors(last, |block| block.around.and_then(|index| blocks.get(index)))
        .filter(move |block| block.lines.contains(line))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    /// The last line of a definition that only the file ends.
    const REST: u32 = u32::MAX;

    /// Of each definition its name, its depth, its first line and its last.
    fn found(language: &str, text: &str) -> Vec<(String, usize, u32, u32)> {
        let lines: Vec<&str> = text.lines().collect();
        let blocks = blocks(Language::by_name(language).unwrap(), &lines);
        let one = |block: &Block| (block.name.to_owned(), block.depth, block.lines.first, block.lines.last);
        blocks.iter().map(one).collect()
    }

    #[test]
    fn definitions_begin_with_their_decorations_and_end_where_lines_are_indented_as_little() {
        let check = |language: &str, text: &str, expect: &[(&str, usize, u32, u32)]| {
            let expect: Vec<_> = expect
                .iter()
                .map(|(name, depth, first, last)| ((*name).to_owned(), *depth, *first, *last))
                .collect();
            assert_eq!(found(language, text), expect, "{text}");
        };
        check("python", "", &[]);
        check("python", "x = 1\n\ndef f():\n    return 1\ny = 2\n", &[("f", 0, 3, 4)]);
        check(
            "python",
            "import a\n\n# note\n@cached\nclass A:\n    @property\n    def f(self):\n        pass\n    async def g(\n        self,\n    ):\n        pass\n",
            &[("A", 0, 3, REST), ("f", 1, 6, 8), ("g", 1, 9, REST)],
        );
        check("python", "def f():\n  def g():\n    pass\n  return g\n", &[("f", 0, 1, REST), ("g", 1, 2, 3)]);
        check(
            "python",
            "class A: pass\nclass B:\n\tdef f(self): pass\n",
            &[("A", 0, 1, 1), ("B", 0, 2, REST), ("f", 1, 3, REST)],
        );
        check(
            "java",
            "package a;\n\n/**\n * Box.\n *\n * Big.\n */\n@Big\npublic class Box\n{\n    int x;\n\n    // Gets.\n    int get(int y) {\n        return x;\n    }\n    /** Sets. */\n    void set(\n        int y\n    ) {\n        call(y);\n    }\n}\nclass Other {\n}\n",
            &[("Box", 0, 3, 23), ("get", 1, 13, 16), ("set", 1, 17, 22), ("Other", 0, 24, 25)],
        );
    }

    #[test]
    fn the_definitions_around_a_line_are_known() {
        let text = "class A:\n    class B:\n        def f(self):\n            pass\n\n        def g(self):\n            pass\n    x = 1\ny = 2\n";
        let lines: Vec<&str> = text.lines().collect();
        let blocks = blocks(Language::by_name("python").unwrap(), &lines);
        let check = |line: u32, expect: &[&str]| {
            let names: Vec<&str> = super::around(&blocks, line).map(|block| block.name).collect();
            assert_eq!(names, expect, "line {line}");
        };
        check(1, &[]);
        check(3, &["B", "A"]);
        check(4, &["f", "B", "A"]);
        check(7, &["g", "B", "A"]);
        check(8, &["A"]);
        check(9, &[]);
    }
}
