//! What a run will need, as a table.

use super::table::Table;
use super::units::Unit;
use crate::error::Bytes;
use crate::forecast::{Estimate, Forecast};

/// The table of a [`Forecast`].
pub fn forecast_table(forecast: &Forecast) -> Table {
    let mut table = Table::new("What the run will need", &["", "expected", "in 19 of 20 runs", "at most"]);
    let none = || "–".to_owned();
    let mut row = |name: &str, estimate: Option<Estimate>, told: &dyn Fn(f64) -> String| {
        let cells = match estimate {
            None => [none(), none(), none()],
            Some(Estimate { expected, from, to, at_most }) => [
                expected.map_or_else(none, told),
                to.map_or_else(none, |to| format!("{} to {}", told(from), told(to))),
                at_most.map_or_else(none, told),
            ],
        };
        table.rows.push(std::iter::once(name.to_owned()).chain(cells).collect());
    };
    let unit = |unit: Unit| move |value: f64| unit.exact(value);
    // Bytes are counted, so never negative.
    #[allow(clippy::cast_sign_loss)]
    let bytes = |value: f64| Bytes(value.round() as u64).to_string();
    row("time until all have ended", forecast.seconds, &unit(Unit::Seconds));
    row("time of all sessions", forecast.session_seconds, &unit(Unit::Seconds));
    row("tokens", forecast.tokens, &unit(Unit::Tokens));
    row("cost", forecast.usd, &|usd| format!("${usd:.2}"));
    row("disk for what sessions write", forecast.bytes, &bytes);
    let memory = &forecast.memory;
    let of_nodes = |nodes: u64| {
        [
            memory.node.map_or_else(none, |node| Bytes(node * nodes).to_string()),
            none(),
            Bytes(memory.node_at_most * nodes).to_string(),
        ]
    };
    let name = if memory.nodes == 1 { "memory" } else { "memory of a machine" };
    table.rows.push(std::iter::once(name.to_owned()).chain(of_nodes(1)).collect());
    if memory.nodes > 1 {
        let name = format!("memory of all {}", memory.nodes);
        table.rows.push(std::iter::once(name).chain(of_nodes(memory.nodes as u64)).collect());
    }
    let source = match (forecast.known, forecast.same) {
        (0, _) => {
            "No earlier run tells what sessions need: name one with --from. At most: what limits allow."
                .to_owned()
        }
        (known, 0) => format!("By {known} attempts of earlier runs, none of them at the same cases."),
        (known, same) => format!(
            "By {known} attempts of earlier runs, which know {same} of the {} cases.",
            forecast.sessions
        ),
    };
    table.note(source)
}
