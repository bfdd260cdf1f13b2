//! Failures of tests that no change of the project repairs: the environment lacks a package or a plugin.

mod build_tools;

use patchwright_protocol::TestId;
use patchwright_syntax::pattern::{Pattern, pattern};
use patchwright_test_results::{TestOutcome, frames};

static NO_MODULE: Pattern =
    pattern!(r"(?m)^(?:E\s+)?(?:ModuleNotFoundError|ImportError): No module named '([\w.]+)'$");
/// What node and jest say of a package, and who imports it; other names are of files, as are modules that are imported.
static NO_PACKAGE: Pattern = pattern!(
    r"(?m)^\s*(?:(?:Error|(?:ERR_)?MODULE_NOT_FOUND)(?: \[\w+\])?: )?Cannot find (module|package) '((?:@[\w.-]+/)?\w[\w.-]*)(?:/[^']*)?'(?: imported from (\S+))?"
);
static NO_NAME: Pattern = pattern!(
    r"ImportError: cannot import name '(\w+)' from (?:partially initialized module )?'([\w.]+)' \((/[^)]*)\)"
);
static NO_FIXTURE: Pattern = pattern!(r"(?m)^(?:E\s+)?fixture '(\w+)' not found");
/// A plugin that is named by settings, by a variable, or by a `conftest.py`.
static NO_PLUGIN: Pattern = pattern!(
    r#"(?m)^(?:E\s+)?(?:ERROR: )?(?:ImportError: )?Error importing plugin "[\w.]+": No module named '([\w.]+)'"#
);
/// A plugin that was written for another version of pytest.
static UNFIT_PLUGIN: Pattern = pattern!(r"(?m)PluginValidationError: Plugin '([^']+)' for hook '\w+'");
/// Test files of one name in folders that are no packages, which pytest takes for one module: where each is.
static NAMESAKE: Pattern = pattern!(
    r"import file mismatch:\s+(?:E\s+)?imported module '[\w.]+' has this __file__ attribute:\s+(?:E\s+)?(\S+)\s+(?:E\s+)?which is not the same as the test file"
);
static NO_ASYNC: Pattern = pattern!(r"async def functions are not natively supported");
static NO_OPTION: Pattern = pattern!(
    r"(?m)^(?:E\s+)?(?:pytest|py\.test|__main__\.py|python[\d.]* -m pytest): error: unrecognized arguments: (--?[\w-]+)"
);
/// What links to a class that was there when it was compiled. One that is asked for by name may be a typo in the code.
static NO_CLASS: Pattern =
    pattern!(r"(?m)^(?:\S+: |Caused by: )?(?:java\.lang\.)?NoClassDefFoundError: ((?:[\w$]+[/.])+[\w$]+)$");
static NO_LIBRARY: Pattern =
    pattern!(r"(?:ImportError|OSError): (lib[\w.+-]+\.so[\w.]*): cannot open shared object file");

/// Modules whose package has another name.
const PACKAGES: &[(&str, &str)] = &[
    ("attr", "attrs"),
    ("bs4", "beautifulsoup4"),
    ("cairo", "pycairo"),
    ("Crypto", "pycryptodome"),
    ("cv2", "opencv-python"),
    ("dateutil", "python-dateutil"),
    ("docx", "python-docx"),
    ("dotenv", "python-dotenv"),
    ("git", "GitPython"),
    ("jwt", "PyJWT"),
    ("magic", "python-magic"),
    ("mock", "mock"),
    ("mysql", "mysql-connector-python"),
    ("MySQLdb", "mysqlclient"),
    ("nacl", "PyNaCl"),
    ("OpenSSL", "pyOpenSSL"),
    ("PIL", "Pillow"),
    ("pkg_resources", "setuptools"),
    ("psycopg2", "psycopg2-binary"),
    ("serial", "pyserial"),
    ("skimage", "scikit-image"),
    ("sklearn", "scikit-learn"),
    ("slugify", "python-slugify"),
    ("usb", "pyusb"),
    ("yaml", "PyYAML"),
    ("zmq", "pyzmq"),
];

/// Fixtures, by the pytest plugin that has them.
const FIXTURES: &[(&str, &[&str])] = &[
    ("anyio", &["anyio_backend"]),
    ("Faker", &["faker"]),
    ("pyfakefs", &["fs"]),
    ("pytest-aiohttp", &["aiohttp_client", "aiohttp_server"]),
    ("pytest-asyncio", &["event_loop", "event_loop_policy"]),
    ("pytest-benchmark", &["benchmark"]),
    ("pytest-datadir", &["datadir", "shared_datadir"]),
    (
        "pytest-django",
        &["admin_client", "client", "db", "django_assert_num_queries", "rf", "settings", "transactional_db"],
    ),
    ("pytest-freezer", &["freezer"]),
    ("pytest-httpbin", &["httpbin", "httpbin_secure"]),
    ("pytest-httpserver", &["httpserver"]),
    ("pytest-httpx", &["httpx_mock"]),
    ("pytest-mock", &["class_mocker", "mocker", "module_mocker", "session_mocker"]),
    ("pytest-qt", &["qapp", "qtbot"]),
    ("pytest-regressions", &["data_regression", "file_regression", "num_regression"]),
    ("pytest-subtests", &["subtests"]),
    ("pytest-tornasync", &["http_server_client"]),
    ("pytest-xdist", &["testrun_uid", "worker_id"]),
    ("pytest-xprocess", &["xprocess"]),
    ("requests-mock", &["requests_mock"]),
    ("respx", &["respx_mock"]),
    ("responses", &["responses"]),
    ("syrupy", &["snapshot"]),
];

/// Options of pytest, by the plugin that has them.
const OPTIONS: &[(&str, &str)] = &[
    ("--asyncio-mode", "pytest-asyncio"),
    ("--benchmark", "pytest-benchmark"),
    ("--black", "pytest-black"),
    ("--cov", "pytest-cov"),
    ("--doctest-plus", "pytest-doctestplus"),
    ("--ds", "pytest-django"),
    ("--flake8", "pytest-flake8"),
    ("--forked", "pytest-forked"),
    ("--isort", "pytest-isort"),
    ("--mypy", "pytest-mypy"),
    ("--no-cov", "pytest-cov"),
    ("--randomly", "pytest-randomly"),
    ("--reruns", "pytest-rerunfailures"),
    ("--ruff", "pytest-ruff"),
    ("--timeout", "pytest-timeout"),
    ("-n", "pytest-xdist"),
];

/// What Python says of a locale that the system has not generated, or that does not exist: it does not name it.
static NO_LOCALE: Pattern = pattern!(r"(?m)^(?:E\s+)?locale\.Error: unsupported locale setting$");

/// Something that the environment of the tests lacks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EnvironmentFault {
    /// A clause: `the module yaml cannot be imported`.
    pub what: String,
    /// The cure, as an order to the user.
    pub cure: String,
}

impl EnvironmentFault {
    fn new(what: String, package: &str) -> Self {
        let cure = format!(
            "install {package} where the tests run (python -m pip install {package}); if that is the bug, name its test with --failing"
        );
        Self { what, cure }
    }

    /// `3 tests fail because the class a.B cannot be loaded`.
    pub(crate) fn told(&self, tests: &[TestId]) -> String {
        let fail = match tests {
            [test] => format!("`{test}` fails"),
            _ => format!("{} tests fail", tests.len()),
        };
        format!("{fail} because {}", self.what)
    }

    fn without_class(class: &str) -> Self {
        let cure = "put its jar on the class path of the tests (a package of the JDK's own modules takes none: then the \
                    tests need an older JDK); if that is the bug, name its test with --failing";
        Self { what: format!("the class {class} cannot be loaded"), cure: cure.to_owned() }
    }

    fn without_package(package: &str) -> Self {
        let cure = "install what the project depends on where the tests run (npm install); if that is the bug, name its test with --failing";
        Self { what: format!("the package `{package}` cannot be loaded"), cure: cure.to_owned() }
    }

    fn without_locale() -> Self {
        let cure = "generate the locales that the tests set, where the tests run (locale-gen); if that is the bug, name its test with --failing";
        Self { what: "a locale that they set is not there".to_owned(), cure: cure.to_owned() }
    }

    /// The fault that a failing test tells of. `belongs` says whether a module or class may be the project's own or, by what imports it, a
    /// typo in its code, and `may_be_fixed` whether a candidate may edit a file: then the failure may be the bug.
    pub(crate) fn of(
        outcome: &TestOutcome,
        belongs: impl FnOnce(&str, Option<(Index, &str)>) -> bool,
        may_be_fixed: impl Fn(&str) -> bool,
    ) -> Option<Self> {
        let text = [outcome.message.as_deref(), outcome.trace.as_deref()];
        let text = text.into_iter().flatten().collect::<Vec<_>>().join("\n");
        let class = NO_CLASS.captures_iter(&text).last().map(|found| found[1].replace('.', "/"));
        if let Some(class) = class {
            let outer = class.split('$').next().unwrap_or(&class);
            return (!belongs(outer, None)).then(|| Self::without_class(&class.replace('/', ".")));
        }
        if let Some(fault) = Self::told_by(&text) {
            return Some(fault);
        }
        if NO_LOCALE.is_match(&text) {
            let is_by_code = frames(&text).iter().any(|(path, _)| may_be_fixed(path));
            return (!is_by_code).then(Self::without_locale);
        }
        let importing = || frames(&text).into_iter().next().map(|(path, _)| path);
        if let Some(found) = NO_PACKAGE.captures_iter(&text).last() {
            let (package, importer) = (&found[2], found.get(3).map(|path| path.as_str().to_owned()));
            let is_file = &found[1] == "module" && importer.is_some();
            let importer = importer.or_else(importing);
            let importer = importer.as_deref().map(|path| (Index::Npm, path));
            let is_fault = !is_file && !belongs(package, importer);
            return is_fault.then(|| Self::without_package(package));
        }
        let module = NO_MODULE.captures_iter(&text).last()?[1].to_owned();
        let module = module.split('.').next().unwrap_or(&module);
        let fault = || Self::new(format!("the module `{module}` cannot be imported"), package_of(module));
        let importer = importing();
        let importer = importer.as_deref().map(|path| (Index::Python, path));
        (!belongs(module, importer)).then(fault)
    }

    /// The fault that a text tells of by words that no project's code writes.
    pub(crate) fn told_by(text: &str) -> Option<Self> {
        if let Some(found) = NO_FIXTURE.captures(text) {
            let fixture = &found[1];
            let plugin = FIXTURES.iter().find(|(_, fixtures)| fixtures.contains(&fixture))?.0;
            return Some(Self::new(format!("the fixture `{fixture}` is not there"), plugin));
        }
        if let Some(found) = NO_OPTION.captures(text) {
            let option = &found[1];
            let plugin = OPTIONS.iter().find(|(known, _)| option.starts_with(known))?.1;
            return Some(Self::new(
                format!("pytest does not know the option `{option}` of the project's settings"),
                plugin,
            ));
        }
        if let Some(found) = NO_LIBRARY.captures(text) {
            let library = &found[1];
            let cure = format!("install the system's package that holds {library}");
            return Some(Self { what: format!("the library {library} is not there"), cure });
        }
        if let Some(found) = NO_PLUGIN.captures(text) {
            let module = found[1].split('.').next().unwrap_or_default();
            return Some(Self::new(format!("the plugin `{module}` is not there"), package_of(module)));
        }
        if let Some(found) = UNFIT_PLUGIN.captures(text) {
            let plugin = &found[1];
            let cure = format!(
                "install a version of it that fits this pytest, or of pytest that fits it, or leave it out (`-p no:{plugin}` in `addopts`)"
            );
            return Some(Self {
                what: format!("the plugin `{plugin}` does not fit this version of pytest"),
                cure,
            });
        }
        if let Some(found) = NAMESAKE.captures(text) {
            let file = found[1].rsplit('/').next().unwrap_or_default();
            let cure = "put an `__init__.py` into the folder of each, or have each file imported by itself (`--import-mode=importlib` \
                        in `addopts`, or with --test CMD)";
            let what = format!(
                "pytest takes the files of the name `{file}` for one module and runs one of them alone"
            );
            return Some(Self { what, cure: cure.to_owned() });
        }
        if NO_ASYNC.is_match(text) {
            return Some(Self::new(
                "pytest cannot run tests that are `async def`".to_owned(),
                "pytest-asyncio",
            ));
        }
        let found = NO_NAME.captures(text).filter(|found| found[3].contains("/site-packages/"))?;
        let (name, module) = (&found[1], found[2].split('.').next().unwrap_or_default());
        Some(Self {
            what: format!(
                "the installed `{module}` has no `{name}`: its version is not one that the tests are written for"
            ),
            cure: format!("install a version of {module} that the project asks for"),
        })
    }
}

/// Where packages come from, each place with names of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Index {
    Python,
    Npm,
}

/// The name of a package as indexes compare it.
pub(crate) fn normalized(name: &str) -> String {
    name.to_lowercase().replace(['_', '.'], "-")
}

/// The package that a module comes from.
pub(crate) fn package_of(module: &str) -> &str {
    PACKAGES.iter().find(|(known, _)| *known == module).map_or(module, |(_, package)| package)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use patchwright_test_results::TestStatus;

    #[test]
    fn what_an_environment_lacks_is_named_with_its_cure() {
        let belongs = |module: &str, importing: Option<(Index, &str)>| {
            module == "shop"
                || module == "shop/Basket"
                || importing.is_some_and(|(_, path)| path.starts_with("shop/"))
        };
        let check = |text: &str, expect: Option<(&str, &str)>| {
            let outcome = TestOutcome::new("t", TestStatus::Error).with_trace(text);
            let fault = EnvironmentFault::of(&outcome, belongs, |path| path.starts_with("shop/"));
            match (fault, expect) {
                (None, None) => {}
                (Some(fault), Some((what, cure))) => {
                    assert!(fault.what.contains(what) && fault.cure.contains(cure), "{fault:?}");
                }
                (fault, _) => panic!("{text}: {fault:?}"),
            }
        };
        check("E  fixture 'mocker' not found", Some(("`mocker`", "pytest-mock")));
        check("E  fixture 'basket' not found", None);
        let setting = |file: &str| {
            format!(
                "{file}:7: in setting\n    setlocale(LC_ALL, name)\n/usr/lib/python3/locale.py:626: in setlocale\n    \
                 return _setlocale(category, locale)\nE   locale.Error: unsupported locale setting"
            )
        };
        check(&setting("tests/conftest.py"), Some(("a locale", "locale-gen")));
        check(&setting("shop/prices.py"), None);
        check("E   AssertionError: locale.Error: unsupported locale setting", None);
        let import = |file: &str, module: &str| {
            format!(
                "{file}:3: in <module>\n    import x\nE   ModuleNotFoundError: No module named '{module}'"
            )
        };
        check(&import("tests/test_a.py", "yaml.loader"), Some(("`yaml`", "PyYAML")));
        check(&import("tests/test_a.py", "shop.basket"), None);
        check(&import("shop/basket.py", "jsn"), None);
        check(&import("tests/test_a.py", "yaml").replace("E   M", "E   AssertionError: 'M"), None);
        check("usage: shop [-h]\nE   SystemExit: 2\nshop: error: unrecognized arguments: --timeout", None);
        let plugin = "ERROR: Error importing plugin \"pytest_shop\": No module named 'pytest_shop'";
        check(plugin, Some(("`pytest_shop`", "pip install pytest_shop")));
        let unfit = "pluggy._manager.PluginValidationError: Plugin 'lintish' for hook 'pytest_collect_file'\nhookimpl definition: x";
        check(unfit, Some(("`lintish`", "-p no:lintish")));
        let namesake = "import file mismatch:\nimported module 'test_all' has this __file__ attribute:\n  /w/a/test_all.py\n\
                        which is not the same as the test file we want to collect:\n  /w/b/test_all.py";
        check(namesake, Some(("`test_all.py`", "importlib")));
        check("async def functions are not natively supported.", Some(("async", "pytest-asyncio")));
        check("pytest: error: unrecognized arguments: --cov=shop", Some(("`--cov`", "pytest-cov")));
        let from =
            |path: &str| format!("ImportError: cannot import name 'url_quote' from 'werkzeug.urls' ({path})");
        check(&from("/v/lib/python3.11/site-packages/werkzeug/urls.py"), Some(("werkzeug", "version")));
        check(&from("/w/shop/urls.py"), None);
        check("AssertionError: assert 1 == 2", None);
        let required =
            |package: &str| format!("Error: Cannot find module '{package}'\nRequire stack:\n- /p/test/a.js");
        check(&required("@babel/core/lib/index.js"), Some(("`@babel/core`", "npm install")));
        check(
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'chai' imported from /p/a.js",
            Some(("`chai`", "npm")),
        );
        check("Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'fss' imported from shop/a.js", None);
        check("Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'helper.mjs' imported from t/a.js", None);
        check(&required("../lib/basket"), None);
        check(&required("/p/lib/basket"), None);
        check(&required("node:tests"), None);
        check(&required("shop"), None);
        check("AssertionError: Cannot find module 'chai'", None);
        let unlinked = |class: &str| {
            format!(
                "java.lang.NoClassDefFoundError: {class}\n\tat shop.ATest.a(ATest.java:3)\nCaused by: java.lang.ClassNotFoundException: {class}"
            )
        };
        check(&unlinked("org/w3c/dom/ls/DocumentLS"), Some(("org.w3c.dom.ls.DocumentLS", "class path")));
        check(&unlinked("shop/Basket$Item"), None);
        check("java.lang.NoClassDefFoundError: Could not initialize class shop.Till", None);
    }
}
