//! A run that is killed again and again loses no case and does none twice. Its own `main`: the runs are children of it.
#![allow(clippy::disallowed_methods, reason = "tests make files")]

#[path = "scripted/kills.rs"]
mod kills;
#[path = "scripted/mod.rs"]
mod scripted;

fn main() {
    if kills::is_child() {
        return kills::child();
    }
    let count = kills::kill_and_resume(60, 10, 4);
    assert_eq!((count.lost, count.doubled), (0, 0), "{count:?}");
    assert!(count.kills == 10, "{count:?}");
}
