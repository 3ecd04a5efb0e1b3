//! The JSON Schema of the files, and the check of a file against it.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::file::{DURATION_FORMAT, ProvidersFile, SECONDS_FORMAT, TarsyFile, seconds};
use crate::path::Path;
use crate::report::{Problem, advice};
use crate::tree::{Kind, Node, Place};

/// The JSON Schema of both files, for editors: `tarsy.yaml` and `llm-providers.yaml` below `$defs`.
pub fn schema_json() -> Value {
    let (tarsy, providers) = (tarsy_schema(), providers_schema());
    let mut defs = Map::new();
    let mut file = |name: &str, mut schema: Value| {
        let inner = schema.get_mut("$defs").and_then(Value::as_object_mut).map(std::mem::take);
        defs.extend(inner.unwrap_or_default());
        if let Some(object) = schema.as_object_mut() {
            object.shift_remove("$defs");
            object.shift_remove("$schema");
        }
        defs.insert(name.to_owned(), schema);
    };
    file("tarsy.yaml", tarsy);
    file("llm-providers.yaml", providers);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "TARSy configuration",
        "description": "A file is either tarsy.yaml or llm-providers.yaml.",
        "anyOf": [
            { "$ref": "#/$defs/tarsy.yaml" },
            { "$ref": "#/$defs/llm-providers.yaml" },
        ],
        "$defs": defs,
    })
}

/// The schema of `tarsy.yaml` alone.
pub(crate) fn tarsy_schema() -> Value {
    generator().into_root_schema_for::<TarsyFile>().to_value()
}

/// The schema of `llm-providers.yaml` alone.
pub(crate) fn providers_schema() -> Value {
    generator().into_root_schema_for::<ProvidersFile>().to_value()
}

fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().into_generator()
}

/// Checks a file against a schema: what is right of it as JSON, and every problem.
pub(crate) fn check(file: &str, node: &Node, schema: &Value) -> (Value, Vec<Problem>) {
    let mut checker = Checker { file, root: schema, problems: Vec::new() };
    let value = checker.node(node, schema, &Path::root());
    (value.unwrap_or_else(|| Value::Object(Map::new())), checker.problems)
}

struct Checker<'a> {
    file: &'a str,
    root: &'a Value,
    problems: Vec<Problem>,
}

impl<'a> Checker<'a> {
    fn problem(&mut self, place: Place, path: &Path, message: String, suggestion: Option<String>) {
        self.problems.push(Problem {
            file: self.file.to_owned(),
            line: place.line,
            column: place.column,
            key: path.to_string(),
            message,
            suggestion,
        });
    }

    /// The value of a node, or nothing when it is absent or wrong.
    fn node(&mut self, node: &Node, schema: &'a Value, path: &Path) -> Option<Value> {
        let schema = self.follow(schema);
        if node.is_null() {
            return None;
        }
        if let Some(names) = names_of(schema) {
            return self.name(node, &names, path);
        }
        match type_of(schema) {
            "object" => self.object(node, schema, path),
            "array" => self.array(node, schema, path),
            "boolean" => self.boolean(node, path),
            "integer" if format_of(schema) == SECONDS_FORMAT => self.duration(node, path, true),
            "integer" => self.integer(node, schema, path),
            _ if format_of(schema) == DURATION_FORMAT => self.duration(node, path, false),
            _ => self.text(node, path),
        }
    }

    /// The schema behind references and optional values.
    fn follow(&self, mut schema: &'a Value) -> &'a Value {
        loop {
            let reference = schema.get("$ref").and_then(Value::as_str);
            let variants = schema.get("anyOf").and_then(Value::as_array);
            let next = match (reference, variants) {
                (Some(reference), _) => {
                    reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer))
                }
                (None, Some(variants)) => {
                    variants.iter().find(|variant| type_of(variant) != "null")
                }
                (None, None) => None,
            };
            match next {
                Some(next) => schema = next,
                None => return schema,
            }
        }
    }

    fn object(&mut self, node: &Node, schema: &'a Value, path: &Path) -> Option<Value> {
        let Kind::Map(entries) = &node.kind else {
            self.mismatch(node, path, "keys and values");
            return None;
        };
        let properties = schema.get("properties").and_then(Value::as_object);
        let rest = schema.get("additionalProperties").filter(|rest| rest.is_object());
        let mut out = Map::new();
        for entry in entries {
            let here = path.key(&entry.key);
            let known = properties.and_then(|known| known.get(&entry.key));
            if let Some(schema) = known {
                out.extend(self.node(&entry.value, schema, &here).map(|v| (entry.key.clone(), v)));
            } else if let Some(schema) = rest {
                let value = self.entry(&entry.value, schema, &here);
                out.extend(value.map(|value| (entry.key.clone(), value)));
            } else if !(path.steps().is_empty() && entry.key.starts_with("x-")) {
                let names: Vec<&str> =
                    properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
                let message = format!("unknown key \"{}\"", entry.key);
                self.problem(entry.place, &here, message, advice(&entry.key, names));
            }
        }
        self.required(node, schema, path);
        Some(Value::Object(out))
    }

    /// The value of an entry that the operator named: without a value it is an empty one, not absent.
    fn entry(&mut self, node: &Node, schema: &'a Value, path: &Path) -> Option<Value> {
        if node.is_null() {
            let schema = self.follow(schema);
            return match type_of(schema) {
                "object" => {
                    self.required(node, schema, path);
                    Some(Value::Object(Map::new()))
                }
                _ => Some(Value::String(String::new())),
            };
        }
        self.node(node, schema, path)
    }

    fn required(&mut self, node: &Node, schema: &Value, path: &Path) {
        let required = schema.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            if node.get(name).is_none_or(Node::is_null) {
                let suggestion = Some(format!("add `{name}:` here"));
                self.problem(node.place, &path.key(name), "is missing".to_owned(), suggestion);
            }
        }
    }

    fn array(&mut self, node: &Node, schema: &'a Value, path: &Path) -> Option<Value> {
        let Kind::List(items) = &node.kind else {
            self.mismatch(node, path, "a list");
            return None;
        };
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
        if (items.len() as u64) < least {
            let message = "must have at least one entry".to_owned();
            self.problem(node.place, path, message, Some("add one".to_owned()));
        }
        let each = schema.get("items")?;
        let mut out = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let here = path.index(index);
            if item.is_null() {
                let advice = Some("write a value or remove the dash".to_owned());
                self.problem(item.place, &here, "is empty".to_owned(), advice);
            }
            // A wrong entry keeps its place, so that the paths of the others stay true.
            let blank = match type_of(self.follow(each)) {
                "object" => Value::Object(Map::new()),
                _ => Value::String(String::new()),
            };
            out.push(self.node(item, each, &here).unwrap_or(blank));
        }
        Some(Value::Array(out))
    }

    fn name(&mut self, node: &Node, names: &[&str], path: &Path) -> Option<Value> {
        let Kind::Scalar { text, written, .. } = &node.kind else {
            self.mismatch(node, path, &format!("one of {}", names.join(", ")));
            return None;
        };
        if names.contains(&text.as_str()) {
            return Some(Value::String(text.clone()));
        }
        let suggestion = match advice(text, names.iter().copied()) {
            Some(nearest) if nearest.starts_with("did") => {
                Some(format!("{nearest} known: {}", names.join(", ")))
            }
            other => other,
        };
        self.problem(node.place, path, format!("unknown value \"{written}\""), suggestion);
        None
    }

    fn text(&mut self, node: &Node, path: &Path) -> Option<Value> {
        if let Kind::Scalar { text, .. } = &node.kind {
            return Some(Value::String(text.clone()));
        }
        self.mismatch(node, path, "text");
        None
    }

    fn boolean(&mut self, node: &Node, path: &Path) -> Option<Value> {
        let Kind::Scalar { text, .. } = &node.kind else {
            self.mismatch(node, path, "true or false");
            return None;
        };
        match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(Value::Bool(true)),
            "false" | "no" | "off" => Some(Value::Bool(false)),
            _ => {
                self.mismatch(node, path, "true or false");
                None
            }
        }
    }

    fn integer(&mut self, node: &Node, schema: &Value, path: &Path) -> Option<Value> {
        let number = match &node.kind {
            Kind::Scalar { text, .. } => text.replace('_', "").parse::<i64>().ok(),
            _ => None,
        };
        let Some(number) = number else {
            self.mismatch(node, path, "a whole number");
            return None;
        };
        let bound = |name: &str| schema.get(name).and_then(Value::as_i64);
        let (least, most) = (bound("minimum").unwrap_or(0), bound("maximum"));
        let limit = most.unwrap_or_else(|| u32::MAX.into());
        if number < least || number > limit {
            let range = match most {
                Some(most) => format!("must be between {least} and {most}"),
                None => format!("must be at least {least}"),
            };
            let nearest = number.clamp(least, limit);
            let suggestion = Some(format!("the nearest allowed value is {nearest}"));
            self.problem(node.place, path, format!("{range}, not {number}"), suggestion);
            return None;
        }
        Some(Value::from(number))
    }

    fn duration(&mut self, node: &Node, path: &Path, or_seconds: bool) -> Option<Value> {
        let Kind::Scalar { text, written, .. } = &node.kind else {
            self.mismatch(node, path, "a duration");
            return None;
        };
        let parsed = if or_seconds { seconds(text) } else { crate::duration::parse(text) };
        if parsed.is_some() {
            return Some(Value::String(text.clone()));
        }
        let suggestion = match text.trim().parse::<u64>() {
            Ok(number) => format!("add a unit: {number}s, {number}m or {number}h"),
            Err(_) => "write it like 30s, 15m or 1h30m".to_owned(),
        };
        let message = format!("\"{written}\" is not a duration");
        self.problem(node.place, path, message, Some(suggestion));
        None
    }

    fn mismatch(&mut self, node: &Node, path: &Path, wanted: &str) {
        let (found, suggestion) = match &node.kind {
            Kind::Scalar { written, .. } => {
                let suggestion = match wanted {
                    "a list" => Some("write [a, b], or a line `- a` for each entry".to_owned()),
                    "keys and values" => Some("write its keys on indented lines below".to_owned()),
                    "true or false" => Some("write true or false".to_owned()),
                    _ => None,
                };
                (format!("\"{written}\""), suggestion)
            }
            Kind::List(_) => ("a list".to_owned(), Some(format!("write {wanted} here"))),
            Kind::Map(_) => ("keys and values".to_owned(), Some(format!("write {wanted} here"))),
        };
        let suggestion = suggestion.or_else(|| Some(format!("write {wanted} here")));
        self.problem(node.place, path, format!("must be {wanted}, not {found}"), suggestion);
    }
}

/// The first type of a schema that is not `null`.
fn type_of(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(name)) => name,
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).find(|name| *name != "null").unwrap_or("null")
        }
        _ => "",
    }
}

fn format_of(schema: &Value) -> &str {
    schema.get("format").and_then(Value::as_str).unwrap_or_default()
}

/// The names that a schema allows, when it is an enumeration.
fn names_of(schema: &Value) -> Option<Vec<&str>> {
    let mut names: Vec<&str> = Vec::new();
    if let Some(list) = schema.get("enum").and_then(Value::as_array) {
        names.extend(list.iter().filter_map(Value::as_str));
    }
    for variant in schema.get("oneOf").and_then(Value::as_array).into_iter().flatten() {
        names.extend(variant.get("const").and_then(Value::as_str));
        names.extend(names_of(variant).unwrap_or_default());
    }
    (!names.is_empty()).then_some(names)
}
