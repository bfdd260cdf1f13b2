//! The figures that the project publishes, each beside a baseline measured in the same run:
//! `cargo bench` prints all of them, `cargo bench -- NAME…` some.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::cast_sign_loss,
    reason = "a program for people who measure"
)]

mod container;
mod context;
mod cycle;
#[cfg(feature = "postgres")]
#[path = "../../tests/it/faults.rs"]
#[allow(dead_code, reason = "the tests of the program ask for more")]
mod faults;
mod index;
mod issues;
#[cfg(feature = "postgres")]
#[path = "../../tests/it/kit.rs"]
#[allow(
    dead_code,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "the tests of the program ask for more"
)]
mod kit;
mod lanes;
mod patterns;
mod planning;
mod prefixes;
mod projects;
mod replies;
mod retrieval;
#[cfg(feature = "postgres")]
mod scaling;
#[path = "../../llm/tests/scripted/mod.rs"]
#[allow(dead_code, reason = "the tests of the client ask for more")]
mod scripted;
mod search;
mod soundness;
mod start;
mod validation;

/// A figure's name and what measures it.
const FIGURES: &[(&str, fn())] = &[
    ("start", start::measure),
    ("cycle", cycle::measure),
    ("search", search::measure),
    ("index", index::measure),
    ("retrieval", retrieval::measure),
    ("context", context::measure),
    ("replies", replies::measure),
    ("planning", planning::measure),
    ("prefixes", prefixes::measure),
    ("patterns", patterns::measure),
    ("validation", validation::measure),
    ("soundness", soundness::measure),
    ("container", container::measure),
    ("lanes", lanes::measure),
    #[cfg(feature = "postgres")]
    ("scaling", scaling::measure),
];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    for (name, measure) in FIGURES.iter().copied() {
        if wanted.is_empty() || wanted.iter().any(|word| word == name) {
            println!("== {name}");
            measure();
        }
    }
}

/// A number from the environment.
#[cfg(feature = "postgres")]
fn number(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).ok().and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

/// The value below which a share of the sorted values lies.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = (share * (values.len() - 1) as f64).round();
    values[place.max(0.0) as usize]
}

/// Runs something many times and gives the seconds of each run.
fn times(count: usize, mut work: impl FnMut()) -> Vec<f64> {
    (0..count)
        .map(|_| {
            let started = std::time::Instant::now();
            work();
            started.elapsed().as_secs_f64()
        })
        .collect()
}
