//! The published JSON schema of one line.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::event::Record;

/// The JSON schema (draft 2020-12) of one line of a trajectory.
pub fn schema() -> Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Record>().to_value()
}

/// The schema as it is committed in `trajectory/schema.json`.
pub fn schema_text() -> String {
    format!("{:#}\n", schema())
}
