//! Output to stdout and stderr. Every text passes here, and secrets are replaced in it.

use std::io::{IsTerminal, Write};
use std::sync::{LazyLock, PoisonError, RwLock};

use anstyle::{AnsiColor, Style};
use patchwright_prompts::visible;
use patchwright_protocol::Failure;
use patchwright_trajectory::Redactor;

/// What of a list is told one by one.
pub const TOLD: usize = 20;

/// The redactor of secrets. There is one stdout and one stderr, so there is one of it.
static REDACTOR: LazyLock<RwLock<Redactor>> = LazyLock::new(RwLock::default);

/// From now on `redactor` replaces secrets in what is written.
pub fn redact_with(redactor: Redactor) {
    *REDACTOR.write().unwrap_or_else(PoisonError::into_inner) = redactor;
}

/// The redactor of secrets in what is written.
pub fn redactor() -> Redactor {
    REDACTOR.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Writes data to stdout: as it is, but on a terminal with what that would obey shown escaped. A reader that went away
/// (`patchwright … | head`) is no failure.
pub fn print(text: &str) -> Result<(), Failure> {
    let out = std::io::stdout().lock();
    let shown = if out.is_terminal() { visible(text) } else { text.into() };
    write_out(out, shown.as_bytes())
}

/// Writes lines with colours to stdout, in which nothing else is left that a terminal would obey; the colours are left out
/// where stdout is no terminal.
pub fn print_styled(text: &[u8]) -> Result<(), Failure> {
    write_out(anstream::stdout().lock(), text)
}

fn write_out(mut out: impl Write, text: &[u8]) -> Result<(), Failure> {
    match out.write_all(&redactor().bytes(text)).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::environment(format!("cannot write to standard output: {error}"))),
    }
}

/// Tells the user something on stderr, with what a terminal would obey shown escaped. A stderr that is gone cannot be told anything.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", visible(&redactor().text(text)));
}

/// Tells of the first ones, and how many there are more.
pub fn say_first<T>(all: &[T], told: impl Fn(&T) -> String) {
    for one in all.iter().take(TOLD) {
        say(&told(one));
    }
    if all.len() > TOLD {
        say(&format!("and {} more", all.len() - TOLD));
    }
}

/// Tells what was odd about the data: the first warnings, and how many more there are.
pub fn warn(warnings: &[String]) {
    say_first(warnings, |text| format!("warning: {text}"));
}

/// Shows a diff on stderr, in colours where these are shown.
pub fn say_diff(diff: &str) {
    let _ = write_diff(&mut anstream::stderr().lock(), &redactor().text(diff));
}

/// Prints a patch to stdout: in colours on a terminal, to the byte elsewhere.
pub fn print_patch(patch: &[u8]) -> Result<(), Failure> {
    let out = std::io::stdout().lock();
    if !out.is_terminal() {
        return write_out(out, patch);
    }
    drop(out);
    let mut text = Vec::new();
    write_diff(&mut text, &String::from_utf8_lossy(patch)).map_err(Failure::defect)?;
    print_styled(&text)
}

/// Writes the lines of a diff in colours, with what a terminal would obey shown escaped.
pub fn write_diff(out: &mut impl Write, diff: &str) -> std::io::Result<()> {
    for line in diff.lines() {
        let style = match line.as_bytes() {
            [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => Style::new().bold(),
            [b'+', ..] => AnsiColor::Green.on_default(),
            [b'-', ..] => AnsiColor::Red.on_default(),
            [b'@', ..] => AnsiColor::Cyan.on_default(),
            _ => Style::new(),
        };
        writeln!(out, "{style}{}{style:#}", visible(line))?;
    }
    Ok(())
}

/// Sends the log to stderr; `verbose` is how often `-v` was given.
pub fn log_to_stderr(verbose: u8) {
    let level = match verbose {
        0 => "warn",
        1 => "info",
        _ => "debug",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("PATCHWRIGHT_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(level));
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| Log)
        // Colours would be escaped with what others wrote into the event.
        .with_ansi(false)
        .with_target(verbose > 1)
        .without_time()
        .try_init();
}

/// The log on stderr. It is given one whole event at a time.
struct Log;

impl Write for Log {
    fn write(&mut self, event: &[u8]) -> std::io::Result<usize> {
        let told = redactor().text(&String::from_utf8_lossy(event));
        std::io::stderr().write_all(visible(&told).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stderr().flush()
    }
}
