//! Removes the keywords of a schema that are not supported here.

use serde_json::{Map, Value};

/// The deepest nesting of a schema.
const MAX_DEPTH: usize = 100;
/// The most references of a schema: the compiler follows a chain of them recursively.
const MAX_REFERENCES: usize = 256;

/// Keywords whose values are data, not schemas.
const DATA: [&str; 4] = ["const", "default", "enum", "examples"];
/// Keywords whose values are maps from names to schemas.
const SCHEMA_MAPS: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];
/// Keywords that are removed: they change how references resolve, or make the cost of a validation
/// exponential in the depth of the schema.
const REMOVED: [&str; 10] = [
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    "$vocabulary",
    "id",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// The prefixes of the meta-schemas of known drafts.
const KNOWN_DRAFTS: [&str; 2] =
    ["http://json-schema.org/draft-0", "https://json-schema.org/draft/20"];

/// The schema without unsupported keywords: every remaining reference is a JSON Pointer into the schema.
/// None if it is too deep or has too many references.
pub(super) fn prepare(source: &Value) -> Option<Value> {
    let mut preparation = Preparation { root: source, references: 0 };
    preparation.schema(source, MAX_DEPTH)
}

struct Preparation<'a> {
    root: &'a Value,
    references: usize,
}

impl Preparation<'_> {
    fn schema(&mut self, schema: &Value, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        match schema {
            Value::Object(keywords) => self.keywords(keywords, depth).map(Value::Object),
            Value::Array(schemas) => {
                let prepared = schemas.iter().map(|schema| self.schema(schema, depth));
                prepared.collect::<Option<Vec<Value>>>().map(Value::Array)
            }
            other => Some(other.clone()),
        }
    }

    fn keywords(
        &mut self,
        keywords: &Map<String, Value>,
        depth: usize,
    ) -> Option<Map<String, Value>> {
        let mut prepared = Map::new();
        for (keyword, value) in keywords {
            let name = keyword.as_str();
            if REMOVED.contains(&name) || !self.is_supported(name, value) {
                continue;
            }
            let value = match value {
                value if DATA.contains(&name) => value.clone(),
                Value::Object(schemas) if SCHEMA_MAPS.contains(&name) => {
                    let schemas = schemas
                        .iter()
                        .map(|(name, schema)| Some((name.clone(), self.schema(schema, depth)?)));
                    Value::Object(schemas.collect::<Option<_>>()?)
                }
                value => self.schema(value, depth)?,
            };
            prepared.insert(keyword.clone(), value);
        }
        (self.references <= MAX_REFERENCES).then_some(prepared)
    }

    fn is_supported(&mut self, keyword: &str, value: &Value) -> bool {
        match (keyword, value) {
            ("$ref", Value::String(target)) => {
                self.references += 1;
                target.strip_prefix('#').is_some_and(|path| self.root.pointer(path).is_some())
            }
            ("$schema", Value::String(draft)) => {
                KNOWN_DRAFTS.iter().any(|known| draft.starts_with(known))
            }
            ("$ref" | "$schema", _) => false,
            _ => true,
        }
    }
}

/// Removes the keyword at a JSON Pointer. An invalid schema in a map of schemas is replaced by one that
/// accepts every value. None if there is nothing at the pointer.
pub(super) fn remove_keyword(schema: &mut Value, pointer: &str) -> Option<()> {
    let (parent, key) = pointer.rsplit_once('/')?;
    let is_map = parent.rsplit('/').next().is_some_and(|name| SCHEMA_MAPS.contains(&name));
    let key = key.replace("~1", "/").replace("~0", "~");
    match schema.pointer_mut(parent)? {
        Value::Object(schemas) if is_map => *schemas.get_mut(&key)? = Value::Bool(true),
        Value::Object(keywords) => drop(keywords.shift_remove(&key)?),
        Value::Array(items) => {
            let index = key.parse().ok().filter(|index| *index < items.len())?;
            items.remove(index);
        }
        _ => return None,
    }
    Some(())
}
