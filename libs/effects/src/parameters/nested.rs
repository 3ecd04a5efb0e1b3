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
        self.has_program_beside(schema, depth)
    }

    /// The same in the parts of a schema beside its own properties: alternatives, conditions, items, and fields of any name.
    pub(super) fn has_program_beside(&mut self, schema: &Value, depth: usize) -> bool {
        let reference = schema.get("$ref").or_else(|| schema.get("$dynamicRef"));
        // The whole schema is looked at anyway.
        if let Some(reference) = reference.filter(|reference| *reference != "#") {
            // One that leads out of the schema may lead to anything.
            let Some(referred) = self.referred(reference) else { return true };
            if self.has_program(referred, depth) {
                return true;
            }
        }
        let lists = ["anyOf", "oneOf", "allOf", "prefixItems"];
        let maps = ["patternProperties", "dependentSchemas"];
        let single = ["if", "then", "else", "items", "contains", "additionalProperties"];
        let of_lists = lists.into_iter().filter_map(|key| schema.get(key)?.as_array()).flatten();
        let of_maps = maps.into_iter().filter_map(|key| schema.get(key)?.as_object());
        let of_maps = of_maps.flat_map(|parts| parts.values());
        let single = single.into_iter().filter_map(|key| schema.get(key));
        let parts: Vec<&Value> = of_lists.chain(of_maps).chain(single).collect();
        parts.into_iter().any(|part| self.has_program(part, depth))
    }

    /// The part of the tool's schema that a reference means.
    fn referred(&self, reference: &Value) -> Option<&'a Value> {
        let path = reference.as_str()?.strip_prefix("#/")?;
        match path.split_once('/') {
            Some((first, rest)) => self.tool.schema.get(first)?.pointer(&format!("/{rest}")),
            None => self.tool.schema.get(path),
        }
    }
}
