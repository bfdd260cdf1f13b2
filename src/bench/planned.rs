//! `patchwright bench plan`: what a run will need.

use std::collections::{BTreeMap, BTreeSet};

use patchwright_command_line::bench::PlanArgs;
use patchwright_protocol::{Failure, counted};
use patchwright_runs::report::{forecast_table, text};
use patchwright_runs::{Forecast, Planned, RunRecord};
use patchwright_sandbox::{CommandLimits, Images};
use serde::Serialize;

use crate::bench::batch::{Asked, Kind};
use crate::bench::limits::{carried, share};
use crate::failure::ExitCode;

/// Container images that a run needs.
#[derive(Debug, Default, Serialize)]
struct ImagesNeeded {
    /// How many.
    images: usize,
    /// How many of them are on this machine.
    here: usize,
    /// Their bytes, layers that they share counted for each.
    bytes_here: u64,
}

/// Tells it.
pub async fn run(args: &PlanArgs) -> Result<ExitCode, Failure> {
    let Asked { resolved, suite, cases, .. } = Asked::of(&args.run, Kind::Sessions)?;
    let options = carried(&share(&args.run.carrying, args.run.part), None, &resolved.options)?;
    let images = images(cases.iter().filter_map(|case| suite.image(case)).collect()).await;
    let projects: BTreeMap<String, String> =
        suite.cases().iter().map(|case| (case.id.clone(), case.project.clone())).collect();
    let planned = Planned {
        cases,
        workers: options.concurrency.workers.min(options.concurrency.sessions),
        tests: options.concurrency.tests,
        nodes: args.nodes.get() as usize,
        session: options.session,
        run: options.budget,
        command_memory: CommandLimits::default().memory_bytes,
    };
    let from = args.from.clone();
    let forecast = patchwright_blocking::spawn(move |_| {
        let earlier: Result<Vec<RunRecord>, _> = from.iter().map(|root| RunRecord::read(root)).collect();
        earlier.map(|earlier| Forecast::of(&planned, &earlier, &projects))
    });
    let forecast = forecast.await?.map_err(Failure::user)?;
    if args.run.carrying.json {
        let object = serde_json::json!({ "plan": forecast, "images": images });
        crate::print(&format!("{object}\n"))?;
        return Ok(ExitCode::Done);
    }
    let mut table = forecast_table(&forecast);
    table.title = format!("{}: {}", table.title, counted(forecast.sessions, "session"));
    if images.images > 0 {
        table.rows.push(row(&images));
    }
    crate::print(&text(&[table]))?;
    Ok(ExitCode::Done)
}

/// The images by their names. Where no engine answers, none is here.
async fn images(names: BTreeSet<String>) -> ImagesNeeded {
    let mut needed = ImagesNeeded { images: names.len(), ..ImagesNeeded::default() };
    if names.is_empty() {
        return needed;
    }
    let Ok(engine) = Images::connect().await else { return needed };
    for name in names {
        if let Ok(Some(image)) = engine.find(&name).await {
            needed.here += 1;
            needed.bytes_here = needed.bytes_here.saturating_add(image.bytes);
        }
    }
    needed
}

/// Images that are not here are taken to be as large as those that are.
fn row(images: &ImagesNeeded) -> Vec<String> {
    let gib = |bytes: f64| format!("{:.1} GB", bytes / 1e9);
    let expected = if images.here == 0 {
        "–".to_owned()
    } else {
        gib(images.bytes_here as f64 / images.here as f64 * images.images as f64)
    };
    let name = format!("disk for {}, {} of them here", counted(images.images, "image"), images.here);
    vec![name, expected, "–".to_owned(), "–".to_owned()]
}
