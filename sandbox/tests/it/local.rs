//! The sandboxes that use the host's tool chain.

use std::time::Duration;

use patchwright_sandbox::{Exit, Kind, Wanted};

use crate::support::{command, eventually, lane, open, processes_with, run};

const ALL: [Wanted; 3] = [Wanted::Host, Wanted::Landlock, Wanted::Namespaces];

#[tokio::test]
async fn a_command_gives_status_and_output() {
    for wanted in ALL {
        let (sandbox, lane) = (open(wanted).await, lane());
        let check = async |line: &str, exit: Exit, stdout: &str, stderr: &str| {
            let outcome = run(&*sandbox, &lane.path, line).await;
            assert_eq!(outcome.exit, exit, "{wanted:?}: {line}: {outcome:?}");
            assert_eq!(outcome.stdout.text(), stdout, "{wanted:?}: {line}");
            assert!(
                outcome.stderr.text().contains(stderr),
                "{wanted:?}: {line}: {:?}",
                outcome.stderr.text()
            );
            assert!(!outcome.out_of_memory && !outcome.too_many_processes);
        };
        check("true", Exit::Code(0), "", "").await;
        check("echo out; echo err >&2; exit 3", Exit::Code(3), "out\n", "err\n").await;
        check("no-such-command", Exit::Code(127), "", "no-such-command").await;
        check("./no-such-file", Exit::Code(127), "", "no-such-file").await;
        check("touch plain && ./plain", Exit::Code(126), "", "plain").await;
        check("kill -SEGV $$", Exit::Signal(11), "", "").await;
        check("exit 125", Exit::Code(125), "", "").await;
        check("cat", Exit::Code(0), "", "").await;
        check("echo to > /dev/null; echo err > /dev/stderr", Exit::Code(0), "", "err").await;
        check("pwd", Exit::Code(0), &format!("{}\n", lane.path.display()), "").await;
    }
}
