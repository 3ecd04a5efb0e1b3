//! Parameters inside of parameters: a program or a switch there cannot be judged.

use serde_json::Value;

use super::takes::{Takes, takes};
use crate::declared::Declared;

/// A walk through the schema of one parameter.
pub(super) struct Nested<'a> {
    pub(super) tool: Declared<'a>,
    /// How many parts may still be looked at.
    pub(super) parts: usize,
}

impl<'a> Nested<'a> {
    /// Whether an object of a schema has a parameter that takes a program or a switch. A schema that is too deep or too large
    /// may have one.
    pub(super) fn has_program(&mut self, schema: &Value, depth: usize) -> bool {
        let (Some(depth), Some(parts)) = (depth.checked_sub(1), self.parts.checked_sub(1)) else {
            return true;
        };
        self.parts = parts;
        let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        for (name, field) in fields {
            let taken = takes(self.tool, name, field);
            if !matches!(taken, Takes::Data | Takes::Reading(_)) || self.has_program(field, depth) {
                return true;
            }
        }
        let variants =
            ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| schema.get(key)?.as_array());
        let items = schema.get("items").into_iter().chain(self.referred(schema));
        let parts: Vec<&Value> = variants.flatten().chain(items).collect();
        parts.into_iter().any(|part| self.has_program(part, depth))
    }

    /// The part of the tool's schema that a reference means.
    fn referred(&self, schema: &Value) -> Option<&'a Value> {
        let path = schema.get("$ref")?.as_str()?.strip_prefix("#/")?;
        match path.split_once('/') {
            Some((first, rest)) => self.tool.schema.get(first)?.pointer(&format!("/{rest}")),
            None => self.tool.schema.get(path),
        }
    }
}
