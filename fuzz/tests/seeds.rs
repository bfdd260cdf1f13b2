//! Every target over its seeds, and for a moment over what is made of them: `PATCHWRIGHT_FUZZ_SECONDS` says how long for each,
//! and `PATCHWRIGHT_FUZZ_START` gives another beginning of the random numbers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use patchwright_fuzz::{TARGETS, run};

/// Inputs that are tried however slow the machine is.
const FEWEST: u32 = 200;

/// The longest input that is made of seeds, in bytes.
const LONGEST: usize = 4096;

fn below(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

fn setting<T: FromStr>(name: &str) -> Option<T> {
    std::env::var(name)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}

/// Random numbers that are the same in every run from the same beginning (xorshift64*).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % end.max(1)
    }

    fn range(&mut self, bytes: &[u8]) -> std::ops::Range<usize> {
        let start = self.below(bytes.len() + 1);
        let length = self.below((bytes.len() - start).min(64) + 1);
        start..start + length
    }

    /// A seed with some of its parts exchanged, doubled, left out, taken from another or made up.
    fn input(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut input = seeds[self.below(seeds.len())].clone();
        for _ in 0..=self.below(6) {
            let range = self.range(&input);
            let part: Vec<u8> = match self.below(6) {
                0 => Vec::new(),
                1 => input[range.clone()].repeat(2),
                2 => {
                    let other = &seeds[self.below(seeds.len())];
                    other[self.range(other)].to_vec()
                }
                3 => input[self.range(&input)].to_vec(),
                4 => (0..self.below(8)).map(|_| self.below(256) as u8).collect(),
                _ => b"\"'\\{}[]<>-+=@:,\n\t #/0"[self.below(22)..].iter().take(1).copied().collect(),
            };
            input.splice(range, part);
            input.truncate(LONGEST);
        }
        input
    }
}

/// Runs a target; what does not hold is kept as a file.
fn check(target: &str, input: &[u8]) {
    if catch_unwind(AssertUnwindSafe(|| run(target, input))).is_err() {
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{target}-finding"));
        std::fs::write(&kept, input).unwrap();
        panic!("{target} does not hold for the input in {}; keep it as a seed", kept.display());
    }
}

#[test]
fn every_target_holds_over_seeds_and_random_input() {
    let time = Duration::from_secs_f64(setting("PATCHWRIGHT_FUZZ_SECONDS").unwrap_or(0.2));
    let start = setting("PATCHWRIGHT_FUZZ_START").unwrap_or(1_u64);
    let trial = |target: &'static str| {
        let files = std::fs::read_dir(below("seeds").join(target)).unwrap();
        let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let seeds: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
        for seed in &seeds {
            check(target, seed);
        }
        let mut numbers = Numbers(start.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let end = Instant::now() + time;
        let mut tried = 0;
        while tried < FEWEST || Instant::now() < end {
            check(target, &numbers.input(&seeds));
            tried += 1;
        }
        println!("{target}: {} seeds, {tried} inputs made of them", seeds.len());
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let trials: Vec<_> = (0..threads)
            .map(|first| TARGETS.iter().skip(first).step_by(threads))
            .map(|part| scope.spawn(|| part.for_each(|(name, _)| trial(name))))
            .collect();
        for trial in trials {
            trial.join().expect("the finding stands above");
        }
    });
}

#[test]
fn targets_files_and_seeds_are_the_same() {
    let known: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names(&below("fuzz_targets")), known);
    assert_eq!(names(&below("seeds")), known);
}
