//! Files that tools of a developer obey without being asked: shells, editors, agents, version control, services that build.
//!
//! No test speaks for such a file, and the user's own machine, or a service with the user's rights, runs what it says. A fix may
//! therefore not create one unless the bug is about it, and a fix that changes one is marked.

use std::sync::LazyLock;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use patchwright_syntax::ProjectPath;

/// The globs, each with what obeys such files. Names are compared without regard to capitals, as some file systems do.
const OBEYED: &[(&str, &[&str])] = &[
    (
        "a shell or an interpreter",
        &[
            "**/.envrc",
            "**/.envrc.*",
            "**/flake.nix",
            "**/shell.nix",
            "**/devenv.*",
            "**/.env",
            "**/.env.*",
            "**/.autoenv*",
            "**/.profile",
            "**/.bashrc",
            "**/.bash_*",
            "**/.zshrc",
            "**/.zshenv",
            "**/.zprofile",
            "**/.zlogin",
            "**/.Rprofile",
            "**/.Renviron",
            "**/.ghci",
            "**/.irbrc",
            "**/.pryrc",
            "**/.iex.exs",
            "**/.octaverc",
            "**/ipython_config.*",
            "**/jupyter_*config.*",
        ],
    ),
    (
        "an editor",
        &[
            "**/.vscode/**",
            "**/*.code-workspace",
            "**/.idea/**",
            "**/.fleet/**",
            "**/.zed/**",
            "**/.vs/**",
            "**/.vimrc",
            "**/.exrc",
            "**/.nvimrc",
            "**/.nvim.lua",
            "**/.lvimrc",
            "**/.vim/**",
            "**/.nvim/**",
            "**/.helix/**",
            "**/.neoconf.json",
            "**/.dir-locals.el",
            "**/.dir-locals-2.el",
            "**/*.sublime-project",
            "**/.run/**",
            "**/nbproject/**",
            "**/.settings/**",
            "**/.project",
            "**/.devcontainer/**",
            "**/.devcontainer.json",
            "**/.gitpod.*",
            "**/.codesandbox/**",
            "**/.replit",
            "**/.ycm_extra_conf.py",
            "**/.vimspector.json",
        ],
    ),
    ("a debugger", &["**/.gdbinit", "**/.lldbinit*", "**/.pdbrc"]),
    (
        "a linter or formatter of an editor",
        &[
            "**/pylintrc",
            "**/.pylintrc",
            "**/pylintrc.toml",
            "**/.pylintrc.toml",
            "**/.eslintrc.*js",
            "**/eslint.config.*",
            "**/.prettierrc.*js",
            "**/.prettierrc.*ts",
            "**/prettier.config.*",
            "**/.stylelintrc.*js",
            "**/stylelint.config.*",
            "**/.watchmanconfig",
            "**/mypy.ini",
            "**/.mypy.ini",
            "**/.flake8",
            "**/.babelrc.*js",
            "**/babel.config.*js",
            "**/tailwind.config.*",
            "**/postcss.config.*",
        ],
    ),
    (
        "a coding agent",
        &[
            "**/AGENTS.md",
            "**/CLAUDE.md",
            "**/GEMINI.md",
            "**/QWEN.md",
            "**/WARP.md",
            "**/CLAUDE.local.md",
            "**/AGENTS.override.md",
            "**/.mcp.json",
            "**/.claude/**",
            "**/.codex/**",
            "**/.cursor/**",
            "**/.cursorrules",
            "**/.windsurf/**",
            "**/.continue/**",
            "**/.aider*",
            "**/.gemini/**",
            "**/.kiro/**",
            "**/.roo/**",
            "**/.clinerules*",
            "**/.junie/**",
            "**/.opencode/**",
            "**/.openhands/**",
            "**/.openhands_instructions",
            "**/.goosehints",
            "**/.goose/**",
            "**/.agents/**",
            "**/.agent/**",
            "**/.augment/**",
            "**/.qwen/**",
            "**/.trae/**",
            "**/.kilocode/**",
            "**/.factory/**",
            "**/.amazonq/**",
            "**/.crush.json",
            "**/crush.json",
            "**/opencode.json*",
            "**/.github/instructions/**",
            "**/.github/prompts/**",
            "**/.github/agents/**",
            "**/.github/chatmodes/**",
            "**/.github/hooks/**",
            "**/.github/copilot-instructions.md",
        ],
    ),
    (
        "git or its hooks",
        &[
            "**/.gitattributes",
            "**/.gitmodules",
            "**/.gitconfig",
            "**/.lfsconfig",
            "**/.hgrc",
            "**/.husky/**",
            "**/.githooks/**",
            "**/.pre-commit-config.*",
            "**/.pre-commit-hooks.*",
            "**/prek.toml",
            "**/lefthook.*",
            "**/.lefthook.*",
            "**/.lefthook/**",
            "**/.lintstagedrc*",
            "**/lint-staged.config.*",
            "**/.overcommit.yml",
            "**/CODEOWNERS",
        ],
    ),
    (
        "a service that builds",
        &[
            "**/.github/workflows/**",
            "**/.github/actions/**",
            "**/.github/dependabot.*",
            "**/.dependabot/**",
            "**/renovate.json*",
            "**/.renovaterc*",
            "**/.forgejo/**",
            "**/.gitea/**",
            "**/.gitlab-ci.*",
            "**/.gitlab/**",
            "**/.circleci/**",
            "**/.travis.*",
            "**/.azure-pipelines/**",
            "**/azure-pipelines.*",
            "**/Jenkinsfile*",
            "**/bitbucket-pipelines.*",
            "**/.drone.*",
            "**/.woodpecker*",
            "**/.woodpecker/**",
            "**/appveyor.*",
            "**/.appveyor.*",
            "**/.buildkite/**",
            "**/.cirrus.*",
            "**/buildspec.*",
            "**/cloudbuild.*",
            "**/.semaphore/**",
            "**/.readthedocs.*",
            "**/netlify.toml",
            "**/vercel.json",
            "**/.tekton/**",
            "**/.teamcity/**",
            "**/.harness/**",
            "**/.builds/**",
            "**/.build.yml",
            "**/.zuul.*",
            "**/.zuul.d/**",
            "**/zuul.d/**",
            "**/.prow.*",
            "**/.mergify.*",
        ],
    ),
    ("Patchwright", &["**/.patchwright-files", "**/patchwright.toml"]),
    (
        "a tool that chooses or configures other tools",
        &[
            "**/.tool-versions",
            "**/mise.toml",
            "**/.mise.toml",
            "**/.mise/**",
            "**/.config/mise*",
            "**/.config/mise/**",
            "**/.rtx.toml",
            "**/.python-version",
            "**/.node-version",
            "**/.nvmrc",
            "**/.ruby-version",
            "**/.java-version",
            "**/.sdkmanrc",
            "**/.npmrc",
            "**/.yarnrc*",
            "**/.yarn/**",
            "**/.pnpmfile.*",
            "**/.pypirc",
            "**/pip.conf",
            "**/.cargo/config*",
            "**/.mvn/**",
            "**/mvnw*",
            "**/gradlew*",
            "**/gradle/wrapper/**",
            "**/.sbtopts",
            "**/.jvmopts",
            "**/.bazelversion",
            "**/rust-toolchain*",
            "**/.bazelrc",
            "**/.bundle/**",
            "**/Vagrantfile",
            "**/justfile",
            "**/.justfile",
            "**/Taskfile.*",
            "**/*.pth",
        ],
    ),
];

/// The compiled globs in lower case, and for each what obeys such files. `globset` compiles case-insensitive globs to regular
/// expressions; in lower case it looks almost all of these up by file name.
static COMPILED: LazyLock<(GlobSet, Vec<&str>)> = LazyLock::new(|| {
    let globs = OBEYED.iter().flat_map(|(who, globs)| globs.iter().map(move |glob| (*who, *glob)));
    let compiled: Vec<(&str, Glob)> = globs
        .filter_map(|(who, glob)| {
            let glob = GlobBuilder::new(&glob.to_ascii_lowercase()).literal_separator(true).build();
            Some((who, glob.ok()?))
        })
        .collect();
    let mut set = GlobSetBuilder::new();
    for (_, glob) in &compiled {
        set.add(glob.clone());
    }
    (set.build().unwrap_or_default(), compiled.into_iter().map(|(who, _)| who).collect())
});

/// What obeys a file of this name without being asked; `None` where nothing does.
pub(crate) fn obeyed_by(path: &ProjectPath) -> Option<&'static str> {
    let (set, who) = &*COMPILED;
    set.matches(path.as_path().as_os_str().to_ascii_lowercase())
        .first()
        .and_then(|number| who.get(*number).copied())
}

/// Whether a text names the file: by its file name, or by one of its folders, such as `.github/workflows`.
pub(crate) fn names(text: &str, path: &ProjectPath) -> bool {
    let folders =
        path.as_path().ancestors().filter_map(|above| above.to_str()).filter(|above| above.len() > 1);
    let stem = path.without_extension().rsplit('/').next().unwrap_or_default();
    let names =
        folders.filter(|above| above.contains('/') || above.starts_with('.')).chain([path.file_name()]);
    // `.pre-commit-config` stands for the file of any ending.
    let stem = Some(stem).filter(|stem| stem.starts_with('.') && stem.len() > 4);
    names.chain(stem).any(|name| text.contains(name))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_glob_is_one() {
        let count: usize = OBEYED.iter().map(|(_, globs)| globs.len()).sum();
        assert_eq!(COMPILED.1.len(), count);
    }

    #[test]
    fn files_that_tools_obey_are_known_in_every_folder() {
        let check = |path: &str, expected: bool| {
            assert_eq!(obeyed_by(&ProjectPath::new(path).unwrap()).is_some(), expected, "{path}");
        };
        for path in [
            ".envrc",
            "web/.envrc",
            ".ENVRC",
            ".vscode/tasks.json",
            ".idea/workspace.xml",
            ".husky/pre-commit",
            ".github/workflows/ci.yml",
            ".GitHub/Workflows/ci.yml",
            "sub/.pre-commit-config.yaml",
            ".gitattributes",
            ".gitmodules",
            "AGENTS.md",
            ".gdbinit",
            ".config/mise/config.toml",
            "web/.eslintrc.cjs",
            "tests/.patchwright-files",
            ".cargo/config.toml",
            "lib/x.pth",
            ".mvn/jvm.config",
            "mypy.ini",
            "sub/.flake8",
            ".Rprofile",
            "docs/CODEOWNERS",
        ] {
            check(path, true);
        }
        for path in [
            "src/env.py",
            "github/workflows.py",
            ".github/README.md",
            "docs/vscode.md",
            "envrc",
            ".gitignore",
            ".eslintrc.json",
            "src/project.py",
        ] {
            check(path, false);
        }
    }

    #[test]
    fn a_bug_is_about_a_file_that_it_names() {
        let check = |text: &str, path: &str, expected: bool| {
            assert_eq!(names(text, &ProjectPath::new(path).unwrap()), expected, "{text}: {path}");
        };
        check("the hook in .pre-commit-config.yaml is wrong", ".pre-commit-config.yaml", true);
        check("add a .pre-commit-config for black", ".pre-commit-config.yaml", true);
        check("CI: .github/workflows lacks Python 3.14", ".github/workflows/tests.yml", true);
        check("add tests.yml", ".github/workflows/tests.yml", true);
        check("set up .vscode", ".vscode/settings.json", true);
        check("the sum is wrong", ".envrc", false);
        check("the env is wrong", ".github/workflows/ci.yml", false);
    }
}
