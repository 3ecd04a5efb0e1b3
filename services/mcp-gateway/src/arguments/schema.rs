//! Checks arguments against a tool's JSON Schema, for the faults that models make.
//!
//! What a schema says in words that are not known here is not checked: the server does so itself, and
//! refusing what it would take is worse than passing on what it refuses. References are followed
//! within the schema only.

use regex::RegexBuilder;
use serde_json::{Map, Value};

use super::fit::is_of;

/// How deep a schema is followed, and how many of its parts are looked at.
const DEEPEST: usize = 32;
const MOST_STEPS: usize = 20_000;
/// The most memory that one pattern may take.
const PATTERN_BYTES: usize = 256 * 1024;
/// The longest value that is repeated, and the most choices that are.
const TOLD_LETTERS: usize = 60;
const TOLD_CHOICES: usize = 20;
/// How alike two names must be for one to be a slip of the other.
const ALIKE: f64 = 0.75;

/// What is checked.
#[derive(Clone, Copy)]
pub(super) enum Subject {
    /// What a model wrote, and may read again.
    Arguments,
    /// What a server wrote: its values are not repeated, for a piece of a secret would not be masked.
    Result,
}

impl Subject {
    const fn part(self) -> &'static str {
        match self {
            Self::Arguments => "parameter",
            Self::Result => "field",
        }
    }

    fn told(self, value: &Value) -> String {
        match self {
            Self::Arguments => short(value),
            Self::Result => kind_of(value).to_owned(),
        }
    }
}

/// What is wrong with a value, at most so many faults.
pub(super) fn check(value: &Value, schema: &Value, subject: Subject, most: usize) -> Vec<String> {
    let mut check = Check { root: schema, subject, steps: MOST_STEPS, faults: Vec::new() };
    check.value("", value, schema, DEEPEST);
    check.faults.truncate(most);
    check.faults
}

struct Check<'a> {
    root: &'a Value,
    subject: Subject,
    steps: usize,
    faults: Vec<String>,
}

impl<'a> Check<'a> {
    fn value(&mut self, path: &str, value: &Value, schema: &'a Value, deep: usize) {
        let (Some(steps), Some(deep)) = (self.steps.checked_sub(1), deep.checked_sub(1)) else {
            return;
        };
        self.steps = steps;
        let schema = match schema {
            Value::Bool(false) => return self.fault(path, "may not be there"),
            Value::Object(schema) => schema,
            _ => return,
        };
        if let Some(target) = schema.get("$ref").and_then(Value::as_str)
            && let Some(target) = target.strip_prefix('#').and_then(|at| self.root.pointer(at))
        {
            self.value(path, value, target, deep);
        }
        if !self.kind(path, value, schema) || !self.choices(path, value, schema) {
            return;
        }
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.value(path, value, part, deep);
        }
        for word in ["anyOf", "oneOf"] {
            self.any(path, value, schema.get(word), deep);
        }
        match value {
            Value::Object(object) => self.object(path, object, schema, deep),
            Value::Array(items) => self.array(path, items, schema, deep),
            Value::String(text) => self.text(path, text, schema),
            Value::Number(number) => {
                if let Some(number) = number.as_f64() {
                    self.number(path, number, schema);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn kind(&mut self, path: &str, value: &Value, schema: &Map<String, Value>) -> bool {
        let kinds: Vec<&str> = match schema.get("type") {
            Some(Value::String(kind)) => vec![kind],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => return true,
        };
        let fits = kinds.is_empty() || kinds.iter().any(|kind| is_of(value, kind));
        if !fits {
            let kinds = kinds.join(" or ");
            self.fault(path, &format!("must be of type {kinds}, not {}", self.subject.told(value)));
        }
        fits
    }

    fn choices(&mut self, path: &str, value: &Value, schema: &Map<String, Value>) -> bool {
        if let Some(only) = schema.get("const")
            && only != value
        {
            self.fault(path, &format!("must be {}, not {}", short(only), self.subject.told(value)));
            return false;
        }
        let Some(choices) = schema.get("enum").and_then(Value::as_array) else { return true };
        if choices.contains(value) {
            return true;
        }
        let told: Vec<String> = choices.iter().take(TOLD_CHOICES).map(short).collect();
        self.fault(
            path,
            &format!("must be one of {}, not {}", told.join(", "), self.subject.told(value)),
        );
        false
    }

    /// At least one of the choices fits; if none does, the one with the fewest faults is told.
    fn any(&mut self, path: &str, value: &Value, choices: Option<&'a Value>, deep: usize) {
        let Some(choices) = choices.and_then(Value::as_array) else { return };
        let mut nearest: Option<Vec<String>> = None;
        for choice in choices {
            let (root, subject, steps) = (self.root, self.subject, self.steps);
            let mut check = Check { root, subject, steps, faults: Vec::new() };
            check.value(path, value, choice, deep);
            self.steps = check.steps;
            if check.faults.is_empty() {
                return;
            }
            if nearest.as_ref().is_none_or(|nearest| check.faults.len() < nearest.len()) {
                nearest = Some(check.faults);
            }
        }
        self.faults.extend(nearest.unwrap_or_default());
    }

    fn object(
        &mut self,
        path: &str,
        object: &Map<String, Value>,
        schema: &'a Map<String, Value>,
        deep: usize,
    ) {
        let required = schema.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(name) {
                self.fault(&join(path, name), "is missing");
            }
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties");
        let has_patterns = schema.contains_key("patternProperties");
        for (name, value) in object {
            let property = properties.and_then(|properties| properties.get(name));
            match (property, others) {
                (Some(property), _) => self.value(&join(path, name), value, property, deep),
                (None, _) if has_patterns => {}
                (None, Some(Value::Bool(false))) => {
                    let path = join(path, name);
                    let part = self.subject.part();
                    let known = properties.into_iter().flat_map(Map::keys);
                    let told = match slip(name, known) {
                        Some(meant) => {
                            format!("there is no {part} `{path}`, did you mean `{meant}`?")
                        }
                        None => format!("there is no {part} `{path}`"),
                    };
                    self.faults.push(told);
                }
                (None, Some(other)) => self.value(&join(path, name), value, other, deep),
                (None, None) => {}
            }
        }
    }

    fn array(&mut self, path: &str, items: &[Value], schema: &'a Map<String, Value>, deep: usize) {
        self.size(path, items.len(), schema, ("minItems", "maxItems"), "items");
        if schema.contains_key("prefixItems") {
            return;
        }
        let Some(each) = schema.get("items") else { return };
        for (place, item) in items.iter().enumerate() {
            self.value(&format!("{path}[{place}]"), item, each, deep);
        }
    }

    fn text(&mut self, path: &str, text: &str, schema: &Map<String, Value>) {
        self.size(path, text.chars().count(), schema, ("minLength", "maxLength"), "letters");
        let Some(pattern) = schema.get("pattern").and_then(Value::as_str) else { return };
        let expression = RegexBuilder::new(pattern).size_limit(PATTERN_BYTES).build();
        if expression.is_ok_and(|expression| !expression.is_match(text)) {
            let text = self.subject.told(&Value::String(text.to_owned()));
            self.fault(path, &format!("must match {pattern}, which {text} does not"));
        }
    }

    fn size(
        &mut self,
        path: &str,
        size: usize,
        schema: &Map<String, Value>,
        (least, most): (&str, &str),
        what: &str,
    ) {
        let bound = |word| schema.get(word).and_then(Value::as_u64);
        let size = u64::try_from(size).unwrap_or(u64::MAX);
        if let Some(least) = bound(least).filter(|least| size < *least) {
            self.fault(path, &format!("must have at least {least} {what}"));
        }
        if let Some(most) = bound(most).filter(|most| size > *most) {
            self.fault(path, &format!("must have at most {most} {what}"));
        }
    }

    fn number(&mut self, path: &str, number: f64, schema: &Map<String, Value>) {
        let bound = |word| schema.get(word).and_then(Value::as_f64);
        let outside = [
            ("minimum", "at least", bound("minimum").filter(|least| number < *least)),
            ("maximum", "at most", bound("maximum").filter(|most| number > *most)),
            (
                "exclusiveMinimum",
                "more than",
                bound("exclusiveMinimum").filter(|least| number <= *least),
            ),
            (
                "exclusiveMaximum",
                "less than",
                bound("exclusiveMaximum").filter(|most| number >= *most),
            ),
        ];
        for (_, words, bound) in outside {
            if let Some(bound) = bound {
                let told = match self.subject {
                    Subject::Arguments => format!("must be {words} {bound}, not {number}"),
                    Subject::Result => format!("must be {words} {bound}"),
                };
                self.fault(path, &told);
            }
        }
    }

    fn fault(&mut self, path: &str, what: &str) {
        let place = if path.is_empty() { "it".to_owned() } else { format!("`{path}`") };
        self.faults.push(format!("{place} {what}"));
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= TOLD_LETTERS {
        return text;
    }
    text.chars().take(TOLD_LETTERS).chain(['…']).collect()
}

const fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "this number",
        Value::String(_) => "this text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn slip<'n>(name: &str, known: impl Iterator<Item = &'n String>) -> Option<&'n String> {
    let alike = |known: &&String| strsim::jaro_winkler(name, known);
    known
        .filter(|known| alike(known) >= ALIKE)
        .max_by(|one, other| alike(one).total_cmp(&alike(other)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn faults(value: &Value, schema: &Value) -> String {
        check(value, schema, Subject::Arguments, 9).join("; ")
    }

    #[test]
    fn what_fits_has_no_fault() {
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
        assert_eq!(faults(&value, &schema), "");
    }

    #[test]
    fn each_fault_names_its_place_and_what_would_fit() {
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
        assert_eq!(
            faults(&value, &schema),
            "`level` must be one of \"low\", \"high\", not \"mid\"; `when` must be of type integer, not \"soon\"; \
             `list` must have at most 1 items; `list[0].m` is missing; `list[0].n` must be less than 3, not 3; \
             `tags.a` must be of type string, not 1; `name` must have at least 2 letters"
        );
    }

    #[test]
    fn what_is_wrong_with_a_result_repeats_no_value_of_it() {
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
        let told = check(&value, &schema, Subject::Result, 9).join("; ");
        assert_eq!(
            told,
            "`token` must be of type integer, not this text; `kind` must be one of \"a\", not this text; \
             `name` must match ^x, which this text does not; `size` must be at most 5; \
             there is no field `sise`, did you mean `size`?"
        );
    }

    #[test]
    fn a_schema_that_refers_to_itself_comes_to_an_end() {
        let schema =
            json!({"$ref": "#", "anyOf": [{"$ref": "#"}, {"$ref": "#"}], "allOf": [{"$ref": "#"}]});
        assert_eq!(faults(&json!({"a": 1}), &schema), "");
    }
}
