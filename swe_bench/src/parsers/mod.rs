//! The log parsers, by the names that rows use (`parse_log_django`) and by repository.
//!
//! They are as loose as the official ones, because required ids exist that only a loose parser finds
//! (`[100%]`, `#15789`).

mod builds;
mod django;
mod failures;
mod lines;
mod pytest;
mod suites;
mod sympy;

use super::rules::{Book, Rules};
use super::status::StatusMap;
use Parse::{Lines, Log};
use lines::LineFormat;

/// Facts that a parser knows besides the log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'case> {
    /// The rules.
    pub book: &'static Book,
    /// `jekyll__jekyll-9141`: some repositories changed their test tool.
    pub instance_id: &'case str,
    /// The version of the project.
    pub version: &'case str,
}

/// The way in which a log is read.
#[derive(Clone, Copy)]
enum Parse {
    /// Line by line, each in the same format.
    Lines(&'static LineFormat),
    /// By a function of its own.
    Log(fn(&str, &Context<'_>) -> StatusMap),
}

/// A log parser.
#[derive(Clone, Copy)]
pub struct Parser {
    name: &'static str,
    parse: Parse,
}

impl std::fmt::Debug for Parser {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

/// Names, parsers, and the repositories that each reads. A repository is named at one parser only.
static PARSERS: &[(&str, Parse, &[&str])] = &[
    ("parse_log_pytest", Log(pytest::pytest), &["pytest-dev/pytest"]),
    ("parse_log_pytest_options", Log(pytest::with_options), &[]),
    ("parse_log_pytest_v2", Log(pytest::colored), &[]),
    ("parse_log_astroid", Log(pytest::pytest), &["pylint-dev/astroid"]),
    ("parse_log_flask", Log(pytest::pytest), &["pallets/flask"]),
    ("parse_log_marshmallow", Log(pytest::pytest), &["marshmallow-code/marshmallow"]),
    ("parse_log_pvlib", Log(pytest::pytest), &["pvlib/pvlib-python"]),
    ("parse_log_pyvista", Log(pytest::pytest), &["pyvista/pyvista"]),
    ("parse_log_sqlfluff", Log(pytest::pytest), &["sqlfluff/sqlfluff"]),
    ("parse_log_xarray", Log(pytest::pytest), &["pydata/xarray"]),
    ("parse_log_pydicom", Log(pytest::with_options), &["pydicom/pydicom"]),
    ("parse_log_requests", Log(pytest::with_options), &["psf/requests"]),
    ("parse_log_pylint", Log(pytest::with_options), &["pylint-dev/pylint"]),
    ("parse_log_astropy", Log(pytest::colored), &["astropy/astropy"]),
    ("parse_log_scikit", Log(pytest::colored), &["scikit-learn/scikit-learn"]),
    ("parse_log_sphinx", Log(pytest::colored), &["sphinx-doc/sphinx"]),
    ("parse_log_matplotlib", Log(pytest::matplotlib), &["matplotlib/matplotlib"]),
    ("parse_log_seaborn", Log(pytest::seaborn), &["mwaskom/seaborn"]),
    ("parse_log_django", Log(django::django), &["django/django"]),
    ("parse_log_sympy", Log(sympy::sympy), &["sympy/sympy"]),
    ("parse_log_maven", Log(builds::maven), &["google/gson", "apache/druid", "javaparser/javaparser"]),
    ("parse_log_gradle_custom", Log(builds::gradle), &["apache/lucene", "reactivex/rxjava"]),
    ("parse_log_doctest", Log(builds::doctest), &["nlohmann/json"]),
    ("parse_log_ant", Lines(&lines::ANT), &["projectlombok/lombok"]),
    (
        "parse_log_gotest",
        Lines(&lines::GO),
        &[
            "caddyserver/caddy",
            "hashicorp/terraform",
            "prometheus/prometheus",
            "gohugoio/hugo",
            "gin-gonic/gin",
        ],
    ),
    (
        "parse_log_cargo",
        Lines(&lines::CARGO),
        &[
            "burntsushi/ripgrep",
            "sharkdp/bat",
            "astral-sh/ruff",
            "tokio-rs/tokio",
            "uutils/coreutils",
            "nushell/nushell",
            "tokio-rs/axum",
        ],
    ),
    (
        "parse_log_phpunit",
        Log(lines::phpunit),
        &[
            "phpoffice/phpspreadsheet",
            "laravel/framework",
            "php-cs-fixer/php-cs-fixer",
            "briannesbitt/carbon",
        ],
    ),
    ("parse_log_redis", Log(lines::redis), &["redis/redis", "valkey-io/valkey"]),
    ("parse_log_jq", Lines(&lines::JQ), &["jqlang/jq"]),
    ("parse_log_micropython_test", Lines(&lines::MICROPYTHON), &["micropython/micropython"]),
    ("parse_log_googletest", Lines(&lines::GOOGLETEST), &["fmtlib/fmt"]),
    ("parse_log_minitest", Lines(&lines::MINITEST), &[]),
    ("parse_log_cucumber", Lines(&lines::CUCUMBER), &[]),
    ("parse_log_ruby_unit", Lines(&lines::RUBY_UNIT), &["fluent/fluentd", "faker-ruby/faker"]),
    (
        "parse_log_rspec_transformed_json",
        Lines(&lines::RSPEC),
        &["fastlane/fastlane", "jordansissel/fpm", "rubocop/rubocop"],
    ),
    ("parse_log_jekyll", Log(lines::jekyll), &["jekyll/jekyll"]),
    ("parse_log_jest", Log(lines::jest), &["babel/babel", "facebook/docusaurus"]),
    ("parse_log_jest_json", Lines(&lines::JEST_JSON), &[]),
    ("parse_log_vitest", Lines(&lines::VITEST), &["vuejs/core"]),
    ("parse_log_tap", Lines(&lines::TAP), &["mrdoob/three.js", "axios/axios"]),
    ("parse_log_immutable_js", Log(lines::immutable_js), &["immutable-js/immutable-js"]),
    ("parse_log_karma", Log(suites::karma), &["preactjs/preact"]),
    ("parse_log_calypso", Log(suites::calypso), &["Automattic/wp-calypso"]),
    (
        "parse_log_carbon",
        Log(suites::pass_or_fail),
        &["carbon-design-system/carbon", "prettier/prettier", "scratchfoundation/scratch-gui"],
    ),
    ("parse_log_react_pdf", Log(suites::pass_or_fail), &["diegomura/react-pdf"]),
    ("parse_log_grommet", Log(suites::grommet), &["grommet/grommet"]),
    ("parse_log_highlightjs", Log(suites::highlightjs), &["highlightjs/highlight.js"]),
    ("parse_log_lighthouse", Log(suites::lighthouse), &["GoogleChrome/lighthouse"]),
    ("parse_log_next", Log(suites::next), &["alibaba-fusion/next"]),
    ("parse_log_prismjs", Log(suites::prismjs), &["PrismJS/prism"]),
    ("parse_log_quarto_cli", Log(suites::quarto), &["quarto-dev/quarto-cli"]),
    ("parse_log_chart_js", Log(failures::chart_js), &["chartjs/Chart.js"]),
    ("parse_log_marked", Log(failures::marked), &["markedjs/marked"]),
    ("parse_log_p5js", Log(failures::p5js), &["processing/p5.js"]),
    ("parse_log_bpmn_js", Log(failures::bpmn_js), &["bpmn-io/bpmn-js"]),
    ("parse_log_openlayers", Log(failures::openlayers), &["openlayers/openlayers"]),
    ("parse_log_eslint", Log(failures::eslint), &["eslint/eslint"]),
];

impl Parser {
    /// The parser that rows call `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::find(|known, _| known == name)
    }

    /// The parser for a repository (`django/django`), where a row names none.
    pub fn of_repository(repository: &str) -> Option<Self> {
        Self::find(|_, repositories| repositories.contains(&repository))
    }

    fn find(is_meant: impl Fn(&str, &[&str]) -> bool) -> Option<Self> {
        let (name, parse, _) = PARSERS.iter().find(|(name, _, repositories)| is_meant(name, repositories))?;
        Some(Self { name, parse: *parse })
    }

    /// The names of all parsers.
    pub fn names() -> impl Iterator<Item = &'static str> {
        PARSERS.iter().map(|(name, ..)| *name)
    }

    /// `parse_log_django`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The statuses of tests in a part of a log, by the rules of another program that has the same parsers.
    pub fn read_by(&self, log: &str, book: &'static Book, instance_id: &str, version: &str) -> StatusMap {
        match self.parse {
            Lines(format) => format.read(log),
            Log(parse) => parse(log, &Context { book, instance_id, version }),
        }
    }

    /// The statuses of tests in a part of a log. `instance_id` and `version` matter for few repositories.
    pub(crate) fn read(&self, log: &str, rules: Rules, instance_id: &str, version: &str) -> StatusMap {
        self.read_by(log, rules.book(), instance_id, version)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
