//! Bounds the cost of a validation before it runs.
//!
//! References and alternatives can make the cost exponential in the depth of a value. The estimate
//! counts each application of a subschema to a part of the value, and stops at a limit.

use serde_json::Value;

/// The most applications of subschemas, and their deepest nesting.
const MAX_STEPS: usize = 20_000;
const MAX_DEPTH: usize = 64;
/// How many bytes of text a pattern scans, and how many choices of an `enum` are compared, in the time of
/// one step.
const TEXT_PER_STEP: usize = 1_024;
const CHOICES_PER_STEP: usize = 16;

/// Whether a schema can be applied to a value within the limits.
pub(super) fn is_bounded(schema: &Value, value: &Value) -> bool {
    Estimate { root: schema, steps: MAX_STEPS }.schema(schema, value, MAX_DEPTH).is_some()
}

struct Estimate<'a> {
    root: &'a Value,
    steps: usize,
}

impl<'a> Estimate<'a> {
    /// None if a limit is reached.
    fn schema(&mut self, schema: &'a Value, value: &Value, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        self.spend(1)?;
        for (keyword, argument) in schema.as_object().into_iter().flatten() {
            match keyword.as_str() {
                "$ref" => {
                    let path = argument.as_str().and_then(|target| target.strip_prefix('#'));
                    let target = path.and_then(|path| self.root.pointer(path));
                    self.schema(target?, value, depth)?;
                }
                "allOf" | "anyOf" | "oneOf" => {
                    for part in argument.as_array().into_iter().flatten() {
                        self.schema(part, value, depth)?;
                    }
                }
                "dependencies" | "dependentSchemas" => {
                    for part in argument.as_object().into_iter().flatten() {
                        self.schema(part.1, value, depth)?;
                    }
                }
                "else" | "if" | "not" | "then" => self.schema(argument, value, depth)?,
                "enum" => {
                    let choices = argument.as_array().map_or(0, Vec::len);
                    self.spend(choices / CHOICES_PER_STEP)?;
                }
                "pattern" => self.spend(value.as_str().map_or(0, str::len) / TEXT_PER_STEP)?,
                _ => self.children(keyword, argument, value, depth)?,
            }
        }
        Some(())
    }

    /// Applies a keyword for the properties of an object or the items of an array.
    fn children(
        &mut self,
        keyword: &str,
        argument: &'a Value,
        value: &Value,
        depth: usize,
    ) -> Option<()> {
        match (keyword, argument, value) {
            ("properties", Value::Object(schemas), Value::Object(object)) => {
                for (name, schema) in schemas {
                    if let Some(property) = object.get(name) {
                        self.schema(schema, property, depth)?;
                    }
                }
            }
            ("patternProperties", Value::Object(schemas), Value::Object(object)) => {
                for schema in schemas.values() {
                    for property in object.values() {
                        self.schema(schema, property, depth)?;
                    }
                }
            }
            ("additionalProperties" | "propertyNames", schema, Value::Object(object)) => {
                for property in object.values() {
                    self.schema(schema, property, depth)?;
                }
            }
            ("items" | "prefixItems", Value::Array(schemas), Value::Array(items)) => {
                for (schema, item) in schemas.iter().zip(items) {
                    self.schema(schema, item, depth)?;
                }
            }
            ("additionalItems" | "contains" | "items", schema, Value::Array(items)) => {
                for item in items {
                    self.schema(schema, item, depth)?;
                }
            }
            _ => {}
        }
        Some(())
    }

    fn spend(&mut self, steps: usize) -> Option<()> {
        self.steps = self.steps.checked_sub(steps)?;
        Some(())
    }
}
