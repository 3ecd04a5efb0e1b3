//! The fingerprint of a configuration.

use std::fmt::Write as _;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::layers::{Layer, Layers};
use crate::secrets::{holds_secrets, is_secret};
use crate::yaml::{Kind, Node};

/// Hexadecimal digits of the fingerprint.
const DIGITS: usize = 16;

/// The fingerprint of both layers, with variables by name: it holds no secret that is kept outside the
/// files, and differs neither by the order of keys nor between services with different variables.
pub(crate) fn of(layers: &Layers) -> String {
    let mut hasher = Sha256::new();
    for layer in [&layers.builtin, &layers.user] {
        hasher.update(as_written(layer).to_string());
    }
    for skill in layers.skills.values() {
        hasher.update(&skill.hash);
    }
    let mut digits = String::new();
    for byte in hasher.finalize().iter().take(DIGITS / 2) {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

fn as_written(layer: &Layer) -> Value {
    Value::Array(vec![
        canonical(&layer.tarsy.doc.root, ""),
        canonical(&layer.providers.doc.root, ""),
    ])
}

/// The tree with its keys in order, variables by name, and the values below secret keys left out.
fn canonical(node: &Node, key: &str) -> Value {
    match &node.kind {
        Kind::Scalar { .. } if is_secret(key) => Value::Null,
        Kind::Scalar { written, .. } => Value::String(written.clone()),
        Kind::List(items) => Value::Array(items.iter().map(|item| canonical(item, "")).collect()),
        Kind::Map(entries) => {
            let secret = holds_secrets(key);
            let mut sorted: Vec<_> = entries.iter().collect();
            sorted.sort_by(|a, b| a.key.cmp(&b.key));
            let mut out = Map::new();
            for entry in sorted {
                let value = if secret { Value::Null } else { canonical(&entry.value, &entry.key) };
                out.insert(entry.key.clone(), value);
            }
            Value::Object(out)
        }
    }
}
