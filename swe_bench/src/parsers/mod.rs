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

/// What a parser knows besides the log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'case> {
    /// What the rules ask for.
    pub book: &'static Book,
    /// `jekyll__jekyll-9141`: some repositories changed their test tool.
    pub instance_id: &'case str,
    /// The version of the project.
    pub version: &'case str,
}

type Parse = for<'log> fn(&'log str, &Context<'_>) -> StatusMap<'log>;

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
    ("parse_log_pytest", pytest::pytest, &["pytest-dev/pytest"]),
    ("parse_log_pytest_options", pytest::with_options, &[]),
    ("parse_log_pytest_v2", pytest::colored, &[]),
    ("parse_log_astroid", pytest::pytest, &["pylint-dev/astroid"]),
    ("parse_log_flask", pytest::pytest, &["pallets/flask"]),
    ("parse_log_marshmallow", pytest::pytest, &["marshmallow-code/marshmallow"]),
    ("parse_log_pvlib", pytest::pytest, &["pvlib/pvlib-python"]),
    ("parse_log_pyvista", pytest::pytest, &["pyvista/pyvista"]),
    ("parse_log_sqlfluff", pytest::pytest, &["sqlfluff/sqlfluff"]),
    ("parse_log_xarray", pytest::pytest, &["pydata/xarray"]),
    ("parse_log_pydicom", pytest::with_options, &["pydicom/pydicom"]),
    ("parse_log_requests", pytest::with_options, &["psf/requests"]),
    ("parse_log_pylint", pytest::with_options, &["pylint-dev/pylint"]),
    ("parse_log_astropy", pytest::colored, &["astropy/astropy"]),
    ("parse_log_scikit", pytest::colored, &["scikit-learn/scikit-learn"]),
    ("parse_log_sphinx", pytest::colored, &["sphinx-doc/sphinx"]),
    ("parse_log_matplotlib", pytest::matplotlib, &["matplotlib/matplotlib"]),
    ("parse_log_seaborn", pytest::seaborn, &["mwaskom/seaborn"]),
    ("parse_log_django", django::django, &["django/django"]),
    ("parse_log_sympy", sympy::sympy, &["sympy/sympy"]),
    ("parse_log_maven", builds::maven, &["google/gson", "apache/druid", "javaparser/javaparser"]),
    ("parse_log_gradle_custom", builds::gradle, &["apache/lucene", "reactivex/rxjava"]),
    ("parse_log_doctest", builds::doctest, &["nlohmann/json"]),
    ("parse_log_ant", lines::ant, &["projectlombok/lombok"]),
    (
        "parse_log_gotest",
        lines::gotest,
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
        lines::cargo,
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
        lines::phpunit,
        &[
            "phpoffice/phpspreadsheet",
            "laravel/framework",
            "php-cs-fixer/php-cs-fixer",
            "briannesbitt/carbon",
        ],
    ),
    ("parse_log_redis", lines::redis, &["redis/redis", "valkey-io/valkey"]),
    ("parse_log_jq", lines::jq, &["jqlang/jq"]),
    ("parse_log_micropython_test", lines::micropython, &["micropython/micropython"]),
    ("parse_log_googletest", lines::googletest, &["fmtlib/fmt"]),
    ("parse_log_minitest", lines::minitest, &[]),
    ("parse_log_cucumber", lines::cucumber, &[]),
    ("parse_log_ruby_unit", lines::ruby_unit, &["fluent/fluentd", "faker-ruby/faker"]),
    (
        "parse_log_rspec_transformed_json",
        lines::rspec,
        &["fastlane/fastlane", "jordansissel/fpm", "rubocop/rubocop"],
    ),
    ("parse_log_jekyll", lines::jekyll, &["jekyll/jekyll"]),
    ("parse_log_jest", lines::jest, &["babel/babel", "facebook/docusaurus"]),
    ("parse_log_jest_json", lines::jest_json, &[]),
    ("parse_log_vitest", lines::vitest, &["vuejs/core"]),
    ("parse_log_tap", lines::tap, &["mrdoob/three.js", "axios/axios"]),
    ("parse_log_immutable_js", lines::immutable_js, &["immutable-js/immutable-js"]),
    ("parse_log_karma", suites::karma, &["preactjs/preact"]),
    ("parse_log_calypso", suites::calypso, &["Automattic/wp-calypso"]),
    (
        "parse_log_carbon",
        suites::pass_or_fail,
        &["carbon-design-system/carbon", "prettier/prettier", "scratchfoundation/scratch-gui"],
    ),
    ("parse_log_react_pdf", suites::pass_or_fail, &["diegomura/react-pdf"]),
    ("parse_log_grommet", suites::grommet, &["grommet/grommet"]),
    ("parse_log_highlightjs", suites::highlightjs, &["highlightjs/highlight.js"]),
    ("parse_log_lighthouse", suites::lighthouse, &["GoogleChrome/lighthouse"]),
    ("parse_log_next", suites::next, &["alibaba-fusion/next"]),
    ("parse_log_prismjs", suites::prismjs, &["PrismJS/prism"]),
    ("parse_log_quarto_cli", suites::quarto, &["quarto-dev/quarto-cli"]),
    ("parse_log_chart_js", failures::chart_js, &["chartjs/Chart.js"]),
    ("parse_log_marked", failures::marked, &["markedjs/marked"]),
    ("parse_log_p5js", failures::p5js, &["processing/p5.js"]),
    ("parse_log_bpmn_js", failures::bpmn_js, &["bpmn-io/bpmn-js"]),
    ("parse_log_openlayers", failures::openlayers, &["openlayers/openlayers"]),
    ("parse_log_eslint", failures::eslint, &["eslint/eslint"]),
];

impl Parser {
    /// The parser that rows call `name`.
    pub fn named(name: &str) -> Option<Self> {
        PARSERS.iter().find(|(known, ..)| *known == name).map(|(name, parse, _)| Self { name, parse: *parse })
    }

    /// The parser for a repository (`django/django`), where a row names none.
    pub fn of_repository(repository: &str) -> Option<Self> {
        PARSERS
            .iter()
            .find(|(.., repositories)| repositories.contains(&repository))
            .map(|(name, parse, _)| Self { name, parse: *parse })
    }

    /// The names of all parsers.
    pub fn names() -> impl Iterator<Item = &'static str> {
        PARSERS.iter().map(|(name, ..)| *name)
    }

    /// `parse_log_django`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What a part of a log says of each test. `instance_id` and `version` matter for few repositories.
    pub(crate) fn read<'log>(
        &self,
        log: &'log str,
        rules: Rules,
        instance_id: &str,
        version: &str,
    ) -> StatusMap<'log> {
        (self.parse)(log, &Context { book: rules.book(), instance_id, version })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
