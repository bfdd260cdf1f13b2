//! The sandboxes that use the host's tool chain.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use patchwright_sandbox::{Exit, ProjectPlace, RequestedSandbox, SandboxKind, SandboxRequest, choose, sweep};

use crate::checks::{
    check_disk, check_dropping, check_fork_bomb, check_long_output, check_statuses,
    check_that_nothing_is_left, check_time_outs,
};
use crate::support::{command, eventually, is_root, lane, open, processes_with, run, unique_sleep};

const ALL: [RequestedSandbox; 3] =
    [RequestedSandbox::Host, RequestedSandbox::Landlock, RequestedSandbox::Namespaces];

#[tokio::test]
async fn a_command_gives_status_and_output() {
    for wanted in ALL {
        let (sandbox, lane) = (open(wanted).await, lane());
        check_statuses(&*sandbox, &lane).await;
    }
}

#[tokio::test]
async fn folder_and_variables_are_those_of_the_command() {
    for wanted in ALL {
        let (sandbox, lane) = (open(wanted).await, lane());
        std::fs::create_dir(lane.path.join("sub folder")).unwrap();
        let mut command = command("echo \"$ONE|$PATH\" > out; basename \"$(pwd)\"");
        command.dir = "sub folder".into();
        command.env = [("ONE", "a 'b' \"c\" $d\n"), ("PATH", "/bin:/usr/bin")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        let outcome = sandbox.run(&lane.path, &command).await.unwrap();
        assert_eq!(outcome.stdout.text(), "sub folder\n", "{wanted:?}: {outcome:?}");
        assert_eq!(lane.read("sub folder/out"), "a 'b' \"c\" $d\n|/bin:/usr/bin\n");
    }
}

#[tokio::test]
async fn the_lane_stands_in_the_place_of_the_project() {
    let (folder, lane) = (tempfile::TempDir::new().unwrap(), lane());
    let at = folder.path().canonicalize().unwrap().join("the project");
    let environment = at.join(".venv");
    let write = |path: &Path, text: &str| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(&at.join("src/a.txt"), "of the host\n");
    write(&environment.join("e.txt"), "environment\n");
    write(&lane.path.join("copy/src/a.txt"), "of the lane\n");
    write(&lane.path.join("copy/.venv/e.txt"), "no environment\n");
    let request = SandboxRequest {
        wanted: RequestedSandbox::Namespaces,
        readable: vec![environment],
        project: Some(ProjectPlace { at: at.clone(), in_lane: "copy" }),
        ..SandboxRequest::default()
    };
    let sandbox = choose(&request).await.unwrap().sandbox;
    let place = at.display();
    let line =
        format!("cd '{place}' && cat src/a.txt .venv/e.txt && echo new > src/b.txt && ! touch .venv/x");
    let outcome = run(&*sandbox, &lane.path, &line).await;
    assert_eq!(outcome.stdout.text(), "of the lane\nenvironment\n", "{outcome:?}");
    assert_eq!(outcome.exit, Exit::Code(0), "{outcome:?}");
    assert_eq!(lane.read("copy/src/b.txt"), "new\n");
    assert_eq!(std::fs::read_to_string(at.join("src/a.txt")).unwrap(), "of the host\n");
    assert!(!at.join("src/b.txt").exists() && !lane.path.join("copy/.venv/x").exists());
}

#[tokio::test]
async fn a_project_that_commands_can_write_to_is_told() {
    let in_temporary = tempfile::TempDir::new_in("/tmp").unwrap();
    let in_memory = tempfile::TempDir::new_in("/dev/shm").unwrap();
    let elsewhere = tempfile::TempDir::new_in("/var/tmp").unwrap();
    for (wanted, project, is_told) in [
        (RequestedSandbox::Landlock, &in_temporary, true),
        (RequestedSandbox::Landlock, &in_memory, true),
        (RequestedSandbox::Landlock, &elsewhere, false),
        (RequestedSandbox::Namespaces, &in_temporary, false),
        (RequestedSandbox::Host, &in_temporary, false),
    ] {
        let at = project.path().canonicalize().unwrap();
        let place = Some(ProjectPlace { at: at.clone(), in_lane: "copy" });
        let request = SandboxRequest { wanted, project: place, ..SandboxRequest::default() };
        let chosen = choose(&request).await.unwrap();
        assert_eq!(chosen.warnings.len(), usize::from(is_told), "{wanted:?}: {:?}", chosen.warnings);
        if is_told {
            let told = &chosen.warnings[0];
            assert!(
                told.starts_with(at.to_str().unwrap()) && told.contains("--sandbox namespaces"),
                "{told}"
            );
            let file = at.join("a.txt");
            let outcome =
                run(&*chosen.sandbox, &lane().path, &format!("echo new > {}", file.display())).await;
            assert!(outcome.exit == Exit::Code(0) && file.exists(), "{outcome:?}");
        }
    }
}

#[tokio::test]
async fn long_output_keeps_head_and_tail() {
    for wanted in ALL {
        check_long_output(&*open(wanted).await, &lane()).await;
    }
}

#[tokio::test]
async fn nothing_keeps_running_when_a_command_ends() {
    for wanted in ALL {
        check_that_nothing_is_left(&*open(wanted).await, &lane()).await;
    }
}

#[tokio::test]
async fn a_time_out_ends_the_whole_tree() {
    for wanted in ALL {
        check_time_outs(&*open(wanted).await, &lane()).await;
    }
}

#[tokio::test]
async fn dropping_a_run_ends_the_command() {
    for wanted in ALL {
        check_dropping(&*open(wanted).await, &lane()).await;
    }
}

#[tokio::test]
async fn a_command_that_kills_its_ancestors_leaves_nothing() {
    for wanted in ALL {
        let (sandbox, lane) = (open(wanted).await, lane());
        let sleep = unique_sleep();
        let line = format!("setsid {sleep} & sleep 0.5; kill -9 $PPID; {sleep}");
        let mut command = command(&line);
        command.limits.time = Duration::from_secs(2);
        let outcome = sandbox.run(&lane.path, &command).await.unwrap();
        assert!(matches!(outcome.exit, Exit::Signal(9) | Exit::TimedOut), "{wanted:?}: {outcome:?}");
        assert_eq!(processes_with(&sleep), [""; 0], "{wanted:?}");
    }
}

/// Leftover processes are found by the tag of their command, and tags are reused.
#[tokio::test]
async fn the_end_of_a_command_ends_no_other() {
    for wanted in [RequestedSandbox::Host, RequestedSandbox::Landlock] {
        let (sandbox, lane) = (open(wanted).await, lane());
        let long = command("until [ -e stop ]; do sleep 0.1; done");
        let short = async {
            for _ in 0..300 {
                run(&*sandbox, &lane.path, "true").await;
            }
            std::fs::write(lane.path.join("stop"), "").unwrap();
        };
        let (outcome, ()) = tokio::join!(sandbox.run(&lane.path, &long), short);
        assert_eq!(outcome.unwrap().exit, Exit::Code(0), "{wanted:?}");
    }
}

#[tokio::test]
async fn a_fork_bomb_is_bounded() {
    for wanted in ALL {
        check_fork_bomb(&*open(wanted).await, &lane()).await;
    }
}

#[tokio::test]
async fn memory_is_bounded_for_each_process_and_for_all() {
    for wanted in ALL {
        let (sandbox, lane) = (open(wanted).await, lane());
        // `tail` keeps all of a line that never ends.
        let mut one = command("tail /dev/zero");
        one.limits.memory_bytes = 200 << 20;
        let outcome = sandbox.run(&lane.path, &one).await.unwrap();
        assert!(!outcome.exit.success() && outcome.exit != Exit::TimedOut, "{wanted:?}: {outcome:?}");
        // Each of four keeps 80 MB, which it may; together they may not.
        let keep = "python3 -c 'import time; kept = bytearray(80_000_000); time.sleep(50)'";
        let mut all = command(&format!("for i in 1 2 3 4; do {keep} & done; wait"));
        all.limits.memory_bytes = 200 << 20;
        let outcome = sandbox.run(&lane.path, &all).await.unwrap();
        assert!(outcome.out_of_memory && outcome.exit == Exit::Signal(9), "{wanted:?}: {outcome:?}");
    }
}

/// Memory that no process has mapped, in files without a name and in a folder that is nothing else.
#[tokio::test]
async fn memory_that_nobody_has_mapped_counts() {
    let nameless = "python3 -c 'import os, time; file = os.memfd_create(\"x\")
for _ in range(8): os.write(file, bytes(50_000_000))
time.sleep(50)'";
    let in_folder = "for f in /tmp /dev/shm; do head -c 50M /dev/zero > $(mktemp -p $f); done; \
        python3 -c 'import time; kept = bytearray(120_000_000); time.sleep(50)'";
    for (wanted, line) in
        ALL.map(|wanted| (wanted, nameless)).into_iter().chain([(RequestedSandbox::Namespaces, in_folder)])
    {
        let (sandbox, lane) = (open(wanted).await, lane());
        let mut command = command(line);
        command.limits.memory_bytes = 200 << 20;
        let outcome = sandbox.run(&lane.path, &command).await.unwrap();
        assert!(outcome.out_of_memory && outcome.exit == Exit::Signal(9), "{wanted:?}: {line}: {outcome:?}");
    }
}

#[tokio::test]
async fn the_disk_is_bounded() {
    for wanted in ALL {
        let (sandbox, lane) = (open(wanted).await, lane());
        check_disk(&*sandbox, &lane).await;
        // Holes are not on the disk.
        let mut sparse = command("rm ?; for i in 1 2 3; do truncate -s 90M $i; done");
        sparse.limits.disk_bytes = 100 << 20;
        let outcome = sandbox.run(&lane.path, &sparse).await.unwrap();
        assert_eq!(outcome.exit, Exit::Code(0), "{wanted:?}: {outcome:?}");
    }
}

#[tokio::test]
async fn nothing_is_written_outside_the_lane() {
    let outside = lane();
    for wanted in [RequestedSandbox::Landlock, RequestedSandbox::Namespaces] {
        let (sandbox, lane) = (open(wanted).await, lane());
        let beside = if wanted == RequestedSandbox::Namespaces {
            outside.path.display().to_string()
        } else {
            "/var".to_owned()
        };
        // Some of these folders are the command's own, and what it writes there is nowhere else.
        let line =
            format!("for f in /usr /etc /opt /var /root / '{beside}'; do mktemp -p \"$f\"; done; touch in");
        let outcome = run(&*sandbox, &lane.path, &line).await;
        assert!(lane.path.join("in").exists(), "{wanted:?}");
        for path in outcome.stdout.text().lines() {
            assert!(!Path::new(path).exists(), "{wanted:?} wrote {path}");
        }
        assert_eq!(std::fs::read_dir(&outside.path).unwrap().count(), 0, "{wanted:?}");
    }
}

#[tokio::test]
async fn temporary_files_are_private_and_short_lived() {
    let (sandbox, lane) = (open(RequestedSandbox::Namespaces).await, lane());
    let made = run(&*sandbox, &lane.path, "mktemp -p /tmp").await;
    assert_eq!(made.exit, Exit::Code(0), "{made:?}");
    let name = made.stdout.text();
    assert!(!Path::new(name.trim()).exists());
    assert_ne!(run(&*sandbox, &lane.path, &format!("ls {name}")).await.exit, Exit::Code(0));
}

#[tokio::test]
async fn the_network_is_off_unless_wanted() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let line = format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' && echo connected");
    for wanted in [RequestedSandbox::Landlock, RequestedSandbox::Namespaces] {
        let (sandbox, lane) = (open(wanted).await, lane());
        let mut command = command(&line);
        let outcome = sandbox.run(&lane.path, &command).await.unwrap();
        assert_eq!(outcome.stdout.text(), "", "{wanted:?}");
        command.network = true;
        let outcome = sandbox.run(&lane.path, &command).await.unwrap();
        assert_eq!(outcome.stdout.text(), "connected\n", "{wanted:?}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_program_in_namespaces_can_talk_to_itself() {
    let (sandbox, lane) = (open(RequestedSandbox::Namespaces).await, lane());
    let program = "import socket; s = socket.create_server(('localhost', 0)); \
        socket.create_connection(s.getsockname()).sendall(b'x'); print(s.accept()[0].recv(1), socket.gethostname())";
    let outcome = run(&*sandbox, &lane.path, &format!("python3 -c \"{program}\"")).await;
    assert_eq!(outcome.stdout.text(), "b'x' localhost\n", "{outcome:?}");
}

#[tokio::test]
async fn other_processes_cannot_be_reached() {
    let this = std::process::id();
    let line =
        format!("cat /proc/{this}/environ > /dev/null && echo READ; kill -0 {this} && echo SIGNALLED; true");
    for wanted in [RequestedSandbox::Landlock, RequestedSandbox::Namespaces] {
        let (sandbox, lane) = (open(wanted).await, lane());
        // Where this kernel cannot forbid signals, the sandbox says so.
        let allowed = if sandbox.describe().contains("signal") { "SIGNALLED\n" } else { "" };
        assert_eq!(run(&*sandbox, &lane.path, &line).await.stdout.text(), allowed, "{wanted:?}");
    }
}

#[tokio::test]
async fn many_commands_run_at_once() {
    for wanted in ALL {
        let (sandbox, lane) = (open(wanted).await, lane());
        let runs = (0..8).map(|number| {
            let (sandbox, path) = (sandbox.clone(), lane.path.clone());
            tokio::spawn(async move { run(&*sandbox, &path, &format!("sleep 0.2; echo {number}")).await })
        });
        for (number, run) in runs.collect::<Vec<_>>().into_iter().enumerate() {
            assert_eq!(run.await.unwrap().stdout.text(), format!("{number}\n"), "{wanted:?}");
        }
    }
}

#[tokio::test]
async fn each_kind_says_what_it_is() {
    for (wanted, kind) in [
        (RequestedSandbox::Host, SandboxKind::Host),
        (RequestedSandbox::Landlock, SandboxKind::Landlock),
        (RequestedSandbox::Namespaces, SandboxKind::Namespaces),
        (RequestedSandbox::Auto, SandboxKind::Namespaces),
    ] {
        let sandbox = open(wanted).await;
        assert_eq!(sandbox.kind(), kind);
        assert!(sandbox.describe().starts_with(kind.name()));
        let lane = lane();
        assert_eq!(sandbox.path_inside(&lane.path), lane.path);
        sandbox.close().await.unwrap();
        sandbox.close().await.unwrap();
    }
}

/// A session that is killed cannot clean up; the next one does.
#[tokio::test]
async fn what_the_killed_leave_is_swept() {
    let sleep = unique_sleep();
    let prefix = "patchwright-sandbox-00000000-1-2-3-";
    let folder = tempfile::Builder::new().prefix(prefix).tempdir().unwrap().keep();
    let mut left = std::process::Command::new("sh")
        .args(["-c", &format!("{sleep}; true")])
        .env("TMPDIR", folder.join("run-1/tmp"))
        .spawn()
        .unwrap();
    eventually("it runs", || processes_with(&sleep).len() > 1).await;
    let process = format!("process {}", left.id());
    assert!(sweep(true).await.unwrap().contains(&process));
    assert_eq!(processes_with(&sleep).len(), 2);
    let swept = sweep(false).await.unwrap();
    assert!(swept.contains(&process) && swept.contains(&format!("folder {}", folder.display())), "{swept:?}");
    assert!(!left.wait().unwrap().success());
    eventually("all of it is gone", || processes_with(&sleep).is_empty()).await;
}

/// Root may do things that others may not: the same tests must hold for an ordinary user.
#[test]
fn an_ordinary_user_has_the_same_sandboxes() {
    if !is_root() {
        return; // This whole file has just been tried as an ordinary user.
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777)).unwrap();
    let program = folder.path().join("it");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let output = std::process::Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&program)
        .args(["local::", "--skip", "an_ordinary_user"])
        .env("TMPDIR", folder.path())
        .env("HOME", folder.path())
        .env("PATH", "/usr/bin:/bin")
        .current_dir("/")
        .output()
        .unwrap();
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("a_time_out_ends_the_whole_tree ... ok"), "{said}");
}
