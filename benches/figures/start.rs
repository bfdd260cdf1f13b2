//! Cold start of the program, beside a process that does nothing.

use std::process::{Command, Stdio};

use crate::{quantile, times};

pub fn measure() {
    let run = |program: &str, words: &[&str]| {
        let status = Command::new(program).args(words).stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert!(status.unwrap().success());
    };
    let program = env!("CARGO_BIN_EXE_patchwright");
    let mut version = times(100, || run(program, &["--version"]));
    let mut nothing = times(100, || run("true", &[]));
    let (version, nothing) = (quantile(&mut version, 0.5), quantile(&mut nothing, 0.5));
    println!(
        "patchwright --version: {:.1} ms, `true`: {:.1} ms, ratio {:.1} (medians of 100)",
        version * 1e3,
        nothing * 1e3,
        version / nothing
    );
}
