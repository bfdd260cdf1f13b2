//! Snippets and commands, and what they leave.

use std::net::TcpListener;

use patchwright_sandbox::RequestedSandbox;
use patchwright_tools::{GatheredInformation, Observation};
use serde_json::{Value, json};

use crate::bench::{Bench, content};

async fn bench() -> Bench {
    Bench::open_in(RequestedSandbox::Auto).await
}

#[track_caller]
fn check(seen: &Observation, expect: &str) {
    assert!(seen.outcome.advances(), "{}", seen.text);
    assert_eq!(seen.text, expect);
    assert_eq!(seen.gathered, Some(GatheredInformation::Text));
}

#[track_caller]
fn refused(seen: &Observation, expect: &str) {
    assert!(!seen.outcome.advances(), "{}", seen.text);
    assert_eq!(seen.text, expect);
}

fn command(line: &str) -> Value {
    json!({ "command": line })
}

fn code(text: &str) -> Value {
    json!({ "code": text })
}

#[tokio::test]
async fn a_snippet_runs_with_the_original_or_with_a_candidate() {
    let mut bench = bench().await;
    let before = content(&bench.root);
    let snippet = "import sys\nfrom shop.cart import Cart\ncart = Cart()\ncart.add('tea', 300, 2)\n\
                   print('before', file=sys.stderr)\nprint(cart.total())\nsys.exit(3)\n";
    check(
        &bench.run("run_code", code(snippet)).await,
        "The snippet on the original code ended with status 3; its output:\nbefore\n300\n",
    );
    let with = json!({ "code": snippet, "candidate": 1 });
    refused(
        &bench.run("run_code", with.clone()).await,
        "There is no candidate 1; no fix has been written yet.",
    );
    let fix = json!({"edits": [{"file_path": "shop/cart.py", "modifications": [{"line_number": 20, "modified_line": "            total += cents * count"}]}]});
    bench.run("write_fix", fix).await;
    let seen = bench.run("run_code", with).await;
    check(&seen, "The snippet with candidate 1 applied ended with status 3; its output:\nbefore\n600\n");
    assert_eq!(seen.data["status"], 3);
    check(
        &bench
            .run("run_code", json!({ "command": "grep -n cents.*count shop/cart.py", "candidate": 1 }))
            .await,
        "The command with candidate 1 applied ended with status 0; its output:\n\
         12:    def add(self, name, cents, count=1):\n14:        self.items.append((name, cents, count))\n\
         19:        for _, cents, count in self.items:\n20:            total += cents * count\n",
    );
    let failed = bench.run("run_code", code("import shop.cart\nshop.cart.Cart().item()")).await;
    for part in [
        "ended with status 1; its output:\nTraceback (most recent call last):\n  File \"snippet.py\", line 2, in <module>\n",
        "AttributeError: 'Cart' object has no attribute 'item'",
    ] {
        assert!(failed.text.contains(part), "{}", failed.text);
    }
    check(
        &bench.run("run_code", command("true")).await,
        "The command on the original code ended with status 0 and printed nothing.",
    );
    assert_eq!(content(&bench.root), before, "the project is not touched");
}

#[tokio::test]
async fn what_is_written_or_deleted_is_as_before_at_the_next_call() {
    let mut bench = bench().await;
    let list = || command("ls -A; ls -A .. \"$HOME\" \"$TMPDIR\"; cat shop/pricing.py | wc -l");
    let before = bench.run("run_code", list()).await;
    assert!(before.text.contains("shop\n") && before.text.contains("project\n"), "{}", before.text);
    for line in [
        "echo x > new.txt; echo y >> shop/pricing.py; echo z > \"$HOME/left\"; echo z > \"$PATCHWRIGHT_OUT/left\"",
        "rm -rf ./* ./.[!.]* ; ls -A",
        "rm -rf ../project ../out ../tools; true",
        "chmod 000 shop; chmod 000 .",
        "rm -rf shop; ln -s /etc shop; mkfifo pipe",
    ] {
        bench.run("run_code", command(line)).await;
        let after = bench.run("run_code", list()).await;
        assert_eq!(after.text, before.text, "after {line}");
    }
    let tests = bench.run("run_tests", json!({ "tests": ["test_tax"] })).await;
    assert!(tests.text.contains("1 passed"), "{}", tests.text);
}

#[tokio::test]
async fn a_time_out_keeps_what_was_said_and_leaves_no_process() {
    let mut bench = bench().await;
    bench.settings.code_seconds = 5;
    check(
        &bench.run("run_code", code("import time\nprint('begun')\ntime.sleep(98.7653)")).await,
        "The snippet on the original code timed out after 5 s; the output so far:\nbegun\n",
    );
    let background = "setsid sleep 98.7654 > /dev/null 2>&1 & (sleep 98.7654 &) ; echo started";
    check(
        &bench.run("run_code", command(background)).await,
        "The command on the original code ended with status 0; its output:\nstarted\n",
    );
    bench.settings.code_seconds = 60;
    let many = bench.run("run_code", command("for i in $(seq 700); do sleep 98.7654 & done; wait")).await;
    insta::assert_snapshot!(many.text.lines().next().unwrap());
    let running = |word: &str| {
        std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(word)
        })
    };
    assert!(!running("98.7654"), "a process is left");
    check(
        &bench.run("run_code", command("echo alive")).await,
        "The command on the original code ended with status 0; its output:\nalive\n",
    );
}

#[tokio::test]
async fn output_is_bounded_and_readable() {
    let mut bench = bench().await;
    bench.settings.code_seconds = 2;
    bench.settings.output_bytes = 1_000;
    let endless = bench.run("run_code", command("echo first; yes word")).await;
    assert!(endless.text.len() < 1_200, "{}", endless.text);
    insta::assert_snapshot!(endless.text.replace("word\n", ""));
    let binary = bench
        .run("run_code", command("head -c 600 /dev/zero; printf 'end \\033[31mred\\033[0m \\377\\376'"))
        .await;
    check(
        &binary,
        "The command on the original code ended with status 0; its output:\n\u{fffd}end red \u{fffd}\n",
    );
    let address =
        "print(object()); import os, tempfile; print(os.getcwd(), tempfile.mkdtemp(), 'pid', os.getpid())";
    let (one, two) = (bench.run("run_code", code(address)).await, bench.run("run_code", code(address)).await);
    assert_eq!(one.text, two.text, "the same in every run");
    assert!(one.text.contains("<object object at 0x…>\n. <tmp>"), "{}", one.text);
}

#[tokio::test]
async fn there_is_no_network() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect =
        format!("import socket\nsocket.create_connection(('127.0.0.1', {port}), 3)\nprint('connected')");
    let seen = bench().await.run("run_code", code(&connect)).await;
    assert!(seen.text.contains("status 1") && !seen.text.contains("connected"), "{}", seen.text);
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "nobody has come through");
}

#[tokio::test]
async fn arguments_that_say_nothing_or_too_much_are_refused() {
    let mut bench = bench().await;
    for (arguments, expect) in [
        (json!({}), "Give `code`, a snippet, or `command`, a line for the shell."),
        (
            json!({"code": " \n", "command": ""}),
            "Give `code`, a snippet, or `command`, a line for the shell.",
        ),
        (json!({"code": "1", "command": "ls"}), "Give `code` or `command`, not both."),
        (json!({"command": "ls \u{0}"}), "The argument `command` holds a zero byte, which no program takes."),
        (
            json!({"code": "#".repeat(100_001)}),
            "The argument `code` has 100001 bytes; 100000 are taken at most. Run less at once.",
        ),
        (
            json!({"code": "class A {}", "language": "java"}),
            "Snippets are run in python here, and not in java; use `command`.",
        ),
        (json!({"command": "ls", "candidate": 7}), "There is no candidate 7; no fix has been written yet."),
    ] {
        refused(&bench.run("run_code", arguments).await, expect);
    }
    let most = format!("print(1) {}", "#".repeat(99_000));
    check(
        &bench.run("run_code", code(&most)).await,
        "The snippet on the original code ended with status 0; its output:\n1\n",
    );
    let odd = bench.run("run_code", command("if")).await;
    assert!(odd.data["status"] == 2 && odd.text.contains("yntax error"), "{}", odd.text);
}

#[tokio::test]
async fn where_nothing_isolates_commands_none_is_run() {
    let mut bench = Bench::open().await;
    refused(
        &bench.run("run_code", command("ls")).await,
        "Nothing can be run but the tests: no sandbox keeps commands from the user's files here.",
    );
}
