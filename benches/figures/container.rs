//! Containers: from asking to the first command's end, and the round trip of a command; beside the same in
//! namespaces. Needs `--image` in the variable `PATCHWRIGHT_BENCH_IMAGE`; without it the container is left out.

use patchwright_sandbox::{Command, RequestedSandbox, SandboxRequest};

use crate::quantile;

pub fn measure() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let image = std::env::var("PATCHWRIGHT_BENCH_IMAGE").ok();
    if image.is_none() {
        println!("PATCHWRIGHT_BENCH_IMAGE names no image: the container is left out");
    }
    for (name, wanted, image) in
        [("namespaces", RequestedSandbox::Namespaces, None), ("docker", RequestedSandbox::Docker, image)]
    {
        if wanted == RequestedSandbox::Docker && image.is_none() {
            continue;
        }
        let (mut ready, mut round_trip) = runtime.block_on(times(wanted, image.as_deref()));
        println!(
            "{name}: ready {:.0} ms (median of {}), round trip of `true` {:.1} ms (median of {})",
            quantile(&mut ready, 0.5) * 1e3,
            ready.len(),
            quantile(&mut round_trip, 0.5) * 1e3,
            round_trip.len()
        );
    }
}

async fn times(wanted: RequestedSandbox, image: Option<&str>) -> (Vec<f64>, Vec<f64>) {
    let lane = tempfile::tempdir().unwrap();
    let (mut ready, mut round_trip) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let request = SandboxRequest {
            wanted,
            image: image.map(str::to_owned),
            container: None,
            readable: Vec::new(),
            session: "bench".to_owned(),
            ..SandboxRequest::default()
        };
        let started = std::time::Instant::now();
        let sandbox = patchwright_sandbox::choose(&request).await.unwrap().sandbox;
        let command = Command::new("true");
        sandbox.run(lane.path(), &command).await.unwrap();
        ready.push(started.elapsed().as_secs_f64());
        for _ in 0..20 {
            let started = std::time::Instant::now();
            sandbox.run(lane.path(), &command).await.unwrap();
            round_trip.push(started.elapsed().as_secs_f64());
        }
        sandbox.close().await.unwrap();
    }
    (ready, round_trip)
}
