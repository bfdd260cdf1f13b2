//! What every kind of sandbox promises.

use std::time::{Duration, Instant};

use patchwright_sandbox::{Exit, Sandbox};

use crate::support::{Lane, command, eventually, processes_with, run, unique_sleep};

/// Ways of fleeing from a process tree, each a line that leaves `SLEEP` behind.
const FLIGHTS: [&str; 4] = [
    "SLEEP & true",
    "(setsid SLEEP > /dev/null 2>&1 &)",
    "(setsid sh -c 'SLEEP & SLEEP &' > /dev/null 2>&1 &) ; sleep 0.3",
    "(trap '' TERM HUP INT; setsid sh -c 'trap \"\" TERM HUP; SLEEP & wait' &)",
];

pub async fn check_statuses(sandbox: &dyn Sandbox, lane: &Lane) {
    let kind = sandbox.kind();
    let check = async |line: &str, exit: Exit, stdout: &str, stderr: &str| {
        let outcome = run(sandbox, &lane.path, line).await;
        assert_eq!(outcome.exit, exit, "{kind}: {line}: {outcome:?}");
        assert_eq!(outcome.stdout.text(), stdout, "{kind}: {line}");
        assert!(outcome.stderr.text().contains(stderr), "{kind}: {line}: {:?}", outcome.stderr.text());
        assert!(!outcome.out_of_memory && !outcome.too_many_processes);
    };
    check("true", Exit::Code(0), "", "").await;
    check("echo out; echo err >&2; exit 3", Exit::Code(3), "out\n", "err\n").await;
    check("no-such-command", Exit::Code(127), "", "no-such-command").await;
    check("./no-such-file", Exit::Code(127), "", "no-such-file").await;
    check("touch plain && ./plain", Exit::Code(126), "", "plain").await;
    check("if", Exit::Code(2), "", "").await;
    check("kill -SEGV $$", Exit::Signal(11), "", "").await;
    check("exit 125", Exit::Code(125), "", "").await;
    check("cat", Exit::Code(0), "", "").await;
    check("printf 'caf\\351'", Exit::Code(0), "caf\u{fffd}", "").await;
    check("echo to > /dev/null; echo err > /dev/stderr", Exit::Code(0), "", "err").await;
    let inside = sandbox.path_inside(&lane.path);
    check("pwd", Exit::Code(0), &format!("{}\n", inside.display()), "").await;
    // Some of these folders may be the host's: what is written lies in a folder that was made for it.
    let own = format!("patchwright-{}", lane.path.display().to_string().replace(['/', ' '], "-"));
    let writable = format!(
        "for f in . \"$HOME\" /tmp; do d=\"$f/{own}\"; mkdir \"$d\" && touch \"$d/new\" && rm -r \"$d\" || echo \"$f\"; done"
    );
    check(&writable, Exit::Code(0), "", "").await;
}

pub async fn check_long_output(sandbox: &dyn Sandbox, lane: &Lane) {
    let mut command = command("echo BEGIN; head -c 100000000 /dev/zero; echo END; echo small >&2");
    command.limits.output_bytes = 10_000;
    let outcome = sandbox.run(&lane.path, &command).await.unwrap();
    assert_eq!(outcome.exit, Exit::Code(0));
    assert_eq!((outcome.stdout.head.len(), outcome.stdout.tail.len()), (5_000, 5_000));
    assert!(outcome.stdout.head.starts_with(b"BEGIN\n") && outcome.stdout.tail.ends_with(b"END\n"));
    assert_eq!(outcome.stdout.omitted, 100_000_010 - 10_000);
    assert_eq!(outcome.stderr.text(), "small\n");
}

pub async fn check_that_nothing_is_left(sandbox: &dyn Sandbox, lane: &Lane) {
    for flight in FLIGHTS {
        let sleep = unique_sleep();
        let line = format!("{}; echo done; exit 4", flight.replace("SLEEP", &sleep));
        let outcome = run(sandbox, &lane.path, &line).await;
        assert_eq!((outcome.exit, outcome.stdout.text().as_str()), (Exit::Code(4), "done\n"), "{line}");
        assert_eq!(processes_with(&sleep), [""; 0], "{}: {line}", sandbox.kind());
    }
}

pub async fn check_time_outs(sandbox: &dyn Sandbox, lane: &Lane) {
    for flight in FLIGHTS {
        let sleep = unique_sleep();
        let mut command = command(&format!("{}; echo begun; {sleep}", flight.replace("SLEEP", &sleep)));
        command.limits.time = Duration::from_millis(500);
        let outcome = sandbox.run(&lane.path, &command).await.unwrap();
        assert_eq!(outcome.exit, Exit::TimedOut, "{}: {flight}", sandbox.kind());
        assert!(outcome.seconds >= 0.5);
        assert_eq!(processes_with(&sleep), [""; 0], "{}: {flight}", sandbox.kind());
    }
    assert_eq!(run(sandbox, &lane.path, "true").await.exit, Exit::Code(0), "it can be used again");
}

pub async fn check_dropping(sandbox: &dyn Sandbox, lane: &Lane) {
    let sleep = unique_sleep();
    let command = command(&format!("(setsid {sleep} > /dev/null 2>&1 &); {sleep}"));
    tokio::select! {
        outcome = sandbox.run(&lane.path, &command) => panic!("{outcome:?}"),
        () = eventually("begun", || processes_with(&sleep).len() > 2) => {}
    }
    assert_eq!(processes_with(&sleep), [""; 0], "{}", sandbox.kind());
    assert_eq!(run(sandbox, &lane.path, "true").await.exit, Exit::Code(0), "it can be used again");
}

pub async fn check_fork_bomb(sandbox: &dyn Sandbox, lane: &Lane) {
    let sleep = unique_sleep();
    // It would stop by itself at some two hundred and fifty: a machine that fails this test must survive it.
    let bomb =
        format!("bomb() {{ [ $1 -gt 6 ] && exec {sleep}; bomb $(($1 + 1)) & bomb $(($1 + 1)) & wait; }}");
    let mut command = command(&format!("{bomb}; bomb 0"));
    command.limits.processes = 20;
    // A shell that is refused tries again, for longer than anybody waits.
    command.limits.time = Duration::from_secs(5);
    let begun = Instant::now();
    let outcome = sandbox.run(&lane.path, &command).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(25), "{}: {outcome:?}", sandbox.kind());
    // Either the kernel gave no more, or the supervisor put an end to it.
    let refused = outcome.stderr.text().contains("annot fork");
    assert!(outcome.too_many_processes || refused, "{}: {outcome:?}", sandbox.kind());
    assert_eq!(processes_with(&sleep), [""; 0], "{}", sandbox.kind());
    assert_eq!(run(sandbox, &lane.path, "true").await.exit, Exit::Code(0), "it can be used again");
}

pub async fn check_disk(sandbox: &dyn Sandbox, lane: &Lane) {
    // Each file alone is one that may be written.
    let mut many = command("for i in 1 2 3 4 5 6 7 8; do head -c 50M /dev/zero > $i; done; sleep 50");
    many.limits.disk_bytes = 100 << 20;
    let outcome = sandbox.run(&lane.path, &many).await.unwrap();
    assert!(outcome.out_of_disk && outcome.exit == Exit::Signal(9), "{}: {outcome:?}", sandbox.kind());
    // Files without a name are no less on the disk.
    let line =
        "rm ?; exec 3>a 4>b 5>c; rm a b c; for i in 3 4 5; do head -c 50M /dev/zero >&$i; done; sleep 50";
    let mut nameless = command(line);
    nameless.limits.disk_bytes = 100 << 20;
    let outcome = sandbox.run(&lane.path, &nameless).await.unwrap();
    assert!(outcome.out_of_disk && outcome.exit == Exit::Signal(9), "{}: {outcome:?}", sandbox.kind());
}
