#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used, clippy::print_stdout, missing_docs)]
use patchwright_code::*;
use patchwright_sandbox::*;
use patchwright_testbed::*;
use std::{path::Path, sync::Arc, time::Instant};
#[tokio::main]
async fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (dir, file, n, suffix) = (Path::new(&a[1]), &a[2], a[3].parse::<usize>().unwrap(), &a[4]);
    let hidden: Vec<String> =
        ["golden.patch", "issue.md", "patchwright.toml", "trajectory.jsonl"].map(str::to_owned).into();
    for wanted in [Wanted::Host, Wanted::Auto] {
        let sandbox = choose(&Request { wanted, ..Request::default() }).await.unwrap().sandbox;
        for (name, m) in [
            ("warm", Measures::default()),
            ("cold", Measures { warm: false, ..Measures::default() }),
            (
                "sequential",
                Measures {
                    warm: false,
                    keep_lanes: false,
                    failing_first: false,
                    stop_at_first: false,
                    share_verdicts: false,
                },
            ),
        ] {
            let n = if name == "warm" { n } else { n / 5 + 1 };
            let tmp = tempfile::tempdir().unwrap();
            let work = tempfile::tempdir().unwrap();
            let tc = InSandbox::new(Arc::clone(&sandbox), tmp.path());
            let d = detect(dir, &Overrides::default(), &tc).await.unwrap();
            let bed = TestBed::open(d.spec, dir, &hidden, Arc::clone(&sandbox), work.path(), 2)
                .await
                .unwrap()
                .with_measures(m);
            let b = bed.baseline(&[]).await.unwrap();
            let before = std::fs::read(dir.join(file)).unwrap();
            let mk = |i: usize| {
                let mut after = before.clone();
                if suffix == "py" {
                    after.extend(format!("\n_extra_{i} = {i}\n").bytes());
                } else {
                    let s = String::from_utf8(after).unwrap();
                    let at = s.rfind('}').unwrap();
                    after = format!("{}    static int extra{i}() {{ return {i}; }}\n{}", &s[..at], &s[at..])
                        .into_bytes();
                }
                Applied {
                    files: vec![FileChange {
                        path: ProjectPath::new(file.as_str()).unwrap(),
                        before: Some(before.clone()),
                        after: Some(after),
                    }],
                    notes: vec![],
                    comment_only: false,
                }
            };
            let t = Instant::now();
            let v = bed.validate(&b, &mk(0), Haste::FirstFailure).await.unwrap();
            let first = t.elapsed().as_secs_f64();
            let t = Instant::now();
            for i in 1..=n {
                let v = bed.validate(&b, &mk(i), Haste::FirstFailure).await.unwrap();
                assert_eq!(v.verdict, Verdict::Failing);
            }
            let each = t.elapsed().as_secs_f64() / n as f64;
            println!(
                "{} {name}: baseline {:.2}s failing {} first {first:.2}s ({:?}) then {:.1} ms each = {:.0}/min; {:?}",
                sandbox.kind(),
                b.report.seconds,
                b.failing.len(),
                v.verdict,
                each * 1000.0,
                60.0 / each,
                bed.warm_report()
            );
            bed.close().await.unwrap();
        }
    }
}
