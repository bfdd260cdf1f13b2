//! OpenAI's embeddings, as many services copy them.

use patchwright_protocol::Usage;
use serde_json::{Value, json};

use super::{AnswerError, MOST_VALUES, bad_answer, count_of, value_of};
use crate::Embeddings;

/// The path behind the base URL.
pub(crate) const PATH: &str = "/embeddings";

/// Numbers of a vector: three times as many as any model gives.
const LONGEST_VECTOR: usize = 12_288;

/// The body of a request.
pub(crate) fn body(model: &str, texts: &[&str]) -> Value {
    json!({ "model": model, "input": texts })
}

/// Reads the body of a successful answer to a request with `count` texts.
///
/// # Errors
/// As [`WireFormat::read`](super::WireFormat::read).
pub(crate) fn read(count: usize, body: &[u8]) -> Result<Embeddings, AnswerError> {
    let value = value_of(body, MOST_VALUES + count * LONGEST_VECTOR)?;
    read_value(count, &value).map_err(|problem| AnswerError::Model(bad_answer(&problem, body)))
}

fn read_value(count: usize, value: &Value) -> Result<Embeddings, String> {
    let data = value.get("data").and_then(Value::as_array).ok_or("`data` is missing")?;
    let mut vectors = vec![Vec::new(); count];
    for (place, one) in data.iter().enumerate() {
        let index = one.get("index").and_then(Value::as_u64).map_or(place, |index| index as usize);
        let numbers = one.get("embedding").and_then(Value::as_array).ok_or("an `embedding` is missing")?;
        if numbers.len() > LONGEST_VECTOR {
            return Err(format!("an `embedding` has more than {LONGEST_VECTOR} numbers"));
        }
        let vector: Option<Vec<f32>> = numbers.iter().map(|number| Some(number.as_f64()? as f32)).collect();
        let vector =
            vector.filter(|vector| !vector.is_empty()).ok_or("an `embedding` is no list of numbers")?;
        *vectors.get_mut(index).ok_or(format!("`index` {index} is none of {count} texts"))? = vector;
    }
    let length = vectors.first().map_or(0, Vec::len);
    if vectors.iter().any(Vec::is_empty) {
        return Err(format!("{} vectors for {count} texts", data.len()));
    }
    if vectors.iter().any(|vector| vector.len() != length) {
        return Err("the vectors have different lengths".to_owned());
    }
    let usage = value.get("usage").filter(|usage| usage.is_object());
    let usage = usage.map(|usage| Usage { input: count_of(usage, "prompt_tokens"), ..Usage::default() });
    Ok(Embeddings { vectors, usage })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_by_their_index() {
        let value = json!({
            "data": [{ "index": 1, "embedding": [0, 1.5] }, { "index": 0, "embedding": [-1, 2] }],
            "usage": { "prompt_tokens": 7, "total_tokens": 7 },
        });
        let read = read_value(2, &value).unwrap();
        assert_eq!(read.vectors, [[-1.0, 2.0], [0.0, 1.5]]);
        assert_eq!(read.usage.unwrap().input, 7);
        let bare = json!({ "data": [{ "embedding": [1] }, { "embedding": [2] }] });
        assert_eq!(
            read_value(2, &bare).unwrap(),
            Embeddings { vectors: vec![vec![1.0], vec![2.0]], usage: None }
        );
    }

    #[test]
    fn an_answer_of_too_many_values_is_not_read() {
        for times in [1, 10] {
            let odd = "0,".repeat(times * (MOST_VALUES + 2 * LONGEST_VECTOR));
            let body = format!(r#"{{"data":[{{"embedding":[1]}},{{"embedding":[2]}}],"odd":[{odd}0]}}"#);
            let Err(AnswerError::Model(error)) = read(2, body.as_bytes()) else {
                unreachable!("it was read")
            };
            assert!(error.to_string().contains("more than"), "{error}");
        }
    }

    #[test]
    fn what_does_not_fit_the_question_is_refused() {
        let check = |value: Value, expect: &str| {
            let problem = read_value(2, &value).unwrap_err();
            assert!(problem.contains(expect), "{problem}");
        };
        check(json!({}), "`data` is missing");
        check(json!({ "data": [] }), "0 vectors for 2 texts");
        check(json!({ "data": [{ "embedding": [1] }] }), "1 vectors for 2 texts");
        check(json!({ "data": [{ "embedding": [1] }, { "embedding": [1, 2] }] }), "different lengths");
        check(json!({ "data": [{ "index": 2, "embedding": [1] }] }), "`index` 2");
        check(json!({ "data": [{ "index": 0 }] }), "is missing");
        check(json!({ "data": [{ "embedding": "AAAA" }] }), "is missing");
        check(json!({ "data": [{ "embedding": ["x"] }] }), "no list of numbers");
        check(json!({ "data": [{ "embedding": [] }] }), "no list of numbers");
        for length in [LONGEST_VECTOR + 1, 10 * LONGEST_VECTOR] {
            check(json!({ "data": [{ "embedding": vec![1; length] }] }), "more than 12288 numbers");
        }
        assert!(read_value(1, &json!({ "data": [{ "embedding": vec![1; LONGEST_VECTOR] }] })).is_ok());
    }
}
