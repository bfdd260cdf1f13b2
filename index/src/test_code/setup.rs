//! The code that runs around a test and that it uses.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use patchwright_syntax::{Class, Field, Method, MethodText, ProjectPath, Span, TestRules};

use super::files::{Files, Loaded, Member, identifiers};
use super::find::{Found, last_name};

/// Methods that are shown around one test.
const METHODS: usize = 24;

/// Lines that are shown of one field; tables of data are longer.
const FIELD_LINES: u32 = 30;

/// A method and the file it stands in.
#[derive(Clone)]
struct Used {
    file: Rc<Loaded>,
    method: Method,
}

/// The code that belongs to a test, by file.
#[derive(Default)]
pub(super) struct Around {
    pub methods: BTreeMap<ProjectPath, Vec<MethodText>>,
    pub fields: BTreeMap<ProjectPath, Vec<(u32, String)>>,
    pub imports: Vec<(u32, String)>,
}

/// Collects the set-up, the fixtures, the helpers, the fields and the imports of a test.
pub(super) fn around(files: &Files, found: &Found) -> Around {
    let scope = Scope::of(files, found);
    let mut used = vec![Used::of((&found.home, &found.method))];
    let add = |used: &mut Vec<Used>, more: Vec<Used>| {
        for one in more {
            if used.len() <= METHODS && !used.iter().any(|known| known.same(&one)) {
                used.push(one);
            }
        }
    };
    add(&mut used, scope.set_up());
    let mut next = 0;
    while let Some(one) = used.get(next).cloned() {
        next += 1;
        add(&mut used, scope.fixtures_of(&one));
        add(&mut used, scope.named_in_decorations(&one));
        add(&mut used, scope.called_by(&one));
    }
    let mut texts: BTreeMap<ProjectPath, String> = BTreeMap::new();
    for one in &used {
        texts.entry(one.file.path.clone()).or_default().push_str(&one.file.text(one.method.lines));
    }
    let all: String = texts.values().map(String::as_str).collect();
    let fields = scope.fields(&all);
    let mut around = Around::default();
    let mut shown = texts.remove(&found.home.path).unwrap_or_default();
    for (_, line) in fields.get(&found.home.path).into_iter().flatten() {
        shown.push_str(line);
        shown.push('\n');
    }
    around.imports = imports(&found.home, &shown);
    around.fields = fields;
    for one in used.into_iter().skip(1) {
        let lines = one.file.numbered(one.method.lines);
        let methods = around.methods.entry(one.file.path.clone()).or_default();
        methods.push(MethodText { method: one.method, lines });
    }
    for methods in around.methods.values_mut() {
        methods.sort_by_key(|text| text.method.lines);
    }
    around
}

impl Used {
    fn of((file, method): (&Rc<Loaded>, &Method)) -> Self {
        Self { file: Rc::clone(file), method: method.clone() }
    }

    fn same(&self, other: &Self) -> bool {
        self.file.path == other.file.path
            && self.method.lines == other.method.lines
            && self.method.name == other.method.name
    }
}

/// The declarations among which the names in a test are looked up.
struct Scope<'f> {
    rules: &'static TestRules,
    /// The class of the test, what it extends, and the classes around it.
    classes: Vec<Member>,
    /// The file that was asked for, and that of the test if it is inherited.
    modules: Vec<Rc<Loaded>>,
    /// Files that share fixtures with the test, nearest first.
    shared: Vec<Rc<Loaded>>,
    found: &'f Found,
}

impl<'f> Scope<'f> {
    fn of(files: &Files, found: &'f Found) -> Self {
        let rules = &found.home.language.entry().tests;
        let asked = found.lineage.first().map_or(&found.home, |member| &member.file);
        let mut classes = found.lineage.clone();
        if let Some(first) = found.lineage.first() {
            let mut outer: Vec<&Class> = asked.outline.all_classes();
            let inside = |class: &&Class| first.class.qualified.starts_with(&format!("{}.", class.qualified));
            outer.retain(inside);
            outer.reverse();
            let outer = outer.into_iter();
            classes.extend(outer.map(|class| Member { file: Rc::clone(asked), class: class.clone() }));
        }
        let mut modules = vec![Rc::clone(asked)];
        if found.home.path != asked.path {
            modules.push(Rc::clone(&found.home));
        }
        let mut shared = Vec::new();
        if let Some(name) = rules.shared_fixtures {
            let mut folder = Some(asked.path.folder());
            while let Some(here) = folder {
                let path = if here.is_empty() { name.to_owned() } else { format!("{here}/{name}") };
                let file = ProjectPath::new(&path).ok().and_then(|path| files.load(&path).ok().flatten());
                shared.extend(file);
                folder = (!here.is_empty()).then(|| here.rsplit_once('/').map_or("", |(outer, _)| outer));
            }
        }
        Self { rules, classes, modules, shared, found }
    }

    /// The methods that run around every test of the class or module.
    fn set_up(&self) -> Vec<Used> {
        let by_rule = |method: &Method| {
            let decorated =
                |decoration: &String| self.rules.setup_decorations.contains(&last_name(decoration));
            self.rules.setup_names.contains(&method.name.as_str()) || method.decorations.iter().any(decorated)
        };
        let always = |method: &Method| {
            self.fixture_decoration(method)
                .is_some_and(|decoration| decoration.replace(' ', "").contains("autouse=True"))
        };
        let own = self.methods().chain(functions(&self.modules));
        let own = own.filter(|(_, method)| by_rule(method) || always(method));
        let shared = functions(&self.shared).filter(|(_, method)| always(method));
        own.chain(shared).map(Used::of).collect()
    }

    /// The methods of the classes.
    fn methods(&self) -> impl Iterator<Item = (&Rc<Loaded>, &Method)> {
        self.classes.iter().flat_map(|one| one.class.methods.iter().map(|method| (&one.file, method)))
    }

    fn fixture_decoration<'m>(&self, method: &'m Method) -> Option<&'m str> {
        let wanted = self.rules.fixture_decoration?;
        method.decorations.iter().map(String::as_str).find(|decoration| last_name(decoration) == wanted)
    }

    /// The fixtures that a test or fixture names as its parameters or in `usefixtures`.
    fn fixtures_of(&self, one: &Used) -> Vec<Used> {
        if self.rules.fixture_decoration.is_none() {
            return Vec::new();
        }
        let mut names: Vec<String> = one.method.parameters.clone();
        let first = self.classes.first().map(|member| &member.class.decorations);
        let of_class = first.filter(|_| one.method.lines == self.found.method.lines).into_iter().flatten();
        for decoration in one.method.decorations.iter().chain(of_class) {
            if last_name(decoration) == "usefixtures" {
                names.extend(quoted(decoration));
            }
        }
        names.iter().filter_map(|name| self.fixture(name, one)).collect()
    }

    /// The nearest fixture of this name; a fixture may build on one of its own name further out.
    fn fixture(&self, name: &str, asking: &Used) -> Option<Used> {
        let is = |method: &Method| {
            let Some(decoration) = self.fixture_decoration(method) else { return false };
            let given = decoration.replace(' ', "");
            let renamed = given.split_once("name=").map(|(_, rest)| quoted(rest));
            match renamed.and_then(|names| names.into_iter().next()) {
                Some(given) => given == name,
                None => method.name == name,
            }
        };
        let all = self.methods().chain(functions(self.modules.iter().chain(&self.shared)));
        all.filter(|(_, method)| is(method)).map(Used::of).find(|found| !found.same(asking))
    }

    /// Methods that an annotation names in quotes: the sources of parameterised tests.
    fn named_in_decorations(&self, one: &Used) -> Vec<Used> {
        let names: Vec<String> =
            one.method.decorations.iter().flat_map(|decoration| quoted(decoration)).collect();
        self.methods().filter(|(_, method)| names.contains(&method.name)).map(Used::of).collect()
    }

    /// The methods of its own classes and the functions of its own file that a method calls.
    fn called_by(&self, one: &Used) -> Vec<Used> {
        let own_class = |receiver: &str| self.classes.iter().any(|member| member.class.name == receiver);
        let mut used = Vec::new();
        for call in one.file.calls().iter().filter(|call| one.method.lines.contains(call.line)) {
            let own = call
                .receiver
                .as_deref()
                .is_none_or(|receiver| self.rules.own_receivers.contains(&receiver) || own_class(receiver));
            if !own {
                continue;
            }
            let all = self.methods().chain(functions([&one.file]));
            let named: Vec<_> = all.filter(|(_, method)| method.name == call.callee).collect();
            // Of overloads, those with as many parameters, not counting the object itself.
            let fits = |method: &Method| {
                let itself = |name: &&String| self.rules.own_receivers.contains(&name.as_str());
                method.parameters.iter().filter(|name| !itself(name)).count() == call.arguments
            };
            let fitting = named.iter().any(|(_, method)| fits(method));
            used.extend(named.into_iter().filter(|(_, method)| !fitting || fits(method)).map(Used::of));
        }
        used
    }

    /// The declarations of the fields and constants that occur in a text, and of those that these use in turn.
    fn fields(&self, text: &str) -> BTreeMap<ProjectPath, Vec<(u32, String)>> {
        let of_classes = self.classes.iter().map(|member| (&member.file, &member.class.fields));
        let of_files = self.modules.iter().chain(&self.shared).map(|file| (file, &file.outline.fields));
        let declared: Vec<(&Rc<Loaded>, &Field)> = of_classes
            .chain(of_files)
            .flat_map(|(file, fields)| fields.iter().map(move |field| (file, field)))
            .collect();
        let mut names = identifiers(text);
        let mut shown: BTreeMap<ProjectPath, BTreeMap<u32, String>> = BTreeMap::new();
        let mut taken: HashSet<(ProjectPath, Span)> = HashSet::new();
        loop {
            let mut more = String::new();
            for (file, field) in &declared {
                if names.contains(&field.name) && taken.insert((file.path.clone(), field.lines)) {
                    let lines = field_lines(file, field.lines);
                    more.extend(lines.iter().map(|(_, line)| format!("{line}\n")));
                    shown.entry(file.path.clone()).or_default().extend(lines);
                }
            }
            if more.is_empty() {
                break;
            }
            names.extend(identifiers(&more));
        }
        shown.into_iter().map(|(path, lines)| (path, lines.into_iter().collect())).collect()
    }
}

/// The functions of files.
fn functions<'f>(
    files: impl IntoIterator<Item = &'f Rc<Loaded>>,
) -> impl Iterator<Item = (&'f Rc<Loaded>, &'f Method)> {
    files.into_iter().flat_map(|file| file.outline.functions.iter().map(move |method| (file, method)))
}

/// The lines of a field, cut with a note when long.
fn field_lines(file: &Loaded, span: Span) -> Vec<(u32, String)> {
    let last = span.last.min(span.first.saturating_add(FIELD_LINES - 1));
    let mut lines = file.numbered(Span { first: span.first, last });
    if last < span.last {
        lines.push((last + 1, format!("[… {} more lines of this declaration]", span.last - last)));
    }
    lines
}

/// The imports of a file that bring in a name of the text.
fn imports(file: &Loaded, text: &str) -> Vec<(u32, String)> {
    let names = identifiers(text);
    let mut shown = Vec::new();
    for import in &file.outline.imports {
        let statement = file.text(*import);
        let mut pieces =
            statement.split([',', ' ', '\n', '\t', ';', '(', ')']).filter(|piece| !piece.is_empty());
        // `import a.b` is used as `a.b`, `import a.B` in Java as `B`.
        let brings = |piece: &str| {
            let ends = [piece.split('.').next(), piece.rsplit('.').next()];
            piece.ends_with('*') || ends.into_iter().flatten().any(|end| names.contains(end))
        };
        if pieces.any(brings) {
            shown.extend(file.numbered(*import));
        }
    }
    shown
}

/// The quoted strings in a text.
fn quoted(text: &str) -> Vec<String> {
    let pieces: Vec<&str> = text.split(['"', '\'']).collect();
    pieces.into_iter().skip(1).step_by(2).map(str::to_owned).collect()
}
