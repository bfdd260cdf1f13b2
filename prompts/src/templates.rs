//! The texts of the prompts: template files, built in, each replaceable by a file of the same name.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior, Value};
use patchwright_folder::{LONGEST_SETTINGS, read_text_file};

use crate::error::PromptError;
use crate::untrusted;

/// The built-in templates: name and text.
const EMBEDDED: &[(&str, &str)] = &[
    ("role.md", include_str!("../templates/role.md")),
    ("goals.md", include_str!("../templates/goals.md")),
    ("guidelines.md", include_str!("../templates/guidelines.md")),
    ("output_format.md", include_str!("../templates/output_format.md")),
    ("fix_format.md", include_str!("../templates/fix_format.md")),
    ("state.md", include_str!("../templates/state.md")),
    ("tools.md", include_str!("../templates/tools.md")),
    ("bug.md", include_str!("../templates/bug.md")),
    ("gathered.md", include_str!("../templates/gathered.md")),
    ("gathered_entry.md", include_str!("../templates/gathered_entry.md")),
    ("gathered_file.md", include_str!("../templates/gathered_file.md")),
    ("hypotheses.md", include_str!("../templates/hypotheses.md")),
    ("candidates.md", include_str!("../templates/candidates.md")),
    ("last_result.md", include_str!("../templates/last_result.md")),
    ("variants_role.md", include_str!("../templates/variants_role.md")),
    ("variants.md", include_str!("../templates/variants.md")),
    ("method_body_role.md", include_str!("../templates/method_body_role.md")),
    ("method_body.md", include_str!("../templates/method_body.md")),
    ("stage_role.md", include_str!("../templates/stage_role.md")),
    ("locate_files.md", include_str!("../templates/locate_files.md")),
    ("locate_folders.md", include_str!("../templates/locate_folders.md")),
    ("locate_elements.md", include_str!("../templates/locate_elements.md")),
    ("locate_lines.md", include_str!("../templates/locate_lines.md")),
    ("thoughts.md", include_str!("../templates/thoughts.md")),
    ("near_tests.md", include_str!("../templates/near_tests.md")),
    ("repair.md", include_str!("../templates/repair.md")),
    ("repair_again.md", include_str!("../templates/repair_again.md")),
    ("reproduce.md", include_str!("../templates/reproduce.md")),
    ("regressions.md", include_str!("../templates/regressions.md")),
    ("test_goals.md", include_str!("../templates/test_goals.md")),
    ("test_guidelines.md", include_str!("../templates/test_guidelines.md")),
    ("test_loop_role.md", include_str!("../templates/test_loop_role.md")),
    ("test_role.md", include_str!("../templates/test_role.md")),
    ("test_code.md", include_str!("../templates/test_code.md")),
    ("test_rules.md", include_str!("../templates/test_rules.md")),
    ("test_form.md", include_str!("../templates/test_form.md")),
    ("test_direct.md", include_str!("../templates/test_direct.md")),
    ("test_diff.md", include_str!("../templates/test_diff.md")),
    ("test_blocks.md", include_str!("../templates/test_blocks.md")),
    ("test_plan.md", include_str!("../templates/test_plan.md")),
    ("test_passing.md", include_str!("../templates/test_passing.md")),
    ("test_turn_over.md", include_str!("../templates/test_turn_over.md")),
    ("test_matches.md", include_str!("../templates/test_matches.md")),
    ("test_again.md", include_str!("../templates/test_again.md")),
];

/// Where the built-in templates lie, for messages about them.
const EMBEDDED_FOLDER: &str = "prompts/templates";

/// A complete set of templates. Cheap to clone.
#[derive(Clone)]
pub struct Templates {
    environment: Arc<Environment<'static>>,
    /// The folder of the user's templates.
    folder: String,
    /// The names of the templates that come from there.
    replaced: Vec<String>,
}

impl Templates {
    /// The built-in templates.
    ///
    /// # Panics
    /// Never: the tests load them.
    #[expect(clippy::expect_used, reason = "the files are part of the program and the tests load them")]
    pub fn embedded() -> Self {
        Self::with(&[], "").expect("the built-in templates are well formed")
    }

    /// The templates of [`Templates::load`], before anything was made of them.
    pub(crate) fn read(folder: &Path) -> Result<Self, PromptError> {
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            move |source| PromptError::Unreadable { path, source }
        };
        let mut files = Vec::new();
        for finding in folder.read_dir().map_err(unreadable(folder))? {
            let path = finding.map_err(unreadable(folder))?.path();
            if path.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            let text = read_text_file(&path, LONGEST_SETTINGS).map_err(unreadable(&path))?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.push((name, text));
        }
        files.sort();
        Self::with(&files, &folder.to_string_lossy())
    }

    /// The names of the templates, in the order in which the sections of a prompt stand.
    pub fn names() -> impl Iterator<Item = &'static str> {
        EMBEDDED.iter().map(|(name, _)| *name)
    }

    /// The built-in templates with `files` (name and text) in their place.
    fn with(files: &[(String, String)], folder: &str) -> Result<Self, PromptError> {
        for (name, _) in files {
            let included = |(other, text): &(String, String)| {
                other != name
                    && (text.contains(&format!("\"{name}\"")) || text.contains(&format!("'{name}'")))
            };
            if !Self::names().any(|known| known == name) && !files.iter().any(included) {
                return Err(PromptError::Unused {
                    file: format!("{folder}/{name}"),
                    known: Self::names().collect::<Vec<_>>().join(", "),
                });
            }
        }
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        // What a template forgets to filter shows nothing hidden all the same.
        environment.set_formatter(|out, state, value| match value.as_str() {
            Some(text) => Ok(out.write_str(&untrusted::visible(text))?),
            None => minijinja::escape_formatter(out, state, value),
        });
        environment.add_filter("line", |text: &str| untrusted::one_line(text).into_owned());
        environment.add_filter("name", |text: &str| untrusted::name(text).into_owned());
        environment.add_filter("inset", |text: &str| untrusted::inset(text).into_owned());
        environment.add_filter("fence", |text: &str, language: Option<&str>| {
            untrusted::fenced(text, language.unwrap_or_default())
        });
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        let mut templates = Self {
            environment: Arc::default(),
            folder: folder.to_owned(),
            replaced: files.iter().map(|(name, _)| name.clone()).collect(),
        };
        match syntax {
            Ok(syntax) => environment.set_syntax(syntax),
            Err(error) => return Err(templates.error(&error)),
        }
        let embedded = EMBEDDED.iter().map(|&(name, text)| (name.to_owned(), text.to_owned()));
        for (name, text) in embedded.chain(files.iter().cloned()) {
            environment.add_template_owned(name, text).map_err(|error| templates.error(&error))?;
        }
        templates.environment = Arc::new(environment);
        Ok(templates)
    }

    /// Renders one template; white space around the result is removed.
    pub(crate) fn render(&self, name: &str, context: Value) -> Result<String, PromptError> {
        let template = self.environment.get_template(name).map_err(|error| self.error(&error))?;
        let text = template.render(context).map_err(|error| self.error(&error))?;
        Ok(text.trim_matches(['\n', ' ']).to_owned())
    }

    /// Our error for one of the template engine's.
    fn error(&self, error: &minijinja::Error) -> PromptError {
        // An error inside an included template is wrapped once per inclusion; the innermost names the place.
        let mut innermost = error;
        while let Some(source) =
            std::error::Error::source(innermost).and_then(|source| source.downcast_ref::<minijinja::Error>())
        {
            innermost = source;
        }
        let message = innermost
            .detail()
            .map_or_else(|| innermost.kind().to_string(), |detail| format!("{}: {detail}", innermost.kind()));
        let name = innermost.name().unwrap_or("?");
        let ours = !self.replaced.iter().any(|replaced| replaced == name);
        PromptError::Template {
            file: format!("{}/{name}", if ours { EMBEDDED_FOLDER } else { &self.folder }),
            line: innermost.line().unwrap_or(1),
            message,
        }
    }
}

impl fmt::Debug for Templates {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Templates").field("folder", &self.folder).finish_non_exhaustive()
    }
}
