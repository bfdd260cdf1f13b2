//! Containers, of our own and of the user's.

use std::os::unix::fs::{MetadataExt, chown};
use std::path::Path;
use std::process::Command as Program;
use std::sync::Arc;
use std::time::Duration;

use patchwright_sandbox::{
    Exit, Images, Sandbox, SandboxError, SandboxKind, SandboxRequest, SandboxSetup, choose, sweep,
};

use crate::checks::{
    check_disk, check_dropping, check_fork_bomb, check_long_output, check_statuses,
    check_that_nothing_is_left, check_time_outs,
};
use crate::registry;
use crate::support::{command, eventually, is_root, lane, processes_with, run, unique_sleep};

/// Runs a program that must succeed, and gives what it says.
fn call(program: &str, arguments: &[&str]) -> String {
    let output = Program::new(program).args(arguments).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {error}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// A small image; none where there is no engine, which is a failure only where one is promised.
fn image() -> Option<String> {
    let engine = Program::new("docker").arg("version").output();
    if !engine.is_ok_and(|output| output.status.success()) {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "no container engine answers");
        eprintln!("skipped: no container engine answers");
        return None;
    }
    Some(call(concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/tiny-image.sh"), &[]))
}

/// A name for a session that no other test has.
fn session(test: &str) -> String {
    format!("{test}-{}", std::process::id())
}

fn containers_of(session: &str) -> String {
    call("docker", &["ps", "-aq", "--filter", &format!("label=patchwright.session={session}")])
}

async fn open(image: &str, session: &str) -> Arc<dyn Sandbox> {
    let request = SandboxRequest {
        image: Some(image.to_owned()),
        session: session.to_owned(),
        ..SandboxRequest::default()
    };
    choose(&request).await.unwrap_or_else(|error| panic!("{error}")).sandbox
}

#[tokio::test]
async fn a_container_keeps_the_promises() {
    let Some(image) = image() else { return };
    let session = session("promises");
    let (sandbox, lane) = (open(&image, &session).await, lane());
    assert_eq!(
        (sandbox.kind(), sandbox.path_inside(&lane.path).as_path()),
        (SandboxKind::Docker, Path::new("/lane"))
    );
    check_statuses(&*sandbox, &lane).await;
    check_long_output(&*sandbox, &lane).await;
    check_that_nothing_is_left(&*sandbox, &lane).await;
    check_time_outs(&*sandbox, &lane).await;
    check_dropping(&*sandbox, &lane).await;
    sandbox.close().await.unwrap();
    assert_eq!(containers_of(&session), "");
    sandbox.close().await.unwrap();
}

#[tokio::test]
async fn a_container_bounds_processes_and_memory() {
    let Some(image) = image() else { return };
    let (sandbox, lane) = (open(&image, &session("bounds")).await, lane());
    check_fork_bomb(&*sandbox, &lane).await;
    check_disk(&*sandbox, &lane).await;
    let mut hog = command("tail /dev/zero");
    hog.limits.memory_bytes = 64 << 20;
    let outcome = sandbox.run(&lane.path, &hog).await.unwrap();
    assert_eq!((outcome.exit, outcome.out_of_memory), (Exit::Signal(9), true), "{outcome:?}");
    let outcome = run(&*sandbox, &lane.path, "kill -9 $PPID; sleep 50").await;
    assert_eq!((outcome.exit, outcome.out_of_memory), (Exit::Signal(9), false), "{outcome:?}");
    assert_eq!(run(&*sandbox, &lane.path, "true").await.exit, Exit::Code(0));
    sandbox.close().await.unwrap();
}

#[tokio::test]
async fn a_container_shuts_out_the_world() {
    let Some(image) = image() else { return };
    let (sandbox, lane) = (open(&image, &session("world")).await, lane());
    let check = async |line: &str, stdout: &str| {
        assert_eq!(run(&*sandbox, &lane.path, line).await.stdout.text(), stdout, "{line}");
    };
    check("grep CapEff /proc/self/status", "CapEff:\t0000000000000000\n").await;
    check("grep NoNewPrivs /proc/self/status", "NoNewPrivs:\t1\n").await;
    check("grep -c : /proc/net/dev", "1\n").await; // the loopback
    check("for f in / /etc /bin /usr; do touch $f/new && echo $f; done 2>/dev/null", "").await;
    check("ls ..| grep -c lane", "1\n").await;
    check("touch /tmp/left /tmp/.left ~/left; ls -A /tmp ~ | grep -c left", "3\n").await;
    check("ls -A /tmp ~ | grep -c left", "0\n").await;
    let parent =
        std::env::vars().map(|(name, _)| name).filter(|name| name.starts_with("CARGO_")).collect::<Vec<_>>();
    let inside = run(&*sandbox, &lane.path, "env").await.stdout.text();
    assert!(!parent.is_empty() && parent.iter().all(|name| !inside.contains(name.as_str())), "{inside}");
    sandbox.close().await.unwrap();
}

#[tokio::test]
async fn what_a_container_writes_belongs_to_the_owner_of_the_lane() {
    let Some(image) = image() else { return };
    if !is_root() {
        return; // Only root can give a lane to somebody else.
    }
    let session = session("owner");
    // An image whose tools lie in root's home can only be used by root.
    let container = call("docker", &["create", &image, "true"]);
    let roots = format!("patchwright-roots:{}", std::process::id());
    call("docker", &["commit", "--change", "ENV CARGO_HOME=/root/.cargo", &container, &roots]);
    call("docker", &["rm", &container]);
    for (image, inside) in [(&image, "1234"), (&roots, "0")] {
        let (sandbox, lane) = (open(image, &session).await, lane());
        chown(&lane.path, Some(1234), Some(1235)).unwrap();
        let outcome = run(&*sandbox, &lane.path, "mkdir folder; echo > folder/file; id -u").await;
        assert_eq!(outcome.stdout.text(), format!("{inside}\n"), "{outcome:?}");
        let file = std::fs::metadata(lane.path.join("folder/file")).unwrap();
        assert_eq!((file.uid(), file.gid()), (1234, 1235));
        sandbox.close().await.unwrap();
    }
    call("docker", &["rmi", &roots]);
}

#[tokio::test]
async fn each_lane_has_a_container_of_its_own() {
    let Some(image) = image() else { return };
    let session = session("lanes");
    let sandbox = open(&image, &session).await;
    let (one, two) = (lane(), lane());
    run(&*sandbox, &one.path, "echo one > file").await;
    run(&*sandbox, &two.path, "echo two > file").await;
    assert_eq!((one.read("file").as_str(), two.read("file").as_str()), ("one\n", "two\n"));
    assert_eq!(containers_of(&session).lines().count(), 2);
    // A lane made anew at the same place is another one, and one that is gone needs no container.
    std::fs::remove_dir_all(&one.path).unwrap();
    std::fs::create_dir(&one.path).unwrap();
    run(&*sandbox, &one.path, "echo new > file").await;
    assert_eq!(one.read("file"), "new\n");
    std::fs::remove_dir_all(&two.path).unwrap();
    run(&*sandbox, &one.path, "true").await;
    assert_eq!(containers_of(&session).lines().count(), 1);
    // Dropped without being closed.
    drop(sandbox);
    assert_eq!(containers_of(&session), "");
}

#[tokio::test]
async fn leftovers_of_the_dead_are_swept() {
    let Some(image) = image() else { return };
    let session = session("left");
    let label = format!("patchwright.session={session}");
    let labels =
        ["--label", "patchwright=1", "--label", &label, "--label", "patchwright.owner=00000000-1-2-3"];
    let dead = call("docker", &[&["create"], &labels[..], &[&image, "true"]].concat());
    let sandbox = open(&image, &session).await;
    let lane = lane();
    run(&*sandbox, &lane.path, "true").await;
    assert_eq!(containers_of(&session).lines().count(), 2);
    let expect = format!("container {} of session {session:?}", &dead[..12]);
    assert!(sweep(true).await.unwrap().contains(&expect));
    assert_eq!(containers_of(&session).lines().count(), 2);
    assert!(sweep(false).await.unwrap().contains(&expect));
    assert_eq!(containers_of(&session).lines().count(), 1, "the living keep theirs");
    sandbox.close().await.unwrap();
}

#[tokio::test]
async fn what_is_not_there_is_said_to_be_missing() {
    let Some(image) = image() else { return };
    let refusal = async |image: Option<&str>, container: Option<&str>| {
        let request = SandboxRequest {
            image: image.map(str::to_owned),
            container: container.map(str::to_owned),
            ..SandboxRequest::default()
        };
        choose(&request).await.err().unwrap()
    };
    let error = refusal(Some("patchwright-no-such-image"), None).await;
    assert!(matches!(error, SandboxError::NoImage { .. }), "{error}");
    let error = refusal(None, Some("patchwright-no-such-container")).await;
    assert!(matches!(error, SandboxError::NoContainer { .. }), "{error}");
    let error = refusal(Some(&image), Some("both")).await;
    assert!(matches!(error, SandboxError::Request { .. }), "{error}");
    // An image without a shell: trouble of ours, nothing that a command did.
    let empty = format!("patchwright-empty:{}", std::process::id());
    call("sh", &["-c", &format!("tar -c -T /dev/null | docker import - {empty}")]);
    let error = refusal(Some(&empty), None).await;
    assert!(matches!(error, SandboxError::Engine { .. }), "{error}");
    call("docker", &["rmi", &empty]);
}

#[tokio::test]
async fn a_container_of_the_user_is_only_visited() {
    let Some(image) = image() else { return };
    let own = unique_sleep();
    let script = format!("while :; do {own}; done");
    let container =
        call("docker", &["run", "-d", "--init", "--network", "none", &image, "/bin/sh", "-c", &script]);
    let request = SandboxRequest { container: Some(container.clone()), ..SandboxRequest::default() };
    let sandbox = choose(&request).await.unwrap().sandbox;
    let lane = lane();
    check_statuses(&*sandbox, &lane).await;
    check_long_output(&*sandbox, &lane).await;
    check_that_nothing_is_left(&*sandbox, &lane).await;
    check_time_outs(&*sandbox, &lane).await;
    check_dropping(&*sandbox, &lane).await;
    eventually("the container runs its own command", || !processes_with(&own).is_empty()).await;

    // What a command made stays there for the next; what we change is sent; what is asked for is fetched.
    std::fs::create_dir_all(lane.path.join("src/a folder")).unwrap();
    std::fs::write(lane.path.join("src/a folder/in"), "first").unwrap();
    std::fs::write(lane.path.join("src/old"), "old").unwrap();
    let mut build =
        command("mkdir -p built/deep; cat 'src/a folder/in' > built/deep/out; echo secret > other");
    build.outputs = vec!["built".to_owned(), "nothing".to_owned()];
    assert_eq!(sandbox.run(&lane.path, &build).await.unwrap().exit, Exit::Code(0));
    assert_eq!(lane.read("built/deep/out"), "first");
    assert!(!lane.path.join("other").exists());
    std::fs::write(lane.path.join("src/a folder/in"), "second").unwrap();
    std::fs::remove_file(lane.path.join("src/old")).unwrap();
    let mut again = command("cat other built/deep/out 'src/a folder/in'; ls src");
    again.dir = "".into();
    let outcome = sandbox.run(&lane.path, &again).await.unwrap();
    assert_eq!(outcome.stdout.text(), "secret\nfirstseconda folder\n", "{outcome:?}");
    let mut late = command("sleep 5; echo late");
    late.limits.time = Duration::from_millis(300);
    late.outputs = vec!["built".to_owned()];
    assert_eq!(sandbox.run(&lane.path, &late).await.unwrap().exit, Exit::TimedOut);

    let inside = sandbox.path_inside(&lane.path);
    sandbox.close().await.unwrap();
    let folder = inside.parent().unwrap().parent().unwrap().to_str().unwrap().to_owned();
    let left = call("docker", &["exec", &container, "/bin/sh", "-c", &format!("ls -d {folder} 2>&1 || :")]);
    assert!(left.contains("cannot access"), "{left}");
    assert_eq!(call("docker", &["inspect", "-f", "{{.State.Running}}", &container]), "true");
    assert!(matches!(sandbox.run(&lane.path, &command("true")).await, Err(SandboxError::Closed)));
    call("docker", &["rm", "-f", &container]);
}

async fn open_as(image: &str, session: &str, setup: SandboxSetup) -> Arc<dyn Sandbox> {
    let request = SandboxRequest {
        image: Some(image.to_owned()),
        session: session.to_owned(),
        setup,
        ..SandboxRequest::default()
    };
    choose(&request).await.unwrap_or_else(|error| panic!("{error}")).sandbox
}

#[tokio::test]
async fn a_lane_is_seen_where_the_project_wants_to_be() {
    let Some(image) = image() else { return };
    let setup = SandboxSetup { lane_at: Some("/usr/testbed".into()), native: false };
    let (sandbox, lane) = (open_as(&image, &session("place"), setup).await, lane());
    assert_eq!(sandbox.path_inside(&lane.path), Path::new("/usr/testbed"));
    let outcome = run(&*sandbox, &lane.path, "pwd > file; ls /lane").await;
    assert_ne!(outcome.exit, Exit::Code(0), "it is not seen at two places");
    assert_eq!(std::fs::read_to_string(lane.path.join("file")).unwrap(), "/usr/testbed\n");
    for wrong in ["", "testbed", "/"] {
        let setup = SandboxSetup { lane_at: Some(wrong.into()), native: false };
        let request = SandboxRequest { image: Some(image.clone()), setup, ..SandboxRequest::default() };
        let error = choose(&request).await.err().unwrap();
        assert!(matches!(error, SandboxError::Request { .. }), "{wrong}: {error}");
    }
}

#[tokio::test]
async fn a_native_container_is_as_its_makers_meant_it() {
    let Some(image) = image() else { return };
    let session = session("native");
    let setup = SandboxSetup { native: true, lane_at: None };
    let (sandbox, lane) = (open_as(&image, &session, setup).await, lane());
    check_statuses(&*sandbox, &lane).await;
    check_that_nothing_is_left(&*sandbox, &lane).await;
    let first = run(&*sandbox, &lane.path, "echo kept > /tmp/kept && echo made > /made && echo $HOME").await;
    assert_eq!((first.exit, first.stdout.text().as_str()), (Exit::Code(0), "/root\n"), "{first:?}");
    let second = run(&*sandbox, &lane.path, "cat /tmp/kept /made; id -u; cat /proc/net/dev > net").await;
    assert_eq!(second.stdout.text(), "kept\nmade\n0\n");
    let net = std::fs::read_to_string(lane.path.join("net")).unwrap();
    assert!(!net.contains("eth0"), "there is no network unless a command asks for it: {net}");
    let mine = std::fs::metadata(&lane.path).unwrap().uid();
    assert_eq!(
        std::fs::metadata(lane.path.join("net")).unwrap().uid(),
        mine,
        "what root wrote is handed back"
    );
    sandbox.close().await.unwrap();
    assert_eq!(containers_of(&session), "");
}

#[tokio::test]
async fn images_are_looked_at_pulled_and_removed() {
    let Some(image) = image() else { return };
    let images = Images::connect().await.unwrap();
    let here = images.find(&image).await.unwrap().unwrap();
    assert!(here.id.starts_with("sha256:") && here.bytes > 100_000, "{here:?}");
    assert!(images.folder().await.unwrap().is_some());
    assert_eq!(images.find("patchwright-nowhere:1").await.unwrap(), None);
    let copy = format!("patchwright-copy:{}", std::process::id());
    call("docker", &["tag", &image, &copy]);
    assert_eq!(images.find(&copy).await.unwrap().unwrap().id, here.id);
    assert!(images.remove(&copy).await.unwrap());
    assert_eq!(images.find(&copy).await.unwrap(), None);
    assert!(images.remove(&copy).await.unwrap());
    assert!(images.find(&image).await.unwrap().is_some(), "another name of it stays");

    // A port of loopback that nobody listens on: it may work later.
    let error = images.pull("127.0.0.1:9/shop:1", None).await.unwrap_err();
    assert!(matches!(error, SandboxError::Pull { .. }), "{error}");
    let registry = registry::Registry::of(&image);
    let name = format!("127.0.0.1:{}/shop:1", registry.port);
    images.pull(&name, Some("linux/amd64")).await.unwrap();
    let pulled = images.find(&name).await.unwrap().unwrap();
    let (sandbox, lane) = (open(&name, &session("pulled")).await, lane());
    let said = run(&*sandbox, &lane.path, "echo here").await;
    assert_eq!(said.stdout.text(), "here\n");
    sandbox.close().await.unwrap();
    images.remove(&name).await.unwrap();
    assert_eq!(images.find(&name).await.unwrap(), None, "{pulled:?}");
    let error = images.pull(&format!("127.0.0.1:{}/other:1", registry.port), None).await.unwrap_err();
    assert!(matches!(error, SandboxError::NoSuchImage { .. }), "{error}");
}
