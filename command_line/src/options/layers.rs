//! One table of options read into its groups, and laid over another.

use patchwright_protocol::Failure;
use serde::de::value::MapDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::SessionOptions;

impl SessionOptions {
    /// These options with everything that `above` gives laid over them.
    pub fn overlaid(&self, above: &Self) -> Result<Self, Failure> {
        serde_json::from_value(overlay(self, above).map_err(Failure::defect)?).map_err(Failure::defect)
    }

    /// The names of the options that are given, as keys of a settings file.
    pub(crate) fn given(&self) -> Vec<String> {
        match serde_json::to_value(self) {
            Ok(Value::Object(options)) => {
                options.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, _)| name).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// One option at a time is read into its group, so that an error names the option and its place in the file.
impl<'de> Deserialize<'de> for SessionOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Table)
    }
}

/// The table of all options.
struct Table;

impl<'de> Visitor<'de> for Table {
    type Value = SessionOptions;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a table of options")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<SessionOptions, A::Error> {
        let mut options = SessionOptions::default();
        while let Some(key) = table.next_key::<String>()? {
            table.next_value_seed(Entry { key, options: &mut options })?;
        }
        Ok(options)
    }
}

/// The value of an option that is read into its group.
struct Entry<'o> {
    key: String,
    options: &'o mut SessionOptions,
}

impl<'de> DeserializeSeed<'de> for Entry<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        let Self { key, options } = self;
        macro_rules! read_into_its_group {
            ($($group:ident),*) => {
                $(if names(&options.$group).contains(&key) {
                    let entry = MapDeserializer::new(std::iter::once((key, ValueOf(value))));
                    let read = Deserialize::deserialize(entry)?;
                    let merged = overlay(&options.$group, &read).and_then(serde_json::from_value);
                    options.$group = merged.map_err(D::Error::custom)?;
                    return Ok(());
                })*
            };
        }
        read_into_its_group!(project, approach, budget, sandbox, model, prompt, agentless, writing, output);
        let known = names(options).join("`, `");
        Err(D::Error::custom(format!("unknown field `{key}`, expected one of `{known}`")))
    }
}

/// A value that is yet to be read.
struct ValueOf<D>(D);

impl<'de, D: Deserializer<'de>> IntoDeserializer<'de, D::Error> for ValueOf<D> {
    type Deserializer = D;

    fn into_deserializer(self) -> D {
        self.0
    }
}

/// The names of a group's options.
fn names(group: &impl Serialize) -> Vec<String> {
    match serde_json::to_value(group) {
        Ok(Value::Object(options)) => options.into_iter().map(|(name, _)| name).collect(),
        _ => Vec::new(),
    }
}

/// The values of `above` laid over those of `below`.
fn overlay<G: Serialize>(below: &G, above: &G) -> Result<Value, serde_json::Error> {
    let mut merged = serde_json::to_value(below)?;
    if let (Value::Object(merged), Value::Object(above)) = (&mut merged, serde_json::to_value(above)?) {
        merged.extend(above.into_iter().filter(|(_, value)| !value.is_null()));
    }
    Ok(merged)
}
