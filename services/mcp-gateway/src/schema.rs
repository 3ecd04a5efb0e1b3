//! Validates arguments and results against the JSON Schemas of tools, with the `jsonschema` crate.
//!
//! The schemas come from foreign servers. No reference is fetched, compilation and validation are
//! bounded, and a keyword that is invalid or not supported is ignored: the server validates its
//! arguments itself, and a call that is wrongly refused is worse than one that the server refuses.

mod cost;
mod faults;
mod prepare;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;
use tokio::sync::OnceCell;

pub(crate) use self::faults::Subject;

/// The most invalid keywords that are ignored; a schema with more is not used.
const MAX_INVALID_KEYWORDS: usize = 16;
/// The most memory of one compiled pattern, in bytes.
const PATTERN_BYTES: usize = 256 * 1024;

/// A schema, which is compiled once, at its first use.
#[derive(Debug)]
pub(crate) struct ToolSchema {
    source: Arc<Value>,
    compiled: OnceCell<Option<Compiled>>,
}

#[derive(Debug)]
struct Compiled {
    /// The schema without its ignored keywords.
    schema: Value,
    validator: Validator,
}

impl ToolSchema {
    pub(crate) fn new(source: Value) -> Self {
        Self { source: Arc::new(source), compiled: OnceCell::new() }
    }

    pub(crate) fn source(&self) -> &Value {
        &self.source
    }

    /// The faults of a value, at most `limit`; none if the schema is unusable or its validation too
    /// expensive.
    pub(crate) async fn faults(
        &self,
        value: &Value,
        subject: Subject,
        limit: usize,
    ) -> Vec<String> {
        let source = Arc::clone(&self.source);
        // A panic of the compiler is a `JoinError`, which makes the schema unusable.
        let compile =
            || async { tarsy_service::compute(move || compile(&source)).await.unwrap_or_default() };
        let Some(compiled) = self.compiled.get_or_init(compile).await else { return Vec::new() };
        if !cost::is_bounded(&compiled.schema, value) {
            tracing::debug!("a validation is too expensive and was skipped");
            return Vec::new();
        }
        let validation =
            || faults::list(&compiled.schema, &compiled.validator, value, subject, limit);
        catch_unwind(AssertUnwindSafe(validation)).unwrap_or_default()
    }
}

/// Compiles a schema without its unsupported and invalid keywords; none if that fails.
fn compile(source: &Value) -> Option<Compiled> {
    let mut schema = prepare::prepare(source)?;
    for _ in 0..=MAX_INVALID_KEYWORDS {
        let draft = Draft::default().detect(&schema);
        let patterns =
            PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES);
        let built = jsonschema::options()
            .with_draft(draft)
            .offline()
            .should_validate_formats(false)
            .with_pattern_options(patterns)
            .build(&schema);
        let error = match built {
            Ok(validator) => return Some(Compiled { schema, validator }),
            Err(error) => error,
        };
        let location = match error.instance_path().as_str() {
            "" => error.schema_path().as_str().to_owned(),
            path => path.to_owned(),
        };
        prepare::remove_keyword(&mut schema, &location)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use serde_json::json;

    use super::*;

    async fn faults(value: &Value, schema: &Value) -> String {
        ToolSchema::new(schema.clone()).faults(value, Subject::Arguments, 9).await.join("; ")
    }

    #[tokio::test]
    async fn a_valid_value_has_no_faults() {
        let schema = json!({
            "$defs": {"level": {"enum": ["low", "high"]}},
            "properties": {
                "level": {"$ref": "#/$defs/level"},
                "when": {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^[0-9]+h$"}]},
                "tags": {"type": "object", "additionalProperties": {"type": "string"}},
                "odd": {"unknownWord": 5, "type": "whatever"},
                "far": {"$ref": "https://example.org/schema"},
            },
        });
        let value = json!({"level": "low", "when": "5h", "tags": {"a": "b"}, "odd": 1, "far": {}, "more": []});
        assert_eq!(faults(&value, &schema).await, "");
    }

    #[tokio::test]
    async fn each_fault_contains_its_location_and_the_requirement() {
        let schema = json!({
            "$defs": {"level": {"enum": ["low", "high"]}},
            "properties": {
                "level": {"$ref": "#/$defs/level"},
                "when": {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^[0-9]+h$"}]},
                "list": {"items": {"properties": {"n": {"exclusiveMaximum": 3}}, "required": ["m"]}, "maxItems": 1},
                "tags": {"additionalProperties": {"type": "string"}},
                "name": {"minLength": 2},
            },
        });
        let value = json!({
            "level": "mid", "when": "soon", "list": [{"n": 3}, {"m": 1}], "tags": {"a": 1}, "name": "x"
        });
        let found = faults(&value, &schema).await;
        let mut found: Vec<&str> = found.split("; ").collect();
        found.sort_unstable();
        assert_eq!(
            found,
            [
                "`level` must be one of \"low\", \"high\", not \"mid\"",
                "`list[0].m` is missing",
                "`list[0].n` must be less than 3, not 3",
                "`list` must have at most 1 items",
                "`name` must have at least 2 characters",
                "`tags.a` must be of type string, not 1",
                "`when` must be of type integer, not \"soon\"",
            ]
        );
    }

    #[tokio::test]
    async fn the_faults_of_a_result_repeat_no_value_of_it() {
        let schema = json!({
            "properties": {
                "token": {"type": "integer"},
                "kind": {"enum": ["a"]},
                "name": {"pattern": "^x"},
                "size": {"maximum": 5},
            },
            "additionalProperties": false,
        });
        let value = json!({"token": "sesame-1", "kind": "sesame-2", "name": "sesame-3", "size": 4711, "sise": 1});
        let mut found = ToolSchema::new(schema).faults(&value, Subject::Result, 9).await;
        found.sort_unstable();
        assert_eq!(
            found,
            [
                "`kind` must be one of \"a\", not this text",
                "`name` must match ^x, which this text does not",
                "`size` must be at most 5",
                "`token` must be of type integer, not this text",
                "there is no field `sise`, did you mean `size`?",
            ]
        );
    }

    #[tokio::test]
    async fn a_schema_that_refers_to_itself_is_bounded() {
        let schema =
            json!({"$ref": "#", "anyOf": [{"$ref": "#"}, {"$ref": "#"}], "allOf": [{"$ref": "#"}]});
        assert_eq!(faults(&json!({"a": 1}), &schema).await, "");
    }

    #[tokio::test]
    async fn an_invalid_keyword_does_not_disable_the_others() {
        for invalid in [
            json!({"type": "whatever"}),
            json!({"pattern": "(", "type": "string"}),
            json!({"required": "a"}),
            json!("not a schema"),
            json!({"$ref": "#/nowhere"}),
            json!({"$ref": "file:///etc/passwd"}),
            json!({"exclusiveMinimum": true}),
        ] {
            let schema = json!({
                "$schema": "https://example.org/unknown",
                "properties": {"bad": invalid, "good": {"type": "integer"}},
                "additionalProperties": false,
            });
            let found = faults(&json!({"bad": "x", "good": "x"}), &schema).await;
            assert_eq!(found, "`good` must be of type integer, not \"x\"", "{invalid}");
        }
    }

    #[tokio::test]
    async fn hostile_schemas_neither_block_nor_crash() {
        let doubling: serde_json::Map<String, Value> = (0..60)
            .map(|level| {
                let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
                (format!("d{level}"), json!({"anyOf": [next, next, next]}))
            })
            .collect();
        let chain: serde_json::Map<String, Value> = (0..4_000)
            .map(|link| (format!("c{link}"), json!({"$ref": format!("#/$defs/c{}", link + 1)})))
            .collect();
        let mut nested = json!({"type": "integer"});
        for _ in 0..100 {
            nested = json!({"allOf": [nested.clone()], "unevaluatedProperties": false});
        }
        let tree = json!({"properties": {"c": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}}});
        let mut deep = json!(1);
        for _ in 0..100 {
            deep = json!({"c": deep});
        }
        let started = Instant::now();
        for schema in [
            json!({"$ref": "#/$defs/d0", "$defs": doubling}),
            json!({"$ref": "#/$defs/c0", "$defs": chain}),
            nested,
            tree,
            json!({"properties": {"c": {"pattern": "(x+x+)+y{1000}{1000}"}}}),
        ] {
            faults(&deep, &schema).await;
            faults(&json!({"c": "x".repeat(100_000)}), &schema).await;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    }
}
