//! Scripts of cases.

use patchwright_swe_bench::{Reset, Row, Specs, classic, directives, eval_script, image, with_exit_code};

use crate::support::{TEST_PATCH, row, write};

fn script(row: &Row, reset: Reset) -> String {
    eval_script(row, &Specs::builtin(), reset).unwrap()
}

#[test]
fn the_official_script_has_the_official_steps() {
    let row = row("a__a-1", &[], &[]);
    let expect = format!(
        "#!/bin/bash\n\
         set -uxo pipefail\n\
         source /opt/miniconda3/bin/activate\n\
         conda activate testbed\n\
         cd /testbed\n\
         git config --global --add safe.directory /testbed\n\
         cd /testbed\n\
         git status\n\
         git show\n\
         git -c core.fileMode=false diff 0123abc\n\
         source /opt/miniconda3/bin/activate\n\
         conda activate testbed\n\
         python -m pip install -e .\n\
         git checkout 0123abc tests/test_a.py tests/data.json\n\
         git apply -v - <<'EOF_114329324912'\n\
         {TEST_PATCH}\n\
         EOF_114329324912\n\
         : '>>>>> Start Test Output'\n\
         pytest -rA tests/test_a.py tests/test_new.py\n\
         : '>>>>> End Test Output'\n\
         git checkout 0123abc tests/test_a.py tests/data.json\n"
    );
    assert_eq!(script(&row, Reset::Official), expect);
}

#[test]
fn the_repaired_reset_takes_files_one_by_one_and_removes_added_ones() {
    let row = row("a__a-1", &[], &[]);
    let repaired = script(&row, Reset::Repaired);
    let resets = "git checkout 0123abc -- tests/test_a.py\n\
                  git checkout 0123abc -- tests/data.json\n\
                  rm -f -- tests/test_new.py\n";
    assert_eq!(repaired.matches(resets).count(), 2, "{repaired}");
    assert!(repaired.ends_with(resets));
    let official = "git checkout 0123abc tests/test_a.py tests/data.json\n";
    assert_eq!(repaired.replace(resets, official), script(&row, Reset::Official));
}

#[test]
fn a_test_patch_of_new_files_only_moves_no_commit() {
    let mut row = row("a__a-1", &[], &[]);
    row.test_patch = "diff --git a/t/n ew.py b/t/n ew.py\nnew file mode 100644\n--- /dev/null\n+++ b/t/n ew.py\n@@ -0,0 +1 @@\n+x\n".to_owned();
    // This is the official defect: without files, the command moves HEAD.
    assert!(script(&row, Reset::Official).contains("\ngit checkout 0123abc \n"));
    let repaired = script(&row, Reset::Repaired);
    assert!(!repaired.contains("git checkout"), "{repaired}");
    assert!(repaired.contains("\nrm -f -- 't/n ew.py'\n"), "{repaired}");
}

#[test]
fn directives_are_the_files_of_the_test_patch_without_data() {
    let check = |repo: &str, paths: &[&str], expect: &[&str]| {
        let mut row = row("a__a-1", &[], &[]);
        row.repo = repo.to_owned();
        row.test_patch =
            paths.iter().map(|path| format!("diff --git a/{path} b/{path}")).collect::<Vec<_>>().join("\n");
        assert_eq!(directives(&row), expect);
    };
    check("x/y", &["tests/a.py", "b.py"], &["tests/a.py", "b.py"]);
    for data in [
        "a.json", "a.png", "a.csv", "acsv", "a.txt", "a.md", "a.jpg", "a.jpeg", "a.pkl", "a.yml", "a.yaml",
        "a.toml",
    ] {
        check("x/y", &[data, "b.py"], &["b.py"]);
    }
    check("x/y", &["a.JSON", "a.rst"], &["a.JSON", "a.rst"]);
    check(
        "django/django",
        &["tests/a/test_b.py", "tests/a/c.html", "other/d.py", "tests/e.json"],
        &["a.test_b", "a.c.html", "other.d"],
    );
    // A renamed file is named as it is called afterwards.
    let mut row = row("a__a-1", &[], &[]);
    row.test_patch = "diff --git a/old b.py b/new b/c.py\n".to_owned();
    assert_eq!(directives(&row), ["c.py"]);
}

#[test]
fn commands_before_the_tests_come_first() {
    let mut row = row("a__a-1", &[], &[]);
    row.repo = "django/django".to_owned();
    row.version = "3.1".to_owned();
    let made = script(&row, Reset::Official);
    assert!(made.contains(
        "cd /testbed\nsed -i '/en_US.UTF-8/s/^# //g' /etc/locale.gen && locale-gen\nexport LANG=en_US.UTF-8\n"
    ));
    assert!(made.contains(
        "\n./tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1 test_a test_new\n"
    ));
}

#[test]
fn a_rows_own_script_is_kept_but_for_its_resets() {
    let mut row = row("a__a-1", &[], &[]);
    let official = classic(&row, &Specs::builtin(), Reset::Official).unwrap();
    row.eval_script = Some(official.clone());
    row.version = "unknown".to_owned();
    assert_eq!(script(&row, Reset::Official), official);
    row.version = "7.0".to_owned();
    let repaired = classic(&row, &Specs::builtin(), Reset::Repaired).unwrap();
    assert_eq!(script(&row, Reset::Repaired), repaired);
    // A line of the patch is no command.
    let reset = "git checkout 0123abc x.py";
    let own = format!("{reset}\ngit apply -v - <<'EOF_114329324912'\n{reset}\nEOF_114329324912\n{reset}\n");
    row.eval_script = Some(own);
    let kept = script(&row, Reset::Repaired);
    assert_eq!(kept.matches(reset).count(), 1, "{kept}");
}

#[test]
fn the_status_of_the_command_is_told_after_the_end() {
    let check = |script: &str, expect: &str| assert_eq!(with_exit_code(script), expect);
    check(
        "#!/bin/bash\nset -uxo pipefail\ncd /testbed\n: '>>>>> Start Test Output'\npytest\n: '>>>>> End Test Output'\ngit checkout x\n\n",
        "#!/bin/bash\nset -uxo pipefail\ncd /testbed\n: '>>>>> Start Test Output'\npytest\nSWEBENCH_TEST_EXIT_CODE=$?\n: '>>>>> End Test Output'\necho \">>>>> Test Exit Code: $SWEBENCH_TEST_EXIT_CODE\"\ngit checkout x\n",
    );
    check("pytest\n", "#!/bin/bash\nset -uxo pipefail\npytest\n");
}

#[test]
fn images_are_called_as_the_official_ones() {
    let row = row("Astropy__astropy-12907", &[], &[]);
    assert_eq!(image(&row, None), "sweb.eval.x86_64.astropy__astropy-12907:latest");
    assert_eq!(image(&row, Some("swebench")), "swebench/sweb.eval.x86_64.astropy_1776_astropy-12907:latest");
}

#[test]
fn versions_without_commands_are_named_with_the_cure() {
    let check = |repo: &str, version: &str| {
        let mut row = row("a__a-1", &[], &[]);
        row.repo = repo.to_owned();
        row.version = version.to_owned();
        let error = eval_script(&row, &Specs::builtin(), Reset::Official).unwrap_err().to_string();
        assert!(error.contains("a__a-1, field `version`") && error.contains("eval_script"), "{error}");
    };
    check("x/y", "1.0");
    check("django/django", "main");
}

#[test]
fn a_file_of_specs_comes_before_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let load = |text: &str| Specs::load(&write(folder.path(), "specs.json", text));
    let specs = load(
        r#"{"specs": {"x/y": {"1": {"python": "3.9", "install": "i", "test_cmd": "t", "eval_commands": ["e"], "pre_install": ["p"]}},
            "django/django": {"4.0": {"test_cmd": "mine"}, "9": {"python": "3"}}}}"#,
    )
    .unwrap();
    let spec = specs.get("x/y", "1").unwrap();
    assert_eq!((spec.test_cmd.as_str(), spec.install.as_deref()), ("t", Some("i")));
    assert_eq!(
        (spec.eval_commands.as_slice(), spec.pre_install.as_slice()),
        (["e".to_owned()].as_slice(), ["p".to_owned()].as_slice())
    );
    assert_eq!(specs.get("django/django", "4.0").unwrap().test_cmd, "mine");
    assert!(specs.get("django/django", "4.1").unwrap().test_cmd.starts_with("./tests/runtests.py"));
    let check = |text: &str, part: &str| {
        let error = load(text).unwrap_err().to_string();
        assert!(error.contains("specs.json") && error.contains(part), "{error}");
    };
    check("[]", "an object from repository");
    check("{", "no JSON");
    check(r#"{"x/y": []}"#, "`x/y`");
    check(r#"{"x/y": {"1": {"test_cmd": ["t"]}}}"#, "`x/y` 1, field `test_cmd`");
    check(r#"{"x/y": {"1": {"test_cmd": "t", "eval_commands": "e"}}}"#, "field `eval_commands`");
}
