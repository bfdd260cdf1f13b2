//! Prices of tokens. A price that is not known is unknown, never zero.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use patchwright_folder::{LONGEST_SETTINGS, read_text_file};
use patchwright_protocol::{Actionable, Actor, Usage};
use serde::Deserialize;
use thiserror::Error;

use crate::name::is_version;

/// The table that comes with the program.
const EMBEDDED: &str = include_str!("../prices.toml");

/// Prices are for this many tokens.
const UNIT: f64 = 1_000_000.0;

/// A price table: the embedded one, or that with a user's own on top.
#[derive(Debug, Clone, Default)]
pub struct Prices {
    /// Per model, the rows from the smallest `up_to` to the one without.
    models: BTreeMap<String, Vec<Row>>,
}

/// A price file that cannot be used.
#[derive(Debug, Error)]
pub enum PricesError {
    /// It cannot be read.
    #[error("cannot read the price table {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// It is not a price table.
    #[error("the price table {origin} is wrong: {problem}")]
    Wrong {
        /// The file.
        origin: String,
        /// The fault, and where it is.
        problem: String,
    },
}

impl Actionable for PricesError {
    fn actor(&self) -> Actor {
        Actor::User
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Read { .. } => "check the path and its permissions",
            Self::Wrong { .. } => {
                "each entry is [[model]] with name = \"provider/model\", input and output (USD per million tokens), \
                 and perhaps cached_input, cache_write, up_to"
            }
        };
        Some(hint.to_owned())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default, rename = "date")]
    _date: String,
    #[serde(default, rename = "source")]
    _source: Vec<String>,
    #[serde(default, rename = "model")]
    rows: Vec<Row>,
}

/// USD per million tokens.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    input: f64,
    output: f64,
    /// Without it, cached tokens cost what fresh ones do.
    cached_input: Option<f64>,
    /// Without it, tokens written to the cache cost what fresh ones do.
    cache_write: Option<f64>,
    /// The row holds for requests of at most so many input tokens.
    up_to: Option<u64>,
}

impl Prices {
    /// The table that comes with the program.
    pub fn embedded() -> Self {
        // A test reads the embedded table: it cannot fail here.
        Self::default().overlaid(EMBEDDED, "prices.toml").unwrap_or_default()
    }

    /// The embedded table with the entries of `path` in place of its own: a model named there has only those rows.
    ///
    /// # Errors
    /// The file cannot be read, or is not a price table.
    pub fn load(path: &Path) -> Result<Self, PricesError> {
        let text = read_text_file(path, LONGEST_SETTINGS)
            .map_err(|source| PricesError::Read { path: path.to_owned(), source })?;
        Self::embedded().overlaid(&text, &path.display().to_string())
    }

    /// The cost of one request, in USD. `model` is the full name (`openai/gpt-4.1`); a dated name
    /// (`openai/gpt-4.1-2025-04-14`) has the price of its family unless it has one of its own. `usage` is that of one
    /// request: some prices depend on its length. `None` = not known.
    pub fn cost(&self, model: &str, usage: &Usage) -> Option<f64> {
        let rows = self.models.get(self.entry(model)?)?;
        let row = rows.iter().find(|row| row.up_to.is_none_or(|limit| usage.input <= limit))?;
        let cached = usage.cached_input.min(usage.input);
        let written = usage.cache_write.min(usage.input - cached);
        let fresh = usage.input - cached - written;
        let sum = fresh as f64 * row.input
            + cached as f64 * row.cached_input.unwrap_or(row.input)
            + written as f64 * row.cache_write.unwrap_or(row.input)
            + usage.output as f64 * row.output;
        Some(sum / UNIT)
    }

    /// The longest entry that is the model's name, up to a date.
    fn entry<'a>(&'a self, model: &str) -> Option<&'a str> {
        let fits = |name: &&String| model.strip_prefix(name.as_str()).is_some_and(is_version);
        self.models.keys().filter(fits).max_by_key(|name| name.len()).map(String::as_str)
    }

    fn overlaid(mut self, text: &str, origin: &str) -> Result<Self, PricesError> {
        let wrong = |problem: String| PricesError::Wrong { origin: origin.to_owned(), problem };
        let table: Table = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        let mut models: BTreeMap<String, Vec<Row>> = BTreeMap::new();
        for row in table.rows {
            check(&row).map_err(wrong)?;
            models.entry(row.name.clone()).or_default().push(row);
        }
        for (name, rows) in &mut models {
            rows.sort_by_key(|row| row.up_to.unwrap_or(u64::MAX));
            if rows.windows(2).any(|pair| pair[0].up_to == pair[1].up_to) {
                return Err(wrong(format!("`{name}` has two entries for the same length")));
            }
        }
        self.models.append(&mut models);
        Ok(self)
    }
}

fn check(row: &Row) -> Result<(), String> {
    if !row.name.contains('/') {
        return Err(format!("`{}` has no provider in front (openai/…)", row.name));
    }
    let prices = [Some(row.input), Some(row.output), row.cached_input, row.cache_write];
    match prices.into_iter().flatten().find(|price| !(price.is_finite() && *price >= 0.0)) {
        Some(price) => Err(format!("`{}` has the price {price}", row.name)),
        None => Ok(()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn usage(input: u64, cached_input: u64, cache_write: u64, output: u64) -> Usage {
        Usage { input, cached_input, cache_write, output, reasoning: 0 }
    }

    fn table(text: &str) -> Result<Prices, String> {
        Prices::default().overlaid(text, "own.toml").map_err(|error| error.to_string())
    }

    fn close(found: Option<f64>, expect: Option<f64>) -> bool {
        match (found, expect) {
            (Some(found), Some(expect)) => (found - expect).abs() < 1e-9,
            (None, None) => true,
            _ => false,
        }
    }

    #[test]
    fn the_embedded_table_is_whole() {
        let prices = Prices::embedded();
        assert!(prices.models.len() > 30, "{}", prices.models.len());
        for rows in prices.models.values() {
            for row in rows {
                let answers = !row.name.contains("embedding");
                assert!(row.input > 0.0, "{row:?}");
                assert!(if answers { row.output >= row.input } else { row.output == 0.0 }, "{row:?}");
                assert!(row.cached_input.unwrap_or(0.0) < row.input, "{row:?}");
                assert!(row.cache_write.unwrap_or(row.input) >= row.input, "{row:?}");
            }
        }
    }

    #[test]
    fn costs_are_counted() {
        let prices = Prices::embedded();
        let check = |model: &str, usage: Usage, expect: Option<f64>| {
            let found = prices.cost(model, &usage);
            assert!(close(found, expect), "{model}: {found:?}");
        };
        check("openai/gpt-4.1", usage(1_000_000, 0, 0, 0), Some(2.0));
        check("openai/gpt-4.1", usage(1_000_000, 400_000, 0, 500_000), Some(1.2 + 0.2 + 4.0));
        check("openai/gpt-4.1-2025-04-14", usage(0, 0, 0, 1_000_000), Some(8.0));
        check("openai/gpt-4.1-mini-2025-04-14", usage(0, 0, 0, 1_000_000), Some(1.6));
        check("openai/gpt-4o-2024-05-13", usage(1_000_000, 0, 0, 0), Some(5.0));
        check("anthropic/claude-sonnet-4-5-20250929", usage(100_000, 50_000, 20_000, 1000), Some(0.195));
        check("anthropic/claude-opus-4-5", usage(0, 0, 0, 1_000_000), Some(25.0));
        check("anthropic/claude-opus-4-20250514", usage(0, 0, 0, 1_000_000), Some(75.0));
        check("openai/gpt-4.1", Usage::default(), Some(0.0));
        // Not known
        check("openai/gpt-4.1-giant", usage(1, 0, 0, 1), None);
        check("openai/gpt-4", usage(1, 0, 0, 1), None);
        check("openai/gpt-99", usage(1, 0, 0, 1), None);
        check("gpt-4.1", usage(1, 0, 0, 1), None);
        check("compatible/gpt-4.1", usage(1, 0, 0, 1), None);
    }

    #[test]
    fn a_price_may_depend_on_the_length() {
        let prices = Prices::embedded();
        let cost = |input| prices.cost("anthropic/claude-haiku-4-5", &usage(input, 0, 0, 0));
        assert!(close(cost(300_000), Some(0.3)));
        let cost = |input| prices.cost("anthropic/claude-haiku-5-5", &usage(input, 0, 0, 0));
        assert!(close(cost(100_000), Some(0.01)));
        assert!(close(cost(100_001), Some(0.050_000_5)));
        let cost = |input| prices.cost("openai/gpt-5.4", &usage(input, 0, 0, 0));
        assert!(close(cost(272_000), Some(0.68)));
        assert!(close(cost(300_000), Some(1.5)));
        let cost = |input| prices.cost("openai/gpt-6-sol", &usage(input, 0, 0, 0));
        assert!(close(cost(272_000), Some(0.544)));
        assert_eq!(cost(272_001), None);
    }

    #[test]
    fn a_users_table_lies_on_top() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = "date = \"2027-01-01\"\n[[model]]\nname = \"compatible/local\"\ninput = 0\noutput = 0\n\
                    [[model]]\nname = \"openai/gpt-4.1\"\ninput = 1.0\noutput = 2.0\n";
        std::fs::write(file.path(), text).unwrap();
        let prices = Prices::load(file.path()).unwrap();
        let million = usage(1_000_000, 500_000, 0, 0);
        assert!(close(prices.cost("compatible/local", &million), Some(0.0)), "said to be free by the user");
        assert!(close(prices.cost("openai/gpt-4.1", &million), Some(1.0)), "cached tokens cost the same");
        assert!(close(prices.cost("openai/gpt-4.1-mini", &million), Some(0.25)), "not replaced");
        assert!(
            Prices::load(Path::new("/nowhere/prices.toml")).unwrap_err().to_string().contains("/nowhere")
        );
    }

    #[test]
    fn wrong_tables_are_told() {
        let check = |text: &str, expect: &str| {
            let error = table(text).unwrap_err();
            assert!(error.contains(expect) && error.contains("own.toml"), "{error}");
        };
        check("[[model]]\nname = \"openai/x\"\ninput = 1\n", "missing field `output`");
        check("[[model]]\nname = \"x\"\ninput = 1\noutput = 2\n", "no provider");
        check("[[model]]\nname = \"openai/x\"\ninput = -1\noutput = 2\n", "the price -1");
        check("[[model]]\nname = \"openai/x\"\ninput = nan\noutput = 2\n", "the price NaN");
        check(
            "[[model]]\nname = \"openai/x\"\ninput = 1\noutput = 2\ncached = 1\n",
            "unknown field `cached`",
        );
        check(
            "[[model]]\nname = \"a/x\"\ninput = 1\noutput = 2\n[[model]]\nname = \"a/x\"\ninput = 1\noutput = 3\n",
            "two entries",
        );
        check("model = 3", "invalid type");
    }
}
