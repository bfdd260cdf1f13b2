//! How long the fix patterns think before there is something to try: seconds to the first and to the hundredth edit, for functions
//! and files of several lengths, beside those of the shortest file in the same run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use patchwright_patterns::{Ingredients, RepairPlan, SuspiciousLine};
use patchwright_syntax::Project;

/// Lines of the function that is suspected, and of the file that it stands in.
const FUNCTIONS: [usize; 3] = [10, 100, 1_000];
const FILES: [usize; 4] = [100, 1_000, 5_000, 10_000];
/// As many lines as are looked at in a session.
const SUSPICIOUS: usize = 120;
const RUNS: usize = 3;

pub fn measure() {
    println!("file      function   file  gather s  first edit s  of 100 lines  100th edit s  of 100 lines");
    for style in STYLES {
        for function in FUNCTIONS {
            let mut shortest: Option<Times> = None;
            for file in FILES.into_iter().filter(|file| *file >= function) {
                let (text, first) = style.write(function, file);
                let runs = (0..RUNS).map(|_| plan(style.file, &text, first, function));
                let times = runs.reduce(Times::faster).unwrap();
                let base = *shortest.get_or_insert(times);
                println!(
                    "{:<8}  {function:>8}  {file:>5}  {:>8.3}  {:>12.3}  {:>11.2}x  {:>12.3}  {:>11.2}x",
                    style.file,
                    times.gather,
                    times.first,
                    times.first / base.first,
                    times.hundredth,
                    times.hundredth / base.hundredth,
                );
            }
        }
    }
}

/// Seconds.
#[derive(Clone, Copy)]
struct Times {
    /// Reading what fixes are made of: done while the tests run.
    gather: f64,
    first: f64,
    hundredth: f64,
}

impl Times {
    fn faster(self, other: Self) -> Self {
        Self {
            gather: self.gather.min(other.gather),
            first: self.first.min(other.first),
            hundredth: self.hundredth.min(other.hundredth),
        }
    }
}

fn plan(name: &str, text: &str, first: usize, count: usize) -> Times {
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    let project = Project::open(folder.path()).unwrap();
    let began = Instant::now();
    let ingredients = Arc::new(Ingredients::gather(&project, &|_| true));
    let gather = began.elapsed().as_secs_f64();
    let line = |line: usize| SuspiciousLine {
        path: name.to_owned(),
        line: u32::try_from(line).unwrap(),
        // As it is within a function that a failing test executes: the further down, the less suspicious.
        suspiciousness: 1.0 - (line - first) as f64 / 10_000.0,
        omission: false,
    };
    let lines = (first + 1..first + count).take(SUSPICIOUS).map(line).collect();
    let began = Instant::now();
    let mut plan = RepairPlan::new(project, ingredients, lines, &[]);
    let never = AtomicBool::new(false);
    let (mut edits, mut to_first) = (0, None);
    while edits < 100
        && let Some(pass) = plan.next_pass(&never)
    {
        to_first.get_or_insert_with(|| began.elapsed().as_secs_f64());
        edits += pass.edits.len();
    }
    assert!(edits >= 100, "only {edits} edits for {count} lines");
    Times { gather, first: to_first.unwrap(), hundredth: began.elapsed().as_secs_f64() }
}

/// How a language writes the same nonsense: `{}` stands for numbers.
struct Style {
    file: &'static str,
    open: &'static str,
    function: &'static str,
    /// Statements by turns; the third stands below the second.
    statements: [&'static str; 6],
    last: &'static str,
    close_function: &'static str,
    close: &'static str,
}

const STYLES: [Style; 2] = [
    Style {
        file: "a.py",
        open: "import math\n\n",
        function: "def work_{}(rows, limit, start=0):\n",
        statements: [
            "    total_{} = limit + 7 * start\n",
            "    if total_{} > limit and start >= 3:\n",
            "        rows.append(total_{} - 5)\n",
            "    rows[start] = math.floor(total_{} / 2)\n",
            "    limit = max(limit, len(rows) - {})\n",
            "    start = start + {}\n",
        ],
        last: "    return limit\n",
        close_function: "",
        close: "",
    },
    Style {
        file: "A.java",
        open: "import java.util.List;\nclass A {\n",
        function: "    int work{}(List<Integer> rows, int limit, int start) {\n",
        statements: [
            "        int total{} = limit + 7 * start;\n",
            "        if (total{} > limit && start >= 3)\n",
            "            rows.add(total{} - 5);\n",
            "        rows.set(start, (int) Math.floor(total{} / 2));\n",
            "        limit = Math.max(limit, rows.size() - {});\n",
            "        start = start + {};\n",
        ],
        last: "        return limit;\n",
        close_function: "    }\n",
        close: "}\n",
    },
];

impl Style {
    /// A file of about so many lines with a function of so many in its middle, and the first line of that.
    fn write(&self, function: usize, file: usize) -> (String, usize) {
        let mut text = self.open.to_owned();
        let mut first = None;
        for number in 0.. {
            let lines = text.lines().count();
            if lines >= file && first.is_some() {
                break;
            }
            let suspected = first.is_none() && lines + function >= file / 2;
            if suspected {
                first = Some(lines + 1);
            }
            text.push_str(&self.function.replace("{}", &number.to_string()));
            for line in 0..(if suspected { function } else { 10 }) - 2 {
                let statement = self.statements[line % self.statements.len()];
                // All statements of a turn are about the same variable.
                text.push_str(&statement.replace("{}", &(line / self.statements.len()).to_string()));
            }
            text.push_str(self.last);
            text.push_str(self.close_function);
        }
        text.push_str(self.close);
        (text, first.unwrap())
    }
}
