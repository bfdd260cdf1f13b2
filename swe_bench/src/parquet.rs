//! Datasets in Apache Parquet, as Hugging Face stores them, in the compressions that datasets come in: Snappy, Zstandard, gzip, LZ4.

use std::fs::File;
use std::path::Path;

use chrono::{DateTime, SecondsFormat, Utc};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::{Map, Value};

/// The rows of the file as JSON objects; what JSON has no form for is null.
pub(super) fn objects(path: &Path) -> Result<Vec<Value>, parquet::errors::ParquetError> {
    let reader = SerializedFileReader::new(File::open(path)?)?;
    let rows = reader.get_row_iter(None)?;
    rows.map(|row| {
        let columns = row?;
        let object: Map<String, Value> =
            columns.into_columns().into_iter().map(|(name, field)| (name, value(&field))).collect();
        Ok(Value::Object(object))
    })
    .collect()
}

fn value(field: &Field) -> Value {
    match field {
        Field::Str(text) => Value::from(text.as_str()),
        Field::Bytes(bytes) => Value::from(String::from_utf8_lossy(bytes.data())),
        Field::Bool(truth) => Value::from(*truth),
        Field::Byte(number) => Value::from(*number),
        Field::Short(number) => Value::from(*number),
        Field::Int(number) => Value::from(*number),
        Field::Long(number) => Value::from(*number),
        Field::TimestampMillis(time) => time_text(DateTime::from_timestamp_millis(*time)),
        Field::TimestampMicros(time) => time_text(DateTime::from_timestamp_micros(*time)),
        Field::ListInternal(list) => Value::Array(list.elements().iter().map(value).collect()),
        _ => Value::Null,
    }
}

fn time_text(time: Option<DateTime<Utc>>) -> Value {
    time.map_or(Value::Null, |time| Value::from(time.to_rfc3339_opts(SecondsFormat::AutoSi, true)))
}
