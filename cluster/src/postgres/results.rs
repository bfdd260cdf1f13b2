//! Results of cases.

use serde_json::Value;
use sqlx::PgConnection;

use super::error::LedgerError;
use super::number;

/// The result of a case.
#[derive(Clone, Debug)]
pub struct CaseResult {
    /// The case's id.
    pub case: String,
    /// The number of the attempt that stands.
    pub attempt: u32,
    /// `result.json` of its session.
    pub outcome: Value,
    /// The last judgement of its patch.
    pub grade: Option<Value>,
    /// The comparison of its patch with the developer's fix by place.
    pub located: Option<Value>,
    /// Wall-clock seconds of the attempt.
    pub seconds: Option<f64>,
}

/// Stores a result. The ledger has one for each case.
pub(super) async fn insert(
    transaction: &mut PgConnection,
    (run, part): (&str, u32),
    result: &CaseResult,
) -> Result<(), LedgerError> {
    let text = |value: &Value| without_zero(value.clone()).to_string();
    sqlx::query(
        "INSERT INTO patchwright.results (run, part, \"case\", attempt, outcome, grade, located, seconds) \
         VALUES ($1, $2, $3, $4, $5::jsonb, $6::jsonb, $7::jsonb, $8)",
    )
    .bind(run)
    .bind(number(part))
    .bind(&result.case)
    .bind(number(result.attempt))
    .bind(text(&result.outcome))
    .bind(result.grade.as_ref().map(text))
    .bind(result.located.as_ref().map(text))
    .bind(result.seconds)
    .execute(transaction)
    .await?;
    Ok(())
}

/// The same without the character that PostgreSQL's texts cannot hold. The stored files keep it.
fn without_zero(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace('\0', "\u{fffd}")),
        Value::Array(items) => items.into_iter().map(without_zero).collect(),
        Value::Object(fields) => {
            let clean =
                |(name, value): (String, Value)| (name.replace('\0', "\u{fffd}"), without_zero(value));
            Value::Object(fields.into_iter().map(clean).collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_stored_without_zeros() {
        let value = serde_json::json!({ "a\0": ["x\0y", 1, null], "b": "\\u0000" });
        assert_eq!(without_zero(value).to_string(), r#"{"a�":["x�y",1,null],"b":"\\u0000"}"#);
    }
}
