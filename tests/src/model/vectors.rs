//! Vectors as a vendor makes them: texts about the same thing are near, whatever their words.

use std::sync::{Arc, Mutex};

use axum::extract::{Json, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

/// Words that mean the same here.
const SAME: [&[&str]; 4] = [
    &["disk", "volume", "space", "storage", "full", "exhausted"],
    &["cron", "job", "schedule", "nightly", "friday"],
    &["ledger", "book", "rows", "entries", "empty", "missing"],
    &["pool", "connections", "clients", "sessions"],
];
/// How much more a thing counts than a word of its own.
const THING: f64 = 4.0;

/// How texts become vectors.
#[derive(Clone, Copy, Debug, Default)]
pub enum Vectors {
    /// Of the length that is asked for.
    #[default]
    AsAsked,
    /// Of this length, whatever is asked for.
    OfLength(u64),
    /// Not at all.
    Refused,
}

pub(super) async fn answer(
    State(vectors): State<Arc<Mutex<Vectors>>>,
    Json(body): Json<Value>,
) -> Response {
    let vectors = vectors.lock().map(|known| *known).unwrap_or_default();
    let asked = body.get("dimensions").and_then(Value::as_u64).unwrap_or(64).max(8);
    let length = match vectors {
        Vectors::AsAsked => asked,
        Vectors::OfLength(length) => length,
        Vectors::Refused => return StatusCode::SERVICE_UNAVAILABLE.into_response(),
    };
    let texts = body.get("input").and_then(Value::as_array).cloned().unwrap_or_default();
    let data = texts.iter().enumerate().map(|(index, text)| {
        let embedding = vector(text.as_str().unwrap_or_default(), length);
        json!({ "object": "embedding", "index": index, "embedding": embedding })
    });
    let data: Vec<_> = data.collect();
    let answer =
        json!({ "object": "list", "data": data, "usage": { "prompt_tokens": texts.len() } });
    Json(answer).into_response()
}

fn vector(text: &str, length: u64) -> Vec<f64> {
    let mut vector = vec![0.0; usize::try_from(length).unwrap_or_default()];
    let things = SAME.len() as u64;
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty())
    {
        let thing = SAME.iter().position(|words| words.contains(&word));
        let hash = word.bytes().fold(7_u64, |sum, byte| sum.wrapping_mul(31) + u64::from(byte));
        let axis = thing.map_or(things + hash % (length - things), |thing| thing as u64);
        if let Some(number) = vector.get_mut(usize::try_from(axis).unwrap_or_default()) {
            *number += if thing.is_some() { THING } else { 1.0 };
        }
    }
    vector
}
