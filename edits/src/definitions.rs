//! Whole functions, methods and classes: which one of the file they take the place of, or where new ones go.

mod imports;
mod place;

use patchwright_syntax::{
    Class, Language, Method, MethodKind, Outline, Source, Span, line_number, name_parts, normal_form,
    outline, similarity, syntax_errors,
};

use crate::edit::{Definition, Placement};
use crate::located::{Located, MatchFailure};
use crate::matching::{Lines, Match, MatchLevel, Shift, dedented, indentation, split, unit, with_plain_ends};
use crate::replace::refuse_placeholder;
use crate::rewrite::rewritten;
use crate::spliced::Splice;

/// A definition in the code that was given, or in the file.
#[derive(Clone, Debug)]
struct Item {
    name: String,
    /// The name with those around it, joined by dots.
    qualified: String,
    is_class: bool,
    /// With the comment and the decorations above; from 1.
    lines: Span,
    declaration_line: u32,
    parameters: Vec<String>,
    /// The declaration in one line.
    signature: String,
    decorated: bool,
    /// The methods of a class.
    inner: Vec<Item>,
}

impl Item {
    fn of_method(method: &Method) -> Self {
        Self {
            name: method.name.clone(),
            qualified: method.qualified.clone(),
            is_class: false,
            lines: method.lines,
            declaration_line: method.declaration_line,
            parameters: method.parameters.clone(),
            signature: method.signature.clone(),
            decorated: !method.decorations.is_empty(),
            inner: Vec::new(),
        }
    }

    fn of_class(class: &Class) -> Self {
        let named = class.methods.iter().filter(|method| method.kind != MethodKind::Nested);
        Self {
            name: class.name.clone(),
            qualified: class.qualified.clone(),
            is_class: true,
            lines: class.lines,
            declaration_line: class.declaration_line,
            parameters: Vec::new(),
            signature: class.signature.clone(),
            decorated: !class.decorations.is_empty(),
            inner: named.map(Self::of_method).collect(),
        }
    }

    /// Is true if a name, with as many outer ones as wanted, means this item.
    fn is_called(&self, name: &[&str]) -> bool {
        let own: Vec<&str> = self.qualified.split('.').collect();
        !name.is_empty() && own.ends_with(name)
    }

    /// Is true if it begins with more than its own line: a comment or decorations.
    fn has_head(&self) -> bool {
        self.lines.first < self.declaration_line
    }
}

/// The code of a definition: its lines without shared indentation, and what they define.
struct Code {
    lines: Vec<String>,
    items: Vec<Item>,
    /// Its imports, each with all its lines.
    imports: Vec<Vec<String>>,
    /// The line with its package, where it has one: the code is a whole file then.
    package: Option<String>,
}

impl Code {
    /// Indents the lines by tabs where the file is, or by blanks, unless that would change a text of several lines.
    fn indent_as(&mut self, language: Language, file: &Lines) {
        let own = unit((0..file.count()).map(|line| file.get(line)));
        let Some(shift) = Shift::tabs_for_blanks(unit(self.lines.iter().map(String::as_str)), own) else {
            return;
        };
        let Some(lines) = self.lines.iter().map(|line| shift.apply(line)).collect::<Option<Vec<_>>>() else {
            return;
        };
        let form = |lines: &[String]| normal_form(Some(language), lines.join("\n").as_bytes());
        if form(&lines) == form(&self.lines) {
            self.lines = lines;
        }
    }
}

/// Finds what becomes of a file by a definition.
pub(crate) fn locate(
    language: Language,
    file: &Lines,
    definition: &Definition,
) -> Result<Located, MatchFailure> {
    let mut code = read(language, &definition.code)?;
    code.indent_as(language, file);
    let declared = outline(language, &Source::from_text(file.plain()));
    if definition.place.is_new() {
        if let Some(line) = &code.package {
            return Err(beside_definitions(line));
        }
        return added(language, file, &declared, &code, definition.place);
    }
    let near = if let Placement::SameNear(line) = definition.place { Some(line) } else { None };
    replaced(file, &declared, &code, definition.name.as_deref(), near)
}

/// The text of a file that holds nothing but this code.
pub(crate) fn as_file(code: &str) -> String {
    lines_of(code).join("\n") + "\n"
}

fn lines_of(code: &str) -> Vec<String> {
    dedented(&split(with_plain_ends(code).trim_start_matches('\n').trim_end()))
}

fn beside_definitions(line: &str) -> MatchFailure {
    let line = line.trim();
    MatchFailure::Unclear(format!(
        "beside its definitions the code holds `{line}`; give that as an edit of its own"
    ))
}

/// Reads code that defines something, and nothing else beside its package, imports and comments.
fn read(language: Language, code: &str) -> Result<Code, MatchFailure> {
    let lines = lines_of(code);
    let text = lines.join("\n") + "\n";
    // A constructor or a bare method may parse only inside of a class.
    let sound = language
        .entry()
        .frames()
        .filter(|(before, _)| before.is_empty() || before.matches('{').count() == 1)
        .find(|(before, after)| syntax_errors(language, &format!("{before}{text}{after}")).is_empty());
    let Some((before, after)) = sound else {
        let error = syntax_errors(language, &text).into_iter().next();
        let at = error.map(|error| format!(": line {} is `{}` ({})", error.line, error.text, error.problem));
        return Err(MatchFailure::Unclear(format!("the code cannot be parsed{}", at.unwrap_or_default())));
    };
    let found = outline(language, &Source::from_text(format!("{before}{text}{after}")));
    let above = u32::try_from(before.matches('\n').count()).unwrap_or(0);
    let functions = found.functions.iter().filter(|method| method.kind != MethodKind::Nested);
    let tops = functions.map(Item::of_method).chain(found.classes.iter().map(Item::of_class));
    let mut items = if above == 0 { tops.collect() } else { framed_items(&found, above) };
    items.sort_by_key(|item| item.lines.first);
    if items.is_empty() {
        return Err(MatchFailure::Unclear("the code defines no function, method or class".to_owned()));
    }
    let defined = |line: u32| items.iter().any(|item| item.lines.contains(line));
    let import = |line: u32| found.imports.iter().any(|span| span.contains(line + above));
    let comment = language.entry().line_comment;
    let own_package = found.package.as_deref();
    let is_package = |line: &str| {
        let named = line.trim().trim_end_matches(';').strip_prefix("package ").map(str::trim);
        named.is_some() && named == own_package
    };
    let mut package = None;
    for (number, line) in (1..).zip(&lines) {
        let idle = line.trim().is_empty() || line.trim_start().starts_with(comment);
        if !(idle || defined(number) || import(number)) {
            if !is_package(line) {
                return Err(beside_definitions(line));
            }
            package = Some(line.clone());
        }
    }
    let outer = found.imports.iter().filter(|_| above == 0);
    let imports = outer
        .filter_map(|span| lines.get(span.first as usize - 1..span.last as usize))
        .map(<[_]>::to_vec)
        .filter(|import| indentation(&import[0]).is_empty())
        .collect();
    Ok(Code { lines, items, imports, package })
}

/// The methods of the frame's class, as lines of the code.
fn framed_items(outline: &Outline, above: u32) -> Vec<Item> {
    let methods = outline.classes.iter().flat_map(|class| &class.methods);
    let own = methods.filter(|method| matches!(method.kind, MethodKind::Method | MethodKind::Constructor));
    own.map(|method| {
        let item = Item::of_method(method);
        let shifted = |line: u32| line.saturating_sub(above).max(1);
        Item {
            lines: Span { first: shifted(item.lines.first), last: shifted(item.lines.last) },
            declaration_line: shifted(item.declaration_line),
            qualified: item.name.clone(),
            ..item
        }
    })
    .collect()
}

/// Every definition of the code takes the place of the one of its name.
fn replaced(
    file: &Lines,
    declared: &Outline,
    code: &Code,
    name: Option<&str>,
    near: Option<u32>,
) -> Result<Located, MatchFailure> {
    let own = all_items(declared);
    let mut splices = Vec::new();
    let mut notes = Vec::new();
    for item in &code.items {
        let name = match (name, code.items.as_slice()) {
            (Some(name), [_]) => name_parts(name),
            _ => vec![item.name.as_str()],
        };
        let target = target(&own, item, &name, near)?;
        // A class that shows some of the methods only is the frame around them.
        let partial = item.is_class
            && !item.inner.is_empty()
            && target.inner.iter().any(|own| !item.inner.iter().any(|given| given.name == own.name))
            && item.inner.iter().all(|given| target.inner.iter().any(|own| own.name == given.name));
        if partial {
            for given in &item.inner {
                let own = self::target(&target.inner, given, &[given.name.as_str()], near)?;
                splices.extend(in_place(file, &code.lines, given, own)?);
            }
            notes.push(format!("of `{}` only the methods that were given are replaced", target.qualified));
        } else {
            splices.extend(in_place(file, &code.lines, item, target)?);
        }
    }
    if splices.is_empty() {
        return Err(MatchFailure::NoChange);
    }
    splices.extend(imports::missing(file, declared, &code.imports));
    Ok(Located { level: MatchLevel::Exact, splices, note: (!notes.is_empty()).then(|| notes.join("; ")) })
}

fn all_items(outline: &Outline) -> Vec<Item> {
    let methods = outline.all_methods().into_iter().map(|(_, method)| Item::of_method(method));
    methods.chain(outline.all_classes().into_iter().map(Item::of_class)).collect()
}

/// The one definition of the file that an item stands for.
fn target<'i>(
    own: &'i [Item],
    item: &Item,
    name: &[&str],
    near: Option<u32>,
) -> Result<&'i Item, MatchFailure> {
    let mut found: Vec<&Item> =
        own.iter().filter(|own| own.is_class == item.is_class && own.is_called(name)).collect();
    // Overloads: those with the same parameters, then those that are declared alike.
    let alike: [&dyn Fn(&&Item) -> bool; 2] =
        [&|own| own.parameters == item.parameters, &|own| own.signature == item.signature];
    for same in alike {
        if found.len() > 1 && found.iter().any(same) {
            found.retain(same);
        }
    }
    if let Some(line) = near
        && found.len() > 1
    {
        let distance = |own: &Item| {
            let away = own.lines.first.abs_diff(line).min(own.lines.last.abs_diff(line));
            if own.lines.contains(line) { 0 } else { away }
        };
        let best = found.iter().map(|own| distance(own)).min();
        found.retain(|own| Some(distance(own)) == best);
    }
    match found.as_slice() {
        [only] => Ok(only),
        [] => {
            let of_kind = own.iter().filter(|own| own.is_class == item.is_class);
            let mut names: Vec<&str> = of_kind.map(|own| own.qualified.as_str()).collect();
            let asked = name.join(".");
            let alike =
                |name: &str| similarity::by_beginning(&asked, name.rsplit('.').next().unwrap_or(name));
            names.sort_by(|left, right| alike(right).total_cmp(&alike(left)));
            names.truncate(5);
            let kind = if item.is_class { "class" } else { "function or method" };
            let mut reason = format!("there is no {kind} `{asked}` in the file");
            if !names.is_empty() {
                reason.push_str(&format!("; the nearest are `{}`", names.join("`, `")));
            }
            Err(MatchFailure::Missing(reason))
        }
        several => Err(MatchFailure::Ambiguous(several.iter().map(|own| own.declaration_line).collect())),
    }
}

/// Puts an item in the place of another. Comment and decorations stay where the new code brings none.
fn in_place(file: &Lines, code: &[String], item: &Item, target: &Item) -> Result<Vec<Splice>, MatchFailure> {
    let index = |line: u32| usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
    let declaration = index(target.declaration_line);
    let first = if item.has_head() {
        let head = index(target.lines.first)..declaration;
        let decoration = || head.clone().find(|line| file.get(*line).trim_start().starts_with('@'));
        let commented = !code[index(item.lines.first)].trim_start().starts_with('@');
        match (commented, item.decorated) {
            (true, true) => head.start,
            // Its own comment, over decorations that the file has and the code does not.
            (true, false) => decoration().map_or(head.start, |_| declaration),
            (false, _) => decoration().unwrap_or(declaration),
        }
    } else {
        declaration
    };
    let old: Vec<&str> = (first..=index(target.lines.last)).map(|line| file.get(line)).collect();
    let given = &code[index(item.lines.first)..=index(item.lines.last)];
    let own = indentation(file.get(declaration));
    let written = indentation(&code[index(item.declaration_line)]);
    let unclear =
        || MatchFailure::Unclear("its indentation cannot be brought in line with the file".to_owned());
    let shift = Shift::between(&[(written, own)]).ok_or_else(unclear)?;
    let new: Option<Vec<String>> = given.iter().map(|line| shift.apply(line)).collect();
    let new = new.ok_or_else(unclear)?;
    let shown: Vec<&str> = new.iter().map(String::as_str).collect();
    refuse_placeholder(&old, &shown)?;
    let bare = |lines: &[&str]| lines.iter().any(|line| line.trim() == "...");
    if bare(&shown) && !bare(&old) {
        let reason = "`...` stands for code in the replacement; write that code out";
        return Err(MatchFailure::Unclear(reason.to_owned()));
    }
    Ok(rewritten(file, &old, &[new], &Match::exact(first, old.len())).splices)
}

/// New code goes to the start or end of the file, or between two definitions.
fn added(
    language: Language,
    file: &Lines,
    declared: &Outline,
    code: &Code,
    placement: Placement,
) -> Result<Located, MatchFailure> {
    let whole: Vec<&str> = code.lines.iter().map(String::as_str).collect();
    if file.plain().contains(&format!("{}\n", whole.join("\n"))) {
        let at = file.plain().find(whole[0]).map_or(0, |at| file.line_at(at));
        return Err(MatchFailure::AlreadyApplied(line_number(at)));
    }
    let known = all_items(declared);
    let note = code.items.iter().find_map(|item| {
        let twin = known.iter().find(|own| own.qualified == item.name)?;
        Some(format!("the file has a `{}` at line {} already", item.name, twin.declaration_line))
    });
    let only_methods = code.items.iter().all(|item| !item.is_class);
    // Where blocks have brackets, methods live inside of a class.
    let class = (!language.entry().indented && only_methods).then(|| declared.classes.last()).flatten();
    let splice = match class {
        Some(class) => place::inside_class(file, class, &whole, placement),
        None => place::beside(language, file, declared, &whole, placement),
    };
    Ok(Located { level: MatchLevel::Exact, splices: vec![splice], note })
}
